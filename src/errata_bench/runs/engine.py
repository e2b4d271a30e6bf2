"""How planned runs are executed: many at a time, each chunk written as it ends, faults kept to what they reach."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from errata_bench import __version__
from errata_bench.chat import Attempt, ChatModel
from errata_bench.endpoint.outage import OUTAGE_KINDS
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach, StoreError
from errata_bench.proofreading.loop import ChunkResult, LoopSettings, proofread_chunk
from errata_bench.runs.budget import BudgetState
from errata_bench.runs.judging import JUDGE, JudgeDesk
from errata_bench.runs.plan import Plan, PlannedRun
from errata_bench.runs.queue import ANY_NUMBER, Admission, RunQueue
from errata_bench.runs.scoring import final_document, score_stored_run
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.group import Group

CANDIDATE = "candidate"
"""The purpose of a request of the model that is measured, in the ledger of spend."""


class RunObserver(Protocol):
    """Is told what happens, as it happens."""

    def started(self, run: PlannedRun) -> None:
        """A run begins or goes on."""

    def turn_started(self, run: PlannedRun, chunk: int, turn: int) -> None:
        """A turn of a chunk (from 0) begins; turns count from 1."""

    def attempted(self, run: PlannedRun, attempt: Attempt) -> None:
        """A request has ended, well or not."""

    def chunk_ended(self, run: PlannedRun, chunk: int, result: ChunkResult) -> None:
        """A chunk (from 0) is through and stored."""

    def judging_started(self, run: PlannedRun) -> None:
        """All chunks of a run are through, and a judge looks at them."""

    def succeeded(self, run: PlannedRun, figures: RunFigures) -> None:
        """A run is through and scored."""

    def failed(self, run: PlannedRun, fault: EndpointFault) -> None:
        """A run could not go on."""

    def left(self, run: PlannedRun) -> None:
        """A run stopped between two chunks, or was cancelled; it can be taken up again."""


@dataclass(slots=True)
class Outcome:
    """How an execution ended. ``fatal`` holds the faults that stopped a variant or an endpoint, by what they stopped.

    ``left`` counts runs that were not made or not finished; ``unaffordable`` holds, by variant, what the cap on
    spending did not allow any more, and ``budget`` how the money stands under that cap. ``unjudged`` counts fixes that
    a judge should have seen and has given no verdict on; ``judge_fault`` is why it was not asked any more, if so.
    """

    succeeded: int = 0
    failed: int = 0
    left: int = 0
    unaffordable: dict[str, SpendRefused] = field(default_factory=dict)
    budget: BudgetState | None = None
    fatal: dict[str, EndpointFault] = field(default_factory=dict)
    bugs: list[Exception] = field(default_factory=list)
    stopped: bool = False
    unjudged: int = 0
    judge_fault: EndpointFault | None = None


class Engine:
    """Executes a plan and writes what happens into a group, of which it is the one writer."""

    def __init__(
        self,
        group: Group,
        model_of: Callable[[PlannedRun], ChatModel],
        loop_settings_of: Callable[[PlannedRun], LoopSettings],
        observer: RunObserver,
        *,
        judge: JudgeDesk | None = None,
        concurrency: int = 30,
        admission: Admission = ANY_NUMBER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._group = group
        self._model_of = model_of
        self._loop_settings_of = loop_settings_of
        self._observer = observer
        self._judge = judge
        self._concurrency = max(1, concurrency)
        self._admission = admission
        self._wake = asyncio.Event()
        self._broken: BaseException | None = None
        self._clock = clock
        self._stopping = False
        self._tasks: dict[asyncio.Task[None], PlannedRun] = {}
        self._outcome = Outcome()
        self._kept_cases: set[str] = set()
        admission.subscribe(self._wake.set)

    def stop(self) -> None:
        """Begin nothing more; chunks that are being worked on are finished."""
        self._stopping = True

    def cancel(self) -> None:
        """Stop now: requests in flight are given up."""
        self._stopping = True
        for task in self._tasks:
            if not task.cancelling():  # a second time would break off its cleaning up
                task.cancel()

    async def execute(self, plan: Plan) -> Outcome:
        """Execute all runs of a plan that nothing prevents. Raises `StoreError` when results cannot be written."""
        self._outcome = Outcome()
        queue = RunQueue(plan.todo, self._admission)
        try:
            self._begin_more(queue)
            while self._tasks:
                await self._wake.wait()
                self._wake.clear()
                if self._broken is not None:
                    raise self._broken
                self._begin_more(queue)
        finally:
            self.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._outcome.left = len(plan.todo) - self._outcome.succeeded - self._outcome.failed
        self._outcome.judge_fault = None if self._judge is None else self._judge.fault
        return self._outcome

    def _begin_more(self, queue: RunQueue) -> None:
        """Begin runs until so many are at work as may be; those that their own model holds back take no place."""
        while queue and len(self._tasks) - self._admission.held_back() < self._concurrency:
            if self._stopping:
                self._outcome.stopped = True
                return
            run = queue.take()
            if run is None:
                return
            if self._fatal_for(run) is not None or str(run.variant) in self._outcome.unaffordable:
                queue.ended(run)
                continue
            task = asyncio.create_task(self._run(run))
            self._tasks[task] = run
            task.add_done_callback(partial(self._ended, queue, run))

    def _ended(self, queue: RunQueue, run: PlannedRun, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        queue.ended(run)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._broken = self._broken or error
        self._wake.set()

    async def _run(self, run: PlannedRun) -> None:
        run_id = None
        figures = None
        try:
            self._keep_case(run)
            run_id = self._group.begin_run(run.key, run.sample, len(run.chunks), self._clock(), __version__)
            self._observer.started(run)
            figures = await self._finish_chunks(run, run_id)
        except asyncio.CancelledError:
            self._outcome.stopped = self._outcome.stopped or self._stopping
            self._observer.left(run)
            raise
        except SpendRefused as refused:
            self._outcome.unaffordable.setdefault(str(run.variant), refused)
            self._observer.left(run)
        except EndpointFault as fault:
            self._fail(run, run_id, fault)
        except StoreError:
            raise
        except Exception as error:  # a bug must not take the paid work of the other runs with it
            self._outcome.bugs.append(error)
            self._fail(
                run, run_id, EndpointFault("internal_error", f"{type(error).__name__}: {error}", reach=Reach.RUN)
            )
        if figures is not None:  # told outside: whatever an observer does, what is stored as a success stays one
            self._outcome.succeeded += 1
            self._outcome.unjudged += figures.unjudged if run.key.settings.judge else 0
            self._observer.succeeded(run, figures)

    def _keep_case(self, run: PlannedRun) -> None:
        """Have the case of a run in the group; writing it out once is enough."""
        if run.case.fingerprint not in self._kept_cases:
            self._group.add_case(run.case)
            self._kept_cases.add(run.case.fingerprint)

    async def _finish_chunks(self, run: PlannedRun, run_id: int) -> RunFigures | None:
        """Do what is left of a run and score it; None when it was stopped between two chunks."""
        model = self._model_of(run)
        settings = self._loop_settings_of(run)
        for index in range(run.chunks_done, len(run.chunks)):
            if self._stopping:
                self._outcome.stopped = True
                self._observer.left(run)
                return None

            def on_attempt(attempt: Attempt, chunk: int = index) -> None:
                self._group.add_attempt(run_id, chunk, CANDIDATE, attempt)
                self._observer.attempted(run, attempt)

            def on_turn(turn: int, chunk: int = index) -> None:
                self._observer.turn_started(run, chunk, turn)

            try:
                result = await proofread_chunk(
                    model, run.chunks[index], run.case.instruction, settings, on_attempt=on_attempt, on_turn=on_turn
                )
            except EndpointFault as fault:
                fault.chunk = index
                raise
            self._group.add_chunk(run_id, index, run.chunks[index], result, self._clock())
            self._observer.chunk_ended(run, index, result)
        if not await self._judged(run, run_id):
            self._outcome.stopped = True
            self._observer.left(run)
            return None
        score, figures = score_stored_run(self._group, run_id, run.case, run.chunks)
        adaptations = getattr(model, "adaptations", ())
        self._group.finish_run(run_id, score, figures, self._clock(), adaptations)
        return figures

    async def _judged(self, run: PlannedRun, run_id: int) -> bool:
        """Have a run judged, where there is a judge for it; False when it was stopped before all was asked."""
        if self._judge is None or not run.key.settings.judge:
            return True

        def on_attempt(attempt: Attempt) -> None:
            self._group.add_attempt(run_id, None, JUDGE, attempt)
            self._observer.attempted(run, attempt)

        self._observer.judging_started(run)
        final = final_document(self._group.chunk_results(run_id, run.chunks))
        return await self._judge.judge_run(run_id, run.case, final, on_attempt, lambda: self._stopping)

    def _fail(self, run: PlannedRun, run_id: int | None, fault: EndpointFault) -> None:
        if fault.kind in OUTAGE_KINDS:
            self._observer.left(run)  # no run has failed because the network did
            self._stop_what_it_reaches(run, fault)
            return
        if run_id is not None:
            self._group.fail_run(run_id, fault.chunk, fault, self._clock())
        self._outcome.failed += 1
        self._observer.failed(run, fault)
        self._stop_what_it_reaches(run, fault)

    def _stop_what_it_reaches(self, run: PlannedRun, fault: EndpointFault) -> None:
        stopped = {Reach.VARIANT: str(run.variant), Reach.ALL: run.key.settings.endpoint}.get(fault.reach)
        if stopped is not None and stopped not in self._outcome.fatal:
            self._outcome.fatal[stopped] = fault
            # What would end the same way is not tried thirty times.
            for task, other in self._tasks.items():
                if other is not run and self._fatal_for(other) is not None:
                    task.cancel()

    def _fatal_for(self, run: PlannedRun) -> EndpointFault | None:
        fatal = self._outcome.fatal
        return fatal.get(run.key.settings.endpoint) or fatal.get(str(run.variant))
