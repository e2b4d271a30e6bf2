"""The chart in characters: a letter for each variant, axes with round values, a legend below or beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from errata_bench.views.chart.points import Point, Scatter

Place = Callable[[float], int]
"""Which row or column a value falls on."""

_SEVERAL = "*"
_MOST_BARS = 20
"""Points up to which intervals are drawn for all; with more of them nothing else could be seen."""
FRONT_STYLE = "bold green"
CHOSEN_STYLE = "bold reverse"


@dataclass(frozen=True, slots=True)
class Drawing:
    """The chart as lines, and the letters that share a place (shown as ``*``)."""

    lines: tuple[Text, ...]
    shared: tuple[str, ...]


def draw(chart: Scatter, width: int, height: int, *, dominant: bool = False, chosen: Point | None = None) -> Drawing:
    """Draw a chart so many characters wide and high (at least 20 by 8), axes included.

    ``dominant`` shows the Pareto front and dims the rest; ``chosen`` is shown reversed.
    """
    height, width = max(8, height), max(20, width)
    rows = height - 4  # the name of the y axis, the x axis, its values and its name
    y_ticks = chart.y_scale.ticks(max(2, rows // 3))
    y_words = [chart.y.show(tick) for tick in y_ticks]
    lead = max([1, *(cell_len(word) for word in y_words)]) + 1
    columns = width - lead - 1
    cells: list[list[tuple[str, str]]] = [[(" ", "")] * columns for _ in range(rows)]

    def column(value: float) -> int:
        return min(columns - 1, max(0, round(chart.x_scale.place(value) * (columns - 1))))

    def row(value: float) -> int:
        return min(rows - 1, max(0, round((1 - chart.y_scale.place(value)) * (rows - 1))))

    for point in chart.points:
        if len(chart.points) <= _MOST_BARS or point is chosen:
            _draw_bars(cells, point, column, row)
    shared: dict[tuple[int, int], list[Point]] = {}
    for point in chart.points:
        shared.setdefault((row(point.y), column(point.x)), []).append(point)
    for (at_row, at_column), here in shared.items():
        style = _style(here, dominant=dominant, chosen=chosen)
        cells[at_row][at_column] = (here[0].marker if len(here) == 1 else _SEVERAL, style)
    ticks = {row(tick): word for tick, word in zip(y_ticks, y_words, strict=True)}
    lines = [Text(_cut(f"{chart.y.label} {'↓ better' if chart.y.less_is_better else '↑ better'}", width), "bold")]
    for n, cells_of_row in enumerate(cells):
        line = Text(f"{ticks.get(n, ''):>{lead}}" + ("┤" if n in ticks else "│"))
        for char, style in cells_of_row:
            line.append(char, style)
        line.rstrip()
        lines.append(line)
    lines += _x_axis(chart, lead, columns, column)
    told = tuple(" ".join(point.marker for point in here) for here in shared.values() if len(here) > 1)
    return Drawing(tuple(lines), told)


def legend(
    chart: Scatter, *, dominant: bool = False, chosen: Point | None = None, width: int | None = None
) -> list[Text]:
    """A line for each point: its letter, its name and its two figures; ``◆`` for the Pareto front.

    With a ``width`` a line is the letter and the name alone, and no wider.
    """
    lines = []
    widest = max([0, *(cell_len(point.label) for point in chart.points)])
    for point in chart.points:
        style = _style([point], dominant=dominant, chosen=chosen)
        line = Text(f"{point.marker}{'◆' if point.in_front else ' '} ", style)
        if width is None:
            figures = f"{chart.y.show(point.y):>8} {chart.x.show(point.x):>8}"
            line.append(f"{point.label}{' ' * (widest - cell_len(point.label))} {figures}")
        else:
            line.append(point.label)
            line.truncate(max(1, width), overflow="ellipsis")
        lines.append(line)
    return lines


def _style(here: Sequence[Point], *, dominant: bool, chosen: Point | None) -> str:
    if any(point is chosen for point in here):
        return CHOSEN_STYLE
    if not dominant:
        return "bold"
    return FRONT_STYLE if any(point.in_front for point in here) else "dim"


def _draw_bars(cells: list[list[tuple[str, str]]], point: Point, column: Place, row: Place) -> None:
    if point.y_bounds is not None:
        for n in range(row(point.y_bounds[1]), row(point.y_bounds[0]) + 1):
            cells[n][column(point.x)] = ("╎", "dim")
    if point.x_bounds is not None:
        for n in range(column(point.x_bounds[0]), column(point.x_bounds[1]) + 1):
            cells[row(point.y)][n] = ("╌", "dim")


def _x_axis(chart: Scatter, lead: int, columns: int, column: Place) -> list[Text]:
    rule = ["─"] * columns
    words = [" "] * (columns + lead + 1)
    free = 0
    for tick in chart.x_scale.ticks(max(2, columns // 10)):
        at = column(tick)
        word = chart.x.show(tick)
        start = min(max(free, lead + 1 + at - len(word) // 2), len(words) - len(word))
        if start < free or abs(start + len(word) // 2 - (lead + 1 + at)) > len(word):
            continue
        rule[at] = "┬"
        words[start : start + len(word)] = word
        free = start + len(word) + 1
    name = f"{chart.x.label} {'← better' if chart.x.less_is_better else '→ better'}"
    name = _cut(name, columns + lead + 1)
    return [
        Text(" " * lead + "└" + "".join(rule)),
        Text("".join(words).rstrip()),
        Text(" " * max(0, columns + lead + 1 - cell_len(name)) + name, "bold"),
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
