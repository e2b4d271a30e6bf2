"""One question to a model that is to answer with one call of one tool, asked again until the answer can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from errata_bench.cases.files import field_name, plain_problem
from errata_bench.chat import AttemptSink, ChatModel, ChatReply, ChatRequest, Message, Reasoning, ToolSchema

TRIES = 3
"""How often a question is put before it counts as unanswered."""
COMPLETION_TOKENS = 8192


class Answer(BaseModel):
    """The arguments of the one tool call; what else a model sends with them is dropped."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=False)


AnswerType = TypeVar("AnswerType", bound=Answer)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the two texts, the tool, and how warm the answer is to be."""

    system: str
    user: str
    tool: ToolSchema
    temperature: float = 0.0


def tool_schema(
    name: str, description: str, fields: Mapping[str, tuple[str, str]], required: tuple[str, ...]
) -> ToolSchema:
    """A tool of plain fields: name to JSON type and description. ``strings`` stands for an array of them."""
    # Plain types and descriptions only: some servers refuse every other schema keyword (QUIRKS Q69).
    properties: dict[str, Any] = {}
    for key, (kind, text) in fields.items():
        if kind == "strings":
            properties[key] = {"type": "array", "items": {"type": "string"}, "description": text}
        else:
            properties[key] = {"type": kind, "description": text}
    return ToolSchema(name, description, {"type": "object", "properties": properties, "required": list(required)})


async def ask(
    model: ChatModel, question: Question, form: type[AnswerType], on_attempt: AttemptSink
) -> AnswerType | None:
    """Ask until the answer can be read, `TRIES` times at most; None when it never could be.

    A reply that was cut is asked for again with twice the tokens. Raises `EndpointFault` when there is no reply.
    """
    messages: tuple[Message, ...] = (
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.user},
    )
    request = ChatRequest(
        messages=messages,
        tools=(question.tool,),
        tool_choice=question.tool.name,
        max_completion_tokens=COMPLETION_TOKENS,
        temperature=question.temperature,
        reasoning=Reasoning(),
    )
    for _ in range(TRIES):
        reply = await model.complete(request, on_attempt)
        answer, problem = _read(reply, question.tool.name, form)
        if answer is not None:
            return answer
        limit = request.max_completion_tokens * 2 if reply.truncated else request.max_completion_tokens
        request = replace(
            request,
            messages=(*request.messages, reply.message, *_corrections(reply, problem)),
            max_completion_tokens=limit,
        )
    return None


def _read(reply: ChatReply, tool: str, form: type[AnswerType]) -> tuple[AnswerType | None, str]:
    if reply.truncated:
        return None, "Your reply was cut off at its length limit. Answer again, shorter."
    calls = [call for call in reply.tool_calls if call.name.casefold() == tool.casefold()]
    if not calls:
        return None, f"Answer by calling {tool}; nothing else is read."
    if len(reply.tool_calls) > 1:
        return None, f"Call {tool} once, and nothing else."
    arguments = calls[0].arguments
    if arguments is None:
        return None, calls[0].problem or "The arguments are no JSON object."
    try:
        return form.model_validate(arguments), ""
    except ValidationError as error:
        faults = [f"{field_name(fault['loc'])}: {plain_problem(fault['msg'])}" for fault in error.errors()]
        return None, "; ".join(faults)


def _corrections(reply: ChatReply, problem: str) -> tuple[Message, ...]:
    """What tells a model that its answer cannot be read: one message a call (QUIRKS Q75), else one of the user."""
    if reply.tool_calls:
        return tuple({"role": "tool", "tool_call_id": call.id, "content": problem} for call in reply.tool_calls)
    return ({"role": "user", "content": problem},)
