"""Cases, the checker's report and the taxonomy, in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson
from rich.text import Text

from errata_bench.cases.check import CaseFigures, Finding, Report
from errata_bench.taxonomy import CATEGORIES, PARENTS
from errata_bench.views.figures import FigureTable
from errata_bench.views.figures import print_figures as print_figure_table
from errata_bench.views.terminal import make_console, plain

_HEADS = ("para-\ngraphs", "words", "issues", "per 1,000\nwords", "disqual-\nified", "con-\ntrol")
_NAMED = 12
"""So many missing categories are named; more are only counted."""


def print_figures(figures: Sequence[CaseFigures]) -> None:
    """Print the cases as a table with a last line of sums."""
    console = make_console()
    rows = [(_label(case), _figures(case)) for case in figures]
    words = sum(case.words for case in figures)
    issues = sum(case.issues for case in figures)
    rows.append(
        (
            f"{len(figures)} case{'' if len(figures) == 1 else 's'}",
            (
                str(sum(case.paragraphs for case in figures)),
                f"{words:,}",
                str(issues),
                f"{1000 * issues / words:.1f}" if words else "",
                str(sum(case.disqualified for case in figures)),
                str(sum(case.is_control for case in figures)),
            ),
        )
    )
    print_figure_table(console, FigureTable(_HEADS, "case", rows))


def figures_json(figures: Sequence[CaseFigures]) -> str:
    """The cases as a JSON array."""
    return _json([asdict(case) for case in figures])


def print_report(report: Report) -> None:
    """Print the figures, the categories, notes and findings."""
    console = make_console()
    print_figures(report.cases)
    console.print()
    _print_categories(report)
    for title, entries in (("Notes", report.notes), ("Findings", report.findings)):
        if entries:
            console.print(Text(f"{title} ({len(entries)}):", style="bold"))
            for entry in entries:
                console.print(Text(f"  {_shown(entry)}"), soft_wrap=True)
    if report.is_clean:
        console.print("No findings.")


def report_json(report: Report) -> str:
    """The report as one JSON object."""
    return _json(report.as_json())


def print_taxonomy() -> None:
    """Print every category with what the taxonomy says of it."""
    console = make_console()
    for parent, about in PARENTS.items():
        console.print(Text(parent, style="bold"))
        console.print(f"  {about}")
        for category in CATEGORIES:
            if category.parent == parent:
                console.print()
                console.print(Text(f"  {category.child}", style="bold"))
                usual = (category.edit_scope, category.operation, category.dimension, category.severity)
                for line in (
                    category.definition,
                    f"Wrong: {category.wrong}",
                    f"Right: {category.right}",
                    f"Usually: {', '.join(usual)}; valid word: {category.valid_word.replace('_', ' ')}",
                ):
                    console.print(f"    {line}", soft_wrap=True)
        console.print()


def taxonomy_json() -> str:
    """The taxonomy as a JSON array."""
    return _json([{"label": category.label, **asdict(category)} for category in CATEGORIES])


def _label(case: CaseFigures) -> str:
    return plain(f"{case.id} ({case.genre})" if case.genre else case.id)


def _figures(case: CaseFigures) -> tuple[str, ...]:
    return (
        str(case.paragraphs),
        f"{case.words:,}",
        str(case.issues),
        f"{case.per_1000_words:.1f}",
        str(case.disqualified),
        "yes" if case.is_control else "no",
    )


def _print_categories(report: Report) -> None:
    used = {label: count for label, count in report.categories.items() if count}
    if used:
        total = sum(used.values())
        rows = [(plain(label), (str(count), f"{100 * count / total:.1f}%")) for label, count in used.items()]
        console = make_console()
        print_figure_table(console, FigureTable(("issues", "share"), "category", rows))
        missing = [category.child for category in CATEGORIES if category.label not in used]
        if missing:
            named = ", ".join(missing) if len(missing) <= _NAMED else f"{len(missing)} of {len(CATEGORIES)} categories"
            console.print(Text(f"No issue of: {named}", style="dim"), soft_wrap=True)
        console.print()


def _shown(finding: Finding) -> str:
    return plain(str(finding))


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
