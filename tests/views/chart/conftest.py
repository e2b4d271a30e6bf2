from __future__ import annotations

import dataclasses

import pytest

from errata_bench.results.aggregate import VariantSummary, ranked
from errata_bench.results.statistics.intervals import Interval, Method
from errata_bench.results.statistics.scores import Question
from errata_bench.views.chart.axes import find_axis
from errata_bench.views.chart.sight import Sight
from tests.support.summaries import make_summary


@pytest.fixture
def summaries() -> tuple[VariantSummary, ...]:
    """Cheap and weak, dear and good, dear and middling, and a better effort of the first; the oracle beats all."""
    return tuple(
        _sure(one)
        for one in ranked(
            [
                make_summary("one/cheap", 3, figures={"candidate_cost_usd": 0.01}),
                make_summary("one/cheap", 4, effort="high", figures={"candidate_cost_usd": 0.1}),
                make_summary("two/good", 9, figures={"candidate_cost_usd": 2.0}),
                make_summary("two/middling", 5, figures={"candidate_cost_usd": 3.0}),
                make_summary("baseline/oracle", 10, effort=None, figures={"candidate_cost_usd": 0.001}),
            ]
        )
    )


@pytest.fixture
def sight(summaries: tuple[VariantSummary, ...]) -> Sight:
    return Sight("group", summaries, find_axis("cost_per_run_usd"), find_axis("quality"))


def _sure(summary: VariantSummary) -> VariantSummary:
    """The variant with an interval of its quality."""
    quality = summary["quality"]
    assert quality is not None
    interval = Interval(quality, quality - 0.05, 1.0, 0.02, Question.THESE_TEXTS, Method.NORMAL, 1, 10)
    return dataclasses.replace(summary, intervals={"quality": interval})
