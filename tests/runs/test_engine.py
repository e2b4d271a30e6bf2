from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from errata_bench.chat import ChatReply, ChatRequest, Reasoning
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.doubles import complete, find_and_replace, saying
from tests.support.execution import Gate, Log, execute, make_engine, plan_for
from tests.support.models import FakeModel, fix_everything, paid, paragraph_ids
from tests.support.stored import statuses

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
LETTER, REPORT = make_case("letter"), make_case("report")
CHUNKS = ["para01", "para02", "para03"]


# A run from beginning to end


async def test_a_run_goes_through_its_chunks_and_is_scored(group: Group) -> None:
    log, model = Log(), FakeModel(fix_everything)
    outcome = await execute(make_engine(group, model, log), plan_for(group, [LETTER], [ONE]))
    assert (outcome.succeeded, outcome.failed, outcome.left, outcome.stopped) == (1, 0, 0, False)
    assert model.asked == CHUNKS
    (run,) = group.runs()
    assert (run.status, run.chunks_done, run.started_at, run.ended_at) == (RunStatus.SUCCEEDED, 3, 5000.0, 5000.0)
    assert set(group.verdicts(run.id).values()) == {"fixed"}
    assert run.figures is not None
    assert (run.figures.quality, run.figures.turns_per_chunk, run.figures.completed_chunks) == (1.0, 1.0, 3)
    assert (run.figures.candidate_cost_usd, run.figures.duration_seconds) == (0.75, 6.0)
    assert group.spend().usd == 0.75
    name = "org/one:low on letter, sample 1"
    assert log.events == [
        ("started", name),
        *[(event, name) for chunk in range(3) for event in (f"chunk {chunk} turn 1", "attempted")],
        ("succeeded", name),
    ]


async def test_a_run_that_the_model_never_ends_is_scored_all_the_same(group: Group) -> None:
    model = FakeModel(lambda _: saying("Looks fine.", duration_seconds=1.0))
    outcome = await execute(make_engine(group, model), plan_for(group, [LETTER], [ONE]))
    assert outcome.succeeded == 1
    (run,) = group.runs()
    assert run.figures is not None
    assert (run.figures.quality, run.figures.completed_chunks, run.figures.turns) == (0.0, 0, 9)
    assert run.figures.cost_usd is None
    assert group.spend().unpriced_requests == 9


async def test_the_bounds_of_the_loop_reach_the_model(group: Group) -> None:
    model = FakeModel(lambda _: saying("…"))
    bounds = LoopSettings(1, 77, Reasoning("low", True, 5))
    await execute(make_engine(group, model, loop_settings=bounds), plan_for(group, [LETTER], [ONE]))
    assert len(model.requests) == 3
    assert model.requests[0].max_completion_tokens == 77
    assert model.requests[0].reasoning == Reasoning("low", True, 5)
    assert LETTER.instruction in str(model.requests[0].messages[1]["content"])


async def test_what_had_to_be_changed_in_requests_is_kept_with_the_run(group: Group, path: Path) -> None:
    class Adapting(FakeModel):
        adaptations = ("temperature", "max_tokens")

    await execute(make_engine(group, Adapting(fix_everything)), plan_for(group, [LETTER], [ONE]))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT adaptations FROM runs").fetchone() == ('["max_tokens","temperature"]',)
    connection.close()


async def test_a_plan_without_work_is_done_at_once(group: Group) -> None:
    await execute(make_engine(group, FakeModel(fix_everything)), plan_for(group, [LETTER], [ONE]))
    nobody = FakeModel(lambda _: pytest.fail("it was paid for already"))
    outcome = await execute(make_engine(group, nobody), plan_for(group, [LETTER], [ONE]))
    assert (outcome.succeeded, outcome.left, nobody.requests) == (0, 0, [])


async def test_half_a_character_pair_from_a_model_costs_no_run(group: Group) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        (name,) = paragraph_ids(request)
        return paid(find_and_replace(name, "teh", "the"), find_and_replace(name, "Here", "\ud800"), complete("\ud800"))

    outcome = await execute(make_engine(group, FakeModel(answer)), plan_for(group, [LETTER], [ONE]))
    assert (outcome.succeeded, outcome.failed, outcome.bugs) == (1, 0, [])
    (run,) = group.runs()
    assert set(group.verdicts(run.id).values()) == {"fixed"}
    chunks = group.chunk_results(run.id, plan_for(group, [LETTER], [TWO]).todo[0].chunks)
    good, bad, *_ = chunks[0].turns[0].calls
    assert (good.ok, good.arguments["replace"]) == (True, "the")
    # Such a call is refused; what was sent is kept as far as UTF-8 can hold it.
    assert not bad.ok
    assert "\ufffd" in bad.raw_arguments


# Many at a time


@pytest.mark.parametrize("concurrency", [1, 3, 12])
async def test_no_more_than_so_many_runs_are_at_work_and_no_fewer(group: Group, concurrency: int) -> None:
    gate = Gate()

    async def answer(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return fix_everything(request)

    plan = plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=3)
    assert len(plan.todo) == 12
    engine = make_engine(group, FakeModel(answer), concurrency=concurrency)
    execution = asyncio.create_task(execute(engine, plan))
    for answered in range(36):
        # A run's chunks come one after the other, so when few requests are left, few can be in flight.
        await gate.reached(1 if 36 - answered < 3 * concurrency else concurrency)
        gate.let_through()
    outcome = await execution
    assert outcome.succeeded == 12
    assert gate.most == concurrency


async def test_runs_are_interleaved_chunk_by_chunk(group: Group) -> None:
    together = asyncio.Barrier(2)

    async def answer(request: ChatRequest) -> ChatReply:
        await together.wait()  # one after the other would wait for ever
        return fix_everything(request)

    model = FakeModel(answer)
    outcome = await execute(make_engine(group, model), plan_for(group, [LETTER, REPORT], [ONE]))
    assert outcome.succeeded == 2
    assert model.asked == ["para01", "para01", "para02", "para02", "para03", "para03"]


async def test_a_slow_model_holds_up_no_other(group: Group) -> None:
    gate = Gate()

    async def slow(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return fix_everything(request)

    models = {ONE: FakeModel(slow), TWO: FakeModel(fix_everything)}
    log = Log()
    engine = make_engine(group, lambda run: models[run.variant], log, concurrency=2)
    execution = asyncio.create_task(execute(engine, plan_for(group, [LETTER], [ONE, TWO], samples=3)))
    await gate.reached(1)
    gate.let_through(9)
    await execution
    assert log.named("succeeded")[0] == "org/two:high on letter, sample 1"
    assert statuses(group) == [RunStatus.SUCCEEDED] * 6
