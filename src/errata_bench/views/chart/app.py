"""The interactive chart: keys change the axes, what is highlighted, and the variant whose figures are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Static

from errata_bench.views.chart.axes import all_axes
from errata_bench.views.chart.canvas import draw, legend
from errata_bench.views.chart.points import Point, Scatter
from errata_bench.views.chart.sight import Sight
from errata_bench.views.terminal import count, plain


class Plot(Static):
    """The chart itself, drawn anew whenever its size changes."""

    def __init__(self, redraw: Callable[[], None]) -> None:
        super().__init__(id="plot", markup=False)
        self._redraw = redraw

    def on_resize(self) -> None:
        """Draw the chart as large as there is room."""
        self._redraw()


class ScatterApp(App[None]):
    """Two figures of every variant against each other.

    ``sight`` is what is looked at; ``chosen`` the number of the variant, in the order of the legend, whose figures are
    shown.
    """

    CSS = """
    #side { width: 44; border-left: solid $panel; padding: 0 1; }
    #plot { height: 1fr; width: 1fr; }
    #legend-box { height: 1fr; }
    #figures { height: auto; border-top: solid $panel; }
    #note { height: auto; max-height: 3; }
    .narrow #side { width: 30; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "turn(1, 0)", "next x"),
        Binding("left", "turn(-1, 0)", "last x", show=False),
        Binding("up", "turn(0, 1)", "next y"),
        Binding("down", "turn(0, -1)", "last y", show=False),
        Binding("n,tab", "choose(1)", "next model"),
        Binding("p,shift+tab", "choose(-1)", "last model", show=False),
        Binding("b", "best", "best variant only"),
        Binding("d", "dominant", "dominant models"),
        Binding("q,escape", "quit", "quit"),
    ]

    def __init__(self, sight: Sight) -> None:
        super().__init__()
        self.sight = sight
        self.chosen = 0
        self._legend = Static(id="legend", markup=False)
        self._figures = Static(id="figures", markup=False)
        self._note = Static(id="note", markup=False)
        self._box = VerticalScroll(id="legend-box", can_focus=False)
        self._plot = Plot(self._show)

    def compose(self) -> ComposeResult:
        """Plot and note to the left, legend and figures to the right, keys below."""
        with Horizontal():
            with Vertical():
                yield self._plot
                yield self._note
            with Vertical(id="side"):
                with self._box:
                    yield self._legend
                yield self._figures
        yield Footer()

    def on_resize(self) -> None:
        """Leave the plot more room on a narrow terminal."""
        self.set_class(self.size.width < 100, "narrow")

    @property
    def chart(self) -> Scatter:
        """The points on the axes as they are now."""
        return self.sight.chart()

    def action_turn(self, x: int, y: int) -> None:
        """Go to another axis."""
        self._look_at(self.sight.turn(x=x, y=y))

    def action_best(self) -> None:
        """Show all variants of each model, or the best alone."""
        self._look_at(replace(self.sight, best_only=not self.sight.best_only))

    def action_dominant(self) -> None:
        """Highlight the Pareto front, or stop."""
        self._look_at(replace(self.sight, dominant=not self.sight.dominant))

    def action_choose(self, step: int) -> None:
        """Go to another variant."""
        points = self.chart.points
        self.chosen = (self.chosen + step) % len(points) if points else 0
        self._show()

    def _look_at(self, sight: Sight) -> None:
        """Change what is looked at; the chosen variant stays chosen as long as it is there."""
        before = self.chart.points
        name = before[self.chosen].label if before else ""
        self.sight = sight
        labels = [point.label for point in self.chart.points]
        self.chosen = labels.index(name) if name in labels else 0
        self._show()

    def _show(self) -> None:
        chart = self.chart
        chosen = chart.points[self.chosen] if chart.points else None
        if chosen is None:
            self._plot.update(Text(f"No variant has both {chart.x.label} and {chart.y.label}."))
        else:
            size = self._plot.size
            drawing = draw(chart, size.width, size.height, dominant=self.sight.dominant, chosen=chosen)
            self._plot.update(Text("\n").join(drawing.lines))
            self._note.update(Text(_note(chart, self.sight, drawing.shared), "dim"))
        width = max(12, self._box.size.width - 2)  # less a scroll bar
        names = legend(chart, dominant=self.sight.dominant, chosen=chosen, width=width)
        self._legend.update(Text("\n").join(names))
        self._figures.update(_figures(chosen, chart, width, self.size.height // 2) if chosen else Text(""))
        self._box.scroll_to(y=max(0, self.chosen - 2), animate=False)


def _note(chart: Scatter, sight: Sight, shared: tuple[str, ...]) -> str:
    parts = [f"{plain(sight.group_id)}: {count(len(chart.points), 'variant')}"]
    if sight.best_only:
        parts.append("of each model the best")
    if sight.dominant:
        parts.append(f"highlighted: {count(len(chart.front), 'variant')} that no other beats in both")
    if shared:
        parts.append(f"* at one place: {'; '.join(shared)}")
    if sight.remark is not None:
        parts.append(sight.remark)
    if chart.left_out:
        parts.append(f"{len(chart.left_out)} without one of the figures")
    return ", ".join(parts)


def _figures(point: Point, chart: Scatter, width: int, most: int) -> Text:
    """The figures of a variant, those of the axes first, in at most so many lines."""
    lines = [Text(f"{point.marker} {point.label}", "bold")]
    for axis in dict.fromkeys((chart.y, chart.x, *all_axes())):
        value = axis.show(axis.value(point.summary))
        lines.append(Text(f"{axis.column.title:<{max(0, width - 10)}}"[: width - 10] + f"{value:>10}"))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(lines[: max(3, most)])
