"""Where the data that comes with the project lies, in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled_dataset() -> Path:
    """The folder of the bundled cases."""
    installed = _PACKAGE / "data" / "datasets" / "v1" / "cases"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "datasets" / "v1" / "cases"
