"""How far scores scatter within cases, and the standard error that follows (SCORING section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errata_bench.results.statistics.table import CaseTable, Flags, Numbers, Table

FEW_UNITS = 10
"""Below so many units a case's variance is not to be trusted alone."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Within-case scatter, for each variant (or pair).

    ``standard_error`` is (1/D) √Σ s²(d)/n(d). ``thin`` says that a case has few units, or that all its units are
    alike. ``alike`` says that no case scatters at all. ``effective_units`` is the number of units in one big case
    that would tell as much: D² / Σ 1/n(d); ``effective_weight`` likewise of weights.
    """

    standard_error: Numbers
    thin: Flags
    alike: Flags
    effective_units: Numbers
    effective_weight: Numbers
    cases: Numbers


def residuals(case: CaseTable) -> Numbers:
    """What each unit adds to its case's score beyond the average unit, units × variants; 0 where unknown.

    For a mean it is x − x̄; for a ratio the first-order term (v − r w) / w̄ (the delta method: Cochran 1977,
    "Sampling Techniques", chapter 6).
    """
    values, weights = case.values.sum(axis=0), case.weights.sum(axis=0)
    ratio = np.zeros(values.shape)
    np.divide(values, weights, out=ratio, where=weights > 0)
    average = np.zeros(values.shape)
    np.divide(weights, case.counts, out=average, where=case.counts > 0)
    left = np.zeros(case.values.shape)
    np.divide(case.values - ratio * case.weights, average, out=left, where=(average > 0) & case.known)
    return left


def within_cases(table: Table) -> Spread:
    """The scatter of each variant's scores on its own cases."""
    return _spread(
        [residuals(case) for case in table.cases],
        [case.counts for case in table.cases],
        [case.weights.sum(axis=0) for case in table.cases],
        ~np.isnan(table.case_scores()),
    )


def within_pairs(table: Table) -> Spread:
    """The scatter of the difference between the two variants of a `Table.pair`, unit by unit."""
    left = [residuals(case) for case in table.cases]
    scores = table.case_scores()
    return _spread(
        [one[:, :1] - one[:, 1:] for one in left],
        [case.counts[:1] for case in table.cases],
        [case.weights.sum(axis=0).min(keepdims=True) for case in table.cases],
        ~np.isnan(scores[:, :1] - scores[:, 1:]),
    )


def _spread(left: list[Numbers], counts: list[Numbers], weights: list[Numbers], used: Flags) -> Spread:
    many = np.stack(counts)  # cases × columns
    squares = np.stack([(one**2).sum(axis=0) for one in left])
    variance = np.full(many.shape, np.nan)
    np.divide(squares, many - 1, out=variance, where=(many > 1) & used)
    # A case of one unit shows no scatter. It is taken to scatter as the others do, not to be certain.
    shown = ~np.isnan(variance)
    typical = np.zeros(many.shape[1])
    np.divide(np.where(shown, variance, 0.0).sum(axis=0), shown.sum(axis=0), out=typical, where=shown.any(axis=0))
    filled = np.where(used, np.where(shown, variance, typical), 0.0)
    cases = used.sum(axis=0).astype(np.float64)
    each = np.zeros(many.shape)
    np.divide(filled, many, out=each, where=used)
    error = np.full(cases.shape, np.nan)
    np.divide(np.sqrt(each.sum(axis=0)), cases, out=error, where=cases > 0)
    # Sums of rounded numbers: what is alike leaves a residual of some 1e-16.
    still = filled < 1e-18
    return Spread(
        standard_error=error,
        thin=np.asarray((used & ((many < FEW_UNITS) | still)).any(axis=0)),
        alike=np.asarray((~used | still).all(axis=0)),
        effective_units=_effective(many, used),
        effective_weight=_effective(np.stack(weights), used),
        cases=cases,
    )


def _effective(sizes: Numbers, used: Flags) -> Numbers:
    """The size of one case that would tell as much as these, whose mean is taken: D² / Σ 1/size."""
    used = used & (sizes > 0)
    shares = np.zeros(sizes.shape)
    np.divide(1.0, sizes, out=shares, where=used)
    total = shares.sum(axis=0)
    effective = np.zeros(total.shape)
    np.divide(used.sum(axis=0).astype(np.float64) ** 2, total, out=effective, where=total > 0)
    return effective
