from __future__ import annotations

from typing import Any

import pytest

from errata_bench.baselines.reading import calls_so_far, has_edited, paragraphs_of, refuse_foreign_request
from errata_bench.chat import ChatRequest, ToolSchema
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.tools import TOOLS


def asked(*messages: dict[str, Any]) -> ChatRequest:
    return ChatRequest(messages, TOOLS)


def call(name: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}],
    }


def found(text: str) -> list[tuple[str, str]]:
    return [(p.id, p.inner_html) for p in paragraphs_of(asked({"role": "user", "content": text}))]


def test_paragraphs_are_found_among_words_of_the_prompt() -> None:
    text = "Proofread:\n```html\n<p id=\"aB3x9Z\">One &amp; <em>two</em>.</p>\n  <p id='b'>Three</p>  \n```\nNow begin."
    assert found(text) == [("aB3x9Z", "One &amp; <em>two</em>."), ("b", "Three")]


def test_a_paragraph_may_be_empty_and_may_hold_line_breaks() -> None:
    assert found('<p id="a"></p>\n<p id="b">one\ntwo</p>') == [("a", ""), ("b", "one\ntwo")]


def test_an_example_inside_a_sentence_is_no_paragraph() -> None:
    assert found('Each is written <p id="…">…</p> on a line.\n<p id="x">This is.</p>') == [("x", "This is.")]


def test_the_last_user_message_counts() -> None:
    first = {"role": "user", "content": '<p id="a">old</p>'}
    last = {"role": "user", "content": [{"type": "text", "text": '<p id="b">new</p>'}]}
    assert [p.id for p in paragraphs_of(asked(first, last))] == ["b"]


def test_no_user_message_has_no_paragraphs() -> None:
    assert paragraphs_of(asked({"role": "system", "content": '<p id="a">x</p>'})) == ()


def test_a_conversation_with_an_edit_is_known() -> None:
    user = {"role": "user", "content": "x"}
    assert not has_edited(asked(user))
    assert not has_edited(asked(user, call("proofreading_complete")))
    assert has_edited(asked(user, call("find_and_replace")))
    assert calls_so_far(asked(user, call("find_and_replace"), call("replace_paragraph"))) == 2


@pytest.mark.parametrize(
    "tools", [(), TOOLS[:2], (*TOOLS, ToolSchema("verdict", "", {})), (ToolSchema("verdict", "", {}),)]
)
def test_a_request_with_other_tools_is_refused_for_the_whole_variant(tools: tuple[ToolSchema, ...]) -> None:
    with pytest.raises(EndpointFault) as caught:
        refuse_foreign_request(ChatRequest(({"role": "user", "content": "x"},), tools))
    assert caught.value.kind == "not_a_chat_model"
    assert caught.value.reach is Reach.VARIANT
