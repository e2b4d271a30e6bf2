"""Keeping count while runs execute: the figures behind every kind of progress display."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from errata_bench.chat import Attempt
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.loop import ChunkResult
from errata_bench.runs.plan import Plan, PlannedRun
from errata_bench.scoring.figures import RunFigures
from errata_bench.variants import Variant


@dataclass(slots=True)
class VariantProgress:
    """How far a variant is. ``spent_usd`` covers this invocation; ``unpriced`` requests are not in it."""

    total: int = 0
    done: int = 0
    failed: int = 0
    spent_usd: float = 0.0
    unpriced: int = 0
    faults: int = 0
    in_flight: dict[PlannedRun, tuple[int, int]] = field(default_factory=dict)
    """Chunk (from 1) and turn (from 1) of each run at work."""
    qualities: dict[str, list[float]] = field(default_factory=dict)

    @property
    def quality(self) -> float | None:
        """Mean over cases of the mean over the runs so far, 0 to 1; None before the first."""
        return fmean(fmean(values) for values in self.qualities.values()) if self.qualities else None

    def count(self, fingerprint: str, figures: RunFigures | None) -> None:
        """Count a successful run of the case with that fingerprint."""
        self.done += 1
        if figures is not None and figures.quality is not None:
            self.qualities.setdefault(fingerprint, []).append(figures.quality)


class Progress:
    """A `RunObserver` that keeps count.

    ``on_end`` is told of each run that has ended, with a line of text and whether it failed.
    """

    def __init__(
        self, plan: Plan, started_at: float, on_end: Callable[[str, bool], None] = lambda _line, _failed: None
    ) -> None:
        self.started_at = started_at
        self.total = plan.total
        self.already_done = len(plan.done)
        self.variants: dict[Variant, VariantProgress] = {}
        self._on_end = on_end
        for record in plan.done:
            variant = self._of(record.key.variant)
            variant.total += 1
            variant.count(record.key.fingerprint, record.figures)
        for run in plan.todo:
            self._of(run.variant).total += 1

    def _of(self, variant: Variant) -> VariantProgress:
        return self.variants.setdefault(variant, VariantProgress())

    @property
    def runs_done(self) -> int:
        """Runs that have succeeded, earlier ones included."""
        return sum(variant.done for variant in self.variants.values())

    @property
    def runs_failed(self) -> int:
        """Runs that have failed in this invocation."""
        return sum(variant.failed for variant in self.variants.values())

    @property
    def runs_in_flight(self) -> int:
        """Runs at work now."""
        return sum(len(variant.in_flight) for variant in self.variants.values())

    @property
    def spent_usd(self) -> float:
        """What this invocation has cost, as far as known."""
        return sum(variant.spent_usd for variant in self.variants.values())

    @property
    def unpriced(self) -> int:
        """Requests of this invocation whose cost nobody knows: failed ones may be billed, and prices may be unknown."""
        return sum(variant.unpriced for variant in self.variants.values())

    def seconds_left(self, now: float) -> float | None:
        """An estimate from the pace of this invocation; None before the first run has ended."""
        ended = self.runs_done + self.runs_failed - self.already_done
        if ended <= 0:
            return None
        return (now - self.started_at) / ended * (self.total - self.runs_done - self.runs_failed)

    def started(self, run: PlannedRun) -> None:
        """Count a run as in flight."""
        self._of(run.variant).in_flight[run] = (min(run.chunks_done + 1, len(run.chunks)), 0)

    def turn_started(self, run: PlannedRun, chunk: int, turn: int) -> None:
        """Note where a run is."""
        self._of(run.variant).in_flight[run] = (chunk + 1, turn)

    def attempted(self, run: PlannedRun, attempt: Attempt) -> None:
        """Add up what a request cost."""
        variant = self._of(run.variant)
        if attempt.cost_usd is None:
            variant.unpriced += 1
        else:
            variant.spent_usd += attempt.cost_usd
        if attempt.outcome != "ok":
            variant.faults += 1

    def chunk_ended(self, run: PlannedRun, chunk: int, result: ChunkResult) -> None:
        """Nothing is counted by chunks."""

    def judging_started(self, run: PlannedRun) -> None:
        """Nothing is counted of judging but its requests."""

    def succeeded(self, run: PlannedRun, figures: RunFigures) -> None:
        """Count a run as done."""
        variant = self._of(run.variant)
        variant.in_flight.pop(run, None)
        variant.count(run.key.fingerprint, figures)
        result = "control" if figures.quality is None else f"{figures.fixed}/{figures.issues} fixed"
        self._on_end(f"{run}: {result} ({self.runs_done}/{self.total})", False)

    def failed(self, run: PlannedRun, fault: EndpointFault) -> None:
        """Count a run as failed."""
        variant = self._of(run.variant)
        variant.in_flight.pop(run, None)
        variant.failed += 1
        self._on_end(f"{run}: failed: {fault}", True)

    def left(self, run: PlannedRun) -> None:
        """Count a run as no longer in flight."""
        self._of(run.variant).in_flight.pop(run, None)
