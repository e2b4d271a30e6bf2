"""What goes into the statistics: a variant's score on every unit of every case."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Question(StrEnum):
    """What an interval, a p-value or a rank is about."""

    THESE_TEXTS = "these_texts"
    """These texts, with other errors of the same kinds in them: only issues vary."""
    NEW_TEXTS = "new_texts"
    """Texts of the same kind that nobody has seen yet: cases vary."""


class Unit(NamedTuple):
    """One unit's share of a case's score, which is the sum of values over the sum of weights.

    For quality a unit is an issue, its value the mean over the variant's runs (0 to 1), its weight 1. For a ratio of
    counts a unit is a paragraph: 1000 × unneeded edits over words; 1.25 TP over TP + FP + 0.25 N for F0.5.
    """

    value: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class CaseScores:
    """A variant's units on one case, by name; a case without any is left out."""

    case_id: str
    units: Mapping[str, Unit]


@dataclass(frozen=True, slots=True)
class VariantScores:
    """A variant's scores on the cases that it has a successful run of."""

    name: str
    cases: tuple[CaseScores, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """What values a score can have.

    ``least`` and ``most`` bound it (None: no bound). ``empty`` is a case's score where its weights add up to 0; None
    leaves such a case out. ``event`` is what one event more adds to a unit's value, where there is no upper bound.
    """

    least: float | None = 0.0
    most: float | None = 1.0
    empty: float | None = None
    event: float = 1.0


SHARE = Scale()
"""Quality, and any other share."""
F05 = Scale(empty=1.0)
"""F0.5: 1 where there was nothing to mend and nothing was done."""
RATE = Scale(most=None, event=1_000.0)
"""Edits in 1,000 words: values are 1000 × edits, weights are words."""


def issue_scores(name: str, cases: Mapping[str, Mapping[str, float]]) -> VariantScores:
    """Scores by issue: case to issue to the mean over runs of whether it was fixed (0 to 1)."""
    return VariantScores(
        name,
        tuple(
            CaseScores(case_id, {issue: Unit(value) for issue, value in issues.items()})
            for case_id, issues in cases.items()
        ),
    )


def only_units(scores: VariantScores, keep: Mapping[str, Set[str]]) -> VariantScores:
    """The scores on some units alone, by case: the issues of one category, for one. Cases left empty are left out."""
    cases = []
    for case in scores.cases:
        wanted = keep.get(case.case_id, frozenset())
        units = {name: unit for name, unit in case.units.items() if name in wanted}
        if units:
            cases.append(CaseScores(case.case_id, units))
    return VariantScores(scores.name, tuple(cases))
