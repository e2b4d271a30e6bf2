"""Figures that were published elsewhere: a page of their own, with nothing of the group on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.narrowing import best_variants
from errata_bench.results.detail.selection import provider_of
from errata_bench.results.published import PUBLISHED_ELSEWHERE, Published, all_published
from errata_bench.variants import EFFORTS
from errata_bench.views.ranking_columns import COLUMNS, Column
from errata_bench.views.rankings import labels
from errata_bench.views.web.contexts.common import Asked, model_fits
from errata_bench.views.web.contexts.efficiency import chart
from errata_bench.views.web.contexts.rankings import Row, Shares, cells_of, figure_columns, sorted_rows

_WITHOUT_HEAD = "rewrite_share"
"""A figure that was published, and that our own tables leave to JSON and CSV."""


def published(asked: Asked) -> dict[str, Any]:
    """What stands on the page within a group's site."""
    return published_page(all_published()[0], asked)


def published_page(found: Published, asked: Asked) -> dict[str, Any]:
    """What stands on the page of these figures. Columns of which nothing was published are left out."""
    there = {one.variant.effort for one in found.summaries}
    choices = {
        "providers": sorted({provider_of(one.variant) for one in found.summaries}),
        "efforts": [effort for effort in EFFORTS if effort in there],
    }
    filters = {
        "search": asked.text("q"),
        "provider": asked.one_of("provider", choices["providers"]),
        "effort": asked.one_of("effort", choices["efforts"]),
    }
    best_only = asked.flag("best")
    columns = _columns(found)
    names = dict(zip((_entry(one) for one in found.summaries), labels(found.summaries), strict=True))
    best = {_entry(one) for one in best_variants(found.summaries)}
    rows = [
        Row(
            rank=rank,
            label=names[_entry(summary)],
            entry=_entry(summary),
            best=_entry(summary) in best,
            shown=model_fits(summary.variant, **filters) and (_entry(summary) in best or not best_only),
            cells=cells_of(summary, columns),
            shares=_shares(summary),
            ends=None,
            effort=summary.variant.effort or "",
            provider=provider_of(summary.variant),
            with_best=False,
        )
        for rank, summary in enumerate(found.summaries, 1)
    ]
    sort = asked.one_of("sort", [column.name for column in columns])
    ascending = asked.query.get("dir") == "asc"
    if sort:
        rows = sorted_rows(rows, columns, sort, ascending=ascending)
    return chart(asked, found.summaries, names, {}, filters) | {
        "published": found,
        "elsewhere": PUBLISHED_ELSEWHERE,
        "choices": choices,
        "rows": rows,
        "columns": columns,
        "all_figures": asked.flag("all"),
        "sort": sort,
        "ascending": ascending,
    }


def _entry(summary: VariantSummary) -> Entry:
    return Entry(summary.variant, summary.settings)


def _columns(found: Published) -> tuple[Column, ...]:
    wanted = (replace(one, optional=True) if one.name == _WITHOUT_HEAD else one for one in COLUMNS)
    return figure_columns(
        one
        for one in wanted
        if (one.head or one.name == _WITHOUT_HEAD) and any(one.value(row) is not None for row in found.summaries)
    )


def _shares(summary: VariantSummary) -> Shares | None:
    fixed, bad, missed = (summary[name] for name in ("quality", "bad_fix_rate", "missed_rate"))
    if fixed is None or bad is None or missed is None:
        return None
    return Shares(fixed, bad, missed, 0.0)  # how many of the bad ones no judge has seen was not published
