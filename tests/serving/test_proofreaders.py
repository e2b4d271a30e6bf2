"""Served models, asked by the loop of a real run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.baselines import BASELINE_NAMES
from errata_bench.cases.model import Case
from errata_bench.chat import AttemptSink, ChatReply, ChatRequest, ToolCall, ToolSchema, ignore_attempt
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.loop import LoopSettings, proofread_chunk
from errata_bench.proofreading.tools import TOOLS
from errata_bench.serving.faults import FaultKind
from errata_bench.serving.proofreaders import Proofreader, proofreaders
from errata_bench.serving.replies import Said
from errata_bench.serving.spoiling import spoil
from tests.support.builders import make_case


class Wire:
    """A model behind a wire that spoils its replies in turn: what a client makes of them, without HTTP."""

    def __init__(self, proofreader: Proofreader, kinds: list[FaultKind | None], *, parallel: bool = True) -> None:
        self.proofreader = proofreader
        self.kinds = kinds
        self.parallel = parallel

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        said = await self.proofreader.answer(request, parallel=self.parallel)
        kind = self.kinds.pop(0) if self.kinds else None
        return as_reply(said if kind is None else spoil(said, kind))


def as_reply(said: Said) -> ChatReply:
    calls: list[ToolCall] = []
    replay: list[dict[str, Any]] = []
    for call in said.calls:
        try:
            arguments = json.loads(call.arguments)
        except ValueError:
            arguments = None
        calls.append(ToolCall(call.id, call.name, arguments, call.arguments))
        sent = "{}" if arguments is None else call.arguments
        replay.append({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": sent}})
    message: dict[str, Any] = {"role": "assistant", "content": said.content or "(no answer)"}
    if replay:
        message["tool_calls"] = replay
    return ChatReply(message, tuple(calls), truncated=said.finish_reason == "length")


def loop(turns: int) -> LoopSettings:
    return LoopSettings(max_turns_per_chunk=turns)


async def test_the_oracle_leaves_the_expected_document(case: Case) -> None:
    wire = Wire(proofreaders([case])["served/oracle"], [])
    result = await proofread_chunk(wire, case.document, "Correct.", loop(1))
    assert result.completed
    assert result.paragraphs == case.expected.paragraphs


async def test_the_oracle_knows_only_the_cases_it_was_given(case: Case) -> None:
    wire = Wire(proofreaders([])["served/oracle"], [])
    result = await proofread_chunk(wire, case.document, "Correct.", loop(1))
    assert result.paragraphs == case.document.paragraphs


async def test_a_checker_is_served_and_the_untouched_changes_nothing(case: Case) -> None:
    models = proofreaders([])
    spelt = await proofread_chunk(Wire(models["served/harper"], []), case.document, "Correct.", loop(1))
    assert spelt.paragraphs == case.expected.paragraphs
    untouched = await proofread_chunk(Wire(models["served/untouched"], []), case.document, "Correct.", loop(1))
    assert untouched.paragraphs == case.document.paragraphs


SPOILING = [kind for kind in FaultKind if kind.spoils_the_reply]


@settings(deadline=None, max_examples=60)
@given(kinds=st.lists(st.sampled_from(SPOILING), max_size=5), paragraphs=st.integers(1, 6))
async def test_spoilt_replies_are_made_up_for_in_later_turns(kinds: list[FaultKind], paragraphs: int) -> None:
    case = make_case("letter", paragraphs)
    wire = Wire(proofreaders([case])["served/oracle"], [*kinds])
    result = await proofread_chunk(wire, case.document, "Correct.", loop(len(kinds) + 1))
    assert result.completed
    assert result.paragraphs == case.expected.paragraphs
    assert len(result.turns) <= len(kinds) + 1


async def test_without_parallel_calls_the_work_takes_a_turn_for_each(case: Case) -> None:
    wire = Wire(proofreaders([case])["served/oracle"], [], parallel=False)
    result = await proofread_chunk(wire, case.document, "Correct.", loop(10))
    assert [len(turn.calls) for turn in result.turns] == [1] * 4
    assert result.paragraphs == case.expected.paragraphs


async def test_ids_of_calls_are_never_used_twice(case: Case) -> None:
    wire = Wire(proofreaders([case])["served/oracle"], [], parallel=False)
    result = await proofread_chunk(wire, case.document, "Correct.", loop(10))
    ids = [call["id"] for turn in result.turns for call in turn.message["tool_calls"]]
    assert len(set(ids)) == len(ids) == 4


@pytest.mark.parametrize("request_fields", [{"tools": ()}, {"tools": TOOLS, "tool_choice": "none"}])
async def test_where_no_tool_may_be_called_there_is_talk(case: Case, request_fields: Any) -> None:
    request = ChatRequest(({"role": "user", "content": case.document.html},), **request_fields)
    said = await proofreaders([case])["served/oracle"].answer(request)
    assert said.calls == ()
    assert said.content


async def test_a_request_with_other_tools_is_refused(case: Case) -> None:
    request = ChatRequest(({"role": "user", "content": "Judge."},), (ToolSchema("judge", "", {"type": "object"}),))
    with pytest.raises(EndpointFault) as caught:
        await proofreaders([case])["served/oracle"].answer(request)
    assert caught.value.kind == "not_a_chat_model"


def test_every_baseline_is_served_under_its_name() -> None:
    served = {name.replace("baseline/", "served/") for name in BASELINE_NAMES}
    assert set(proofreaders([])) <= served
    assert {"served/untouched", "served/oracle", "served/spelling", "served/harper"} <= set(proofreaders([]))
