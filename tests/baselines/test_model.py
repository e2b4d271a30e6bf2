from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.baselines import baseline_model
from errata_bench.baselines.plain_text import HtmlEdit
from errata_bench.baselines.proposers import word_edits
from errata_bench.chat import Attempt, ChatReply, ChatRequest, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.tools import PROOFREADING_COMPLETE, TOOLS

DOCUMENT = Document(
    (Paragraph("aaa", "The keeper were asleep."), Paragraph("bbb", "The keeper were awake &amp; well."))
)
EXPECTED = {("aaa", "The keeper were asleep."): "The keeper was asleep."}


async def test_untouched_only_completes(request_for: Callable[..., ChatRequest]) -> None:
    reply = await baseline_model("baseline/untouched").complete(request_for(DOCUMENT))
    assert [call.name for call in reply.tool_calls] == [PROOFREADING_COMPLETE]


async def test_a_reply_costs_nothing_counts_no_tokens_and_is_told_as_one_attempt(
    request_for: Callable[..., ChatRequest],
) -> None:
    attempts: list[Attempt] = []
    reply = await baseline_model("baseline/oracle", expected=EXPECTED).complete(request_for(DOCUMENT), attempts.append)
    assert reply.cost_usd == 0.0
    assert reply.usage == Usage()
    (attempt,) = attempts
    assert (attempt.outcome, attempt.cost_usd, attempt.usage) == ("ok", 0.0, Usage())
    assert attempt.duration_seconds == reply.duration_seconds > 0


async def test_the_message_holds_the_calls_that_the_reply_holds(request_for: Callable[..., ChatRequest]) -> None:
    reply = await baseline_model("baseline/oracle", expected=EXPECTED).complete(request_for(DOCUMENT))
    in_message = [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in reply.message["tool_calls"]]
    assert in_message == [(c.id, c.name, c.raw_arguments) for c in reply.tool_calls]
    assert [json.loads(c.raw_arguments) for c in reply.tool_calls] == [c.arguments for c in reply.tool_calls]
    assert reply.finish_reason == "tool_calls"


async def test_after_its_edits_a_baseline_only_completes(request_for: Callable[..., ChatRequest]) -> None:
    model = baseline_model("baseline/oracle", expected=EXPECTED)
    first = await model.complete(request_for(DOCUMENT))
    results = [{"role": "tool", "tool_call_id": call.id, "content": "{}"} for call in first.tool_calls]
    second = await model.complete(request_for(DOCUMENT, first.message, *results))
    assert [call.name for call in second.tool_calls] == [PROOFREADING_COMPLETE]
    assert second.tool_calls[0].id not in {call.id for call in first.tool_calls}


async def test_a_request_that_is_not_for_a_proofreader_is_refused_before_any_attempt() -> None:
    attempts: list[Attempt] = []
    with pytest.raises(EndpointFault, match="not_a_chat_model"):
        await baseline_model("baseline/untouched").complete(
            ChatRequest(({"role": "user", "content": "?"},)), attempts.append
        )
    assert attempts == []


async def test_the_oracle_mends_what_it_knows_and_leaves_the_rest(
    request_for: Callable[..., ChatRequest], execute: Callable[[Document, ChatReply], Document]
) -> None:
    reply = await baseline_model("baseline/oracle", expected=EXPECTED).complete(request_for(DOCUMENT))
    after = execute(DOCUMENT, reply)
    assert [p.inner_html for p in after] == ["The keeper was asleep.", "The keeper were awake &amp; well."]
    assert reply.tool_calls[0].arguments == {"paragraphId": "aaa", "find": "were", "replace": "was"}


async def test_the_oracle_leaves_a_paragraph_that_stands_otherwise_than_it_knows(
    request_for: Callable[..., ChatRequest],
) -> None:
    changed = DOCUMENT.with_inner_html("aaa", "The keepers were asleep.")
    reply = await baseline_model("baseline/oracle", expected=EXPECTED).complete(request_for(changed))
    assert len(reply.tool_calls) == 1


def test_changes_beside_each_other_are_one_edit_and_others_are_not() -> None:
    assert word_edits("it were sleep by the door", "it was asleep by a door") == (
        HtmlEdit(3, 13, "was asleep"),
        HtmlEdit(17, 20, "a"),
    )


WORDS = st.lists(
    st.sampled_from(["the", "house", "were", "was", "é", "😀", "a", ".", ",", "<em>x</em>", "&amp;", "the the"]),
    min_size=1,
    max_size=30,
).map(" ".join)


@given(WORDS, WORDS)
async def test_the_oracle_reproduces_any_expected_text(before: str, after: str) -> None:
    document = Document((Paragraph("pid", before),))
    request = ChatRequest(({"role": "user", "content": document.html},), TOOLS)
    reply = await baseline_model("baseline/oracle", expected={("pid", before): after}).complete(request)
    for call in reply.tool_calls[:-1]:
        assert call.arguments is not None
        if call.name == "find_and_replace":
            edit = document.find_and_replace("pid", call.arguments["find"], call.arguments["replace"])
        else:
            edit = document.replace_paragraph("pid", call.arguments["newParagraphHtml"])
        document = edit.document
    assert document.paragraphs[0].inner_html == after
