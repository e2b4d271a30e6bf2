"""The chart without a terminal to play with: printed once."""

from __future__ import annotations

import json

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
    if sight.remark is not None:
        console.print(Text(sight.remark, "dim"))
    if chart.left_out:
        console.print(Text(f"Without one of the figures: {', '.join(chart.left_out)}.", "dim"))


def scatter_json(sight: Sight) -> str:
    """The points as JSON, in the order of the ranking: ASCII, and null for an interval that there is not."""
    chart = sight.chart()
    content = {
        "group": sight.group_id,
        "x": chart.x.name,
        "y": chart.y.name,
        "points": [
            {
                "model": str(point.summary.variant),
                "x": point.x,
                "y": point.y,
                "x_interval": point.x_bounds,
                "y_interval": point.y_bounds,
                "dominant": point.in_front,
            }
            for point in chart.points
        ],
        "left_out": chart.left_out,
        "notes": [] if sight.remark is None else [sight.remark],
    }
    return json.dumps(content, indent=2)
