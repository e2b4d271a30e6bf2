"""A `ChatModel` that answers from a script, and the replies such a script is made of.

    model = ScriptedModel([calling(find_and_replace("para01", "teh", "the")), calling(complete())])
    await proofread_chunk(model, …)
    assert len(model.requests) == 2

A script is a list of replies, one a request, or a function of the request. Calls get their ids from `calling`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from errata_bench.chat import Attempt, AttemptSink, ChatReply, ChatRequest, Message, ToolCall, ignore_attempt

Step = ChatReply | Exception
Script = Sequence[Step] | Callable[[ChatRequest], ChatReply]


@dataclass(slots=True)
class ScriptedModel:
    """Answers from a script and keeps the requests it got; an exception in the script is raised.

    A list that is used up is a mistake of the test and fails it.
    """

    script: Script
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        self.requests.append(request)
        step: Step
        if callable(self.script):
            step = self.script(request)
        else:
            asked = len(self.requests)
            assert asked <= len(self.script), f"request {asked}, but the script has {len(self.script)} replies"
            step = self.script[asked - 1]
        if isinstance(step, Exception):
            raise step
        on_attempt(Attempt(0.0, step.duration_seconds, "ok", 200, step.usage, step.cost_usd))
        return step


def calling(*calls: ToolCall, **fields: Any) -> ChatReply:
    """A reply with these calls, each with an id of its own."""
    named = tuple(dataclasses.replace(call, id=f"call{n}") for n, call in enumerate(calls, 1))
    message: Message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.raw_arguments}}
            for call in named
        ],
    }
    return ChatReply(message, named, finish_reason="tool_calls", **fields)


def saying(text: str, **fields: Any) -> ChatReply:
    """A reply without a call."""
    return ChatReply({"role": "assistant", "content": text}, finish_reason="stop", **fields)


def tool_call(name: str, arguments: Mapping[str, Any]) -> ToolCall:
    """A call whose arguments could be read."""
    return ToolCall("call0", name, arguments, json.dumps(arguments, ensure_ascii=False))


def unreadable_call(name: str, raw: str, problem: str | None = None) -> ToolCall:
    """A call whose arguments are no JSON object."""
    return ToolCall("call0", name, None, raw, problem)


def find_and_replace(paragraph_id: str, find: str, replace: str) -> ToolCall:
    """A call of that tool."""
    return tool_call("find_and_replace", {"paragraphId": paragraph_id, "find": find, "replace": replace})


def replace_paragraph(paragraph_id: str, html: str) -> ToolCall:
    """A call of that tool."""
    return tool_call("replace_paragraph", {"paragraphId": paragraph_id, "newParagraphHtml": html})


def complete(note: str | None = None) -> ToolCall:
    """A call of ``proofreading_complete``."""
    return tool_call("proofreading_complete", {} if note is None else {"note": note})
