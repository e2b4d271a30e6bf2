"""The ranking as a table, as CSV and as JSON: one list of columns serves all three."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_bench.results.aggregate import VariantSummary
from errata_bench.store.records import RunSettings
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import count, dollars, number, percent, plain, significant

Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in JSON and CSV, what it means, its value, and how it is shown.

    ``head`` is its head in the table, with a line break where it may be broken; one without a head is in JSON and CSV
    alone. An optional column is shown only where there is room.
    """

    name: str
    head: str
    meaning: str
    value: Callable[[VariantSummary], Value]
    show: Callable[[Any], str] = str
    optional: bool = False

    @property
    def title(self) -> str:
        """The head on one line."""
        return self.head.replace("-\n", "").replace("\n", " ")


def _figure(name: str) -> Callable[[VariantSummary], Value]:
    return lambda summary: summary[name]


COLUMNS: tuple[Column, ...] = (
    Column(
        "model",
        "model",
        "The model and, after the colon, the reasoning effort. baseline/… are offline proofreaders.",
        lambda s: str(s.variant),
        plain,
    ),
    Column(
        "runs",
        "ok /\nruns",
        "Successful attempts of all attempts. Failed ones count in stability only.",
        lambda s: f"{s.successful_runs}/{s.total_runs}",
    ),
    Column(
        "cases",
        "cases",
        "Cases with a successful run, of all cases with issues. Cases without one are left out of every mean.",
        lambda s: f"{s.cases_counted}/{s.cases}",
    ),
    Column(
        "quality",
        "qual-\nity",
        "Fixed issues of all issues, 0 to 1: the mean over cases of the mean over each case's successful runs.",
        _figure("quality"),
        number,
    ),
    Column(
        "quality_range",
        "range",
        "Best less worst quality among the runs of a case, mean over cases. Smaller is steadier.",
        lambda s: s.mean_range,
        number,
    ),
    Column(
        "stability",
        "stab-\nility",
        "Share of attempts that succeeded × (1 − range), 0 to 1.",
        lambda s: s.stability,
        number,
    ),
    Column(
        "bad_fix_rate",
        "bad\nfixes",
        "Issues that were changed but not fixed, of all issues; those that no judge has seen included.",
        _figure("bad_fix_rate"),
        percent,
    ),
    Column(
        "missed_rate",
        "missed",
        "Issues whose wrong text is still there, of all issues.",
        _figure("missed_rate"),
        percent,
    ),
    Column(
        "unjudged_rate",
        "unjud-\nged",
        "The bad fixes that no judge has seen: some of them may be valid.",
        _figure("unjudged_rate"),
        percent,
    ),
    Column(
        "issues_per_usd",
        "issues\n/ USD",
        "Fixed issues for each US dollar, candidate and judge. n/a where nothing is spent or no price is known.",
        _figure("issues_per_usd"),
        significant,
    ),
    Column(
        "issues_per_minute",
        "issues\n/ min",
        "Fixed issues for each minute in which the model was at work, without waits and retries.",
        _figure("issues_per_minute"),
        significant,
    ),
    Column(
        "tool_chars_per_issue",
        "chars/\nissue",
        "Characters of edits that helped to fix planted errors, for each one fixed. Less is more economical.",
        _figure("tool_chars_per_issue"),
        significant,
    ),
    Column(
        "cost_per_run_usd",
        "cost\n/ run",
        "US dollars for one run of one case, candidate and judge. Baselines cost nothing.",
        _figure("cost_per_run_usd"),
        dollars,
    ),
    Column(
        "off_target_share",
        "off\ntarget",
        "Characters of edits that fixed no planted error, of all edit characters.",
        _figure("off_target_share"),
        percent,
        optional=True,
    ),
    Column(
        "unexpected_paragraphs",
        "other\nparas",
        "Paragraphs changed in which nothing was planted, for each run.",
        _figure("unexpected_paragraphs"),
        significant,
        optional=True,
    ),
    Column(
        "turns_per_chunk",
        "turns\n/ chunk",
        "Requests made for each chunk.",
        _figure("turns_per_chunk"),
        significant,
        optional=True,
    ),
    Column(
        "duration_seconds_per_run",
        "sec.\n/ run",
        "Seconds the model was at work in one run.",
        _figure("duration_seconds_per_run"),
        significant,
        optional=True,
    ),
    Column(
        "output_tokens_per_run",
        "tokens\n/ run",
        "Tokens the model wrote in one run.",
        _figure("output_tokens_per_run"),
        significant,
        optional=True,
    ),
    Column("successful_runs", "", "Successful runs.", lambda s: s.successful_runs),
    Column("total_runs", "", "Attempts, failed ones included.", lambda s: s.total_runs),
    Column("unfinished_runs", "", "Runs that are at work or were interrupted.", lambda s: s.unfinished_runs),
    Column("cases_counted", "", "Cases with a successful run.", lambda s: s.cases_counted),
    Column("cases_total", "", "Cases with issues in the group.", lambda s: s.cases),
    Column("controls", "", "Control cases, which hold no issue.", lambda s: s.controls),
    Column("median_quality_range", "", "Range, median over cases.", lambda s: s.median_range),
    Column("rewrite_share", "", "Characters of replaced paragraphs of those that fixed.", _figure("rewrite_share")),
    Column("tool_calls_per_issue", "", "Edit calls for each fixed issue.", _figure("tool_calls_per_issue")),
    Column(
        "control_unexpected_paragraphs",
        "",
        "Paragraphs changed in a run of a control case.",
        lambda s: s.control_unexpected_paragraphs,
    ),
)

_MACHINE_COLUMNS = tuple(column for column in COLUMNS if column.name not in ("runs", "cases"))
"""The columns of JSON and CSV: those that are put together for the eye are given by their parts."""


def print_rankings(console: Console, summaries: Sequence[VariantSummary], *, explain: bool = False) -> None:
    """Print the table, best first, with what has to be known to read it."""
    model, *figures = [column for column in COLUMNS if column.head]
    digits = len(str(len(summaries)))
    table = FigureTable(
        heads=[column.head for column in figures],
        label_head=f"{'#':>{digits}} model",
        rows=[
            (
                f"{rank:>{digits}} {model.show(model.value(summary))}",
                [column.show(column.value(summary)) for column in figures],
            )
            for rank, summary in enumerate(summaries, 1)
        ],
        optional=sum(column.optional for column in figures),
    )
    print_figures(console, table)
    for note in notes(summaries):
        console.print(Text(note, style="dim"))
    if explain:
        console.print()
        glossary = Table.grid(padding=(0, 2, 0, 0))
        for column in (model, *figures):
            glossary.add_row(Text(column.title), Text(column.meaning))
        console.print(glossary)


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
        values = dict.fromkeys(str(getattr(one, field.name)) for one in settings if one.endpoint != "offline")
        if len(values) > 1:
            name = field.name.replace("_", " ")
            lines.append(f"Settings differ, so figures are not strictly comparable: {name} {plain(', '.join(values))}.")
    return lines


def rankings_json(group_id: str, summaries: Sequence[VariantSummary]) -> str:
    """The ranking as JSON, every column included; what is not known is null.

    It is ASCII, so that a terminal obeys nothing in it and yet no name is changed.
    """
    rows = [
        {
            "rank": rank,
            **{column.name: column.value(summary) for column in _MACHINE_COLUMNS},
            "base_model": summary.variant.model,
            "reasoning_effort": summary.variant.effort,
            "settings": {field.name: getattr(summary.settings, field.name) for field in fields(RunSettings)},
        }
        for rank, summary in enumerate(summaries, 1)
    ]
    content = {"group": group_id, "rankings": rows, "notes": notes(summaries)}
    return json.dumps(content, indent=2)


def rankings_csv(summaries: Sequence[VariantSummary]) -> str:
    """The ranking as CSV, every column included; what is not known is empty. Names are as `plain` leaves them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", *(column.name for column in _MACHINE_COLUMNS)])
    for rank, summary in enumerate(summaries, 1):
        values = [column.value(summary) for column in _MACHINE_COLUMNS]
        writer.writerow([rank, *(plain(value) if isinstance(value, str) else value for value in values)])
    return text.getvalue()
