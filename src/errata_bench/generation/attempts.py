"""Windows at work, what came of one attempt, and how it is written to the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from errata_bench.generation.corruptor import Assignment
from errata_bench.generation.draft import Checked
from errata_bench.generation.proposals import Change, Fate, Proposal, Refused
from errata_bench.generation.reviewer import Review
from errata_bench.generation.windows import Window


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one attempt."""

    key: str
    fate: Fate
    reason: str
    categories: tuple[str, ...]
    """The category of the proposal, or all that were offered where there was none."""
    change: Change | None = None


@dataclass(slots=True)
class OpenWindow:
    """A window at work.

    ``quota`` is how many errors it is to get; ``failed`` counts, by label, the attempts that were refused; ``last``
    and ``refusal`` are what the corruptor is told of the one before.
    """

    window: Window
    quota: int
    planted: int = 0
    attempts: int = 0
    refused_in_a_row: int = 0
    closed: bool = False
    last: Proposal | None = None
    refusal: str | None = None
    failed: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Attempted:
    """An attempt before it is settled: what was proposed, and what checks and reviewers said."""

    assignment: Assignment
    proposal: Proposal | None
    outcome: Checked | Refused
    reviews: tuple[tuple[str, Review], ...] = ()


def logged(result: Attempted, outcome: Checked | Refused, settled: Settled) -> Mapping[str, Any]:
    """The fields of a line of the journal."""
    assignment = result.assignment
    fields: dict[str, Any] = {
        "fate": settled.fate,
        "offered": [category.child for category in assignment.categories],
        "preferred_paragraph": assignment.preferred.index + 1,
        "proposal": None if result.proposal is None else asdict(result.proposal),
        "reviews": [{"reviewer": name, **asdict(said)} for name, said in result.reviews],
    }
    if settled.reason:
        fields["reason"] = settled.reason
    if isinstance(outcome, Checked):
        fields["change"] = asdict(outcome.change)
        fields["dropped"] = [{"text": text, "reason": reason} for text, reason in outcome.dropped]
    return fields
