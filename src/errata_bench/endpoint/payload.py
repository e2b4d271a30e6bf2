"""Writes a `ChatRequest` as the body that is sent. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from errata_bench.chat import ChatRequest, Message, Reasoning, ToolSchema
from errata_bench.endpoint.adapt import ASSISTANT_FIELDS, PLAIN_KEYWORDS, REASONING_FIELDS, Adaptation
from errata_bench.endpoint.calls import make_call_id
from errata_bench.errors import InternalError

_TOOL_CHOICES = frozenset({"auto", "required", "none"})


def build_body(
    request: ChatRequest, *, model: str, effort: str | None, send_reasoning: bool, adaptations: frozenset[Adaptation]
) -> dict[str, Any]:
    """Build the body of a request.

    ``effort`` is the variant's; the request's own goes before it. Without ``send_reasoning`` no reasoning object is
    sent at all.
    """
    body: dict[str, Any] = {"model": model, "messages": _messages(request.messages, adaptations)}
    # Always an explicit limit: without one, some endpoints ask for the price of the model's maximum (Q72).
    limit = "max_tokens" if Adaptation.MAX_TOKENS in adaptations else "max_completion_tokens"
    body[limit] = request.max_completion_tokens
    if request.temperature is not None and Adaptation.NO_TEMPERATURE not in adaptations:
        body["temperature"] = request.temperature
    body["stream"] = False
    if request.tools:
        plain = Adaptation.PLAIN_SCHEMAS in adaptations
        body["tools"] = [_tool(tool, plain=plain) for tool in request.tools]
        if Adaptation.NO_TOOL_CHOICE not in adaptations:
            body["tool_choice"] = _tool_choice(request.tool_choice)
        if Adaptation.NO_PARALLEL_TOOL_CALLS not in adaptations:
            body["parallel_tool_calls"] = True
    reasoning = _reasoning(request.reasoning, effort, adaptations) if send_reasoning else {}
    if reasoning:
        body["reasoning"] = reasoning
    return body


def encode(body: Mapping[str, Any]) -> bytes:
    """Encode a body as JSON; raises `InternalError` for what this program should not have put into it."""
    try:
        return orjson.dumps(body)
    except TypeError as error:
        raise InternalError(f"a request is no JSON: {error}") from error


def _tool(tool: ToolSchema, *, plain: bool) -> dict[str, Any]:
    parameters = _plain(tool.parameters) if plain else dict(tool.parameters)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "properties" and isinstance(value, Mapping):
            kept[keyword] = {
                name: _plain(field) if isinstance(field, Mapping) else field for name, field in value.items()
            }
        elif keyword == "items" and isinstance(value, Mapping):
            kept[keyword] = _plain(value)
        elif keyword in PLAIN_KEYWORDS:
            kept[keyword] = value
    return kept


def _tool_choice(choice: str) -> str | dict[str, Any]:
    if choice in _TOOL_CHOICES:
        return choice
    return {"type": "function", "function": {"name": choice}}


def _reasoning(asked: Reasoning, effort: str | None, adaptations: frozenset[Adaptation]) -> dict[str, Any]:
    reasoning: dict[str, Any] = {}
    if (wanted := asked.effort if asked.effort is not None else effort) is not None:
        reasoning["effort"] = wanted
    if asked.exclude and Adaptation.NO_REASONING_EXCLUDE not in adaptations:
        reasoning["exclude"] = True
    if asked.max_tokens is not None:
        reasoning["max_tokens"] = asked.max_tokens
    return reasoning


def _messages(messages: Sequence[Message], adaptations: frozenset[Adaptation]) -> list[dict[str, Any]]:
    return [_message(message, adaptations) for message in messages]


def _message(message: Message, adaptations: frozenset[Adaptation]) -> dict[str, Any]:
    adapted = dict(message)
    if Adaptation.SHORT_CALL_IDS in adaptations and "tool_call_id" in adapted:
        adapted["tool_call_id"] = make_call_id(str(adapted["tool_call_id"]))
    if message.get("role") != "assistant":
        return adapted
    if Adaptation.REASONING_NOT_ECHOED in adaptations:
        adapted = {key: value for key, value in adapted.items() if key not in REASONING_FIELDS}
    if Adaptation.EXTRAS_NOT_ECHOED in adaptations:
        kept = ASSISTANT_FIELDS | REASONING_FIELDS
        adapted = {key: value for key, value in adapted.items() if key in kept}
    if adapted.get("tool_calls"):
        adapted["tool_calls"] = [_call(call, adaptations) for call in adapted["tool_calls"]]
        if Adaptation.CONTENT_OMITTED in adaptations and adapted.get("content") == "":
            del adapted["content"]
    return adapted


def _call(call: Mapping[str, Any], adaptations: frozenset[Adaptation]) -> dict[str, Any]:
    adapted = dict(call)
    if Adaptation.EXTRAS_NOT_ECHOED in adaptations:
        function = {key: call["function"][key] for key in ("name", "arguments")}
        adapted = {"id": call["id"], "type": "function", "function": function}
    if Adaptation.SHORT_CALL_IDS in adaptations:
        adapted["id"] = make_call_id(str(call["id"]))
    return adapted
