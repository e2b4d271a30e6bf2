"""Reads JSON as servers and models really write it: nothing here raises but ValueError."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value at the beginning of a text.

    ``rest`` is what followed it; ``raw_controls`` says that strings held unescaped line breaks or tabs,
    ``lone_surrogate`` that half a character pair became U+FFFD.
    """

    value: Any
    rest: str = ""
    raw_controls: bool = False
    lone_surrogate: bool = False


def parse_text(text: str) -> Parsed:
    """Parse the JSON value that ``text`` begins with; raises ValueError if there is none.

    The result can be written as JSON again, but for integers beyond 64 bits and nesting beyond 254 levels: see
    `dump`.
    """
    text = text.strip().removeprefix("\ufeff").lstrip()
    try:
        return Parsed(orjson.loads(text))
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        pass
    raw_controls = False
    try:
        value, end = _STRICT.raw_decode(text)
    except (ValueError, RecursionError):
        # QUIRKS Q04: raw line breaks and tabs within strings.
        raw_controls = True
        try:
            value, end = _RAW_CONTROLS.raw_decode(text)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
    try:
        cleaned = clean(value)
        return Parsed(cleaned, text[end:].strip(), raw_controls, cleaned != value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def clean(value: Any) -> Any:
    """Replace lone surrogates, which no UTF-8 text can hold, by U+FFFD in all strings of a JSON value."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(SURROGATES)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value


def dump(value: Any) -> str | None:
    """Write a value as compact JSON, or return None where it cannot be written (nesting, huge integers)."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)
_RAW_CONTROLS = json.JSONDecoder(parse_constant=_refuse_constant, strict=False)
