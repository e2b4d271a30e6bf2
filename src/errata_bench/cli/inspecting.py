"""``errata-bench results list|check``: which groups there are, and whether one can be relied on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FINDINGS = 1

GroupArgument = Annotated[
    str | None, typer.Argument(metavar="[GROUP]", help="The group; default: ERRATA_BENCH_DEFAULT_RESULTS_ID.")
]
ResultsDir = Annotated[
    Path | None, typer.Option("--results-dir", help="Folder of the results files.", show_default="results")
]


def register(app: typer.Typer) -> None:
    """Add these commands to ``errata-bench results``."""
    app.command("list")(list_groups)
    app.command("check")(check)


def list_groups(results_dir: ResultsDir = None) -> None:
    """List the groups that there are, with their runs, and results that were published elsewhere."""
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.errors import StoreError
    from errata_bench.results.overview import overview_of
    from errata_bench.results.published import PUBLISHED_IDS
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_ids, group_path
    from errata_bench.views.maintenance import group_line, published_line

    settings = load_settings(results_dir=results_dir)
    for group_id in group_ids(settings.results_dir):
        try:
            with read_group(group_path(settings.results_dir, group_id)) as stored:
                typer.echo(group_line(group_id, overview_of(stored.runs(), stored.spend())))
        except StoreError as error:
            typer.echo(error.message, err=True)
    for published_id in PUBLISHED_IDS:
        typer.echo(published_line(published_id))


def check(
    group: GroupArgument = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    results_dir: ResultsDir = None,
) -> None:
    """Look for damage, missing runs, unjudged fixes, mixed settings and suspicious runs; exit 1 if there are any."""
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.checking import check_group
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path
    from errata_bench.views.maintenance import finding_lines, findings_json

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group or settings.default_results_id)
    with read_group(path) as stored:
        findings = check_group(stored)
    if as_json:
        typer.echo(findings_json(path.stem, findings))
    else:
        for line in finding_lines(path.stem, findings):
            typer.echo(line)
    if findings:
        raise typer.Exit(FINDINGS)
