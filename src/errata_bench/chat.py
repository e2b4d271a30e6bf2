"""The one seam between this project and whatever answers as a model.

A `ChatModel` takes a `ChatRequest` and returns a `ChatReply`. The HTTP client, the offline baselines, the judge
and the doubles in tests all stand behind it, and nothing above it knows which one answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = Mapping[str, Any]
"""A chat message in the form of the chat-completions API: ``role``, ``content`` and what belongs to the role."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool that the model may call: its name, what it is for, and a plain JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """How much the model is asked to think.

    ``effort`` is one of `errata_bench.variants.EFFORTS`; ``exclude`` asks the endpoint to keep the reasoning out
    of its replies; ``max_tokens`` limits it. An endpoint that takes no such object is never sent one.
    """

    effort: str | None = None
    exclude: bool = False
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request of a conversation.

    ``tool_choice`` is ``auto``, ``required``, ``none``, or the name of the tool that must be called.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    tool_choice: str = "auto"
    max_completion_tokens: int = 8192
    temperature: float | None = 0.0
    reasoning: Reasoning = Reasoning()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as received.

    ``arguments`` is the decoded object, or None where what was sent is no JSON object; ``problem`` then tells the
    model what was wrong with it. ``raw_arguments`` keeps what was sent, for the record.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    raw_arguments: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as reported; None means that the endpoint did not say, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_prompt_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request as it went over the wire, successful or not: the unit in which money is spent.

    ``outcome`` is ``ok`` or the kind of the fault. ``cost_usd`` is None where nobody knows the price.
    """

    started_at: float
    duration_seconds: float
    outcome: str
    status: int | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    message: str | None = None


AttemptSink = Callable[[Attempt], None]
"""Is told of each attempt the moment it ends, so that spend is on disk before anything else happens."""


def ignore_attempt(_: Attempt) -> None:
    """An `AttemptSink` that keeps nothing."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model answered, already checked and cleaned.

    ``message`` is the assistant message to append to the conversation: valid for the next request whatever the
    server sent. ``tool_calls`` are in call order and have the ids that ``message`` holds. ``truncated`` means that
    the reply was cut at its token limit: its last call must not be executed. ``duration_seconds`` is the time of
    the successful attempt alone, without waits and retries. ``oddities`` counts what had to be repaired or
    refused, by kind. ``cost_reported`` says that the reply itself told its cost, rather than a price list; None where
    nobody says.
    """

    message: Message
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cost_usd: float | None = None
    finish_reason: str | None = None
    duration_seconds: float = 0.0
    truncated: bool = False
    oddities: Mapping[str, int] = field(default_factory=dict)
    cost_reported: bool | None = None


class ChatModel(Protocol):
    """Whatever answers as a model. An instance is bound to one variant."""

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        """Answer one request.

        Retries are the model's own affair; each attempt is told to ``on_attempt``. Raises `EndpointFault` when no
        answer can be had.
        """
        ...
