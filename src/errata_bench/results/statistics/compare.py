"""One variant against another, on what both have done (SCORING section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errata_bench.results.statistics.intervals import (
    DEFAULT_SAMPLING,
    Interval,
    Sampling,
    case_interval,
    of_differences,
    within_interval,
)
from errata_bench.results.statistics.power import smallest_difference
from errata_bench.results.statistics.resample import flipped_cases, replicates, swapped_units
from errata_bench.results.statistics.scores import SHARE, Question, Scale, VariantScores
from errata_bench.results.statistics.spread import within_pairs
from errata_bench.results.statistics.table import Numbers, Table, make_table

FLIPS = 10_000
"""Random sign flips of a permutation test that cannot go through all of them."""


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """Both scores on one case, over the units that both have."""

    case_id: str
    one: float
    other: float
    units: int

    @property
    def difference(self) -> float:
        """The first less the second."""
        return self.one - self.other


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first variant less the second, over the cases and units that both have.

    ``p_value`` is two-sided, by permutation (``exact`` if all were gone through); ``adjusted_p`` is Holm's, over all
    comparisons made together, and the same for a single one. ``smallest_difference`` is what would have shown with
    80% probability, None where nothing scatters. ``cases`` are those compared.
    """

    one: str
    other: str
    difference: Interval
    p_value: float
    exact: bool
    adjusted_p: float
    smallest_difference: float | None
    cases: tuple[CaseDifference, ...]


def compare(
    one: VariantScores,
    other: VariantScores,
    question: Question = Question.THESE_TEXTS,
    scale: Scale = SHARE,
    sampling: Sampling = DEFAULT_SAMPLING,
) -> Comparison | None:
    """Compare two variants; None where they have no case in common, or on new texts fewer than two."""
    return compare_all([(one, other)], question, scale, sampling)[0]


def compare_all(
    pairs: Sequence[tuple[VariantScores, VariantScores]],
    question: Question = Question.THESE_TEXTS,
    scale: Scale = SHARE,
    sampling: Sampling = DEFAULT_SAMPLING,
) -> list[Comparison | None]:
    """Compare several pairs, with Holm's correction over all that can be compared."""
    found = [_compare(one, other, question, scale, sampling) for one, other in pairs]
    adjusted = iter(holm([comparison.p_value for comparison in found if comparison is not None]))
    return [None if comparison is None else replace(comparison, adjusted_p=next(adjusted)) for comparison in found]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for having made several tests (Holm 1979), in the order given.

    The smallest is multiplied by their number, the next by one less, and so on; none falls below one before it.
    """
    order = sorted(range(len(p_values)), key=lambda n: p_values[n])
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for place, n in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[n]))
        adjusted[n] = least
    return adjusted


def _compare(
    one: VariantScores, other: VariantScores, question: Question, scale: Scale, sampling: Sampling
) -> Comparison | None:
    table = make_table([one, other], scale).pair(0, 1)
    scores = table.case_scores()
    scored = np.asarray(~np.isnan(scores).any(axis=1))
    table = Table(table.names, tuple(case for case, use in zip(table.cases, scored, strict=True) if use), scale)
    scores = scores[scored]
    if not len(scores) or (question is Question.NEW_TEXTS and len(scores) < 2):
        return None
    differences: Numbers = scores[:, 0] - scores[:, 1]
    interval = _within(table, differences, sampling)
    if question is Question.THESE_TEXTS:
        flipped, exact = swapped_units(table, FLIPS, sampling.seed)
        degrees = None
    else:
        interval = case_interval(differences, interval, of_differences(scale), sampling)
        flipped, exact = flipped_cases(differences, FLIPS, sampling.seed)
        degrees = len(differences) - 1
    p_value = _two_sided(flipped, float(differences.mean()), exact=exact)
    shown = smallest_difference(interval.standard_error or 0.0, degrees, confidence=sampling.confidence)
    cases = tuple(
        CaseDifference(case.case_id, float(row[0]), float(row[1]), len(case.values))
        for case, row in zip(table.cases, scores, strict=True)
    )
    return Comparison(one.name, other.name, interval, p_value, exact, p_value, shown, cases)


def _within(table: Table, differences: Numbers, sampling: Sampling) -> Interval:
    spread = within_pairs(table)
    sample = None
    if spread.thin[0] and not spread.alike[0]:
        drawn = replicates(table, Question.THESE_TEXTS, sampling.resamples, sampling.seed)
        sample = drawn[:, 0] - drawn[:, 1]
    units = sum(len(case.values) for case in table.cases)
    scale = of_differences(table.scale)
    return within_interval(float(differences.mean()), spread, 0, sample, units, scale, sampling)


def _two_sided(flipped: Numbers, observed: float, *, exact: bool) -> float:
    """The share of flips that are at least as far from 0 as what was seen, which is itself one of them."""
    as_far = int((np.abs(flipped) >= abs(observed) - 1e-12).sum())
    return as_far / len(flipped) if exact else (as_far + 1) / (len(flipped) + 1)
