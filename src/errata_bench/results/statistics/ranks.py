"""All variants in order, how sure each place is, and which cannot be told from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errata_bench.results.statistics.intervals import DEFAULT_SAMPLING, Sampling, of_differences, unseen
from errata_bench.results.statistics.resample import replicates
from errata_bench.results.statistics.scores import SHARE, Question, Scale, VariantScores
from errata_bench.results.statistics.spread import within_pairs
from errata_bench.results.statistics.student import normal_quantile, t_quantile
from errata_bench.results.statistics.table import Flags, Numbers, Table, make_table, mean_over_cases

_STILL = 1e-12


@dataclass(frozen=True, slots=True)
class Ranked:
    """A variant's place, from 1; equals share the better place.

    ``low`` to ``high`` is the interval of its place. ``with_best`` says that it belongs to the group that cannot be
    told from the best one.
    """

    name: str
    score: float
    rank: int
    low: int
    high: int
    with_best: bool


def rank(
    variants: Sequence[VariantScores],
    question: Question = Question.THESE_TEXTS,
    scale: Scale = SHARE,
    sampling: Sampling = DEFAULT_SAMPLING,
    *,
    less_is_better: bool = False,
) -> list[Ranked]:
    """Rank variants, best first, equals by name; those without any score are left out.

    Places and group come from one joint bootstrap: every variant meets the same resampled units (and, on new texts,
    the same cases). On new texts with fewer than two cases nothing can be told apart.
    """
    table = make_table(variants, scale)
    scores = mean_over_cases(table.case_scores())
    kept = [n for n in range(len(variants)) if not np.isnan(scores[n])]
    if not kept:
        return []
    sign = -1.0 if less_is_better else 1.0
    drawn = sign * replicates(table, question, sampling.resamples, sampling.seed)[:, kept]
    ranked_scores = sign * scores[kept]
    drawn = np.where(np.isnan(drawn), ranked_scores, drawn)
    low, high = _place_intervals(drawn, sampling)
    places = 1 + (ranked_scores[None, :] > ranked_scores[:, None] + _STILL).sum(axis=1)
    best = int(np.argmax(ranked_scores))
    together = _with_best(table, kept, ranked_scores, drawn, best, question, sampling)
    found = [
        Ranked(
            table.names[n],
            float(scores[n]),
            int(places[place]),
            # What was seen lies within its own interval.
            min(int(low[place]), int(places[place])),
            max(int(high[place]), int(places[place])),
            bool(together[place]),
        )
        for place, n in enumerate(kept)
    ]
    return sorted(found, key=lambda one: (one.rank, one.name))


def _place_intervals(drawn: Numbers, sampling: Sampling) -> tuple[Numbers, Numbers]:
    """The ends of each variant's interval of places. Equals count for it at the low end, against it at the high."""
    better = np.empty(drawn.shape, dtype=np.int64)
    not_worse = np.empty(drawn.shape, dtype=np.int64)
    for column in range(drawn.shape[1]):
        own = drawn[:, column : column + 1]
        better[:, column] = (drawn > own + _STILL).sum(axis=1)
        not_worse[:, column] = (drawn >= own - _STILL).sum(axis=1)
    low = np.quantile(1 + better, 1 - sampling.upper, axis=0, method="lower")
    high = np.quantile(not_worse, sampling.upper, axis=0, method="higher")
    return low, high


def _with_best(
    table: Table, kept: list[int], scores: Numbers, drawn: Numbers, best: int, question: Question, sampling: Sampling
) -> Flags:
    """Which variants cannot be told from the best one, all pairs compared at once.

    A variant is told from it when their distance is more standard errors than any pair of all goes astray in 95% of
    the resamples (the maximum-t bound: Westfall and Young 1993; over all pairs, as Tukey's range test). Pairs with the
    best alone would not do: it is the best of what was seen, and among twelve equals one of them would be parted from
    it in 30% of groups. On new texts the limit is widened by t(D - 1) over the normal quantile, for the few cases. A
    distance that never scatters has to pass the bound of what can go unseen.
    """
    if question is Question.NEW_TEXTS and len(table.cases) < 2:
        return np.ones(len(kept), dtype=np.bool_)
    distance = scores[best] - scores
    astray = drawn - scores
    largest = np.zeros(len(drawn))
    error = np.zeros(len(kept))
    for place in range(len(kept)):
        differences = astray[:, place : place + 1] - astray
        errors = differences.std(axis=0, ddof=1)
        scatters = errors > _STILL
        if place == best:
            error = errors
        if scatters.any():
            np.maximum(largest, (differences[:, scatters] / errors[scatters]).max(axis=1), out=largest)
    limit = max(float(np.quantile(largest, sampling.confidence)), normal_quantile(sampling.upper))
    if question is Question.NEW_TEXTS:
        limit *= t_quantile(sampling.upper, len(table.cases) - 1) / normal_quantile(sampling.upper)
    limits = limit * error
    for place in range(len(kept)):
        if place != best and error[place] <= _STILL:
            pair = table.pair(kept[best], kept[place])
            scale = of_differences(table.scale)
            seen = float(distance[place])
            limits[place] = unseen(seen, within_pairs(pair), 0, scale, sampling) if pair.cases else np.inf
    return np.asarray(distance <= limits + _STILL)
