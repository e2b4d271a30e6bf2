"""Which run is begun next, and what the engine makes of it when a model is held back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.runs.engine import Engine
from errata_bench.runs.queue import ANY_NUMBER, Admission, RunQueue
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.execution import Gate, Log, execute, make_engine, plan_for
from tests.support.models import FakeModel, fix_everything, paragraph_ids
from tests.support.stored import failure_count

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
OTHER_EFFORT = Variant("org/one", "high")
LETTER, REPORT = make_case("letter"), make_case("report")


def names(queue: RunQueue, count: int) -> list[str]:
    taken = [queue.take() for _ in range(count)]
    return [str(run) if run is not None else "-" for run in taken]


def test_runs_come_in_the_order_of_the_plan(group: Group) -> None:
    plan = plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=2)
    queue = RunQueue(plan.todo, ANY_NUMBER)
    assert names(queue, 9) == [*map(str, plan.todo), "-"]
    assert not queue


def test_the_model_with_the_fewest_runs_at_work_is_next(group: Group) -> None:
    plan = plan_for(group, [LETTER], [ONE, TWO], samples=3)
    queue = RunQueue(plan.todo, ANY_NUMBER)
    first = [queue.take() for _ in range(4)]
    for run in first:
        if run is not None and run.variant == TWO:
            queue.ended(run)
    assert names(queue, 2) == ["org/two:high on letter, sample 3", "org/one:low on letter, sample 3"]


def test_a_model_at_its_limit_waits_and_its_efforts_count_together(group: Group) -> None:
    plan = plan_for(group, [LETTER], [ONE, OTHER_EFFORT, TWO], samples=2)
    limits = {"org/one": 1, "org/two": 5}
    queue = RunQueue(plan.todo, Admission(limit=lambda variant: limits[variant.model]))
    assert [name.split(" ")[0] for name in names(queue, 4)] == ["org/one:low", "org/two:high", "org/two:high", "-"]
    assert queue
    limits["org/one"] = 2
    assert names(queue, 2) == ["org/one:high on letter, sample 1", "-"]


class Dam:
    """An admission that a test opens and shuts."""

    def __init__(self, **limits: int) -> None:
        self.limits = {name.replace("_", "/"): limit for name, limit in limits.items()}
        self.held = 0
        self.tell: Callable[[], None] = lambda: None

    @property
    def admission(self) -> Admission:
        return Admission(lambda variant: self.limits.get(variant.model), lambda: self.held, self._subscribe)

    def _subscribe(self, on_change: Callable[[], None]) -> None:
        self.tell = on_change


def engine_of(group: Group, models: dict[Variant, FakeModel], dam: Dam, concurrency: int) -> Engine:
    return Engine(
        group,
        lambda run: models[run.variant],
        lambda _: LoopSettings(),
        Log(),
        concurrency=concurrency,
        admission=dam.admission,
        clock=lambda: 5000.0,
    )


async def test_a_model_that_is_held_back_takes_no_place_of_another(group: Group) -> None:
    gate, dam = Gate(), Dam(org_two=0)

    async def stuck(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return fix_everything(request)

    models = {ONE: FakeModel(stuck), TWO: FakeModel(fix_everything)}
    engine = engine_of(group, models, dam, concurrency=2)
    execution = asyncio.create_task(execute(engine, plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=2)))
    await gate.reached(2)  # both places
    dam.held = 2
    dam.limits = {"org/one": 2, "org/two": 4}
    dam.tell()
    for _ in range(100):
        await asyncio.sleep(0)
    assert (len(models[TWO].requests), gate.waiting) == (12, 2)
    dam.held = 0
    dam.limits.clear()
    gate.let_through(100)
    assert (await execution).succeeded == 8


async def test_runs_begin_as_the_model_bears_more(group: Group) -> None:
    gate, dam = Gate(), Dam(org_one=1)

    async def answer(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return fix_everything(request)

    engine = engine_of(group, {ONE: FakeModel(answer)}, dam, concurrency=8)
    execution = asyncio.create_task(execute(engine, plan_for(group, [LETTER, REPORT], [ONE], samples=2)))
    await gate.reached(1)
    dam.limits["org/one"] = 3
    dam.tell()
    await gate.reached(3)
    gate.let_through(100)
    assert (await execution).succeeded == 4
    assert gate.most == 3


# Money and outages, as the engine sees them


async def test_a_run_that_cannot_be_paid_for_is_left_and_no_other_of_its_variant_begun(group: Group) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        if paragraph_ids(request) == ["para02"]:
            raise SpendRefused(0.5, 0.25)
        return fix_everything(request)

    models = {ONE: FakeModel(answer), TWO: FakeModel(fix_everything)}
    log = Log()
    engine = make_engine(group, lambda run: models[run.variant], log, concurrency=1)
    outcome = await execute(engine, plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=2))
    assert (outcome.succeeded, outcome.failed, outcome.left, outcome.bugs) == (4, 0, 4, [])
    assert list(outcome.unaffordable) == ["org/one:low"]
    assert len(models[ONE].requests) == 2
    assert failure_count(group) == 0
    assert log.named("left") == ["org/one:low on letter, sample 1"]
    again = FakeModel(fix_everything)
    plan = plan_for(group, [LETTER], [ONE])
    assert plan.resumed == 1
    assert (await execute(make_engine(group, again), plan)).succeeded == 1
    assert again.asked == ["para02", "para03"]


@pytest.mark.parametrize("kind", ["outage", "unreachable"])
async def test_no_run_fails_because_the_network_did(group: Group, kind: str) -> None:
    def answer(_: ChatRequest) -> ChatReply:
        raise EndpointFault(kind, "nothing answers", reach=Reach.ALL)

    log = Log()
    outcome = await execute(
        make_engine(group, FakeModel(answer), log), plan_for(group, [LETTER, REPORT], [ONE, TWO], samples=2)
    )
    assert (outcome.succeeded, outcome.failed, outcome.left) == (0, 0, 8)
    assert [fault.kind for fault in outcome.fatal.values()] == [kind]
    assert failure_count(group) == 0
    assert {run.status for run in group.runs()} == {RunStatus.RUNNING}
    assert log.named("failed") == []
