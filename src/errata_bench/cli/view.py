"""``errata-bench view``: look at results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errata_bench.errors import UserError

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

GroupArgument = Annotated[
    str | None, typer.Argument(metavar="[GROUP]", help="The group; default: ERRATA_BENCH_DEFAULT_RESULTS_ID.")
]
ResultsDir = Annotated[
    Path | None, typer.Option("--results-dir", help="Folder of the results files.", show_default="results")
]


@app.command("rankings")
def rankings(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, with more columns.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV, with more columns.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say below the table what each column means.")] = False,
) -> None:
    """Rank the models of a group."""
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.aggregate import ranked, summarise_runs
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path
    from errata_bench.views.rankings import print_rankings, rankings_csv, rankings_json
    from errata_bench.views.terminal import make_console

    if as_json and as_csv:
        raise UserError("--json and --csv exclude each other", mend="choose one of them")
    settings = load_settings(results_dir=results_dir)
    group_id = group or settings.default_results_id
    with read_group(group_path(settings.results_dir, group_id)) as stored:
        summaries = ranked(summarise_runs(stored.runs()))
    if as_json:
        typer.echo(rankings_json(group_id, summaries))
    elif as_csv:
        typer.echo(rankings_csv(summaries), nl=False)
    elif not summaries:
        typer.echo(f"The group {group_id} holds no runs yet.")
    else:
        print_rankings(make_console(), summaries, explain=explain)
