"""The points of a chart for machines."""

from __future__ import annotations

import json

from errata_bench.views.chart.axes import find_axis
from errata_bench.views.chart.plain import scatter_json
from errata_bench.views.chart.sight import Sight
from tests.support.summaries import make_summary, sure, unknown_summary


def test_points_have_their_figures_their_intervals_and_whether_they_dominate() -> None:
    summaries = (sure(make_summary("org/one", 8)), make_summary("org/two", 2), unknown_summary())
    sight = Sight("g", summaries, find_axis("cost_per_run_usd"), find_axis("quality"))
    content = json.loads(scatter_json(sight))
    one, two = content["points"]
    assert (content["group"], content["x"], content["y"]) == ("g", "cost_per_run_usd", "quality")
    assert (one["model"], one["x"], one["y"], one["dominant"]) == ("org/one:low", 1.0, 0.8, True)
    assert one["y_interval"] == [0.8 - 0.125, 0.8 + 0.0625]
    assert one["x_interval"] is None
    assert (two["y"], two["y_interval"], two["dominant"]) == (0.2, None, False)
    assert content["left_out"] == ["org/failed:low"]
