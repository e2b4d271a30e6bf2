"""``errata-bench results list|check``: which groups there are, and whether one can be relied on."""

from __future__ import annotations

import typer

from errata_bench.cli.options import GroupArgument, Json, ResultsDir

FINDINGS = 1


def register(app: typer.Typer) -> None:
    """Add these commands to ``errata-bench results``."""
    app.command("list")(list_groups)
    app.command("check")(check)


def list_groups(results_dir: ResultsDir = None) -> None:
    """List the groups that there are.

    Each with its runs; and results that were published elsewhere.
    """
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
    as_json: Json = False,
    results_dir: ResultsDir = None,
) -> None:
    """Find out whether a group can be relied on.

    It is looked for damage, missing runs, unjudged fixes, mixed settings and suspicious runs. Exit 1 if there are any.
    """
    from errata_bench.cli.viewing import opened
    from errata_bench.results.checking import check_group
    from errata_bench.views.maintenance import finding_lines, findings_json

    with opened(group, results_dir) as stored:
        findings, group_id = check_group(stored), stored.id
    if as_json:
        typer.echo(findings_json(group_id, findings))
    else:
        for line in finding_lines(group_id, findings):
            typer.echo(line)
    if findings:
        raise typer.Exit(FINDINGS)
