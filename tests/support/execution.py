"""Executing plans with doubles of models: an engine with its collaborators, a log of what it told, and gates.

A `Gate` holds requests back, so that a test decides what is in flight when something happens, without any clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, ChatModel
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.loop import ChunkResult, LoopSettings
from errata_bench.runs.engine import Engine, Outcome, RunObserver
from errata_bench.runs.plan import Plan, PlannedRun, make_plan
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.group import Group
from errata_bench.store.records import RunSettings
from errata_bench.variants import Variant
from tests.support.builders import make_settings

SAFETY_SECONDS = 60.0
"""After this a test that hangs fails; nothing that works takes nearly as long."""


@dataclass
class Log:
    """A `RunObserver` that keeps what it was told."""

    events: list[tuple[str, str]] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    faults: list[EndpointFault] = field(default_factory=list)

    def started(self, run: PlannedRun) -> None:
        self.events.append(("started", str(run)))

    def turn_started(self, run: PlannedRun, chunk: int, turn: int) -> None:
        self.events.append((f"chunk {chunk} turn {turn}", str(run)))

    def attempted(self, run: PlannedRun, attempt: Attempt) -> None:
        self.events.append(("attempted", str(run)))
        self.attempts.append(attempt)

    def chunk_ended(self, run: PlannedRun, chunk: int, result: ChunkResult) -> None:
        """Tests that are about chunks look into the store."""

    def judging_started(self, run: PlannedRun) -> None:
        """Tests that are about judging look at the judge."""

    def succeeded(self, run: PlannedRun, figures: RunFigures) -> None:
        self.events.append(("succeeded", str(run)))

    def failed(self, run: PlannedRun, fault: EndpointFault) -> None:
        self.events.append(("failed", str(run)))
        self.faults.append(fault)

    def left(self, run: PlannedRun) -> None:
        self.events.append(("left", str(run)))

    def named(self, event: str) -> list[str]:
        """The runs of which this event was told, in order."""
        return [run for name, run in self.events if name == event]


@dataclass
class Gate:
    """Holds whoever comes until it is let through; counts how many wait, and how many have at most."""

    waiting: int = 0
    most: int = 0
    _permits: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    _arrival: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self) -> None:
        """Wait to be let through."""
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        self._arrival.set()
        try:
            await self._permits.acquire()
        finally:
            self.waiting -= 1

    async def reached(self, count: int) -> None:
        """Return as soon as so many wait."""
        async with asyncio.timeout(SAFETY_SECONDS):
            while self.waiting < count:
                self._arrival.clear()
                await self._arrival.wait()

    def let_through(self, count: int = 1) -> None:
        """Let so many through, now or when they come."""
        for _ in range(count):
            self._permits.release()


def plan_for(
    group: Group,
    cases: Sequence[Case],
    variants: Sequence[Variant],
    samples: int = 1,
    settings_of: Callable[[Variant], RunSettings] = lambda _: make_settings(),
) -> Plan:
    """What the group lacks now."""
    return make_plan(cases, variants, settings_of, samples, group.runs())


def make_engine(
    group: Group,
    model_of: Callable[[PlannedRun], ChatModel] | ChatModel,
    observer: RunObserver | None = None,
    *,
    concurrency: int = 30,
    loop_settings: LoopSettings | None = None,
) -> Engine:
    """An engine whose clock stands still at 5000."""
    return Engine(
        group,
        model_of if callable(model_of) else lambda _: model_of,
        lambda _: loop_settings or LoopSettings(),
        observer or Log(),
        concurrency=concurrency,
        clock=lambda: 5000.0,
    )


async def execute(engine: Engine, plan: Plan) -> Outcome:
    """Execute a plan, within the time after which something hangs."""
    async with asyncio.timeout(SAFETY_SECONDS):
        return await engine.execute(plan)
