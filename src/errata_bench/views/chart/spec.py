"""The chart as one Vega-Lite specification, from which every file format is made.

Providers differ in colour (Okabe and Ito's palette, which the colour-blind tell apart), efforts in shape, and every
point has its name beside it as far as there is room: nothing hangs on colour alone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from errata_bench.views.chart.axes import Axis
from errata_bench.views.chart.labels import Place, Spot, place_labels
from errata_bench.views.chart.points import Point, Scatter
from errata_bench.views.chart.scale import Scale, ScaleKind
from errata_bench.views.chart.sight import Sight
from errata_bench.views.terminal import count

if TYPE_CHECKING:
    import altair

_KEY_WIDTH = 150
WIDTH, HEIGHT = 760, 480
"""Pixels of the plot itself."""
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
SHAPES = {
    "baseline": "cross",
    "none": "stroke",
    "minimal": "triangle-down",
    "low": "circle",
    "medium": "square",
    "high": "triangle-up",
    "xhigh": "diamond",
}
"""The shape of each effort."""
_INK = "#333333"
_TICK = "datum.value >= 10000 ? format(datum.value, '.3~s') : format(datum.value, ',.4~r')"


def make_chart(sight: Sight) -> altair.LayerChart:
    """The chart of what is being looked at."""
    import altair as alt

    data: Any = alt.Data  # altair's own types say nothing of its arguments
    chart = sight.chart()
    rows = [_row(point, place) for point, place in zip(chart.points, _places(chart), strict=True)]
    base = alt.Chart(data(values=rows))
    x = _encoding(alt.X, "x", chart.x, chart.x_scale)
    y = _encoding(alt.Y, "y", chart.y, chart.y_scale)
    providers = list(dict.fromkeys(point.provider for point in chart.points))
    efforts = [name for name in SHAPES if any(point.effort == name for point in chart.points)]
    efforts += sorted({point.effort for point in chart.points} - set(efforts))
    layers: list[Any] = []
    if any(point.y_bounds for point in chart.points):
        layers.append(base.mark_rule(color=_INK, opacity=0.45).encode(x=x, y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q")))
    if any(point.x_bounds for point in chart.points):
        layers.append(base.mark_rule(color=_INK, opacity=0.45).encode(y=y, x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q")))
    if len(chart.front) > 1:
        line = alt.Chart(data(values=[{"x": point.x, "y": point.y} for point in chart.front]))
        layers.append(
            line.mark_line(color=_INK, strokeDash=[5, 4], strokeWidth=1.2, opacity=1 if sight.dominant else 0.5).encode(
                x=x, y=y, order=alt.Order("x:Q")
            )
        )
    points = base.mark_point(filled=True, size=90, stroke=_INK, strokeWidth=0.8, opacity=1)
    encodings: dict[str, Any] = {
        "x": x,
        "y": y,
        "color": alt.Color(
            "provider:N",
            title="provider",
            scale=alt.Scale(domain=providers, range=[_PALETTE[n % len(_PALETTE)] for n in range(len(providers))]),
        ),
        "shape": alt.Shape(
            "effort:N",
            title="reasoning effort",
            scale=alt.Scale(domain=efforts, range=[SHAPES.get(name, "circle") for name in efforts]),
        ),
        "tooltip": _tooltips(alt, chart),
    }
    if sight.dominant:
        encodings["opacity"] = alt.condition("datum.front", alt.value(1), alt.value(0.3))
    layers.append(points.encode(**encodings))
    for align in ("left", "center", "right"):
        names = base.transform_filter(f"datum.label_align === '{align}'").mark_text(
            align=align, baseline="middle", fontSize=11, color=_INK, limit=0
        )
        text: dict[str, Any] = {"x": alt.X("label_x:Q"), "y": alt.Y("label_y:Q"), "text": alt.Text("name:N")}
        if sight.dominant:
            text["opacity"] = alt.condition("datum.front", alt.value(1), alt.value(0.45))
        layers.append(names.encode(**text))
    unnamed = sum("name" not in row for row in rows)
    keyed = [point for point, row in zip(chart.points, rows, strict=True) if row.get("name") == point.marker]
    layered: altair.LayerChart = (
        alt.layer(*layers)
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.TitleParams(
                f"{chart.y.label} against {chart.x.label}",
                subtitle=_subtitle(sight, chart, unnamed, keyed),
                anchor="start",
                fontSize=15,
                subtitleFontSize=11,
                subtitleColor=_INK,
            ),
            background="white",
            padding=14,
            description=f"Scatterplot of {count(len(rows), 'variant')} of the group {sight.group_id}.",
        )
        .configure(font="sans-serif")
        .configure_axis(gridColor="#e4e4e4", labelFontSize=11, titleFontSize=12, titleFontWeight="normal")
        .configure_legend(symbolSize=90, symbolStrokeColor=_INK, labelLimit=260)
    )
    return layered


def _subtitle(sight: Sight, chart: Scatter, unnamed: int, keyed: Sequence[Point]) -> list[str]:
    parts = [f"group {sight.group_id}"]
    if sight.best_only:
        parts.append("of each model the best effort")
    if any(point.y_bounds or point.x_bounds for point in chart.points):
        parts.append("bars: 95% intervals on these texts")
    if len(chart.front) > 1:
        parts.append("dashed: what no other beats in both")
    lines = [" · ".join(parts), *([] if sight.remark is None else [sight.remark])]
    key = " · ".join(f"{point.marker}\u00a0{point.label}" for point in keyed)
    lines += textwrap.wrap(key, _KEY_WIDTH, break_on_hyphens=False)
    if unnamed:
        lines.append(f"{count(unnamed, 'point')} without room for a name")
    if chart.left_out:
        lines.append(f"{count(len(chart.left_out), 'variant')} without one of the figures")
    return lines


def _encoding(channel: Any, field: str, axis: Axis, scale: Scale) -> Any:
    import altair as alt

    arguments: dict[str, Any] = {"type": scale.kind.value, "domain": [scale.low, scale.high], "nice": False}
    ticks: dict[str, Any] = {"labelExpr": _TICK}
    if scale.kind is ScaleKind.LINEAR:
        arguments["zero"] = False
    else:
        ticks["values"] = scale.ticks(9)
    if scale.kind is ScaleKind.SYMLOG:
        arguments["constant"] = scale.constant
    better = "less is better" if axis.less_is_better else "more is better"
    return channel(f"{field}:Q", title=f"{axis.label}, {better}", scale=alt.Scale(**arguments), axis=alt.Axis(**ticks))


def _places(chart: Scatter) -> list[Place | None]:
    """Where names stand, in the values of the axes; those of the Pareto front are placed first."""
    order = sorted(range(len(chart.points)), key=lambda n: (not chart.points[n].in_front, n))
    spots = [
        Spot(
            chart.x_scale.place(chart.points[n].x) * WIDTH,
            (1 - chart.y_scale.place(chart.points[n].y)) * HEIGHT,
            _names(chart.points[n]),
        )
        for n in order
    ]
    places: list[Place | None] = [None] * len(order)
    for n, place in zip(order, place_labels(spots, WIDTH, HEIGHT), strict=True):
        if place is not None:
            at_x, at_y = chart.x_scale.value_at(place.x / WIDTH), chart.y_scale.value_at(1 - place.y / HEIGHT)
            places[n] = replace(place, x=at_x, y=at_y)
    return places


def _names(point: Point) -> tuple[str, ...]:
    """Its name, its name without the provider, which the colour tells, and its letter, for which there is a key."""
    return point.label, point.label.removeprefix(f"{point.provider}/"), point.marker


def _row(point: Point, place: Place | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "label": point.label,
        "provider": point.provider,
        "effort": point.effort,
        "x": point.x,
        "y": point.y,
        "front": point.in_front,
    }
    if place is not None:
        row |= {"label_x": place.x, "label_y": place.y, "label_align": place.align, "name": place.text}
    for name, bounds in (("x", point.x_bounds), ("y", point.y_bounds)):
        if bounds is not None:
            row[f"{name}_low"], row[f"{name}_high"] = bounds
    return row


def _tooltips(alt: Any, chart: Scatter) -> list[Any]:
    shown = [alt.Tooltip("label:N", title="model")]
    for name, axis in (("y", chart.y), ("x", chart.x)):
        shown.append(alt.Tooltip(f"{name}:Q", title=axis.label, format=".4~g"))
    return shown
