"""Summaries of variants for tests of views."""

from __future__ import annotations

import dataclasses
from typing import Any

from errata_bench.results.aggregate import CaseRuns, VariantSummary, summarise
from errata_bench.results.statistics.intervals import Interval, Method
from errata_bench.results.statistics.ranks import Ranked
from errata_bench.results.statistics.scores import Question
from errata_bench.store.records import RunSettings
from errata_bench.variants import Variant
from tests.support.builders import make_figures, make_settings


def make_summary(
    model: str = "org/model",
    *fixed: int,
    effort: str | None = "low",
    settings: RunSettings | None = None,
    figures: dict[str, Any] | None = None,
    **fields: Any,
) -> VariantSummary:
    """A variant with one run of ten issues on each case, of which so many were fixed."""
    cases = [
        CaseRuns(str(n), str(n), (make_figures(count, 10, **(figures or {})),)) for n, count in enumerate(fixed or (5,))
    ]
    summary = summarise(Variant(model, effort), settings or make_settings(), cases)
    return dataclasses.replace(summary, **fields)


def unknown_summary(model: str = "org/failed") -> VariantSummary:
    """A variant of which every run has failed."""
    return summarise(Variant(model, "low"), make_settings(), [CaseRuns("0", "0", (), failures=3)])


def sure(summary: VariantSummary, half_width: float = 0.125) -> VariantSummary:
    """The same with an interval of quality and a place."""
    quality = summary["quality"]
    assert quality is not None
    interval = Interval(
        quality,
        quality - half_width,
        quality + half_width / 2,
        half_width / 2,
        Question.THESE_TEXTS,
        Method.NORMAL,
        cases=1,
        units=10,
    )
    place = Ranked(str(summary.variant), quality, 2, 1, 13, with_best=True)
    return dataclasses.replace(summary, intervals={"quality": interval}, place=place)
