from __future__ import annotations

import dataclasses
import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from errata_bench.results.aggregate import VariantSummary
from errata_bench.views.chart.axes import all_axes, find_axis, usual_x
from errata_bench.views.chart.canvas import draw, legend
from errata_bench.views.chart.plain import print_scatter
from errata_bench.views.chart.points import MARKERS
from errata_bench.views.chart.sight import Sight
from errata_bench.views.ranking_columns import COLUMNS
from tests.support.summaries import make_summary, unknown_summary


def shown(sight: Sight, width: int = 100) -> str:
    file = io.StringIO()
    print_scatter(Console(file=file, width=width, highlight=False, emoji=False, markup=False), sight)
    return file.getvalue()


def places(sight: Sight, width: int = 100, height: int = 30) -> dict[str, tuple[int, int]]:
    lines = [line.plain for line in draw(sight.chart(), width, height).lines][1:-3]
    found = {}
    for row, line in enumerate(lines):
        field = line.partition("│")[2] or line.partition("┤")[2]
        for column, char in enumerate(field):
            if char in MARKERS or char == "*":
                found[char] = (row, column)
    return found


def test_better_stands_higher_and_dearer_stands_further_right(sight: Sight) -> None:
    labels = {point.marker: point.label for point in sight.chart().points}
    at = {labels[marker]: place for marker, place in places(sight).items()}
    assert len(at) == 5
    rows = sorted(at, key=lambda name: at[name][0])
    assert rows == ["baseline/oracle", "two/good:low", "two/middling:low", "one/cheap:high", "one/cheap:low"]
    columns = sorted(at, key=lambda name: at[name][1])
    assert columns == ["baseline/oracle", "one/cheap:low", "one/cheap:high", "two/good:low", "two/middling:low"]


@pytest.mark.parametrize("width", [20, 80, 100, 200])
@pytest.mark.parametrize("height", [8, 24, 60])
def test_the_drawing_is_as_large_as_it_was_asked_to_be(sight: Sight, width: int, height: int) -> None:
    for x in all_axes():
        for y in (sight.y, x):
            lines = draw(dataclasses.replace(sight, x=x, y=y).chart(), width, height).lines
            assert len(lines) == height
            assert all(cell_len(line.plain) <= width for line in lines)


def test_the_front_is_what_no_model_beats_and_leaves_the_oracle_out(sight: Sight) -> None:
    assert [point.label for point in sight.chart().front] == ["one/cheap:low", "one/cheap:high", "two/good:low"]
    marked = [line.plain for line in legend(sight.chart()) if "◆" in line.plain]
    assert len(marked) == 3
    upside_down = dataclasses.replace(sight, y=find_axis("missed_rate")).chart()
    assert "two/middling:low" not in [point.label for point in upside_down.front]


def test_best_variant_only_leaves_one_of_each_model(sight: Sight) -> None:
    labels = [point.label for point in dataclasses.replace(sight, best_only=True).chart().points]
    assert labels == ["baseline/oracle", "two/good:low", "two/middling:low", "one/cheap:high"]


def test_points_at_one_place_are_told() -> None:
    same = (make_summary("org/a", 5), make_summary("org/b", 5))
    text = shown(Sight("group", same, find_axis("cost_per_run_usd"), find_axis("quality")))
    assert "* several at one place: A B" in text
    assert "*" in text.splitlines()[10] + text.splitlines()[11] + text.splitlines()[12] + text.splitlines()[13]


def test_what_lacks_a_figure_is_named_and_not_drawn(summaries: tuple[VariantSummary, ...]) -> None:
    text = shown(Sight("group", (*summaries, unknown_summary("org/failed")), usual_x(summaries), find_axis("quality")))
    assert "Without one of the figures: org/failed:low" in text
    nothing = shown(Sight("group", (unknown_summary(),), find_axis("cost_per_run_usd"), find_axis("quality")))
    assert "No variant has both" in nothing


def test_cost_is_the_usual_axis_unless_nothing_costs_anything(summaries: tuple[VariantSummary, ...]) -> None:
    assert usual_x(summaries).name == "cost_per_run_usd"
    free = [make_summary("org/a", 5, figures={"candidate_cost_usd": 0.0})]
    assert usual_x(free).name == "issues_per_minute"


def test_every_axis_is_a_column_that_says_which_end_is_better() -> None:
    names = {axis.name for axis in all_axes()}
    assert names >= {"quality", "stability", "issues_per_usd", "cost_per_run_usd", "missed_rate", "rewrite_share"}
    assert names <= {column.name for column in COLUMNS}
    less = {axis.name for axis in all_axes() if axis.less_is_better}
    assert {"cost_per_run_usd", "missed_rate", "bad_fix_rate", "quality_range"} <= less
    assert not {"quality", "stability", "issues_per_usd", "issues_per_minute"} & less


def test_going_round_the_axes_comes_back(sight: Sight) -> None:
    seen = sight
    for _ in all_axes():
        seen = seen.turn(x=1)
    assert seen.x == sight.x
    assert sight.turn(x=-1).turn(x=1) == sight
