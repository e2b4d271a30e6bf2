"""Variants on two axes, and which of them nothing else beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.entries import Entry, entry_labels
from errata_bench.results.detail.front import pareto_front
from errata_bench.results.detail.selection import provider_of
from errata_bench.views.chart.axes import Axis
from errata_bench.views.chart.scale import Scale, fit_scale
from errata_bench.views.terminal import plain

MARKERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_MANY = "•"


@dataclass(frozen=True, slots=True)
class Point:
    """A variant on the chart. ``marker`` is its letter, ``label`` its name without what a terminal would obey.

    ``x_bounds`` and ``y_bounds`` are 95% intervals, None where there is none. ``in_front``: nothing beats it in both,
    the oracle and the untouched text left out.
    """

    summary: VariantSummary
    marker: str
    label: str
    provider: str
    effort: str
    x: float
    y: float
    x_bounds: tuple[float, float] | None = None
    y_bounds: tuple[float, float] | None = None
    in_front: bool = False


@dataclass(frozen=True, slots=True)
class Scatter:
    """A chart: its axes and scales, its points in the order of the ranking, and names of those that have no place."""

    x: Axis
    y: Axis
    x_scale: Scale
    y_scale: Scale
    points: tuple[Point, ...]
    left_out: tuple[str, ...]

    @property
    def front(self) -> list[Point]:
        """The Pareto front, from left to right."""
        return sorted((point for point in self.points if point.in_front), key=lambda point: (point.x, point.y))


def scatter(summaries: Sequence[VariantSummary], x: Axis, y: Axis) -> Scatter:
    """Place variants on two axes; one that lacks either figure is left out and named."""
    entries = [Entry(summary.variant, summary.settings) for summary in summaries]
    labels = entry_labels(entries)
    placed, left_out = [], []
    for n, (summary, entry) in enumerate(zip(summaries, entries, strict=True)):
        at_x, at_y = x.value(summary), y.value(summary)
        label = plain(labels[entry])
        if at_x is None or at_y is None:
            left_out.append(label)
            continue
        marker = MARKERS[n] if n < len(MARKERS) else _MANY
        placed.append((summary, entry, marker, label, at_x, at_y))
    # The oracle knows the answers: it would leave nobody on the front.
    running = [n for n, one in enumerate(placed) if not one[1].is_yardstick]
    found = pareto_front(
        [(placed[n][4], placed[n][5]) for n in running], less_x=x.less_is_better, less_y=y.less_is_better
    )
    front = {running[n] for n in found}
    points = tuple(
        Point(
            summary=summary,
            marker=marker,
            label=label,
            provider=plain(provider_of(summary.variant)),
            effort="baseline" if summary.variant.is_baseline else plain(summary.variant.effort or "none"),
            x=at_x,
            y=at_y,
            x_bounds=_bounds(summary, x),
            y_bounds=_bounds(summary, y),
            in_front=n in front,
        )
        for n, (summary, entry, marker, label, at_x, at_y) in enumerate(placed)
    )
    return Scatter(
        x,
        y,
        _fit(x, [point.x for point in points], [point.x_bounds for point in points]),
        _fit(y, [point.y for point in points], [point.y_bounds for point in points]),
        points,
        tuple(left_out),
    )


def _bounds(summary: VariantSummary, axis: Axis) -> tuple[float, float] | None:
    interval = summary.intervals.get(axis.name)
    return None if interval is None else (interval.low, interval.high)


def _fit(axis: Axis, values: Sequence[float], bounds: Sequence[tuple[float, float] | None]) -> Scale:
    ends = [end for pair in bounds if pair is not None for end in pair]
    if axis.logarithmic:  # an interval that reaches down to nothing must not squeeze all the rest
        ends = [end for end in ends if end > 0]
    return fit_scale([*values, *ends], logarithmic=axis.logarithmic)
