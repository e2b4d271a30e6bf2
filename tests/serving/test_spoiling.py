from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.serving.faults import FaultKind
from errata_bench.serving.replies import Said, SaidCall, calling
from errata_bench.serving.spoiling import TALK, cut, spoil

CALLS = (
    SaidCall("call_1", "find_and_replace", '{"paragraphId":"p","find":"teh","replace":"the"}'),
    SaidCall("call_2", "proofreading_complete", "{}"),
)
texts = st.text(max_size=60)
replies = st.builds(
    Said,
    st.none() | texts,
    st.lists(st.builds(SaidCall, st.just("c"), st.text(min_size=1, max_size=12), texts), max_size=5).map(tuple),
)


@given(said=replies, limit=st.integers(1, 80))
def test_a_cut_reply_is_the_beginning_of_the_whole_one(said: Said, limit: int) -> None:
    short = cut(said, limit)
    if said.tokens <= limit:
        assert short is said
        return
    assert (short.finish_reason, short.tokens) == ("length", limit)
    assert (said.content or "").startswith(short.content or "")
    kept = len(short.calls)
    assert short.calls[:-1] == said.calls[: max(0, kept - 1)]
    if kept:
        assert said.calls[kept - 1].arguments.startswith(short.calls[-1].arguments)
    written = len(short.content or "") + sum(len(call.name) + len(call.arguments) for call in short.calls)
    assert written <= 4 * limit


def test_a_truncated_reply_ends_within_a_call() -> None:
    said = calling(CALLS)
    short = spoil(said, FaultKind.TRUNCATED)
    assert short.finish_reason == "length"
    assert short.tokens == said.tokens // 2
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(short.calls[-1].arguments)


def test_malformed_arguments_are_those_of_the_last_edit_which_nothing_follows() -> None:
    spoilt = spoil(calling((CALLS[0], *CALLS)), FaultKind.MALFORMED_ARGUMENTS)
    assert spoilt.calls[0] == CALLS[0]
    assert [call.name for call in spoilt.calls] == ["find_and_replace"] * 2
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(spoilt.calls[1].arguments)
    assert spoilt.finish_reason == "tool_calls"


def test_where_there_is_no_edit_the_end_of_the_work_is_malformed() -> None:
    spoilt = spoil(calling(CALLS[1:]), FaultKind.MALFORMED_ARGUMENTS)
    assert [(call.name, call.arguments) for call in spoilt.calls] == [("proofreading_complete", "{")]


def test_leaked_calls_stand_in_the_text() -> None:
    spoilt = spoil(calling(CALLS), FaultKind.LEAKED_CALL)
    assert spoilt.calls == ()
    assert spoilt.content is not None
    assert spoilt.content.count("<tool_call>") == 2
    assert '"find":"teh"' in spoilt.content


def test_talk_is_all_that_is_left_without_tools() -> None:
    assert spoil(calling(CALLS), FaultKind.NO_TOOLS) == Said(TALK)


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if not kind.spoils_the_reply])
def test_other_faults_leave_the_reply_alone(kind: FaultKind) -> None:
    assert spoil(calling(CALLS), kind) == calling(CALLS)
