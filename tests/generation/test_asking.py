from __future__ import annotations

import pytest

from errata_bench.chat import ChatReply, ignore_attempt
from errata_bench.errors import EndpointFault, Reach
from errata_bench.generation.asking import COMPLETION_TOKENS, Answer, Question, ask, tool_schema
from tests.support.doubles import ScriptedModel, calling, saying, tool_call, unreadable_call

TOOL = tool_schema("say", "Say it.", {"word": ("string", "A word."), "others": ("strings", "More.")}, ("word",))
QUESTION = Question("You answer.", "What?", TOOL, 0.5)


class Word(Answer):
    word: str
    others: tuple[str, ...] = ()


SAID = calling(tool_call("say", {"word": "yes", "others": ["no"], "extra": 1}))


async def put(*replies: ChatReply | Exception) -> tuple[Word | None, ScriptedModel]:
    model = ScriptedModel(list(replies))
    return await ask(model, QUESTION, Word, ignore_attempt), model


async def test_the_one_call_of_the_forced_tool_is_read() -> None:
    answer, model = await put(SAID)
    assert answer == Word(word="yes", others=("no",))
    (request,) = model.requests
    assert (request.tool_choice, request.temperature, [tool.name for tool in request.tools]) == ("say", 0.5, ["say"])
    schema = request.tools[0].parameters["properties"]
    assert schema["others"] == {"type": "array", "items": {"type": "string"}, "description": "More."}


@pytest.mark.parametrize(
    "bad",
    [
        saying("yes"),
        calling(tool_call("shout", {"word": "yes"})),
        calling(tool_call("say", {})),
        calling(tool_call("say", {"word": ["yes"]})),
        calling(unreadable_call("say", "{", "This is no JSON.")),
        calling(tool_call("say", {"word": "yes"}), tool_call("say", {"word": "no"})),
    ],
    ids=["words", "another tool", "no arguments", "a wrong type", "no JSON", "two calls"],
)
async def test_what_cannot_be_read_is_asked_for_again_with_what_was_wrong(bad: ChatReply) -> None:
    answer, model = await put(bad, SAID)
    assert answer is not None
    first, second = model.requests
    added = second.messages[len(first.messages) :]
    assert added[0] == bad.message
    # Every call gets one message; without a call the user speaks.
    assert [message["role"] for message in added[1:]] == ["tool"] * len(bad.tool_calls) or ["user"]
    assert [message.get("tool_call_id") for message in added[1:] if message["role"] == "tool"] == [
        call.id for call in bad.tool_calls
    ]


async def test_after_three_answers_that_cannot_be_read_there_is_none() -> None:
    answer, model = await put(saying("a"), saying("b"), saying("c"))
    assert answer is None
    assert len(model.requests) == 3


async def test_a_cut_reply_is_asked_for_again_with_more_tokens() -> None:
    cut = calling(tool_call("say", {"word": "ye"}), truncated=True)
    answer, model = await put(cut, SAID)
    assert answer == Word(word="yes", others=("no",))
    assert [request.max_completion_tokens for request in model.requests] == [COMPLETION_TOKENS, 2 * COMPLETION_TOKENS]


async def test_a_fault_is_the_callers_affair() -> None:
    with pytest.raises(EndpointFault):
        await put(EndpointFault("invalid_key", "no", reach=Reach.ALL))
