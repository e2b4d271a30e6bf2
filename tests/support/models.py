"""A model for tests of what executes many runs at a time: it can be held back, and it tells of failed attempts.

    gate = asyncio.Event()

    async def answer(request: ChatRequest) -> ChatReply:
        await gate.wait()
        return fix_everything(request)

    model = FakeModel(answer)

For a fixed script see `tests.support.doubles`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from errata_bench.chat import Attempt, AttemptSink, ChatReply, ChatRequest, ToolCall, Usage, ignore_attempt
from errata_bench.errors import EndpointFault
from tests.support.doubles import calling, complete, find_and_replace

Answer = Callable[[ChatRequest], ChatReply | Awaitable[ChatReply]]


@dataclass
class FakeModel:
    """Answers with a function, which may be a coroutine and may raise; keeps the requests it got."""

    answer: Answer
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        self.requests.append(request)
        try:
            answer = self.answer(request)
            answered = await answer if inspect.isawaitable(answer) else answer
        except EndpointFault as fault:
            on_attempt(Attempt(100.0, 1.0, fault.kind, fault.status, message=fault.message))
            raise
        on_attempt(Attempt(100.0, answered.duration_seconds, "ok", 200, answered.usage, answered.cost_usd))
        return answered

    @property
    def asked(self) -> list[str]:
        """The paragraphs of each request, joined."""
        return [" ".join(paragraph_ids(request)) for request in self.requests]


def paid(*calls: ToolCall, cost_usd: float | None = 0.25) -> ChatReply:
    """A reply of 100 + 20 tokens that took two seconds and cost something."""
    return calling(*calls, usage=Usage(100, 20, 5, 0), cost_usd=cost_usd, duration_seconds=2.0)


def paragraph_ids(request: ChatRequest) -> list[str]:
    """The paragraphs that a request is about."""
    return re.findall(r'<p id="([^"]+)">', str(request.messages[1]["content"]))


def fix_everything(request: ChatRequest) -> ChatReply:
    """Corrects every ``teh`` of the chunk and ends it: right for the cases of `tests.support.builders`."""
    return paid(*(find_and_replace(name, "teh", "the") for name in paragraph_ids(request)), complete())


def fix_otherwise(request: ChatRequest) -> ChatReply:
    """Puts "some" where "the" was expected: a fix that only a judge can decide on."""
    return paid(*(find_and_replace(name, "teh", "some") for name in paragraph_ids(request)), complete())
