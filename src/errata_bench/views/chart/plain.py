"""The chart without a terminal to play with: printed once."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from errata_bench.views.chart.canvas import draw, legend
from errata_bench.views.chart.sight import Sight
from errata_bench.views.terminal import count

_HEIGHT = 26


def print_scatter(console: Console, sight: Sight) -> None:
    """Print the chart and its legend."""
    chart, dominant = sight.chart(), sight.dominant
    if not chart.points:
        console.print(Text(f"No variant has both {chart.x.label} and {chart.y.label}."))
    else:
        drawing = draw(chart, console.width, _HEIGHT, dominant=dominant)
        for line in drawing.lines:
            console.print(line, soft_wrap=True)
        console.print()
        for line in legend(chart, dominant=dominant):
            console.print(line, soft_wrap=True)
        if drawing.shared:
            console.print(Text(f"* several at one place: {'; '.join(drawing.shared)}.", "dim"))
        console.print(Text(f"◆ {count(len(chart.front), 'variant')} that no other beats in both.", "dim"))
    if chart.left_out:
        console.print(Text(f"Without one of the figures: {', '.join(chart.left_out)}.", "dim"))
