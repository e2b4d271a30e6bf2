"""Decodes the arguments of a tool call as they are really sent (QUIRKS A). Pure; raises nothing.

It repairs the wrapping only. What a field says is taken literally: an over-escaped or cut value is never guessed at
(Q06, Q08).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from errata_bench.endpoint.lenient_json import SURROGATES, dump, parse_text
from errata_bench.endpoint.oddities import Oddity

_UNWRAPPINGS = 2
"""How often a string in a string is opened (Q02)."""

_LITERAL_LIMIT = 200_000
"""Characters of a Python literal that are worth parsing; a paragraph has a hundredth of it."""

_FENCE = re.compile(r"```[A-Za-z]*\s*\n(.*)\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Decoded arguments.

    ``value`` is None where no object came, and ``problem`` then tells the model why. ``raw`` is what was sent,
    ``replay`` the valid JSON that goes into the conversation's history (Q13).
    """

    value: Mapping[str, Any] | None
    raw: str
    replay: str
    problem: str | None = None
    oddities: tuple[Oddity, ...] = ()


def decode_arguments(sent: object) -> Arguments:
    """Decode what stood in a call's ``arguments``; None stands for absent."""
    if sent is None:
        return Arguments({}, "", "{}", oddities=(Oddity.EMPTY_ARGUMENTS,))
    if isinstance(sent, dict):
        raw = dump(sent)
        if raw is None:
            return _refused("", _UNWRITABLE, Oddity.MALFORMED_ARGUMENTS)
        return Arguments(sent, raw, raw, oddities=(Oddity.ARGUMENTS_AS_OBJECT,))
    if not isinstance(sent, str):
        return _refused(dump(sent) or "", _not_an_object(sent), Oddity.ARGUMENTS_NOT_AN_OBJECT)
    return replace(_decode_text(sent), raw=sent.translate(SURROGATES))


def _decode_text(text: str) -> Arguments:
    oddities: list[Oddity] = []
    fenced = _FENCE.fullmatch(text.strip())
    if fenced:
        oddities.append(Oddity.FENCED_ARGUMENTS)
    current = fenced.group(1) if fenced else text
    if current.strip() in ("", "null"):
        return Arguments({}, text, "{}", oddities=(*oddities, Oddity.EMPTY_ARGUMENTS))
    value: object = None
    for depth in range(_UNWRAPPINGS + 1):
        try:
            parsed = parse_text(current)
        except (ValueError, RecursionError) as error:
            if depth:
                break
            return _decode_literal(current, str(error), oddities)
        if parsed.raw_controls:
            oddities.append(Oddity.RAW_CONTROL_CHARACTERS)
        if parsed.lone_surrogate:
            oddities.append(Oddity.LONE_SURROGATE)
        value = parsed.value
        if isinstance(value, dict):
            if depth:
                oddities.append(Oddity.DOUBLE_ENCODED_ARGUMENTS)
            if parsed.rest:
                oddities.append(Oddity.TRAILING_TEXT)
            replay = dump(value)
            if replay is None:
                return _refused(text, _UNWRITABLE, Oddity.MALFORMED_ARGUMENTS)
            # Sent back byte for byte where it can be: prompt caches compare bytes.
            verbatim = not oddities and text.lstrip().startswith("{")
            return Arguments(value, text, text if verbatim else replay, oddities=tuple(oddities))
        if not isinstance(value, str) or parsed.rest:
            break
        current = value
    return _refused(text, _not_an_object(value), Oddity.ARGUMENTS_NOT_AN_OBJECT, *oddities)


def _decode_literal(text: str, reason: str, oddities: list[Oddity]) -> Arguments:
    """Read a Python dict (Q07). Quotes are never swapped: apostrophes in the text would break."""
    problem = f"The arguments are not valid JSON ({_short(reason)}). Send one JSON object."
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")) or len(stripped) > _LITERAL_LIMIT:
        return _refused(text, problem, Oddity.MALFORMED_ARGUMENTS, *oddities)
    try:
        with warnings.catch_warnings():
            # The compiler warns of escapes such as "\d" in a model's text; that is nobody's business here.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(stripped)
        plain = _as_json(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _refused(text, problem, Oddity.MALFORMED_ARGUMENTS, *oddities)
    replay = dump(plain)
    if not isinstance(plain, dict) or replay is None:
        return _refused(text, problem, Oddity.MALFORMED_ARGUMENTS, *oddities)
    return Arguments(plain, text, replay, oddities=(*oddities, Oddity.PYTHON_LITERAL))


def _as_json(value: object) -> Any:
    """Turn a literal into JSON values; raises ValueError for what JSON has no form for."""
    if isinstance(value, str):
        return value.translate(SURROGATES)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {_as_json(key): _as_json(item) for key, item in value.items()}
    raise ValueError("no JSON value")


_UNWRITABLE = "The arguments are nested too deeply or hold too large a number."


def _not_an_object(value: object) -> str:
    names = {str: "a string", list: "a list", bool: "a truth value", int: "a number", float: "a number"}
    return f"The arguments are {names.get(type(value), 'no object')}; send one JSON object with the tool's fields."


def _refused(raw: str, problem: str, *oddities: Oddity) -> Arguments:
    return Arguments(None, raw, "{}", problem, oddities)


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
