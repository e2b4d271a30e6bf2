"""Which planned run is begun next: every model gets its share, and one that is held back takes nobody's place."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from errata_bench.runs.plan import PlannedRun
from errata_bench.variants import Variant


def _unlimited(_: Variant) -> int | None:
    return None


def _nobody() -> int:
    return 0


def _never(_: Callable[[], None]) -> None:
    return


@dataclass(frozen=True, slots=True)
class Admission:
    """What the models behind a plan bear; by default as much as is asked of them.

    ``limit`` is how many runs of a variant's model may be at work (from 1; None: any number), ``held_back`` how many
    runs at work wait because of their own model. ``subscribe`` takes a function to be called when either changes.
    """

    limit: Callable[[Variant], int | None] = _unlimited
    held_back: Callable[[], int] = _nobody
    subscribe: Callable[[Callable[[], None]], None] = _never


ANY_NUMBER = Admission()


class RunQueue:
    """The runs of a plan that have not begun, by model.

    Of the models that may have another run at work, the one with the fewest is next, and of equals the one whose run
    is planned first: so a slow model never takes the places of the others.
    """

    def __init__(self, runs: Iterable[PlannedRun], admission: Admission) -> None:
        self._admission = admission
        self._waiting: dict[str, deque[tuple[int, PlannedRun]]] = {}
        self._at_work: Counter[str] = Counter()
        for number, run in enumerate(runs):
            self._waiting.setdefault(run.variant.model, deque()).append((number, run))

    def __bool__(self) -> bool:
        return any(self._waiting.values())

    def take(self) -> PlannedRun | None:
        """Take the next run that may begin and count it as at work; None where all have to wait or none is left."""
        best: tuple[int, int] | None = None
        chosen = ""
        for model, runs in self._waiting.items():
            if not runs:
                continue
            number, run = runs[0]
            limit = self._admission.limit(run.variant)
            rank = (self._at_work[model], number)
            if (limit is None or rank[0] < limit) and (best is None or rank < best):
                best, chosen = rank, model
        if best is None:
            return None
        self._at_work[chosen] += 1
        return self._waiting[chosen].popleft()[1]

    def ended(self, run: PlannedRun) -> None:
        """Count a run as no longer at work."""
        self._at_work[run.variant.model] -= 1
