"""The rankings: a row for each model, over everything, one case, or one category."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.narrowing import best_variants
from errata_bench.results.detail.selection import provider_of
from errata_bench.views.ranking_columns import COLUMNS, Column
from errata_bench.views.rankings import notes
from errata_bench.views.terminal import NOT_AVAILABLE, percent
from errata_bench.views.web.contexts.common import Request, model_fits, settings_words
from errata_bench.views.web.data import Facts
from errata_bench.views.web.scoped import Ends, Scope

_ELSEWHERE = ("model", "quality_half_width")
"""Shown in a place of their own: the name of a row, and the interval under its quality."""
_LAST = ("runs", "cases")
"""What a model has to show for its figures; on a phone the figures themselves come first."""


def figure_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Those that stand in a table's cells, in their order there."""
    return tuple(sorted((one for one in columns if one.name not in _ELSEWHERE), key=lambda one: one.name in _LAST))


FIGURE_COLUMNS = figure_columns(column for column in COLUMNS if column.head)
WITH_BEST = "What has a * cannot be told from the best, on these texts."
_NO_FILTERS: Mapping[str, str] = {"search": "", "provider": "", "effort": ""}


@dataclass(frozen=True, slots=True)
class Shares:
    """What became of the issues, each 0 to 1; ``unjudged`` is not in ``bad``, so they add up to 1."""

    fixed: float
    bad: float
    missed: float
    unjudged: float

    @property
    def words(self) -> str:
        """The same in words."""
        parts = [f"fixed {percent(self.fixed)}", f"bad fix {percent(self.bad)}", f"missed {percent(self.missed)}"]
        return ", ".join([*parts, f"unjudged {percent(self.unjudged)}"] if self.unjudged else parts)


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as it is shown and as it sorts; None where nobody knows it."""

    name: str
    text: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One model.

    ``best`` is the best of the variants of its model, ``with_best`` says that its quality cannot be told from that of
    the best one of all; ``shown`` what the filters leave.
    """

    rank: int
    label: str
    entry: Entry
    best: bool
    shown: bool
    cells: tuple[Cell, ...]
    shares: Shares | None
    ends: Ends | None
    effort: str
    provider: str
    with_best: bool


def rankings(request: Request) -> dict[str, Any]:
    """What stands on the page of rankings."""
    facts = request.facts
    scope = request.scope
    filters = {
        "search": request.text("q"),
        "provider": request.one_of("provider", facts.providers),
        "effort": request.one_of("effort", facts.efforts),
    }
    best_only = request.flag("best")
    rows = rows_of(facts, scope, filters, best_only=best_only)
    sort = request.one_of("sort", [column.name for column in FIGURE_COLUMNS])
    ascending = request.query.get("dir") == "asc"
    if sort:
        rows = sorted_rows(rows, FIGURE_COLUMNS, sort, ascending=ascending)
    return {
        "rows": rows,
        "columns": FIGURE_COLUMNS,
        "scope": scope,
        "filters": filters,
        "best_only": best_only,
        "all_figures": request.flag("all"),
        "sort": sort,
        "ascending": ascending,
        "notes": _notes(facts, scope),
        "settings": [settings_words(one) for one in facts.overview.settings[:5]],
        "has_shares": any(row.shares for row in rows),
    }


def rows_of(facts: Facts, scope: Scope, filters: Mapping[str, str], *, best_only: bool = False) -> list[Row]:
    """The rows of a scope, best first."""
    rows = []
    ends = facts.quality_intervals(scope)
    summaries = facts.summaries_of(scope)
    best = {Entry(one.variant, one.settings) for one in best_variants(summaries)}
    for rank, summary in enumerate(summaries, 1):
        entry = Entry(summary.variant, summary.settings)
        rows.append(
            Row(
                rank=rank,
                label=facts.labels[entry],
                entry=entry,
                best=entry in best,
                shown=model_fits(entry.variant, **filters) and (entry in best or not best_only),
                cells=cells_of(summary, FIGURE_COLUMNS),
                shares=_shares(summary),
                ends=ends.get(entry),
                effort=entry.variant.effort or "",
                provider=provider_of(entry.variant),
                with_best=summary.place is not None and summary.place.with_best,
            )
        )
    return rows


def cells_of(summary: VariantSummary, columns: Sequence[Column]) -> tuple[Cell, ...]:
    """The figures of a row."""
    cells = []
    for column in columns:
        value = column.value(summary)
        if isinstance(value, str):
            cells.append(Cell(column.name, value, _leading_number(value)))
        else:
            text = NOT_AVAILABLE if value is None else column.show(value)
            cells.append(Cell(column.name, text, None if value is None else float(value)))
    return tuple(cells)


def _leading_number(text: str) -> float | None:
    found = re.match(r"[0-9]+", text)
    return float(found[0]) if found else None


def _shares(summary: VariantSummary) -> Shares | None:
    names = ("quality", "bad_fix_rate", "missed_rate", "unjudged_rate")
    fixed, bad, missed, unjudged = (summary[name] for name in names)
    if fixed is None or bad is None or missed is None or unjudged is None:
        return None
    return Shares(fixed, bad - unjudged, missed, unjudged)


def sorted_rows(rows: Sequence[Row], columns: Sequence[Column], name: str, *, ascending: bool) -> list[Row]:
    """The rows by one of their columns; what is not known comes last."""
    place = next(n for n, column in enumerate(columns) if column.name == name)

    def key(row: Row) -> tuple[bool, float]:
        value = row.cells[place].value
        return value is None, 0.0 if value is None else value if ascending else -value

    return sorted(rows, key=key)


def _notes(facts: Facts, scope: Scope) -> list[str]:
    summaries = facts.summaries_of(scope)
    told = [WITH_BEST] if any(one.place is not None and one.place.with_best for one in summaries) else []
    return [*told, *facts.scope_notes(scope), *notes(summaries)]


def scopes(facts: Facts) -> dict[str, Any]:
    """Every scope's figures, for pages that cannot ask: by scope, then by label."""
    scopes = [Scope(), *(Scope(case=one) for one in facts.case_ids), *(Scope(category=one) for one in facts.categories)]
    return {
        scope.name: {
            "notes": _notes(facts, scope),
            "rows": {row.label: _row_values(row) for row in rows_of(facts, scope, _NO_FILTERS)},
        }
        for scope in scopes
    }


def _row_values(row: Row) -> list[Any]:
    shares = row.shares
    return [
        row.rank,
        int(row.best),
        {cell.name: [cell.text, _short(cell.value)] for cell in row.cells if cell.text != NOT_AVAILABLE},
        [_short(one) for one in (shares.fixed, shares.bad, shares.missed, shares.unjudged)] if shares else None,
        shares.words if shares else "",
        [_short(row.ends.low), _short(row.ends.high)] if row.ends else None,
        int(row.with_best),
    ]


def _short(value: float | None) -> float | None:
    """Six digits are enough to draw and to sort."""
    return None if value is None else float(f"{value:.6g}")
