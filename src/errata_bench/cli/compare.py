"""``errata-bench compare``: whether one variant is really better than another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Compare variants of a group: difference, interval, p-value, per case and per category.

With more than two, every pair is compared, and p-values are corrected for that (Holm). Variants are named as in the
rankings, or by a part of their name that fits one alone."""


def compare(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group.")],
    variants: Annotated[list[str], typer.Argument(metavar="A B …", help="Two variants or more.")],
    metric: Annotated[
        str, typer.Option("--metric", help="quality, aligned_quality, unneeded_per_1000_words or f05.")
    ] = "quality",
    new_texts: Annotated[
        bool, typer.Option("--new-texts", help="Ask about texts nobody has seen, rather than about these.")
    ] = False,
    results_dir: Annotated[
        Path | None, typer.Option("--results-dir", help="Folder of the results files.", show_default="results")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
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
