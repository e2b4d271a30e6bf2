"""Comparisons of variants, as text and as JSON."""

from __future__ import annotations

from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from errata_bench.results.certainty import VariantComparison
from errata_bench.results.comparing import ComparisonReport
from errata_bench.results.statistics.compare import Comparison
from errata_bench.results.statistics.scores import Question
from errata_bench.views.chart.axes import find_axis
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import plain

_QUESTIONS = {
    Question.THESE_TEXTS: "on these texts, with other errors of these kinds",
    Question.NEW_TEXTS: "on new texts of these kinds",
}
_LEVEL = 0.05


def print_comparisons(console: Console, report: ComparisonReport) -> None:
    """Print each pair: the difference and how sure it is, then cases and categories."""
    for n, pair in enumerate(report.pairs):
        if n:
            console.print()
        _print_pair(console, report, pair)
    if report.smallest_difference is not None:
        console.print()
        console.print(
            Text(
                f"The smallest difference that this group would have shown in 4 of 5 cases: "
                f"{report.smallest_difference:.3f}."
            )
        )


def _print_pair(console: Console, report: ComparisonReport, pair: VariantComparison) -> None:
    one, other = plain(str(pair.one[0])), plain(str(pair.other[0]))
    found = pair.overall
    if found is None:
        console.print(Text(f"{one} and {other} have too few cases in common to be compared."))
        return
    difference = found.difference
    # The views' label, without what stands in brackets for the axis of a chart.
    metric = find_axis(report.metric).label.partition(" (")[0]
    console.print(Text(f"{one} less {other}: {metric} {_QUESTIONS[report.question]}"))
    console.print(
        Text(f"  {difference.estimate:+.3f}, 95% from {difference.low:+.3f} to {difference.high:+.3f}; {_p(found)}")
    )
    console.print(Text(f"  {_in_words(found, one, other, less_is_better=report.metric.less_is_better)}"))
    rows = [
        (
            plain(report.case_ids.get(case.case_id, case.case_id)),
            [f"{case.one:.3f}", f"{case.other:.3f}", f"{case.difference:+.3f}", str(case.units)],
        )
        for case in sorted(found.cases, key=lambda case: case.difference)
    ]
    console.print()
    print_figures(console, FigureTable(["first", "second", "differ-\nence", "units"], "case", rows))
    parts = [(name, part) for name, part in pair.categories.items() if part is not None]
    if parts:
        console.print()
        print_figures(
            console,
            FigureTable(
                ["differ-\nence", "from", "to", "p", "issues"],
                "category",
                [(plain(name), _category(part)) for name, part in parts],
            ),
        )


def _category(found: Comparison) -> list[str]:
    difference = found.difference
    figures = [f"{value:+.3f}" for value in (difference.estimate, difference.low, difference.high)]
    return [*figures, f"{found.adjusted_p:.3f}", str(difference.units)]


def _p(found: Comparison) -> str:
    exact = "exact" if found.exact else "sampled"
    adjusted = "" if found.adjusted_p == found.p_value else f", corrected {found.adjusted_p:.3g}"
    return f"p = {found.p_value:.3g} by permutation ({exact}){adjusted}"


def _in_words(found: Comparison, one: str, other: str, *, less_is_better: bool) -> str:
    if found.adjusted_p >= _LEVEL:
        return "Not told apart: the difference may well be chance."
    better = one if (found.difference.estimate > 0) != less_is_better else other
    return f"{better} is better; so large a difference would hardly be chance."


def comparison_json(report: ComparisonReport) -> str:
    """The same as JSON; cases by their names."""
    content = {
        "group": report.group_id,
        "metric": report.metric,
        "question": report.question,
        "smallest_difference": report.smallest_difference,
        "pairs": [
            {
                "one": str(pair.one[0]),
                "other": str(pair.other[0]),
                **_comparison(pair.overall),
                "cases": [
                    {
                        "case": report.case_ids.get(case.case_id, case.case_id),
                        "one": case.one,
                        "other": case.other,
                        "difference": case.difference,
                        "units": case.units,
                    }
                    for case in (pair.overall.cases if pair.overall is not None else ())
                ],
                "categories": {name: _comparison(part) for name, part in pair.categories.items()},
            }
            for pair in report.pairs
        ],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def _comparison(found: Comparison | None) -> dict[str, Any]:
    if found is None:
        return {"difference": None}
    return {
        "difference": found.difference.estimate,
        "low": found.difference.low,
        "high": found.difference.high,
        "method": found.difference.method,
        "p_value": found.p_value,
        "p_value_exact": found.exact,
        "adjusted_p": found.adjusted_p,
        "smallest_difference": found.smallest_difference,
        "units": found.difference.units,
    }
