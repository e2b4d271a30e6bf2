from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.errors import EndpointFault, Reach, StoreError
from errata_bench.runs.plan import PlannedRun
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.doubles import calling, complete, find_and_replace
from tests.support.execution import Gate, Log, execute, make_engine, plan_for
from tests.support.models import FakeModel, fix_everything, paragraph_ids
from tests.support.stored import failure_count, statuses

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
LETTER, REPORT = make_case("letter"), make_case("report")
CHUNKS = ["para01", "para02", "para03"]


def fault(reach: Reach, kind: str = "refused") -> EndpointFault:
    return EndpointFault(kind, "No.", reach=reach, status=400)


# Faults


@pytest.mark.parametrize("reach", [Reach.RUN, Reach.RETRY])
async def test_a_fault_of_a_run_stops_that_run_alone(group: Group, reach: Reach) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        if "of letter, number 2" in str(request.messages[1]["content"]):
            raise fault(reach)
        return fix_everything(request)

    log = Log()
    outcome = await execute(make_engine(group, FakeModel(answer), log), plan_for(group, [LETTER, REPORT], [ONE, TWO]))
    assert (outcome.succeeded, outcome.failed, outcome.left, outcome.fatal) == (2, 2, 0, {})
    for run in group.runs():
        if run.case_id == "letter":
            assert (run.status, run.chunks_done, run.failures) == (RunStatus.FAILED, 1, 1)
            (failure,) = group.failures(run.id)
            assert (failure.chunk, failure.kind, failure.status, failure.message) == (1, "refused", 400, "No.")
        else:
            assert run.status is RunStatus.SUCCEEDED
    assert sorted(log.named("failed")) == ["org/one:low on letter, sample 1", "org/two:high on letter, sample 1"]
    assert [attempt.outcome for attempt in log.attempts].count("refused") == 2
    assert group.spend().requests == 2 * 2 + 2 * 3


async def test_a_fault_of_a_variant_stops_its_runs_and_no_others(group: Group) -> None:
    gate = Gate()

    async def dead(request: ChatRequest) -> ChatReply:
        if "number 1" in str(request.messages[1]["content"]) and "letter" in str(request.messages[1]["content"]):
            await gate.reached(1)
            raise fault(Reach.VARIANT, "unknown_model")
        await gate.hold()
        return pytest.fail("it was given up")

    models = {ONE: FakeModel(dead), TWO: FakeModel(fix_everything)}
    log = Log()
    engine = make_engine(group, lambda run: models[run.variant], log, concurrency=4)
    outcome = await execute(engine, plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=3))
    assert (outcome.succeeded, outcome.failed, outcome.left) == (6, 1, 5)
    assert list(outcome.fatal) == ["org/one:low"]
    assert outcome.fatal["org/one:low"].kind == "unknown_model"
    assert not outcome.stopped
    assert failure_count(group) == len(log.faults) == 1
    assert gate.waiting == 0
    by_variant = {run.key.variant: run.status for run in group.runs()}
    assert by_variant[TWO] is RunStatus.SUCCEEDED
    # What was in flight can be taken up again, what was not begun is not in the file.
    assert sorted(run.status for run in group.runs() if run.key.variant == ONE) == ["failed", "running"]
    assert log.named("left") == ["org/one:low on report, sample 1"]


async def test_after_a_variant_died_all_its_runs_can_be_made(group: Group) -> None:
    together = asyncio.Barrier(4)

    async def dead(request: ChatRequest) -> ChatReply:
        if paragraph_ids(request) == ["para02"]:
            await together.wait()
            raise fault(Reach.VARIANT)
        return fix_everything(request)

    cases = [LETTER, REPORT]
    first = await execute(make_engine(group, FakeModel(dead)), plan_for(group, cases, [ONE], samples=2))
    assert (first.succeeded, first.failed, failure_count(group)) == (0, 1, 1)
    model = FakeModel(fix_everything)
    plan = plan_for(group, cases, [ONE], samples=2)
    assert plan.resumed == 4
    outcome = await execute(make_engine(group, model), plan)
    assert (outcome.succeeded, outcome.failed, outcome.left) == (4, 0, 0)
    assert sorted(model.asked) == ["para02"] * 4 + ["para03"] * 4
    assert statuses(group) == [RunStatus.SUCCEEDED] * 4


async def test_a_fault_of_the_endpoint_stops_everything_there_and_nothing_elsewhere(group: Group) -> None:
    def dead(_: ChatRequest) -> ChatReply:
        raise fault(Reach.ALL, "invalid_key")

    offline = Variant("baseline/untouched", None)
    models = {ONE: FakeModel(dead), TWO: FakeModel(dead), offline: FakeModel(fix_everything)}
    plan = plan_for(
        group,
        [LETTER, REPORT],
        [ONE, TWO, offline],
        samples=2,
        settings_of=lambda variant: make_settings(endpoint="offline" if variant.is_baseline else "remote"),
    )
    outcome = await execute(make_engine(group, lambda run: models[run.variant], concurrency=2), plan)
    assert (outcome.succeeded, outcome.failed, outcome.left) == (4, 1, 7)
    assert list(outcome.fatal) == ["remote"]
    assert failure_count(group) == 1
    assert len(models[ONE].requests) + len(models[TWO].requests) <= 2


@pytest.mark.parametrize("reach", [Reach.VARIANT, Reach.ALL])
async def test_a_fault_that_many_runs_meet_at_the_same_moment_is_recorded_once(group: Group, reach: Reach) -> None:
    together = asyncio.Barrier(6)

    async def dead(_: ChatRequest) -> ChatReply:
        await together.wait()
        raise fault(reach)

    log = Log()
    engine = make_engine(group, FakeModel(dead), log, concurrency=6)
    outcome = await execute(engine, plan_for(group, [LETTER, REPORT], [ONE], samples=4))
    assert (outcome.failed, outcome.left) == (1, 7)
    assert failure_count(group) == 1
    assert len(log.named("left")) == 5


async def test_a_dead_variant_does_not_stop_another_effort_of_its_model(group: Group) -> None:
    def dead(_: ChatRequest) -> ChatReply:
        raise fault(Reach.VARIANT)

    other = Variant("org/one", "high")
    models = {ONE: FakeModel(dead), other: FakeModel(fix_everything)}
    outcome = await execute(
        make_engine(group, lambda run: models[run.variant]), plan_for(group, [LETTER], [ONE, other])
    )
    assert (outcome.succeeded, outcome.failed) == (1, 1)


# Bugs


async def test_a_bug_in_one_run_loses_no_other(group: Group) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        if "of letter, number 2" in str(request.messages[1]["content"]):
            raise ZeroDivisionError("a bug")
        return fix_everything(request)

    outcome = await execute(make_engine(group, FakeModel(answer)), plan_for(group, [LETTER, REPORT], [ONE]))
    assert (outcome.succeeded, outcome.failed, outcome.left) == (1, 1, 0)
    (bug,) = outcome.bugs
    assert isinstance(bug, ZeroDivisionError)
    assert bug.__traceback__ is not None
    (broken,) = (run for run in group.runs() if run.status is RunStatus.FAILED)
    assert (broken.case_id, broken.chunks_done) == ("letter", 1)
    assert group.failures(broken.id)[0].message == "ZeroDivisionError: a bug"
    again = FakeModel(fix_everything)
    assert (await execute(make_engine(group, again), plan_for(group, [LETTER, REPORT], [ONE]))).succeeded == 1
    assert again.asked == ["para02", "para03"]


async def test_a_model_that_cannot_be_made_fails_its_runs_alone(group: Group) -> None:
    def model_of(run: PlannedRun) -> FakeModel:
        if run.variant == ONE:
            raise KeyError("no such model")
        return FakeModel(fix_everything)

    outcome = await execute(make_engine(group, model_of), plan_for(group, [LETTER], [ONE, TWO]))
    assert (outcome.succeeded, outcome.failed, len(outcome.bugs)) == (1, 1, 1)


async def test_a_success_stays_one_whatever_the_display_does(group: Group) -> None:
    class Broken(Log):
        def succeeded(self, run: PlannedRun, figures: RunFigures) -> None:
            raise RuntimeError("cannot draw")

    with pytest.raises(RuntimeError, match="cannot draw"):
        await execute(make_engine(group, FakeModel(fix_everything), Broken()), plan_for(group, [LETTER], [ONE]))
    assert statuses(group) == [RunStatus.SUCCEEDED]
    assert failure_count(group) == 0


async def test_a_full_disk_in_the_middle_ends_the_execution_with_its_error(group: Group, path: Path) -> None:
    gate = Gate()

    async def answer(request: ChatRequest) -> ChatReply:
        if "letter" not in str(request.messages[1]["content"]):
            await gate.hold()
        if paragraph_ids(request) == ["para02"]:
            await gate.reached(2)
            (pages,) = group._connection.execute("PRAGMA page_count").fetchone()
            group._connection.execute(f"PRAGMA max_page_count = {pages}")
            return calling(find_and_replace("para02", "teh", "x" * 100_000), complete())
        return fix_everything(request)

    model = FakeModel(answer)
    with pytest.raises(StoreError, match="disk is full"):
        await execute(make_engine(group, model), plan_for(group, [LETTER, REPORT, make_case("third")], [ONE]))
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert gate.waiting == 0
    # The finished chunk is there, and the next execution goes on behind it.
    group._connection.execute("PRAGMA max_page_count = 1000000")
    again = FakeModel(fix_everything)
    plan = plan_for(group, [LETTER], [ONE])
    assert plan.resumed == 1
    assert (await execute(make_engine(group, again), plan)).succeeded == 1
    assert again.asked == ["para02", "para03"]
