"""ErrataBench: which language model proofreads best, for your money and your texts.

`open_group` reads results in Python; ``docs/python-api.md`` shows how. Importing this package loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errata_bench.api import OpenGroup as OpenGroup
    from errata_bench.api import open_group as open_group

__version__ = "0.1.0"

_LAZY = ("OpenGroup", "open_group")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module("errata_bench.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
