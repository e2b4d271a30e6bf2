"""The loop of a proofreader over the turns of one chunk (contract C6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from errata_bench.chat import (
    AttemptSink,
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    Reasoning,
    Usage,
    ignore_attempt,
)
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.prompts import NUDGE, SYSTEM, user_prompt
from errata_bench.proofreading.tools import TOOLS, ToolResult, execute, refuse

TRUNCATED = (
    "Your reply was cut off at its length limit, so this call was not carried out. "
    "Give it again, with fewer or shorter calls in one reply."
)


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """What bounds a chunk: requests to make, tokens each may answer with, and how much the model may think."""

    max_turns_per_chunk: int = 3
    max_completion_tokens: int = 8192
    reasoning: Reasoning = Reasoning()


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call and what became of it. ``raw_arguments`` is what was sent, to the letter."""

    name: str
    arguments: Mapping[str, str]
    raw_arguments: str
    ok: bool
    message: str
    replacements: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its answer. ``message`` is the assistant message as it went into the conversation."""

    message: Message
    calls: tuple[CallRecord, ...]
    usage: Usage
    cost_usd: float | None
    duration_seconds: float
    finish_reason: str | None
    oddities: Mapping[str, int] = field(default_factory=dict)
    cost_reported: bool | None = None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """How one chunk was left. ``completed`` says that the model ended it, rather than the limit of turns."""

    paragraphs: tuple[Paragraph, ...]
    turns: tuple[Turn, ...]
    completed: bool


TurnSink = Callable[[int], None]
"""Is told the number of each turn, from 1, as it begins."""


def ignore_turn(_: int) -> None:
    """A `TurnSink` that does nothing."""


async def proofread_chunk(
    model: ChatModel,
    chunk: Document,
    instruction: str,
    settings: LoopSettings,
    *,
    on_attempt: AttemptSink = ignore_attempt,
    on_turn: TurnSink = ignore_turn,
) -> ChunkResult:
    """Let a model edit one chunk in a fresh conversation. Raises `EndpointFault` when an answer cannot be had."""
    document = chunk
    messages: list[Message] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": user_prompt(instruction, chunk)},
    ]
    turns: list[Turn] = []
    for number in range(1, settings.max_turns_per_chunk + 1):
        on_turn(number)
        reply = await model.complete(
            ChatRequest(
                messages=tuple(messages),
                tools=TOOLS,
                max_completion_tokens=settings.max_completion_tokens,
                reasoning=settings.reasoning,
            ),
            on_attempt,
        )
        results = _carry_out(reply, document)
        if results:
            document = results[-1].document
        turns.append(_turn(reply, results))
        if any(result.completes for result in results):
            return ChunkResult(document.paragraphs, tuple(turns), completed=True)
        messages.append(reply.message)
        if results:
            # One message a call, in call order, nothing between them (QUIRKS Q75, Q76); what the model has to be
            # told stands in these, because some servers refuse a user message after them (QUIRKS Q77).
            messages.extend(
                {"role": "tool", "tool_call_id": call.id, "content": result.content}
                for call, result in zip(reply.tool_calls, results, strict=True)
            )
        else:
            messages.append({"role": "user", "content": NUDGE})
    return ChunkResult(document.paragraphs, tuple(turns), completed=False)


def _carry_out(reply: ChatReply, document: Document) -> list[ToolResult]:
    results: list[ToolResult] = []
    last = len(reply.tool_calls) - 1
    for n, call in enumerate(reply.tool_calls):
        if reply.truncated and n == last:
            result = refuse(call, document, TRUNCATED)
        else:
            result = execute(call, document)
        document = result.document
        results.append(result)
    return results


def _turn(reply: ChatReply, results: list[ToolResult]) -> Turn:
    oddities = Counter(reply.oddities)
    oddities["number_as_id"] += sum(result.coerced for result in results)
    return Turn(
        message=reply.message,
        calls=tuple(
            CallRecord(
                result.name, result.arguments, call.raw_arguments, result.ok, result.message, result.replacements
            )
            for call, result in zip(reply.tool_calls, results, strict=True)
        ),
        usage=reply.usage,
        cost_usd=reply.cost_usd,
        duration_seconds=reply.duration_seconds,
        finish_reason=reply.finish_reason,
        oddities={kind: count for kind, count in oddities.items() if count},
        cost_reported=reply.cost_reported,
    )
