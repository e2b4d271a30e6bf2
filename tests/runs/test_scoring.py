from __future__ import annotations

import dataclasses

import pytest

from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.document import Document
from errata_bench.proofreading.loop import CallRecord
from errata_bench.runs.scoring import edit_calls, final_document, score_stored_run
from errata_bench.scoring.figures import measure_run
from errata_bench.scoring.run_score import score_run
from errata_bench.store.group import Group
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.doubles import calling, tool_call
from tests.support.execution import execute, make_engine, plan_for
from tests.support.golden import GoldenRun, golden_names, golden_run
from tests.support.golden import final_document as golden_final
from tests.support.models import FakeModel, paragraph_ids
from tests.support.stored import add_chunk, begin, chunk_result

NAMES = golden_names()
CASE = make_case()


def test_the_final_document_is_its_chunks_in_order() -> None:
    chunks = [chunk_result(CASE, index) for index in range(3)]
    assert final_document(chunks) == CASE.expected
    assert final_document([]) == Document(())


def test_calls_come_in_the_order_of_their_execution() -> None:
    chunk = chunk_result(CASE, 0)
    (call,) = chunk.turns[0].calls

    def numbered(*numbers: int) -> tuple[CallRecord, ...]:
        return tuple(dataclasses.replace(call, name=str(n), ok=n % 2 == 0) for n in numbers)

    first, second = chunk.turns
    one = dataclasses.replace(
        chunk, turns=(dataclasses.replace(first, calls=numbered(1, 2)), dataclasses.replace(second, calls=numbered(3)))
    )
    two = dataclasses.replace(chunk, turns=(dataclasses.replace(first, calls=numbered(4)),))
    found = edit_calls([one, two])
    assert [call.name for call in found] == ["1", "2", "3", "4"]
    assert [call.ok for call in found] == [False, True, False, True]
    assert found[0].arguments == call.arguments


def test_a_stored_run_is_scored_as_it_was_left(group: Group) -> None:
    run_id = begin(group, CASE)
    for index in range(3):
        add_chunk(group, run_id, CASE, index)
    chunks = tuple(CASE.document.select([paragraph.id]) for paragraph in CASE.document)
    score, figures = score_stored_run(group, run_id, CASE, chunks)
    results = [chunk_result(CASE, index) for index in range(3)]
    assert score == score_run(CASE, CASE.expected, edit_calls(results))
    assert figures == measure_run(score, results, CASE.document.words)
    assert (score.fixed, score.tool_use.benchmark_calls, figures.turns, figures.cost_usd) == (3, 3, 6, None)


def replaying(golden: GoldenRun) -> FakeModel:
    """A model that makes the recorded calls again, turn by turn."""
    turns = {chunk.paragraphs[0].id: iter(chunk.turns) for chunk in golden.chunks}

    def answer(request: ChatRequest) -> ChatReply:
        turn = next(turns[paragraph_ids(request)[0]])
        return calling(*(tool_call(call.name, call.arguments) for call in turn.calls), cost_usd=0.0)

    return FakeModel(answer)


@pytest.mark.parametrize(("name", "number"), NAMES, ids=[f"{name}-{number}" for name, number in NAMES])
async def test_a_recorded_run_made_again_ends_with_the_recorded_verdicts(name: str, number: int, group: Group) -> None:
    golden = golden_run(name, number)
    plan = plan_for(group, [golden.case], [Variant("org/model")], settings_of=lambda _: make_settings(max_words=2000))
    assert [[p.id for p in chunk] for chunk in plan.todo[0].chunks] == [
        [p.id for p in chunk.paragraphs] for chunk in golden.chunks
    ]
    outcome = await execute(make_engine(group, replaying(golden)), plan)
    assert (outcome.succeeded, outcome.bugs) == (1, [])
    (run,) = group.runs()
    verdicts = group.verdicts(run.id)
    for issue_id, issue in golden.issues.items():
        assert (verdicts[issue_id] == "fixed") == issue["staticCorrected"]
        assert (verdicts[issue_id] != "not_addressed") == issue["attemptedChange"]
        assert (verdicts[issue_id] == "unjudged") == issue["alternativeCandidate"]
    results = group.chunk_results(run.id, plan.todo[0].chunks)
    assert final_document(results) == golden_final(golden)
    assert [call.ok for call in edit_calls(results)] == [call.ok for call in golden.calls]
    assert run.figures is not None
    assert run.figures.turns_per_chunk == golden.summary["averageTurnsPerChunk"]
    assert run.figures.changed_paragraphs == len(golden.summary["actualChangedParagraphIds"])
    assert run.figures.unexpected_paragraphs == len(golden.summary["unexpectedParagraphChanges"])
    chars = run.figures.benchmark_chars + run.figures.off_target_chars
    assert chars == golden.summary["tooling"]["totalEditToolArgumentChars"]
