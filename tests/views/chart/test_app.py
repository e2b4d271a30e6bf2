from __future__ import annotations

import dataclasses

import pytest
from textual.widgets import Static

from errata_bench.views.chart.app import ScatterApp
from errata_bench.views.chart.axes import all_axes, find_axis
from errata_bench.views.chart.sight import Sight
from tests.support.summaries import make_summary, unknown_summary


def text_of(app: ScatterApp, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).content)


async def test_arrow_keys_change_the_axes(sight: Sight) -> None:
    names = [axis.name for axis in all_axes()]
    app = ScatterApp(sight)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("right")
        assert app.sight.x.name == names[names.index("cost_per_run_usd") + 1]
        assert app.sight.x.label in text_of(app, "plot")
        await pilot.press("left", "left")
        assert app.sight.x.name == names[names.index("cost_per_run_usd") - 1]
        await pilot.press("up")
        assert app.sight.y.name == names[names.index("quality") + 1]
        await pilot.press("down", "down")
        assert app.sight.y.name == names[names.index("quality") - 1]


async def test_b_leaves_the_best_variant_of_each_model(sight: Sight) -> None:
    app = ScatterApp(sight)
    async with app.run_test(size=(100, 30)) as pilot:
        assert "one/cheap:low" in text_of(app, "legend")
        await pilot.press("b")
        assert "one/cheap:low" not in text_of(app, "legend")
        assert "one/cheap:high" in text_of(app, "legend")
        await pilot.press("b")
        assert "one/cheap:low" in text_of(app, "legend")


async def test_d_highlights_the_dominant_models(sight: Sight) -> None:
    app = ScatterApp(sight)
    async with app.run_test(size=(100, 30)) as pilot:
        assert "no other beats" not in text_of(app, "note")
        await pilot.press("d")
        assert "3 variants that no other beats in both" in text_of(app, "note")


async def test_n_and_p_choose_the_model_whose_figures_are_shown(sight: Sight) -> None:
    app = ScatterApp(sight)
    async with app.run_test(size=(100, 40)) as pilot:
        assert "baseline/oracle" in text_of(app, "figures")
        await pilot.press("n")
        figures = text_of(app, "figures")
        assert "two/good:low" in figures
        assert "0.900" in figures
        assert "$2.00" in figures
        await pilot.press("p", "p")
        assert "one/cheap:low" in text_of(app, "figures")


async def test_the_chosen_model_stays_chosen_while_it_is_shown(sight: Sight) -> None:
    app = ScatterApp(sight)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n", "n", "right", "b")
        assert "two/middling:low" in text_of(app, "figures")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60), (40, 12)])
async def test_it_fits_terminals_of_all_sizes(sight: Sight, size: tuple[int, int]) -> None:
    app = ScatterApp(sight)
    async with app.run_test(size=size) as pilot:
        await pilot.press("d", "n")
        plot = app.query_one("#plot", Static)
        lines = str(plot.content).splitlines()
        assert all(len(line) <= max(20, plot.size.width) for line in lines)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert max(len(line) for line in str(plot.content).splitlines()) > 50


async def test_axes_without_any_point_say_so_and_can_be_left(sight: Sight) -> None:
    empty = dataclasses.replace(sight, summaries=(unknown_summary(),))
    app = ScatterApp(empty)
    async with app.run_test(size=(100, 30)) as pilot:
        assert "No variant has both" in text_of(app, "plot")
        await pilot.press("n", "d", "b", "right", "up", "q")
    assert app.return_code == 0


async def test_a_hostile_name_stays_text(sight: Sight) -> None:
    name = "o/\x1b[31m[bold]x[/][@click=app.quit]y"
    app = ScatterApp(Sight("[red]g", (make_summary(name, 5),), find_axis("cost_per_run_usd"), find_axis("quality")))
    async with app.run_test(size=(140, 30)) as pilot:
        await pilot.pause()
        assert "[bold]x[/][@click=app.quit]y" in text_of(app, "legend")
        assert "\x1b" not in text_of(app, "legend") + text_of(app, "figures") + text_of(app, "note")
        assert "[red]g" in text_of(app, "note")
