"""Which refused parameter is left out or renamed, and which refusal is an error (QUIRKS policy P). Pure.

Each adaptation changes one thing, is tried once a request, is remembered for the endpoint and model once it helped,
and is recorded: figures of adapted requests are not silently comparable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from errata_bench.endpoint.errors_sent import SentError


class Adaptation(StrEnum):
    """One change of the requests. The words are stored with results; they do not change."""

    MAX_TOKENS = "max_tokens_for_max_completion_tokens"
    """The token limit goes by its older name (Q65)."""
    NO_TEMPERATURE = "no_temperature"
    """No temperature is sent; the model uses its own (Q66)."""
    NO_PARALLEL_TOOL_CALLS = "no_parallel_tool_calls"
    """Nothing is said of parallel calls (Q67)."""
    NO_TOOL_CHOICE = "no_tool_choice"
    """Nothing is said of the choice of tools, thus ``auto`` (Q68)."""
    PLAIN_SCHEMAS = "plain_tool_schemas"
    """Tool schemas keep only the keywords that every server knows (Q69)."""
    NO_REASONING_EXCLUDE = "no_reasoning_exclude"
    """The reasoning may come back with the reply."""
    CONTENT_OMITTED = "empty_content_omitted"
    """An assistant message with calls and no text has no ``content`` (Q38)."""
    REASONING_NOT_ECHOED = "reasoning_not_echoed"
    """The model's reasoning is left out of the history (Q43)."""
    EXTRAS_NOT_ECHOED = "extra_fields_not_echoed"
    """Unknown fields of the model's messages are left out of the history."""
    SHORT_CALL_IDS = "short_call_ids"
    """Ids of calls are rewritten to 9 letters and digits (Q24, Q25)."""


class Refusal(StrEnum):
    """A refusal that is an error: what was asked for cannot be had."""

    EFFORT = "unsupported_effort"
    """The reasoning effort, or any reasoning object (Q70)."""


REASONING_FIELDS = frozenset(
    {"reasoning", "reasoning_content", "reasoning_details", "reasoning_text", "thinking", "thinking_blocks"}
)
"""Fields of an assistant message that hold its reasoning (Q42 to Q44)."""

PLAIN_KEYWORDS = frozenset({"type", "properties", "required", "description", "items", "enum"})
"""Keywords of JSON schema that every server knows."""

ASSISTANT_FIELDS = frozenset({"role", "content", "tool_calls", "name", "refusal"})
"""Fields of an assistant message that are part of the API."""

_REFUSED = re.compile(
    r"unsupported|support|unknown|unrecogni[sz]ed|unexpected|extra|permitted|allowed|forbidden|invalid|only|deprecated"
    r"|cannot|can't|must|should|reject|remove|incompatible|no longer|disabled|mandatory|expected|not valid|bad"
)
_CALL_ID = re.compile(r"tool[_ ]?calls?\b.{0,40}\bid\b|tool_call_id", re.DOTALL)
_ID_FORM = re.compile(r"length|too long|a-z|alphanumeric|characters|pattern|must match")
_CONTENT = re.compile(
    r"\bcontent\b.{0,60}(?:required|must|non-?empty|non-whitespace|empty|blank|null|none|invalid|valid string|missing)"
    r"|(?:empty|blank|invalid|null|missing).{0,30}\bcontent\b",
    re.DOTALL,
)
_DEMANDED = re.compile(r"must be (?:passed|provided|included|sent)|is required|missing|must start with|but found")

_TOP_LEVEL: Mapping[str, Adaptation] = {
    "max_completion_tokens": Adaptation.MAX_TOKENS,
    "temperature": Adaptation.NO_TEMPERATURE,
    "parallel_tool_calls": Adaptation.NO_PARALLEL_TOOL_CALLS,
    "tool_choice": Adaptation.NO_TOOL_CHOICE,
}
_EFFORT_NAMES = ("reasoning", "reasoning_effort", "effort", "enable_thinking", "thinking_budget", "thinking_config")
_MODE = "thinking"
"""Also an ordinary word of such texts: it is the culprit only where nothing else is named."""


def find_remedy(
    error: SentError, sent: Mapping[str, Any], already: frozenset[Adaptation]
) -> Adaptation | Refusal | None:
    """Find what to do about a request that was refused with 400, 404 or 422.

    ``sent`` is the body of the request, ``already`` what it was adapted by. None where the refusal names nothing that
    was sent and may be changed. Never returns an adaptation of ``already``.
    """
    text = error.text
    if not _REFUSED.search(text) and error.parameter is None and not _CONTENT.search(text):
        return None
    has_history = any(message.get("role") == "assistant" for message in sent.get("messages", ()))
    if has_history and _wants_reasoning_back(text):
        return None
    remedy = _about_messages(text, sent) or _about_parameters(error, text, sent)
    return None if remedy in already else remedy


def revoked(error: SentError, already: frozenset[Adaptation]) -> frozenset[Adaptation]:
    """Return the adaptations that the server turns out to object to: reasoning that it wants back (Q42)."""
    return already & {Adaptation.REASONING_NOT_ECHOED} if _wants_reasoning_back(error.text) else frozenset()


def _wants_reasoning_back(text: str) -> bool:
    return bool(_DEMANDED.search(text)) and any(_word(field, text) is not None for field in REASONING_FIELDS)


def _about_messages(text: str, sent: Mapping[str, Any]) -> Adaptation | None:
    """Look for complaints about the history, which holds what the model itself sent."""
    assistants = [message for message in sent.get("messages", ()) if message.get("role") == "assistant"]
    if not assistants:
        return None
    calls = [call for message in assistants for call in message.get("tool_calls", ())]
    if calls and _CALL_ID.search(text) and _ID_FORM.search(text):
        return Adaptation.SHORT_CALL_IDS
    held = {key for message in assistants for key in message} - ASSISTANT_FIELDS
    # "reasoning" is also a parameter of the request: only in the messages' own terms is it theirs.
    places = "message" in text or "assistant" in text or "reasoning" not in sent
    named = {key for key in held if _word(key.lower(), text) is not None and (places or key != "reasoning")}
    if named & REASONING_FIELDS:
        return Adaptation.REASONING_NOT_ECHOED
    if named - REASONING_FIELDS or any(_word(key.lower(), text) is not None for key in _call_extras(calls)):
        return Adaptation.EXTRAS_NOT_ECHOED
    if any(message.get("content") == "" for message in assistants) and _CONTENT.search(text):
        return Adaptation.CONTENT_OMITTED
    return None


def _call_extras(calls: Sequence[Mapping[str, Any]]) -> set[str]:
    outer = {key for call in calls for key in call} - {"id", "type", "function"}
    return outer | ({key for call in calls for key in call.get("function", ())} - {"name", "arguments"})


def _about_parameters(error: SentError, text: str, sent: Mapping[str, Any]) -> Adaptation | Refusal | None:
    """Look for the parameter that is named first; the one in the error's own field goes before the text."""
    candidates: dict[str, Adaptation | Refusal] = {name: act for name, act in _TOP_LEVEL.items() if name in sent}
    reasoning = sent.get("reasoning")
    if isinstance(reasoning, dict):
        candidates |= dict.fromkeys(_EFFORT_NAMES, Refusal.EFFORT)
        if "exclude" in reasoning:
            candidates["exclude"] = Adaptation.NO_REASONING_EXCLUDE
            candidates["reasoning.exclude"] = Adaptation.NO_REASONING_EXCLUDE
    keywords = set(_keywords(sent.get("tools", ()))) - PLAIN_KEYWORDS
    candidates |= {
        keyword.lower(): Adaptation.PLAIN_SCHEMAS for keyword in keywords if keyword.lower() not in candidates
    }
    named = (error.parameter or "").lower()
    for place in (named, text):
        if not place or (place is text and not _REFUSED.search(text)):
            continue
        found = {name: at for name in candidates if (at := _word(name, place)) is not None}
        if found:
            # Of names at the same place the longest is meant: reasoning.exclude, not reasoning.
            return candidates[min(found, key=lambda name: (found[name], -len(name)))]
        if isinstance(reasoning, dict) and _word(_MODE, place) is not None:
            return Refusal.EFFORT
    return None


def _keywords(value: object, *, names: bool = False) -> Iterator[str]:
    """Yield the schema keywords of tools; under ``properties`` stand names of fields, which are none."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _keywords(item)
    elif isinstance(value, Mapping):
        function = value.get("function")
        if not names and isinstance(function, Mapping):
            yield from ["strict"] if "strict" in function else []
            yield from _keywords(function.get("parameters"))
            return
        for key, item in value.items():
            if not names:
                yield key
            yield from _keywords(item, names=key == "properties" and not names)


def _word(name: str, text: str) -> int | None:
    match = re.search(rf"(?<![\w$]){re.escape(name)}(?!\w)", text)
    return match.start() if match else None
