"""A baseline as a `ChatModel`: reads a request as a language model gets it, answers with calls of the same tools."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from errata_bench.baselines.proposers import Proposer
from errata_bench.baselines.reading import calls_so_far, has_edited, paragraphs_of, refuse_foreign_request
from errata_bench.baselines.tool_calls import EditCall, write_calls
from errata_bench.chat import Attempt, AttemptSink, ChatReply, ChatRequest, ToolCall, ignore_attempt
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.tools import PROOFREADING_COMPLETE


class BaselineModel:
    """An offline proofreader.

    The first request of a conversation is answered with all edits and the end of the work in one reply; any later one
    only with the end. There are no tokens, so that usage is unknown and limits on tokens mean nothing to it; it costs
    nothing. ``duration_seconds`` of a reply is the time of the work itself: reading, checking and writing the calls,
    without waiting for the checker's turn and without its start.
    """

    def __init__(self, proposer: Proposer, *, clock: Callable[[], float] = time.time) -> None:
        self._proposer = proposer
        self._clock = clock

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        """Answer one request; raises `EndpointFault` for one that is not for a proofreader."""
        refuse_foreign_request(request)
        started_at = self._clock()
        try:
            calls, seconds = await self._edits(request)
        except EndpointFault as fault:
            elapsed = max(0.0, self._clock() - started_at)
            on_attempt(Attempt(started_at, elapsed, fault.kind, cost_usd=0.0, message=fault.message))
            raise
        reply = _reply((*calls, EditCall(PROOFREADING_COMPLETE, {})), calls_so_far(request), seconds)
        on_attempt(Attempt(started_at, seconds, "ok", cost_usd=0.0))
        return reply

    async def _edits(self, request: ChatRequest) -> tuple[tuple[EditCall, ...], float]:
        if has_edited(request):
            return (), 0.0
        started = time.perf_counter()
        paragraphs = paragraphs_of(request)
        reading = time.perf_counter() - started
        proposal = await self._proposer.propose(paragraphs)
        started = time.perf_counter()
        calls = tuple(
            call
            for paragraph, edits in zip(paragraphs, proposal.edits, strict=True)
            for call in write_calls(paragraph.id, paragraph.inner_html, edits)
        )
        return calls, reading + proposal.seconds + time.perf_counter() - started


def _reply(calls: tuple[EditCall, ...], earlier: int, seconds: float) -> ChatReply:
    tool_calls = tuple(
        ToolCall(f"call_{n}", call.name, call.arguments, _compact_json(call.arguments))
        for n, call in enumerate(calls, start=earlier + 1)
    )
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.raw_arguments}}
            for call in tool_calls
        ],
    }
    return ChatReply(message, tool_calls, cost_usd=0.0, finish_reason="tool_calls", duration_seconds=seconds)


def _compact_json(arguments: Mapping[str, str]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, separators=(",", ":"))
