"""The ranking as a table, as CSV and as JSON: one list of columns serves all three."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_bench.results.aggregate import VariantSummary
from errata_bench.store.records import RunSettings
from errata_bench.views.terminal import count, dollars, number, percent, plain, significant

Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in JSON and CSV, its head in the table, what it means, its value, and how it is shown."""

    name: str
    head: str
    meaning: str
    value: Callable[[VariantSummary], Value]
    show: Callable[[Any], str] = str
    in_table: bool = True


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
    Column("successful_runs", "ok", "Successful runs.", lambda s: s.successful_runs, in_table=False),
    Column("total_runs", "runs", "Attempts, failed ones included.", lambda s: s.total_runs, in_table=False),
    Column(
        "runs",
        "runs\nok/all",
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
        "stabi-\nlity",
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
    *(
        Column(name, name, meaning, _figure(name), in_table=False)
        for name, meaning in (
            ("off_target_share", "Characters of edits that fixed no planted error, of all edit characters."),
            ("rewrite_share", "Characters of whole-paragraph replacements, of those that helped to fix."),
            ("turns_per_chunk", "Requests made for each chunk."),
            ("tool_calls_per_issue", "Edit calls that helped to fix planted errors, for each one fixed."),
            ("unexpected_paragraphs", "Paragraphs changed in which nothing was planted, for each run."),
            ("output_tokens_per_run", "Tokens the model wrote in one run."),
            ("duration_seconds_per_run", "Seconds the model was at work in one run."),
        )
    ),
    Column(
        "median_quality_range", "median range", "Range, median over cases.", lambda s: s.median_range, in_table=False
    ),
    Column(
        "unfinished_runs",
        "unfinished",
        "Runs that are at work or were interrupted.",
        lambda s: s.unfinished_runs,
        in_table=False,
    ),
    Column("controls", "controls", "Control cases, which hold no issue.", lambda s: s.controls, in_table=False),
    Column(
        "control_unexpected_paragraphs",
        "control changes",
        "Paragraphs changed in a run of a control case.",
        lambda s: s.control_unexpected_paragraphs,
        in_table=False,
    ),
)


def print_rankings(
    console: Console, group_id: str, summaries: Sequence[VariantSummary], *, explain: bool = False
) -> None:
    """Print the table, best first, with what has to be known to read it."""
    columns = [column for column in COLUMNS if column.in_table]
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", show_edge=False)
    table.add_column("#", justify="right", vertical="top", no_wrap=True)
    for column in columns:
        is_model = column.name == "model"
        table.add_column(
            column.head,
            justify="left" if is_model else "right",
            overflow="fold" if is_model else "ellipsis",
            no_wrap=not is_model,
            min_width=14 if is_model else None,
        )
    for rank, summary in enumerate(summaries, 1):
        table.add_row(Text(str(rank)), *(Text(column.show(column.value(summary))) for column in columns))
    console.print(table)
    for note in notes(summaries):
        console.print(Text(note, style="dim"))
    if explain:
        console.print()
        for column in columns:
            console.print(Text(f"{column.head.replace('-' + chr(10), '').replace(chr(10), ' '):>14}  {column.meaning}"))


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
    """The ranking as JSON, every column included."""
    rows = [
        {
            "rank": rank,
            **{column.name: column.value(summary) for column in COLUMNS if column.name not in ("runs", "cases")},
            "base_model": summary.variant.model,
            "reasoning_effort": summary.variant.effort,
            "cases_counted": summary.cases_counted,
            "cases": summary.cases,
            "settings": {field.name: getattr(summary.settings, field.name) for field in fields(RunSettings)},
        }
        for rank, summary in enumerate(summaries, 1)
    ]
    content = {"group": group_id, "rankings": rows, "notes": notes(summaries)}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def rankings_csv(summaries: Sequence[VariantSummary]) -> str:
    """The ranking as CSV, every column included; what is not known is empty."""
    columns = [column for column in COLUMNS if column.name not in ("runs", "cases")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", *(column.name for column in columns), "cases_counted", "cases"])
    for rank, summary in enumerate(summaries, 1):
        values = ["" if (value := column.value(summary)) is None else value for column in columns]
        writer.writerow([rank, *values, summary.cases_counted, summary.cases])
    return text.getvalue()
