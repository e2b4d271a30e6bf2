"""What servers send as tool calls, and calls written into text (QUIRKS B and C)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errata_bench.endpoint.oddities import Oddity
from errata_bench.endpoint.replies import Expected
from tests.endpoint.reading import EDIT, TOOLS, read
from tests.support.loopback import chat_reply, tool_call

# B. Names and ids


@pytest.mark.parametrize(
    ("sent", "name", "oddity"),
    [
        pytest.param("functions.find_and_replace", "find_and_replace", Oddity.PREFIXED_TOOL_NAME, id="Q17 prefix"),
        pytest.param("functions.other", "functions_other", Oddity.UNKNOWN_TOOL, id="Q17 prefix of nothing"),
        pytest.param("multi_tool_use.parallel", "multi_tool_use_parallel", Oddity.UNKNOWN_TOOL, id="Q17 wrapper"),
        pytest.param("Find_And_Replace", "find_and_replace", Oddity.TOOL_NAME_SPELLING, id="Q19 case"),
        pytest.param(" find_and_replace\n", "find_and_replace", Oddity.TOOL_NAME_SPELLING, id="Q19 white space"),
        pytest.param("find_replace", "find_replace", Oddity.UNKNOWN_TOOL, id="Q19 no fuzzy match"),
        pytest.param("find_and_replace_tool", "find_and_replace_tool", Oddity.UNKNOWN_TOOL, id="Q19 suffix"),
        pytest.param("", "unnamed_tool", Oddity.MISSING_TOOL_NAME, id="Q20 empty"),
        pytest.param(None, "unnamed_tool", Oddity.MISSING_TOOL_NAME, id="Q20 null"),
        pytest.param({"x": 1}, "unnamed_tool", Oddity.MISSING_TOOL_NAME, id="Q20 no text"),
        pytest.param("x" * 90, "x" * 64, Oddity.UNKNOWN_TOOL, id="too long a name"),
        pytest.param("schön<|x|>", "sch_n__x__", Oddity.UNKNOWN_TOOL, id="leaked token in the name"),
    ],
)
def test_names_in_the_history_are_valid(sent: Any, name: str, oddity: Oddity) -> None:
    reply = read(chat_reply(None, [tool_call(EDIT, name=sent)]))
    assert reply.tool_calls[0].name == name
    assert reply.message["tool_calls"][0]["function"]["name"] == name
    assert reply.oddities == {oddity: 1}


@pytest.mark.parametrize("sent", ["", None, "  ", {"x": 1}, True])
def test_a_call_without_an_id_is_given_one_that_all_servers_take(sent: Any) -> None:
    """Q21, Q24, Q25."""
    reply = read(chat_reply(None, [tool_call(EDIT, call_id=sent)]))
    given = reply.tool_calls[0].id
    assert len(given) == 9
    assert given.isalnum()
    assert given.isascii()
    assert reply.message["tool_calls"][0]["id"] == given
    assert reply.oddities == {Oddity.MISSING_CALL_ID: 1}


def test_an_id_twice_in_a_reply_becomes_two_ids_and_both_calls_stay() -> None:
    """Q22."""
    reply = read(chat_reply(None, [tool_call(EDIT), tool_call({**EDIT, "find": "c"})]))
    ids = [call.id for call in reply.tool_calls]
    assert ids[0] == "call_1"
    assert len(set(ids)) == 2
    assert [entry["id"] for entry in reply.message["tool_calls"]] == ids
    assert reply.oddities == {Oddity.DUPLICATE_CALL_ID: 1}


def test_an_id_of_an_earlier_turn_is_not_used_again() -> None:
    body = chat_reply(None, [tool_call(EDIT, call_id="")])
    first = read(body).tool_calls[0].id
    again = read(body, Expected(tools=TOOLS, used_ids=frozenset({first}))).tool_calls[0].id
    assert first != again
    taken = read(chat_reply(None, [tool_call(EDIT)]), Expected(tools=TOOLS, used_ids=frozenset({"call_1"})))
    assert taken.tool_calls[0].id != "call_1"


@pytest.mark.parametrize("sent", ["functions.read_file:3", "x" * 120, "call/ü 1"])
def test_unique_ids_are_echoed_byte_for_byte(sent: str) -> None:
    """Q26."""
    reply = read(chat_reply(None, [tool_call(EDIT, call_id=sent)]))
    assert reply.tool_calls[0].id == sent
    assert reply.message["tool_calls"][0]["id"] == sent


# C. tool_calls and leaks


@pytest.mark.parametrize("sent", [[], None, {}, 0, ""])
def test_no_calls_are_left_out_of_the_history(sent: Any) -> None:
    """Q27."""
    reply = read(chat_reply("Fine.", message={"tool_calls": sent}))
    assert reply.tool_calls == ()
    assert "tool_calls" not in reply.message
    assert reply.oddities == {}


def test_the_list_decides_not_the_finish_reason() -> None:
    """Q28, Q45."""
    announced = read(chat_reply("Done.", finish="tool_calls"))
    assert announced.tool_calls == ()
    assert announced.oddities == {Oddity.ANNOUNCED_CALLS_MISSING: 1}
    stopped = read(chat_reply(None, [tool_call(EDIT)], finish="stop"))
    assert len(stopped.tool_calls) == 1
    assert stopped.oddities == {}


LEAKS = [
    '<tool_call>{"name": "find_and_replace", "arguments": {}}</tool_call>',
    "<|tool_call_begin|>functions.find_and_replace:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function",
    '<|python_tag|>{"name": "find_and_replace"}',
    "<|python_start|>{}",
    "[TOOL_CALLS]find_and_replace[ARGS]{}",
    '[TOOL_CALLS][{"name": "find_and_replace"}]',
    "<function=find_and_replace><parameter=find>a</parameter></function>",
    "call:find_and_replace{find:a}",
    '<call_record tool="find_and_replace">',
    '<invoke name="find_and_replace">',
    '{"name": "find_and_replace", "parameters": {"find": "a"}}',
    '```json\n[{"tool": "find_and_replace", "arguments": {}}]\n```',
    '[find_and_replace(paragraphId="p", find="a", replace="b")]',
    "<|channel|>commentary to=functions.find_and_replace <|message|>{}",
]


@pytest.mark.parametrize("content", LEAKS)
def test_a_call_in_the_content_is_counted_and_never_executed(content: str) -> None:
    """Q29 to Q34, policy L."""
    reply = read(chat_reply(f"I'll fix it.\n{content}"))
    assert reply.tool_calls == ()
    assert reply.oddities == {Oddity.LEAKED_CALL: 1}
    assert reply.message["content"].endswith(content)


def test_two_leaked_calls_count_twice() -> None:
    assert read(chat_reply(LEAKS[0] + LEAKS[0])).oddities == {Oddity.LEAKED_CALL: 2}


@pytest.mark.parametrize(
    "content", ["I used find_and_replace to mend the comma.", "Nothing to do.", "He said: call: later {x}"]
)
def test_prose_about_tools_is_no_leak(content: str) -> None:
    assert read(chat_reply(content)).oddities == {}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_call_in_the_reasoning_is_flagged_and_never_executed(field: str) -> None:
    """Q35."""
    reply = read(chat_reply("", message={field: LEAKS[0]}))
    assert reply.tool_calls == ()
    assert reply.oddities == {Oddity.LEAKED_CALL_IN_REASONING: 1, Oddity.EMPTY_REPLY: 1}


def test_calls_of_other_shapes_are_understood() -> None:
    flat = {"id": "call_1", "type": "function", "name": "find_and_replace", "arguments": json.dumps(EDIT)}
    legacy = {"name": "find_and_replace", "arguments": json.dumps(EDIT)}
    for body, oddity in (
        (chat_reply(None, [flat]), Oddity.FLAT_CALL),
        (chat_reply(None, message={"function_call": legacy}), Oddity.LEGACY_FUNCTION_CALL),
    ):
        reply = read(body)
        assert reply.tool_calls[0].arguments == EDIT
        assert reply.message["tool_calls"][0]["function"] == legacy
        assert "function_call" not in reply.message
        assert oddity in reply.oddities
    single = chat_reply(None, message={"tool_calls": tool_call(EDIT)})
    assert read(single).tool_calls[0].arguments == EDIT


def test_entries_that_are_no_calls_are_left_out_and_counted() -> None:
    reply = read(chat_reply(None, message={"tool_calls": [None, "x", {"id": "y"}, tool_call(EDIT)]}))
    assert len(reply.tool_calls) == len(reply.message["tool_calls"]) == 1
    assert reply.oddities == {Oddity.JUNK_CALL: 3}
