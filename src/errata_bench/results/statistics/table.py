"""Scores as arrays: for each case units by variants, in one order for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata_bench.results.statistics.scores import Scale, VariantScores

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CaseTable:
    """One case: ``values`` and ``weights`` are units × variants, 0 where ``known`` is false."""

    case_id: str
    values: Numbers
    weights: Numbers
    known: Flags

    @property
    def counts(self) -> Numbers:
        """The number of units that each variant has."""
        counts: Numbers = self.known.sum(axis=0).astype(np.float64)
        return counts

    @property
    def present(self) -> Flags:
        """Which variants have the case at all."""
        return np.asarray(self.known.any(axis=0))


@dataclass(frozen=True, slots=True)
class Table:
    """All cases of all variants."""

    names: tuple[str, ...]
    cases: tuple[CaseTable, ...]
    scale: Scale

    def case_scores(self) -> Numbers:
        """Each case's score, cases × variants; NaN where a variant has none."""
        if not self.cases:
            return np.full((0, len(self.names)), np.nan)
        return np.stack([self.scored(case, case.values.sum(axis=0), case.weights.sum(axis=0)) for case in self.cases])

    def scored(self, case: CaseTable, values: Numbers, weights: Numbers) -> Numbers:
        """Scores from summed values and weights, whose last axis are the variants."""
        empty = np.nan if self.scale.empty is None else self.scale.empty
        scores = np.full(values.shape, empty)
        np.divide(values, weights, out=scores, where=weights > 0)
        scores[..., ~case.present] = np.nan
        return scores

    def pair(self, one: int, other: int) -> Table:
        """The table of two variants, over the cases and units that both have."""
        cases = []
        for case in self.cases:
            both = case.known[:, one] & case.known[:, other]
            if both.any():
                columns = [one, other]
                cases.append(
                    CaseTable(
                        case.case_id,
                        case.values[both][:, columns],
                        case.weights[both][:, columns],
                        case.known[both][:, columns],
                    )
                )
        return Table((self.names[one], self.names[other]), tuple(cases), self.scale)


def make_table(variants: Sequence[VariantScores], scale: Scale) -> Table:
    """Put scores into arrays. Cases and units come in order of their names, so that the order they came in is nothing.

    Raises `ValueError` for a weight below 0, or a value or weight that is no finite number.
    """
    units: dict[str, set[str]] = {}
    for variant in variants:
        for case in variant.cases:
            units.setdefault(case.case_id, set()).update(case.units)
    by_case = {
        case_id: (sorted(names), {name: n for n, name in enumerate(sorted(names))}) for case_id, names in units.items()
    }
    tables = {}
    for case_id in sorted(by_case):
        shape = (len(by_case[case_id][0]), len(variants))
        tables[case_id] = CaseTable(case_id, np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_))
    for column, variant in enumerate(variants):
        for case in variant.cases:
            table, place = tables[case.case_id], by_case[case.case_id][1]
            rows = [place[name] for name in case.units]
            if rows:
                both = np.array(list(case.units.values()), dtype=np.float64)
                if not np.isfinite(both).all() or (both[:, 1] < 0).any():
                    raise ValueError(f"a unit of {case.case_id} is no finite number, or has a weight below 0")
                table.values[rows, column] = both[:, 0]
                table.weights[rows, column] = both[:, 1]
                table.known[rows, column] = True
    return Table(tuple(variant.name for variant in variants), tuple(tables.values()), scale)


def mean_over_cases(scores: Numbers) -> Numbers:
    """The mean over the first axis of what is known; NaN where nothing is."""
    known = ~np.isnan(scores)
    counts = known.sum(axis=0)
    sums = np.where(known, scores, 0.0).sum(axis=0)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means
