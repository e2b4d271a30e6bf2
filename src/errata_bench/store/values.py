"""What goes into a column: text and integers that SQLite can hold, and JSON that can be read again.

Replies come here cleaned by whoever read them. What still cannot be stored is replaced rather than refused, because
it has been paid for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_LARGEST = 2**63 - 1


def storable_text(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which are in no UTF-8."""
    return text if text.isascii() else text.translate(_SURROGATES)


def storable_count(count: int | None) -> int | None:
    """The count, or None where it is beyond 64 bits, which no real one is."""
    return None if count is None or abs(count) > _LARGEST else count


def storable_json(value: Any) -> str:
    """The value as JSON; text as in `storable_text`, integers beyond 64 bits as text."""
    try:
        return orjson.dumps(value, default=dict).decode()
    except orjson.JSONEncodeError:
        return orjson.dumps(_cleaned(value)).decode()


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Mapping):
        return {storable_text(str(key)): _cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item) for item in value]
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)
    return value
