"""Keeping count while errors are planted: the figures behind every kind of progress display."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from errata_bench.chat import Attempt
from errata_bench.generation.attempts import Settled
from errata_bench.generation.corruptor import Assignment
from errata_bench.generation.proposals import Fate

_RECENT = 5


class Progress:
    """An `Observer` that keeps count; ``on_line`` is told of each attempt that has ended, in words."""

    def __init__(self, target: int, on_line: Callable[[str], None] = lambda _: None) -> None:
        self.target = target
        self.attempts = 0
        self.accepted = 0
        self.at_work: dict[str, str] = {}
        """What is being tried in each window: its categories."""
        self.refusals: deque[Settled] = deque(maxlen=_RECENT)
        self.fates: Counter[Fate] = Counter()
        self.requests = 0
        self.spent_usd = 0.0
        self.unpriced = 0
        self._on_line = on_line

    @property
    def acceptance_rate(self) -> float | None:
        """The share of attempts that were accepted, 0 to 1; None before the first."""
        return self.accepted / self.attempts if self.attempts else None

    def attempted(self, attempt: Attempt) -> None:
        """Add up what a request cost."""
        self.requests += 1
        if attempt.cost_usd is None:
            self.unpriced += 1
        else:
            self.spent_usd += attempt.cost_usd

    def began(self, assignment: Assignment) -> None:
        """Note what is being tried."""
        self.at_work[assignment.key] = ", ".join(category.child for category in assignment.categories[:4])

    def settled(self, settled: Settled) -> None:
        """Count an attempt."""
        self.at_work.pop(settled.key, None)
        self.attempts += 1
        self.fates[settled.fate] += 1
        if settled.fate is Fate.ACCEPTED:
            self.accepted += 1
            change = settled.change
            what = "" if change is None else f": {change.wrong!r} for {change.right!r}"
            kind = settled.categories[0].rpartition(".")[2]
            self._on_line(f"{settled.key}: {kind}{what} ({self.accepted}/{self.target})")
        else:
            self.refusals.append(settled)
            self._on_line(f"{settled.key}: {settled.fate}: {settled.reason}")
