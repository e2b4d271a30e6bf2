"""Puts an event stream that nobody asked for together into one reply (QUIRKS Q55). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from errata_bench.endpoint.lenient_json import parse_text

_DONE = "[DONE]"


def merge_stream(text: str) -> dict[str, Any] | None:
    """Add up the chunks of a stream; None if it has no end or an event is no JSON: a cut reply is not repaired."""
    merged = _Merged()
    for data in _events(text):
        if data.strip() == _DONE:
            merged.done = True
            continue
        try:
            parsed = parse_text(data)
        except (ValueError, RecursionError):
            return None
        if isinstance(parsed.value, dict):
            merged.add(parsed.value)
    return merged.result() if merged.payload.get("error") or merged.is_complete() else None


def _events(text: str) -> list[str]:
    events: list[str] = []
    lines: list[str] = []
    for line in [*re.split(r"\r\n|\r|\n", text), ""]:
        if not line:
            if lines:
                events.append("\n".join(lines))
            lines = []
        elif line.startswith("data:"):
            data = line[5:].removeprefix(" ")
            # Some servers leave out the empty line between events: each chunk begins an object of its own.
            if lines and (data.strip() == _DONE or (data.startswith("{") and lines[-1].endswith("}"))):
                events.append("\n".join(lines))
                lines = []
            lines.append(data)
    return events


class _Pieces(list[str]):
    """A text in pieces; joined at the end, so that many small ones take no quadratic time."""


class _Merged:
    """Adds up chunks."""

    def __init__(self) -> None:
        self.payload: dict[str, Any] = {}
        self.message: dict[str, Any] = {}
        self.calls: dict[int, dict[str, Any]] = {}
        self.last_call = -1
        self.finish: Any = None
        self.error: Any = None
        self.chosen = False
        self.done = False

    def add(self, chunk: Mapping[str, Any]) -> None:
        for key, value in chunk.items():
            if key != "choices" and value is not None:
                self.payload[key] = value
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self.chosen = True
        self.finish = choice.get("finish_reason") or self.finish
        self.error = choice.get("error") or self.error
        part = choice.get("delta") or choice.get("message")
        if isinstance(part, dict):
            self._add_part(part)

    def is_complete(self) -> bool:
        return self.chosen and (self.done or bool(self.finish))

    def result(self) -> dict[str, Any]:
        message = _joined(self.message)
        if self.calls:
            entries = [self.calls[index] for index in sorted(self.calls)]
            message["tool_calls"] = [{**entry, "function": _joined(entry["function"])} for entry in entries]
        choice = {"message": message, "finish_reason": self.finish, "error": self.error}
        return {**self.payload, "choices": [choice] if self.chosen else []}

    def _add_part(self, part: Mapping[str, Any]) -> None:
        for key, value in part.items():
            if key != "tool_calls":
                _append(self.message, key, value)
                continue
            for entry in value if isinstance(value, list) else []:
                if isinstance(entry, dict):
                    self._add_call(entry)

    def _add_call(self, entry: Mapping[str, Any]) -> None:
        index = entry.get("index")
        if not isinstance(index, int):
            # Without an index, an entry with an id begins a call and one without goes on with the last.
            index = self.last_call + 1 if entry.get("id") or self.last_call < 0 else self.last_call
        self.last_call = index
        call = self.calls.setdefault(index, {"function": {}})
        for key, value in entry.items():
            if key != "function":
                call[key] = call.get(key) or value
            elif isinstance(value, dict):
                for name, part in value.items():
                    _append(call["function"], name, part)


_ONCE = frozenset({"role", "name", "id", "type"})
"""Fields that chunks repeat whole, not in pieces."""


def _append(target: dict[str, Any], key: str, value: Any) -> None:
    held = target.get(key)
    if key in _ONCE:
        target[key] = held or value
    elif isinstance(value, str):
        if isinstance(held, _Pieces):
            held.append(value)
        else:
            target[key] = _Pieces([value])
    elif isinstance(value, list):
        if isinstance(held, list) and not isinstance(held, _Pieces):
            held.extend(value)
        else:
            target[key] = list(value)
    elif value is not None or key not in target:
        target[key] = value


def _joined(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: "".join(value) if isinstance(value, _Pieces) else value for key, value in fields.items()}
