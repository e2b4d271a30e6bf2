from __future__ import annotations

import asyncio

import pytest

from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.doubles import complete, find_and_replace
from tests.support.execution import Gate, Log, execute, make_engine, plan_for
from tests.support.models import FakeModel, fix_everything, paid, paragraph_ids
from tests.support.stored import failure_count, statuses

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
LETTER, REPORT = make_case("letter"), make_case("report")
CHUNKS = ["para01", "para02", "para03"]


async def test_stopping_lets_chunks_finish_and_begins_nothing_more(group: Group) -> None:
    gate, log = Gate(), Log()

    async def answer(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return fix_everything(request)

    model = FakeModel(answer)
    engine = make_engine(group, model, log, concurrency=2)
    plan = plan_for(group, [LETTER, REPORT], [ONE], samples=2)
    execution = asyncio.create_task(execute(engine, plan))
    await gate.reached(2)
    engine.stop()
    gate.let_through(100)
    outcome = await execution
    assert (outcome.stopped, outcome.succeeded, outcome.failed, outcome.left) == (True, 0, 0, 4)
    assert model.asked == ["para01", "para01"]
    assert [(run.status, run.chunks_done) for run in group.runs()] == [(RunStatus.RUNNING, 1)] * 2
    assert sorted(log.named("left")) == ["org/one:low on letter, sample 1", "org/one:low on report, sample 1"]
    assert failure_count(group) == 0


async def test_a_chunk_of_several_turns_is_finished_when_stopping(group: Group) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        engine.stop()
        (name,) = paragraph_ids(request)
        first = len(request.messages) == 2
        return paid(find_and_replace(name, "teh", "the")) if first else paid(complete())

    model = FakeModel(answer)
    engine = make_engine(group, model)
    outcome = await execute(engine, plan_for(group, [LETTER], [ONE]))
    assert (len(model.requests), outcome.stopped) == (2, True)
    (run,) = group.runs()
    assert group.stored_chunks(run.id)[0].completed


async def test_a_run_whose_last_chunk_is_finished_when_stopping_is_scored(group: Group) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        if paragraph_ids(request) == ["para03"]:
            engine.stop()
        return fix_everything(request)

    engine = make_engine(group, FakeModel(answer))
    outcome = await execute(engine, plan_for(group, [LETTER], [ONE]))
    assert (outcome.succeeded, outcome.left) == (1, 0)
    assert statuses(group) == [RunStatus.SUCCEEDED]


async def test_cancelling_gives_up_requests_in_flight_and_keeps_finished_chunks(group: Group) -> None:
    gate, log = Gate(), Log()

    async def answer(request: ChatRequest) -> ChatReply:
        if paragraph_ids(request) != ["para01"]:
            await gate.hold()
        return fix_everything(request)

    model = FakeModel(answer)
    engine = make_engine(group, model, log)
    execution = asyncio.create_task(execute(engine, plan_for(group, [LETTER, REPORT], [ONE])))
    await gate.reached(2)
    engine.stop()
    engine.cancel()
    outcome = await execution  # although nothing was let through
    assert (outcome.stopped, outcome.left, gate.waiting) == (True, 2, 0)
    assert [(run.status, run.chunks_done) for run in group.runs()] == [(RunStatus.RUNNING, 1)] * 2
    assert len(log.named("left")) == 2
    again = FakeModel(fix_everything)
    outcome = await execute(make_engine(group, again), plan_for(group, [LETTER, REPORT], [ONE]))
    assert outcome.succeeded == 2
    assert sorted(again.asked) == ["para02", "para02", "para03", "para03"]


async def test_whoever_cancels_an_execution_finds_nothing_of_it_at_work(group: Group) -> None:
    gate, cleaned = Gate(), list[str]()

    async def answer(request: ChatRequest) -> ChatReply:
        try:
            await gate.hold()
        finally:
            for _ in range(10):  # as a client does that closes its connection
                await asyncio.sleep(0)
            cleaned.extend(paragraph_ids(request))
        return fix_everything(request)

    execution = asyncio.create_task(
        execute(make_engine(group, FakeModel(answer)), plan_for(group, [LETTER, REPORT], [ONE]))
    )
    await gate.reached(2)
    execution.cancel()
    with pytest.raises(asyncio.CancelledError):
        await execution
    assert cleaned == ["para01", "para01"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_interrupted_run_goes_on_at_its_first_unfinished_chunk(group: Group) -> None:
    async def invocation() -> list[str]:
        def answer(request: ChatRequest) -> ChatReply:
            engine.stop()
            return fix_everything(request)

        model = FakeModel(answer)
        engine = make_engine(group, model)
        await execute(engine, plan_for(group, [LETTER], [ONE]))
        return model.asked

    assert [await invocation() for _ in CHUNKS] == [["para01"], ["para02"], ["para03"]]
    (run,) = group.runs()
    assert run.status is RunStatus.SUCCEEDED
    assert run.figures is not None
    assert (run.figures.quality, run.figures.chunks, run.figures.turns) == (1.0, 3, 3)
    assert run.figures.candidate_cost_usd == 0.75


async def test_a_run_of_which_every_chunk_is_stored_is_scored_without_asking(group: Group) -> None:
    # As after a kill between the last chunk and the verdicts.
    await execute(make_engine(group, FakeModel(fix_everything)), plan_for(group, [LETTER], [ONE]))
    (before,) = group.runs()
    group._connection.execute("UPDATE runs SET status = 'running'")
    group._connection.execute("DELETE FROM figures")
    group._connection.execute("DELETE FROM verdicts")
    model = FakeModel(lambda _: pytest.fail("it was paid for already"))
    assert (await execute(make_engine(group, model), plan_for(group, [LETTER], [ONE]))).succeeded == 1
    assert group.runs() == [before]


async def test_a_second_sample_is_a_run_of_its_own(group: Group) -> None:
    await execute(make_engine(group, FakeModel(fix_everything)), plan_for(group, [LETTER], [ONE]))
    model = FakeModel(fix_everything)
    await execute(make_engine(group, model), plan_for(group, [LETTER], [ONE], samples=2))
    assert model.asked == CHUNKS
    assert [run.sample for run in group.runs()] == [1, 2]
