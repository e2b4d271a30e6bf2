"""Turns the ``tool_calls`` of a reply into `ToolCall` s and into what goes back in the history (QUIRKS A, B, C)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_bench.chat import ToolCall
from errata_bench.endpoint.arguments import decode_arguments
from errata_bench.endpoint.lenient_json import dump
from errata_bench.endpoint.oddities import Oddity

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 9

_VALID_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
UNNAMED_TOOL = "unnamed_tool"
"""The name in the history of a call that named no tool (Q20)."""

_NAMESPACE = "functions."
_OWN_FUNCTION_KEYS = frozenset({"name", "arguments"})
_OWN_KEYS = frozenset({"id", "type", "function", "index", "name", "arguments"})


@dataclass(frozen=True, slots=True)
class ReadCalls:
    """The calls of a reply, the entries that replay them, and the oddities met."""

    calls: tuple[ToolCall, ...]
    replay: tuple[Mapping[str, Any], ...]
    oddities: tuple[Oddity, ...]


@dataclass(frozen=True, slots=True)
class _Name:
    name: str
    oddity: Oddity | None


def make_call_id(seed: str) -> str:
    """Make an id of 9 letters and digits, the form that every server takes (Q24); the same for the same seed."""
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "replace")).digest()[:8], "big")
    digits = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)


def read_calls(message: Mapping[str, Any], tools: frozenset[str], used_ids: frozenset[str], seed: str) -> ReadCalls:
    """Read the calls of an assistant message; entries that cannot be calls are counted and left out.

    ``used_ids`` are the ids of the conversation so far, ``seed`` makes the ids that are given here.
    """
    oddities: list[Oddity] = []
    calls: list[ToolCall] = []
    replay: list[Mapping[str, Any]] = []
    taken = set(used_ids)
    for index, entry in enumerate(_entries(message, oddities)):
        function = _function_of(entry, oddities)
        if function is None:
            oddities.append(Oddity.JUNK_CALL)
            continue
        call_id = _usable_id(entry.get("id"), taken, f"{seed}:{index}", oddities)
        taken.add(call_id)
        named = _resolve_name(function.get("name"), tools)
        arguments = decode_arguments(function.get("arguments"))
        oddities += [*arguments.oddities, *([named.oddity] if named.oddity else [])]
        calls.append(ToolCall(call_id, named.name, arguments.value, arguments.raw, arguments.problem))
        # Unknown keys go back as they came: Gemini's thought signatures live there (Q41).
        extras, dropped = sendable_extras(entry, _OWN_KEYS)
        inner, inner_dropped = sendable_extras({} if function is entry else function, _OWN_FUNCTION_KEYS)
        oddities += [Oddity.UNREPLAYABLE_EXTRAS] * (dropped + inner_dropped)
        replay.append(
            {
                "id": call_id,
                "type": "function",
                "function": {"name": named.name, "arguments": arguments.replay, **inner},
                **extras,
            }
        )
    return ReadCalls(tuple(calls), tuple(replay), tuple(oddities))


def sendable_extras(fields: Mapping[str, Any], own: frozenset[str]) -> tuple[dict[str, Any], int]:
    """Return the fields outside ``own`` that say something and can be sent back, and how many cannot."""
    extras: dict[str, Any] = {}
    dropped = 0
    for key, value in fields.items():
        if key in own or value is None or value == [] or value == {}:
            continue
        # Some nesting is left for the message and the request around it.
        if dump([[[[[[{key: value}]]]]]]) is None:
            dropped += 1
        else:
            extras[key] = value
    return extras, dropped


def _entries(message: Mapping[str, Any], oddities: list[Oddity]) -> list[Mapping[str, Any]]:
    sent = message.get("tool_calls")
    if isinstance(sent, dict):
        sent = [sent] if sent else None
    if sent and not isinstance(sent, list):
        oddities.append(Oddity.JUNK_CALL)
        sent = None
    entries: list[Mapping[str, Any]] = []
    for entry in sent or []:
        if isinstance(entry, dict):
            entries.append(entry)
        else:
            oddities.append(Oddity.JUNK_CALL)
    legacy = message.get("function_call")
    if not entries and isinstance(legacy, dict) and legacy:
        oddities.append(Oddity.LEGACY_FUNCTION_CALL)
        entries.append({"function": legacy})
    return entries


def _function_of(entry: Mapping[str, Any], oddities: list[Oddity]) -> Mapping[str, Any] | None:
    function = entry.get("function")
    if isinstance(function, dict):
        return function
    if "name" in entry or "arguments" in entry:
        oddities.append(Oddity.FLAT_CALL)
        return entry
    return None


def _usable_id(sent: object, taken: set[str], seed: str, oddities: list[Oddity]) -> str:
    given = str(sent) if isinstance(sent, int) and not isinstance(sent, bool) else sent
    if isinstance(given, str) and given.strip():
        if given not in taken:
            return given  # byte for byte: other forms derail Kimi (Q26)
        oddities.append(Oddity.DUPLICATE_CALL_ID)
    else:
        oddities.append(Oddity.MISSING_CALL_ID)
    attempt = 0
    while (made := make_call_id(f"{seed}:{attempt}")) in taken:
        attempt += 1
    return made


def _resolve_name(sent: object, tools: frozenset[str]) -> _Name:
    if not isinstance(sent, str) or not sent.strip():
        return _Name(UNNAMED_TOOL, Oddity.MISSING_TOOL_NAME)
    if sent in tools:
        return _Name(sent, None)
    name = sent.strip()
    folded = {tool.casefold(): tool for tool in tools}
    if name.casefold() in folded:
        return _Name(folded[name.casefold()], Oddity.TOOL_NAME_SPELLING)
    bare = name.removeprefix(_NAMESPACE)
    if bare in tools:
        return _Name(bare, Oddity.PREFIXED_TOOL_NAME)
    # No guess beyond that (Q19); a dotted or odd name would be refused in the next request (Q17).
    valid = name if _VALID_NAME.fullmatch(name) else re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]
    return _Name(valid, Oddity.UNKNOWN_TOOL)
