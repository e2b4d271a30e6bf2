"""What a served model says, what it counts, and its form on the wire. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from errata_bench.chat import ChatRequest
from errata_bench.serving.ledger import Bill

CHARACTERS_A_TOKEN = 4
"""A token stands for each four characters begun; see `prompt_tokens` and `Said.tokens`."""


@dataclass(frozen=True, slots=True)
class SaidCall:
    """A tool call as it goes over the wire; ``arguments`` is a text that should be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a model answers: text, calls, and why it stopped.

    ``cut_at`` is the number of tokens at which it was cut, if it was.
    """

    content: str | None
    calls: tuple[SaidCall, ...] = ()
    finish_reason: str = "stop"
    cut_at: int | None = None

    @property
    def tokens(self) -> int:
        """The tokens of its text and of its calls' names and arguments; where it was cut, those up to there."""
        if self.cut_at is not None:
            return self.cut_at
        characters = len(self.content or "") + sum(len(call.name) + len(call.arguments) for call in self.calls)
        return tokens_of(characters)


def calling(calls: Sequence[SaidCall]) -> Said:
    """A reply that only calls."""
    return Said(None, tuple(calls), "tool_calls")


def tokens_of(characters: int) -> int:
    """The tokens that are counted for so many characters: at least 1."""
    return max(1, math.ceil(characters / CHARACTERS_A_TOKEN))


def prompt_tokens(request: ChatRequest) -> int:
    """The tokens of a request: of its messages and tools, written as compact JSON."""
    tools = [[tool.name, tool.description, tool.parameters] for tool in request.tools]
    written = orjson.dumps([request.messages, tools]).decode()
    return tokens_of(len(written))


def completion(said: Said, bill: Bill, *, model: str, reply_id: str, created: int, with_cost: bool) -> dict[str, Any]:
    """A chat completion as JSON values."""
    message: dict[str, Any] = {"role": "assistant", "content": said.content}
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": said.finish_reason}
    return envelope([choice], bill, model=model, reply_id=reply_id, created=created, with_cost=with_cost)


def envelope(
    choices: list[dict[str, Any]], bill: Bill, *, model: str, reply_id: str, created: int, with_cost: bool
) -> dict[str, Any]:
    """What stands around the choices of a chat completion."""
    usage: dict[str, Any] = {
        "prompt_tokens": bill.prompt_tokens,
        "completion_tokens": bill.completion_tokens,
        "total_tokens": bill.prompt_tokens + bill.completion_tokens,
    }
    if with_cost:
        usage["cost"] = bill.cost_usd
    return {
        "id": reply_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": choices,
        "usage": usage,
    }


def error(message: str, *, kind: str, code: str | int | None = None, parameter: str | None = None) -> dict[str, Any]:
    """An error as JSON values, in the form of the API."""
    return {"error": {"message": message, "type": kind, "param": parameter, "code": code}}


def listed_model(name: str, pricing: Mapping[str, str]) -> dict[str, Any]:
    """A model as a list of models shows it, with the prices of OpenRouter's form: USD a token, as texts."""
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "errata-bench",
        "name": name,
        "pricing": dict(pricing),
        "supported_parameters": ["max_completion_tokens", "reasoning", "temperature", "tool_choice", "tools"],
    }
