"""The loop over the turns of a chunk (contract C6), with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from errata_bench.cases.load import load_cases
from errata_bench.chat import Attempt, ChatReply, Message, Reasoning, ToolCall, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import TRUNCATED, ChunkResult, LoopSettings, proofread_chunk
from errata_bench.proofreading.prompts import NUDGE, SYSTEM, user_prompt
from errata_bench.proofreading.tools import TOOLS
from tests.support.case_files import CLASSIFICATION, case_json, issue_json, write_case
from tests.support.doubles import (
    ScriptedModel,
    Step,
    calling,
    complete,
    find_and_replace,
    replace_paragraph,
    saying,
    tool_call,
    unreadable_call,
)

CHUNK = Document((Paragraph("para01", "Teh cat saw teh dog."), Paragraph("para02", "The end")))
INSTRUCTION = "Proofread the text."
FIX = find_and_replace("para01", "Teh", "The")
STOP = find_and_replace("para02", "end", "end.")


async def proofread(model: ScriptedModel, chunk: Document = CHUNK, settings: LoopSettings | None = None) -> ChunkResult:
    return await proofread_chunk(model, chunk, INSTRUCTION, settings or LoopSettings())


def texts(result: ChunkResult) -> list[str]:
    return [paragraph.inner_html for paragraph in result.paragraphs]


def assert_conversation(messages: Sequence[Message]) -> None:
    """System, user, then each assistant message with exactly one tool message a call, in call order."""
    assert [message["role"] for message in messages[:2]] == ["system", "user"]
    waiting: list[str] = []
    for before, message in pairwise(messages[1:]):
        if message["role"] == "tool":
            assert waiting, "a tool message that no call asked for"
            assert message["tool_call_id"] == waiting.pop(0)
            assert set(json.loads(message["content"])) == {"ok", "message"}
            continue
        assert not waiting, "a call without an answer"
        if message["role"] == "assistant":
            assert before["role"] in {"user", "tool"}
            waiting = [call["id"] for call in message.get("tool_calls", ())]
        else:
            assert message["role"] == "user"
            assert before["role"] == "assistant"
    assert not waiting, "a call without an answer"


# A conversation


async def test_first_request_holds_the_prompts_the_tools_and_the_limits() -> None:
    model = ScriptedModel([calling(complete())])
    settings = LoopSettings(max_completion_tokens=77, reasoning=Reasoning("low", exclude=True, max_tokens=5))
    await proofread(model, settings=settings)
    (request,) = model.requests
    assert request.messages == (
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": user_prompt(INSTRUCTION, CHUNK)},
    )
    assert request.tools == TOOLS
    assert request.tool_choice == "auto"
    assert request.temperature == 0
    assert request.max_completion_tokens == 77
    assert request.reasoning == Reasoning("low", exclude=True, max_tokens=5)


async def test_each_turn_sends_a_valid_conversation() -> None:
    first = calling(
        FIX, unreadable_call("find_and_replace", "{"), tool_call("edit", {}), find_and_replace("no", "a", "b")
    )
    model = ScriptedModel([first, saying("Hm."), calling(STOP), calling(complete())])
    await proofread(model, settings=LoopSettings(max_turns_per_chunk=9))
    assert len(model.requests) == 4
    for request in model.requests:
        assert_conversation(request.messages)
    last = model.requests[-1].messages
    assert [message["role"] for message in last[2:]] == [
        "assistant",
        *["tool"] * 4,
        "assistant",
        "user",
        "assistant",
        "tool",
    ]
    for request, following in pairwise(model.requests):
        assert following.messages[: len(request.messages)] == request.messages


async def test_reply_goes_back_as_it_came() -> None:
    message = {**calling(FIX).message, "reasoning_details": [{"type": "x", "signature": "s"}]}
    reply = ChatReply(message, calling(FIX).tool_calls)
    model = ScriptedModel([reply, calling(complete())])
    await proofread(model)
    assert model.requests[1].messages[2] is message


async def test_tool_messages_tell_what_became_of_each_call() -> None:
    model = ScriptedModel([calling(FIX, find_and_replace("para02", "xyz", "a")), calling(complete())])
    await proofread(model)
    answers = [json.loads(message["content"]) for message in model.requests[1].messages[3:]]
    assert [answer["ok"] for answer in answers] == [True, False]
    assert "does not occur in paragraph 'para02'" in answers[1]["message"]


# Edits


async def test_edits_are_carried_out_in_call_order_each_on_what_the_one_before_left() -> None:
    model = ScriptedModel(
        [
            calling(
                find_and_replace("para01", "cat", "mouse"),
                find_and_replace("para01", "cat", "bird"),
                find_and_replace("para01", "mouse saw", "mouse heard"),
                replace_paragraph("para02", '<p id="para02">Over.</p>'),
                complete(),
            )
        ]
    )
    result = await proofread(model)
    assert texts(result) == ["Teh mouse heard teh dog.", "Over."]
    assert [call.ok for call in result.turns[0].calls] == [True, False, True, True, True]


async def test_edits_of_all_turns_are_kept() -> None:
    result = await proofread(ScriptedModel([calling(FIX), calling(STOP), calling(complete())]))
    assert texts(result) == ["The cat saw teh dog.", "The end."]
    assert [len(turn.calls) for turn in result.turns] == [1, 1, 1]


async def test_paragraphs_of_another_chunk_cannot_be_edited() -> None:
    first, second = split_into_chunks(CHUNK, 5)
    result = await proofread(ScriptedModel([calling(STOP, complete())]), first)
    assert result.paragraphs == first.paragraphs
    assert "no paragraph 'para02'" in result.turns[0].calls[0].message
    assert second.paragraphs[0].id == "para02"


# The end of a chunk


async def test_completion_without_an_edit_ends_the_chunk() -> None:
    model = ScriptedModel([calling(complete("Nothing wrong."))])
    result = await proofread(model)
    assert result.completed
    assert result.paragraphs == CHUNK.paragraphs
    assert len(result.turns) == len(model.requests) == 1


async def test_completion_ends_the_chunk_once_the_other_calls_are_done() -> None:
    result = await proofread(ScriptedModel([calling(complete(), FIX, STOP)]))
    assert result.completed
    assert texts(result) == ["The cat saw teh dog.", "The end."]


async def test_completion_ends_the_chunk_beside_a_call_that_failed() -> None:
    result = await proofread(ScriptedModel([calling(find_and_replace("para01", "xyz", "a"), complete())]))
    assert result.completed


async def test_completion_that_was_refused_does_not_end_the_chunk() -> None:
    model = ScriptedModel([calling(unreadable_call("proofreading_complete", "{")), calling(complete())])
    assert len((await proofread(model)).turns) == 2


@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_chunk_ends_at_the_limit_of_turns(limit: int) -> None:
    model = ScriptedModel(lambda _: calling(FIX))
    result = await proofread(model, settings=LoopSettings(max_turns_per_chunk=limit))
    assert len(model.requests) == len(result.turns) == limit
    assert not result.completed
    assert texts(result) == ["The cat saw teh dog.", "The end"]


async def test_turns_are_told_as_they_begin() -> None:
    told: list[int] = []
    model = ScriptedModel([calling(FIX), calling(complete())])
    await proofread_chunk(model, CHUNK, INSTRUCTION, LoopSettings(), on_turn=told.append)
    assert told == [1, 2]


# Replies without calls


async def test_reply_without_calls_is_nudged_and_does_not_end_the_chunk() -> None:
    model = ScriptedModel([saying("I am done."), calling(FIX), calling(complete())])
    result = await proofread(model)
    assert model.requests[1].messages[2:] == (
        {"role": "assistant", "content": "I am done."},
        {"role": "user", "content": NUDGE},
    )
    assert result.completed
    assert texts(result)[0] == "The cat saw teh dog."


async def test_model_that_never_calls_runs_into_the_limit() -> None:
    result = await proofread(ScriptedModel(lambda _: saying("Fine.")))
    assert (len(result.turns), result.completed) == (3, False)
    assert result.paragraphs == CHUNK.paragraphs


async def test_user_message_never_follows_a_tool_message() -> None:
    model = ScriptedModel([calling(FIX), saying("?"), calling(complete())])
    await proofread(model)
    roles = [message["role"] for message in model.requests[-1].messages]
    assert ("tool", "user") not in set(pairwise(roles))


# Replies that were cut off


async def test_last_call_of_a_reply_that_was_cut_off_is_not_carried_out() -> None:
    model = ScriptedModel([calling(FIX, STOP, truncated=True), calling(complete())])
    result = await proofread(model)
    assert texts(result) == ["The cat saw teh dog.", "The end"]
    assert [(call.ok, call.message) for call in result.turns[0].calls] == [(True, "Done."), (False, TRUNCATED)]
    assert result.turns[0].calls[1].raw_arguments == STOP.raw_arguments
    assert_conversation(model.requests[1].messages)


async def test_completion_that_was_cut_off_does_not_end_the_chunk() -> None:
    model = ScriptedModel([calling(FIX, complete(), truncated=True), calling(complete())])
    result = await proofread(model)
    assert len(result.turns) == 2
    assert texts(result)[0] == "The cat saw teh dog."


async def test_reply_that_was_cut_off_before_any_call_is_nudged() -> None:
    model = ScriptedModel([saying("Let me th", truncated=True), calling(complete())])
    await proofread(model)
    assert model.requests[1].messages[-1] == {"role": "user", "content": NUDGE}


# Chunks know nothing of each other


async def test_each_chunk_has_a_fresh_conversation() -> None:
    model = ScriptedModel([calling(FIX), calling(complete()), calling(STOP, complete())])
    for chunk in split_into_chunks(CHUNK, 5):
        await proofread(model, chunk)
    second = model.requests[2]
    assert len(second.messages) == 2
    assert "para01" not in str(second.messages)
    assert "The end" in str(second.messages[1]["content"])


async def test_nothing_of_the_issues_reaches_the_model(tmp_path: Path) -> None:
    issue = issue_json(description="Transposed.", classification=CLASSIFICATION, acceptedCorrections=["That first"])
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue])))])
    model = ScriptedModel([saying("?"), calling(find_and_replace("x", "a", "b")), calling(complete())])
    await proofread_chunk(model, case.document, case.instruction, LoopSettings())
    sent = str([request.messages for request in model.requests])
    assert "Teh first paragraph" in sent
    for secret in (
        "The first",
        "That first",
        "issue-01",
        "Transposed.",
        "letter",
        "text.txt",
        *CLASSIFICATION.values(),
    ):
        assert not isinstance(secret, str) or secret in {"token", "minor"} or secret not in sent


# Records


async def test_turn_keeps_what_the_reply_said() -> None:
    usage = Usage(100, 20, 3, 4)
    reply = calling(FIX, usage=usage, cost_usd=0.25, duration_seconds=1.5, oddities={"fenced": 2})
    result = await proofread(ScriptedModel([reply]), settings=LoopSettings(max_turns_per_chunk=1))
    (turn,) = result.turns
    assert (turn.usage, turn.cost_usd, turn.duration_seconds, turn.finish_reason) == (usage, 0.25, 1.5, "tool_calls")
    assert turn.oddities == {"fenced": 2}
    assert turn.message == reply.message
    (call,) = turn.calls
    assert (call.name, call.arguments, call.ok, call.replacements) == (FIX.name, FIX.arguments, True, 1)
    assert call.raw_arguments == FIX.raw_arguments


async def test_unknown_cost_stays_unknown() -> None:
    result = await proofread(ScriptedModel([calling(complete())]))
    assert result.turns[0].cost_usd is None
    assert result.turns[0].oddities == {}


async def test_numbers_sent_as_ids_are_counted() -> None:
    chunk = Document((Paragraph("123", "Teh Teh."),))
    number = ToolCall("call0", "find_and_replace", {"paragraphId": 123, "find": "Teh", "replace": "The"}, "…")
    result = await proofread(ScriptedModel([calling(number, number, complete())]), chunk)
    assert texts(result) == ["The The."]
    assert result.turns[0].oddities == {"number_as_id": 2}


async def test_attempts_are_told() -> None:
    attempts: list[Attempt] = []
    model = ScriptedModel([calling(FIX, cost_usd=0.5), calling(complete(), cost_usd=0.25)])
    await proofread_chunk(model, CHUNK, INSTRUCTION, LoopSettings(), on_attempt=attempts.append)
    assert [attempt.cost_usd for attempt in attempts] == [0.5, 0.25]


async def test_fault_of_the_endpoint_is_raised() -> None:
    fault = EndpointFault("rate_limited", "slow down", reach=Reach.RUN)
    script: list[Step] = [calling(FIX), fault]
    with pytest.raises(EndpointFault) as caught:
        await proofread(ScriptedModel(script))
    assert caught.value is fault
