"""A figure's interval, for either question (SCORING section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from errata_bench.results.statistics.resample import replicates
from errata_bench.results.statistics.scores import SHARE, Question, Scale, VariantScores
from errata_bench.results.statistics.spread import Spread, within_cases
from errata_bench.results.statistics.student import normal_quantile, t_quantile
from errata_bench.results.statistics.table import Numbers, Table, make_table, mean_over_cases


class Method(StrEnum):
    """How an interval was made."""

    NORMAL = "normal"
    """Estimate ± 1.96 standard errors."""
    BOOTSTRAP = "bootstrap"
    """Percentiles of resampled issues within cases, never narrower than the normal interval."""
    STUDENT_T = "student_t"
    """Estimate ± t(D − 1) standard errors over cases."""
    HIERARCHICAL = "hierarchical"
    """Percentiles of resampled cases, and issues within them."""
    BOUND = "bound"
    """All units are alike, so nothing scatters: what could still have gone unseen."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How intervals are drawn: ``confidence`` between 0 and 1, ``resamples`` of a bootstrap, and its seed."""

    confidence: float = 0.95
    resamples: int = 2_000
    seed: int = 20_260_101

    @property
    def upper(self) -> float:
        """The probability below the upper end: 0.975 at 95%."""
        return (1 + self.confidence) / 2


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval, and the question that it answers.

    ``standard_error`` is None where none was shown (`Method.BOUND`). ``cases`` and ``units`` are what it rests on.
    """

    estimate: float
    low: float
    high: float
    standard_error: float | None
    question: Question
    method: Method
    cases: int
    units: int

    @property
    def half_width(self) -> float:
        """The ± of a table: the longer of both sides."""
        return max(self.high - self.estimate, self.estimate - self.low)


def intervals(
    variants: Sequence[VariantScores],
    question: Question = Question.THESE_TEXTS,
    scale: Scale = SHARE,
    sampling: Sampling = DEFAULT_SAMPLING,
    *,
    hierarchical: bool = False,
) -> list[Interval | None]:
    """The interval of each variant's mean over cases.

    None where there is none: without a case, or on new texts with fewer than two. On these texts the normal interval
    is used, and where a case has fewer than ten units or units that are all alike, the bootstrap. On new texts
    Student's t, or, if ``hierarchical``, the bootstrap of cases and issues.
    """
    table = make_table(variants, scale)
    if not table.cases:
        return [None] * len(variants)
    these = _on_these_texts(table, sampling)
    if question is Question.THESE_TEXTS:
        return these
    if hierarchical:
        return _hierarchical(table, these, sampling)
    return [
        _on_new_texts(column, one, scale, sampling) for column, one in zip(table.case_scores().T, these, strict=True)
    ]


def _on_these_texts(table: Table, sampling: Sampling) -> list[Interval | None]:
    scores = table.case_scores()
    estimates = mean_over_cases(scores)
    spread = within_cases(table)
    units = np.sum(
        [np.where(np.isnan(row), 0.0, case.counts) for row, case in zip(scores, table.cases, strict=True)], axis=0
    )
    # All variants meet the same draws, so that one more column costs next to nothing.
    drawn = replicates(table, Question.THESE_TEXTS, sampling.resamples, sampling.seed) if spread.thin.any() else None
    return [
        None
        if np.isnan(estimate)
        else within_interval(
            float(estimate),
            spread,
            n,
            drawn[:, n] if drawn is not None and spread.thin[n] else None,
            int(units[n]),
            table.scale,
            sampling,
        )
        for n, estimate in enumerate(estimates)
    ]


def within_interval(
    estimate: float, spread: Spread, n: int, sample: Numbers | None, units: int, scale: Scale, sampling: Sampling
) -> Interval:
    """The interval on these texts of one estimate, from its scatter and, if it is thin, its resamples."""
    error = float(spread.standard_error[n])
    reach = normal_quantile(sampling.upper) * error
    low, high, method = estimate - reach, estimate + reach, Method.NORMAL
    if spread.alike[n]:
        reach = unseen(estimate, spread, n, scale, sampling)
        low, high, method = estimate - reach, estimate + reach, Method.BOUND
    elif sample is not None:
        drawn_low, drawn_high = percentiles(sample, sampling)
        low, high, method = min(low, drawn_low), max(high, drawn_high), Method.BOOTSTRAP
    interval = Interval(
        estimate,
        low,
        high,
        None if method is Method.BOUND else error,
        Question.THESE_TEXTS,
        method,
        int(spread.cases[n]),
        units,
    )
    return clipped(interval, scale)


def _on_new_texts(scores: Numbers, these: Interval | None, scale: Scale, sampling: Sampling) -> Interval | None:
    known = scores[~np.isnan(scores)]
    if these is None or len(known) < 2:
        return None
    return case_interval(known, these, scale, sampling)


def case_interval(scores: Numbers, these: Interval, scale: Scale, sampling: Sampling) -> Interval:
    """The t-interval over two or more case scores; never narrower than nothing.

    Where all cases score the same, they show no scatter, and the interval on these texts stands in: new texts
    cannot be known better than these.
    """
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    if error < 1e-12:
        return replace(these, question=Question.NEW_TEXTS)
    reach = t_quantile(sampling.upper, len(scores) - 1) * error
    estimate = float(scores.mean())
    interval = replace(
        these,
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        standard_error=error,
        question=Question.NEW_TEXTS,
        method=Method.STUDENT_T,
    )
    return clipped(interval, scale)


def _hierarchical(table: Table, these: list[Interval | None], sampling: Sampling) -> list[Interval | None]:
    drawn = replicates(table, Question.NEW_TEXTS, sampling.resamples, sampling.seed)
    found: list[Interval | None] = []
    for sample, one in zip(drawn.T, these, strict=True):
        known = sample[~np.isnan(sample)]
        if one is None or one.cases < 2:
            found.append(None)
        elif (error := float(known.std(ddof=1))) < 1e-12:
            found.append(replace(one, question=Question.NEW_TEXTS))
        else:
            low, high = percentiles(known, sampling)
            drawn_interval = replace(
                one,
                low=low,
                high=high,
                standard_error=error,
                question=Question.NEW_TEXTS,
                method=Method.HIERARCHICAL,
            )
            found.append(clipped(drawn_interval, table.scale))
    return found


def unseen(estimate: float, spread: Spread, n: int, scale: Scale, sampling: Sampling) -> float:
    """How far off an estimate from units that are all alike may be.

    If a share π of units were different, n of them would all look alike with probability (1 − π)^n; the largest π
    that is not ruled out is 1 − (α/2)^(1/n), each of which could cost the whole range of the scale (the exact
    interval of Clopper and Pearson 1934 for n of n). For a rate of events it is Poisson's −ln(α/2) events unseen.
    """
    tail = 1 - sampling.upper
    if scale.least is not None and scale.most is not None:
        share: float = 1 - tail ** (1 / float(spread.effective_units[n]))
        return share * max(scale.most - estimate, estimate - scale.least)
    weight = float(spread.effective_weight[n])
    return -math.log(tail) * scale.event / weight if weight else 0.0


def of_differences(scale: Scale) -> Scale:
    """The scale on which two scores differ."""
    if scale.least is None or scale.most is None:
        return replace(scale, least=None, most=None)
    reach = scale.most - scale.least
    return replace(scale, least=-reach, most=reach)


def percentiles(sample: Numbers, sampling: Sampling) -> tuple[float, float]:
    """The two ends of a bootstrap's percentile interval."""
    low, high = np.nanquantile(sample, [1 - sampling.upper, sampling.upper])
    return float(low), float(high)


def clipped(interval: Interval, scale: Scale) -> Interval:
    """The interval within the scale's bounds."""
    low = interval.low if scale.least is None else max(interval.low, scale.least)
    high = interval.high if scale.most is None else min(interval.high, scale.most)
    return replace(interval, low=low, high=high)
