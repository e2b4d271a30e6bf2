"""A conversation with a judge: the same request again after a cut, and a complaint after an unusable answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from errata_bench.chat import AttemptSink, ChatModel, ChatReply, ChatRequest, Message, ToolSchema
from errata_bench.scoring.judge.use import JudgingUse, use_of

BASE_TOKENS = 2048
"""Enough for a judge that thinks a little: some providers refuse a smaller limit together with any reasoning."""
TOKENS_A_QUESTION = 256
GROWTH = 4
"""How many times larger the limit gets, once, when an answer is cut off at it."""

_SEE_FIRST = "See the answer to your first call."


@dataclass(slots=True)
class Conversation:
    """One tool, which must be called; everything that was answered is added up in ``use``."""

    model: ChatModel
    on_attempt: AttemptSink
    tool: ToolSchema
    messages: list[Message]
    limit: int
    use: JudgingUse = field(default_factory=JudgingUse)
    requests: int = 0
    _grown: bool = False

    @classmethod
    def open(
        cls, model: ChatModel, on_attempt: AttemptSink, tool: ToolSchema, opening: Sequence[Message], questions: int
    ) -> Conversation:
        """A conversation that has not begun, with room for the answers to so many questions."""
        return cls(model, on_attempt, tool, list(opening), BASE_TOKENS + TOKENS_A_QUESTION * questions)

    async def ask(self) -> ChatReply:
        """Ask; where the answer is cut off, once more with a larger limit. Raises `EndpointFault`."""
        reply = await self._request()
        if reply.truncated and not self._grown:
            self._grown = True
            self.limit *= GROWTH
            reply = await self._request()
        return reply

    def complain(self, reply: ChatReply, problem: str) -> None:
        """Add an answer and what is wrong with it; one that was cut off is left out, and only the problem is told."""
        if reply.truncated:
            # Its last call is a torso, which no server has to take back. Two user messages in a row are refused by
            # some servers (QUIRKS Q77), so the problem goes to the end of the question.
            last = dict(self.messages[-1])
            last["content"] = f"{last['content']}\n\n{problem}"
            self.messages[-1] = last
            return
        self.messages.append(reply.message)
        if not reply.tool_calls:
            self.messages.append({"role": "user", "content": problem})
        for n, call in enumerate(reply.tool_calls):
            told = problem if n == 0 else _SEE_FIRST
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": told})

    async def _request(self) -> ChatReply:
        request = ChatRequest(
            messages=tuple(self.messages),
            tools=(self.tool,),
            tool_choice=self.tool.name,
            max_completion_tokens=self.limit,
            temperature=0.0,
        )
        reply = await self.model.complete(request, self.on_attempt)
        self.requests += 1
        self.use += use_of(reply)
        return reply
