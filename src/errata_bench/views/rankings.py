"""The ranking as a table, as CSV and as JSON: one list of columns serves all three."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_bench.errors import UserError
from errata_bench.results.aggregate import VariantSummary
from errata_bench.store.records import NOT_KNOWN, RunSettings
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.ranking_columns import COLUMNS, Column
from errata_bench.views.terminal import NOT_AVAILABLE, count, plain

_OF_INTERVALS = ("quality_half_width", "place")
_MACHINE_COLUMNS = tuple(column for column in COLUMNS if column.name not in ("runs", "cases"))
"""The columns of JSON and CSV: those that are put together for the eye are given by their parts."""
_SORTED_AS = {"runs": "successful_runs", "cases": "cases_counted"}


def find_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The columns of these names, or of these heads in the table. Raises `UserError` for one that there is not."""
    known = {column.title: column for column in COLUMNS} | {column.name: column for column in COLUMNS}
    for name in names:
        if name not in known:
            there = ", ".join(column.name for column in COLUMNS)
            raise UserError(f"there is no column {name!r}", mend=f"columns are {there}")
    return tuple(dict.fromkeys(known[name] for name in names))


def sorted_by(summaries: Sequence[VariantSummary], column: Column) -> list[VariantSummary]:
    """The rows, best first by one column; ties keep their order, and what is not known comes last."""
    column = find_columns([_SORTED_AS.get(column.name, column.name)])[0]

    def key(summary: VariantSummary) -> Any:
        value = column.value(summary)
        return value.casefold() if isinstance(value, str) else value

    known = [summary for summary in summaries if column.value(summary) is not None]
    unknown = [summary for summary in summaries if column.value(summary) is None]
    return sorted(known, key=key, reverse=not column.less_first) + unknown


def print_rankings(
    console: Console,
    summaries: Sequence[VariantSummary],
    *,
    explain: bool = False,
    columns: Sequence[Column] = (),
    remarks: Sequence[str] = (),
) -> None:
    """Print the table, best first, with what has to be known to read it.

    ``columns`` are shown in place of the usual ones; ``remarks`` stand before the other notes. Without intervals
    there are no columns for them.
    """
    model, *figures = [column for column in COLUMNS if column.head]
    if columns:
        figures = [replace(column, optional=False) for column in columns if column.name != model.name]
    elif not any(summary.intervals for summary in summaries):
        figures = [column for column in figures if column.name not in _OF_INTERVALS]
    digits = len(str(len(summaries)))
    starred = any(summary.place is not None for summary in summaries)
    table = FigureTable(
        heads=[column.head or _broken(column.title) for column in figures],
        label_head=f"{'#':>{digits}}{'  ' if starred else ' '}model",
        rows=[
            (
                f"{rank:>{digits}}{_star(summary) if starred else ''} {label}",
                [_shown(column, summary) for column in figures],
            )
            for rank, (summary, label) in enumerate(zip(summaries, labels(summaries), strict=True), 1)
        ],
        optional=sum(column.optional for column in figures),
    )
    print_figures(console, table)
    for note in (*remarks, *notes(summaries)):
        console.print(Text(note, style="dim"))
    if explain:
        console.print()
        glossary = Table.grid(padding=(0, 2, 0, 0))
        for column in (model, *figures):
            glossary.add_row(Text(column.title), Text(column.meaning))
        console.print(glossary)


def labels(summaries: Sequence[VariantSummary]) -> list[str]:
    """What each row is called: its variant, and where that is in several rows, the settings that tell them apart."""
    by_name: dict[str, list[RunSettings]] = {}
    for summary in summaries:
        by_name.setdefault(str(summary.variant), []).append(summary.settings)
    called = []
    for summary in summaries:
        others = by_name[str(summary.variant)]
        differing = [
            f"{field.name.replace('_', ' ')} {getattr(summary.settings, field.name) or 'none'}"
            for field in fields(RunSettings)
            if len({getattr(settings, field.name) for settings in others}) > 1
        ]
        called.append(plain(str(summary.variant)) + (f" [{plain(', '.join(differing))}]" if differing else ""))
    return called


def notes(summaries: Sequence[VariantSummary]) -> list[str]:
    """What a reader has to know beside the figures."""
    lines = []
    for summary in summaries:
        if summary.cases_counted < summary.cases:
            lines.append(
                f"{plain(str(summary.variant))}: {summary.cases_counted}/{summary.cases} cases; "
                "the rest have no successful run and are left out of its means."
            )
        if summary.unfinished_runs:
            lines.append(f"{plain(str(summary.variant))}: {count(summary.unfinished_runs, 'run')} unfinished.")
    if imported := sum(summary.imported_runs for summary in summaries):
        lines.append(f"{count(imported, 'run')} imported: made elsewhere; their texts are not here.")
    if any(summary["unjudged_rate"] for summary in summaries):
        lines.append("Unjudged fixes count as bad ones: they differ from the expected text and no judge has seen them.")
    if controls := max((summary.controls for summary in summaries), default=0):
        lines.append(f"{count(controls, 'control')} without issues: outside all figures of the table.")
    lines.extend(settings_notes([summary.settings for summary in summaries]))
    return lines


def settings_notes(settings: Sequence[RunSettings]) -> list[str]:
    """Warn where runs of different settings stand in one ranking."""
    lines = []
    for field in fields(RunSettings):
        found = dict.fromkeys(getattr(one, field.name) for one in settings if one.endpoint != "offline")
        values = ["not known" if value == NOT_KNOWN else str(value) for value in found]
        if len(values) > 1:
            name = field.name.replace("_", " ")
            lines.append(f"Settings differ, so figures are not strictly comparable: {name} {plain(', '.join(values))}.")
    return lines


def rankings_json(
    group_id: str,
    summaries: Sequence[VariantSummary],
    *,
    columns: Sequence[Column] = (),
    remarks: Sequence[str] = (),
) -> str:
    """The ranking as JSON, every column included unless some are named; what is not known is null.

    It is ASCII, so that a terminal obeys nothing in it and yet no name is changed.
    """
    rows = [
        {
            "rank": rank,
            **{column.name: column.value(summary) for column in _with_model(columns)},
            "base_model": summary.variant.model,
            "reasoning_effort": summary.variant.effort,
            "settings": {field.name: getattr(summary.settings, field.name) for field in fields(RunSettings)},
        }
        for rank, summary in enumerate(summaries, 1)
    ]
    content = {"group": group_id, "rankings": rows, "notes": [*remarks, *notes(summaries)]}
    return json.dumps(content, indent=2)


def rankings_csv(summaries: Sequence[VariantSummary], *, columns: Sequence[Column] = ()) -> str:
    """The ranking as CSV, every column and setting included unless columns are named.

    What is not known is empty. Names are as `plain` leaves them.
    """
    shown = _with_model(columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    settings = [] if columns else [field.name for field in fields(RunSettings)]
    writer.writerow(["rank", *(column.name for column in shown), *settings])
    for rank, summary in enumerate(summaries, 1):
        values = [column.value(summary) for column in shown]
        values += [getattr(summary.settings, name) for name in settings]
        writer.writerow([rank, *(plain(value) if isinstance(value, str) else value for value in values)])
    return text.getvalue()


def _star(summary: VariantSummary) -> str:
    return "*" if summary.place is not None and summary.place.with_best else " "


def _shown(column: Column, summary: VariantSummary) -> str:
    value = column.value(summary)
    return NOT_AVAILABLE if value is None else column.show(value)


def _broken(title: str) -> str:
    """A head on two lines of about the same length."""
    words = title.split()
    at = min(range(len(words) + 1), key=lambda n: abs(len(" ".join(words[:n])) - len(" ".join(words[n:]))))
    return "\n".join(part for part in (" ".join(words[:at]), " ".join(words[at:])) if part)


def _with_model(columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(dict.fromkeys((COLUMNS[0], *(columns or _MACHINE_COLUMNS))))
