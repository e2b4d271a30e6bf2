from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from errata_bench.serving.body import Message, Refused
from errata_bench.serving.conversation import check_conversation

SYSTEM = {"role": "system", "content": "Proofread."}
USER = {"role": "user", "content": "This."}
TALK = {"role": "assistant", "content": "Done."}


def calls(*ids: str) -> dict[str, Any]:
    function = {"name": "proofreading_complete", "arguments": "{}"}
    return {"role": "assistant", "tool_calls": [{"id": i, "type": "function", "function": function} for i in ids]}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "{}"}


def check(*messages: Any) -> None:
    check_conversation(TypeAdapter(list[Message]).validate_python(list(messages)))


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [SYSTEM, SYSTEM, USER],
        [SYSTEM, USER, TALK, USER],
        [SYSTEM, USER, USER],
        [SYSTEM, USER, calls("a", "b"), result("a"), result("b")],
        [USER, calls("a"), result("a"), calls("b"), result("b")],
        [USER, calls("a"), result("a"), TALK, USER],
    ],
)
def test_a_conversation_in_order_is_taken(messages: list[Any]) -> None:
    check(*messages)


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([SYSTEM], "last message"),
        ([USER, TALK], "last message"),
        ([USER, SYSTEM], "system message"),
        ([TALK, USER], "first message"),
        ([SYSTEM, TALK, USER], "first message"),
        ([USER, TALK, TALK, USER], "'assistant' after role 'assistant'"),
        ([USER, calls("a")], "did not have response messages: a"),
        ([USER, calls("a", "b"), result("a")], "did not have response messages: b"),
        ([USER, calls("a", "b"), result("a"), USER], "did not have response messages: b"),
        ([USER, calls("a", "b"), result("b"), result("a")], "in the order of the calls"),
        ([USER, calls("a"), result("x")], "in the order of the calls"),
        ([USER, calls("a"), result("a"), result("a")], "must be a response to a preceding message"),
        ([USER, result("a")], "must be a response to a preceding message"),
        ([USER, calls("a"), result("a"), USER], "'user' after role 'tool'"),
        ([USER, calls("a", "a"), result("a"), result("a")], "same id"),
        ([USER, calls("a"), result("a"), calls("a"), result("a")], "same id"),
    ],
)
def test_disorder_is_refused(messages: list[Any], problem: str) -> None:
    with pytest.raises(Refused, match=problem) as caught:
        check(*messages)
    assert caught.value.status == 400
    assert (caught.value.parameter or "").startswith("messages[")
