"""``errata-bench compare``: whether one variant is really better than another."""

from __future__ import annotations

from typing import Annotated

import typer

from errata_bench.cli.options import Json, ResultsDir

HELP = """Compare variants of a group: is one really better?

For each pair: the difference, its interval and its p-value, in all, by case and by category. With more than two,
every pair is compared, and p-values are corrected for that (Holm). Variants are named as in the rankings, or by a
part of their name that fits one alone."""


def compare(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group.")],
    variants: Annotated[list[str], typer.Argument(metavar="VARIANT", help="Two or more.")],
    metric: Annotated[
        str,
        typer.Option("--metric", metavar="METRIC", help="quality, aligned_quality, unneeded_per_1000_words or f05."),
    ] = "quality",
    new_texts: Annotated[
        bool, typer.Option("--new-texts", help="Ask about texts nobody has seen, rather than about these.")
    ] = False,
    results_dir: ResultsDir = None,
    as_json: Json = False,
) -> None:
    """See `HELP`."""
    from errata_bench.cli.viewing import opened
    from errata_bench.results.certainty import parse_metric
    from errata_bench.results.comparing import compare_in_group
    from errata_bench.results.statistics.scores import Question
    from errata_bench.views.comparison import comparison_json, print_comparisons
    from errata_bench.views.terminal import make_console

    wanted = parse_metric(metric)
    question = Question.NEW_TEXTS if new_texts else Question.THESE_TEXTS
    with opened(group, results_dir) as stored:
        report = compare_in_group(stored, variants, wanted, question)
    if as_json:
        typer.echo(comparison_json(report))
    else:
        print_comparisons(make_console(), report)
