"""Heat maps: models by cases, and models by categories of error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.narrowing import best_variants
from errata_bench.results.detail.rates import RateRow
from errata_bench.results.detail.selection import provider_of
from errata_bench.views.web.contexts.common import Request, model_fits
from errata_bench.views.web.formats import child, words
from errata_bench.views.web.scoped import Scope


@dataclass(frozen=True, slots=True)
class HeatColumn:
    """A case or a category: ``group`` is the set of columns that are shown together, ``href`` where its head leads."""

    name: str
    title: str
    group: str
    href: str
    issues: int
    mean: float | None
    shown: bool


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A share fixed, 0 to 1 (None: no run), and the page with the issues behind it."""

    share: float | None
    href: str
    shown: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A model."""

    label: str
    provider: str
    effort: str
    best: bool
    shown: bool
    cells: tuple[HeatCell, ...]


def cases(request: Request) -> dict[str, Any]:
    """What stands on the page of the cases."""
    facts = request.facts
    rows = [row for row in facts.by_case.rows if not row.is_control]
    columns = [
        HeatColumn(
            name=row.name,
            title=row.name,
            group="",
            href=request.links(f"case/{facts.case_numbers[row.fingerprint or '']}.html"),
            issues=row.issues,
            mean=row.mean,
            shown=True,
        )
        for row in rows
    ]
    controls = [
        {"name": row.name, "href": request.links(f"case/{facts.case_numbers[row.fingerprint or '']}.html")}
        for row in facts.by_case.rows
        if row.is_control
    ]
    return _page(request, "case", rows, columns) | {
        "heading": "Cases",
        "lead": "Share of each document’s planted errors that a model fixed, in per cent: the mean over its runs. "
        "Hardest document first. A cell leads to the errors behind it.",
        "kinds": None,
        "kind": "",
        "controls": controls,
    }


def categories(request: Request) -> dict[str, Any]:
    """What stands on the page of the categories."""
    facts = request.facts
    parents = [row.name for row in facts.by_category.rows]
    kind = request.one_of("kind", [*parents, "all"])
    rows: list[RateRow] = []
    columns: list[HeatColumn] = []
    for parent in facts.by_category.rows:
        for row in (parent, *parent.children):
            top = row is parent
            shown = (top if not kind else not top) if kind in ("", "all") else (not top and row.parent == kind)
            if not shown and not request.static:
                continue
            rows.append(row)
            columns.append(
                HeatColumn(
                    name=row.name,
                    title=words(row.name) if top else child(row.name),
                    group="" if top else parent.name,
                    href=request.links("categories.html", kind=row.name)
                    if top
                    else request.links("issues.html", category=row.name),
                    issues=row.issues,
                    mean=row.mean,
                    shown=shown,
                )
            )
    return _page(request, "category", rows, columns) | {
        "heading": "Categories",
        "lead": "Share of the planted errors of each kind that a model fixed, in per cent: the mean over cases of the "
        "mean over runs. A cell leads to the errors behind it.",
        "kinds": parents,
        "kind": kind,
        "controls": [],
    }


def _page(request: Request, parameter: str, rows: Sequence[RateRow], columns: Sequence[HeatColumn]) -> dict[str, Any]:
    facts = request.facts
    filters = {
        "search": request.text("q"),
        "provider": request.one_of("provider", facts.providers),
        "effort": request.one_of("effort", facts.efforts),
    }
    best_only = request.flag("best")
    best_ones = {Entry(one.variant, one.settings) for one in best_variants(facts.summaries_of(Scope()))}
    found = []
    for entry in facts.by_case.entries:
        best = entry in best_ones
        label = facts.labels[entry]
        cells = tuple(
            HeatCell(
                row.cells[entry].rate,
                request.links("issues.html", **{parameter: row.name, "model": label}),
                column.shown,
            )
            for row, column in zip(rows, columns, strict=True)
        )
        found.append(
            HeatRow(
                label=label,
                provider=provider_of(entry.variant),
                effort=entry.variant.effort or "",
                best=best,
                shown=model_fits(entry.variant, **filters) and (best or not best_only),
                cells=cells,
            )
        )
    return {"columns": columns, "rows": found, "filters": filters, "best_only": best_only, "parameter": parameter}
