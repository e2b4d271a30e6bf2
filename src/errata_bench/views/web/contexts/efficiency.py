"""Efficiency: any figure against any other, a point for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.narrowing import best_variants
from errata_bench.results.detail.selection import provider_of
from errata_bench.views.chart.axes import Axis, all_axes, usual_x
from errata_bench.views.chart.points import scatter
from errata_bench.views.web.contexts.common import Asked, Request, model_fits
from errata_bench.views.web.scoped import Ends, Scope


def efficiency(request: Request) -> dict[str, Any]:
    """What stands on the page of the scatterplot."""
    facts = request.facts
    filters = {
        "search": request.text("q"),
        "provider": request.one_of("provider", facts.providers),
        "effort": request.one_of("effort", facts.efforts),
    }
    return chart(request, facts.summaries_of(Scope()), facts.labels, facts.quality_intervals(Scope()), filters)


def chart(
    asked: Asked,
    summaries: Sequence[VariantSummary],
    labels: Mapping[Entry, str],
    ends: Mapping[Entry, Ends],
    filters: Mapping[str, str],
) -> dict[str, Any]:
    """The scatterplot of these variants with what is chosen for it; ``labels`` and ``ends`` are by entry."""
    axes = {axis.name: axis for axis in all_axes() if any(axis.value(one) is not None for one in summaries)}
    if not axes:
        return {"axes": []}
    usual = usual_x(summaries)
    x = axes.get(asked.one_of("x", axes)) or axes.get(usual.name) or next(iter(axes.values()))
    y = axes.get(asked.one_of("y", axes)) or axes.get("quality") or x
    best_only = asked.flag("best")
    best = {Entry(one.variant, one.settings) for one in best_variants(summaries)}
    points, shown = [], []
    for summary in summaries:
        entry = Entry(summary.variant, summary.settings)
        stays = model_fits(summary.variant, **filters) and (entry in best or not best_only)
        shown += [summary] if stays else []
        points.append(
            _point(summary, labels[entry], list(axes.values()), ends.get(entry))
            | {"yardstick": entry.is_yardstick, "best": entry in best, "shown": stays}
        )
    front = {Entry(one.summary.variant, one.summary.settings) for one in scatter(shown, x, y).front}
    return {
        "axes": [
            {
                "name": axis.name,
                "title": axis.label,
                "meaning": axis.column.meaning,
                "log": axis.logarithmic,
                "less": axis.less_is_better,
            }
            for axis in axes.values()
        ],
        "x": x,
        "y": y,
        "x_log": _scale(asked, "xscale", x),
        "y_log": _scale(asked, "yscale", y),
        "dominant": asked.flag("dominant"),
        "front": {labels[entry] for entry in front},
        "filters": filters,
        "best_only": best_only,
        "points": points,
    }


def _scale(asked: Asked, name: str, axis: Axis) -> bool:
    chosen = asked.one_of(name, ("log", "linear"))
    return chosen == "log" if chosen else axis.logarithmic


def _point(summary: VariantSummary, label: str, axes: list[Axis], ends: Ends | None) -> dict[str, Any]:
    values = {axis.name: axis.value(summary) for axis in axes}
    return {
        "label": label,
        "provider": provider_of(summary.variant),
        "effort": summary.variant.effort or "",
        "values": {name: value for name, value in values.items() if value is not None},
        "texts": {axis.name: axis.show(values[axis.name]) for axis in axes},
        "low": ends.low if ends else None,
        "high": ends.high if ends else None,
    }
