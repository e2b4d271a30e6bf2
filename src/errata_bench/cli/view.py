"""``errata-bench view``: look at results."""

from __future__ import annotations

from typing import Annotated

import typer

from errata_bench.cli.options import (
    App,
    Cases,
    Categories,
    Efforts,
    GroupArgument,
    Models,
    Providers,
    ResultsDir,
)
from errata_bench.cli.options import JsonWithMore as Json
from errata_bench.cli.viewing import names_in, opened, published_named, selection_of
from errata_bench.errors import UserError
from errata_bench.results.rules import Rule

app = App()


@app.command("rankings")
def rankings(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, with more columns.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV, with more columns.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say below the table what each column means.")] = False,
    sort: Annotated[
        str | None, typer.Option("--sort", metavar="COLUMN", help="Put the best in this column first.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A,B,C", help="Show these columns; a wrong name lists them all.")
    ] = None,
    best_variant_only: Annotated[
        bool, typer.Option("--best-variant-only", help="Of each model only the effort that ranks first.")
    ] = False,
    rule: Annotated[
        Rule, typer.Option("--rule", help="Rank by rule v1 (as published results do) or by the aligned verdict.")
    ] = Rule.V1,
    new_texts: Annotated[
        bool, typer.Option("--new-texts", help="Intervals for texts nobody has seen, rather than for these.")
    ] = False,
    failures_as_zero: Annotated[
        bool, typer.Option("--failures-as-zero", help="Rank with each failed attempt as a run that fixed nothing.")
    ] = False,
    no_intervals: Annotated[bool, typer.Option("--no-intervals", help="Leave out how sure the figures are.")] = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Rank the models of a group."""
    from errata_bench.results.aggregate import ranked
    from errata_bench.results.detail.narrowing import best_variants
    from errata_bench.results.published import PUBLISHED_ELSEWHERE, narrow_published
    from errata_bench.results.ranking import Ranking, RankingOptions, make_ranking
    from errata_bench.views.rankings import find_columns, print_rankings, rankings_csv, rankings_json, sorted_by
    from errata_bench.views.selection import selection_notes
    from errata_bench.views.terminal import make_console

    if as_json and as_csv:
        raise UserError("--json and --csv exclude each other", mend="choose one of them")
    shown = find_columns(names_in([columns] if columns else None))
    order = find_columns([sort]) if sort else ()
    selection = selection_of(model, provider, effort, case, category)
    if (published := published_named(group, results_dir)) is not None:
        narrowed, group_id = narrow_published(published, selection), published.id
        best = ranked(narrowed.summaries)
        ranking = Ranking(tuple(best_variants(best) if best_variant_only else best), narrowed, published.remarks)
        typer.echo(f"{published.title}: {PUBLISHED_ELSEWHERE}", err=as_json or as_csv)
    else:
        options = RankingOptions(rule, new_texts, failures_as_zero, not no_intervals, best_variant_only)
        with opened(group, results_dir) as stored:
            ranking, group_id = make_ranking(stored, selection, options), stored.id
    summaries = list(ranking.summaries)
    for column in order:
        summaries = sorted_by(summaries, column)
    remarks = [
        *ranking.remarks,
        *selection_notes(ranking.narrowed, best_variant_only=best_variant_only),
    ]
    if as_json:
        typer.echo(rankings_json(group_id, summaries, columns=shown, remarks=remarks))
    elif as_csv:
        typer.echo(rankings_csv(summaries, columns=shown), nl=False)
    elif not summaries:
        typer.echo(f"The group {group_id} holds no runs yet.")
    else:
        print_rankings(make_console(), summaries, explain=explain, columns=shown, remarks=remarks)


@app.command("datasets")
def datasets(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Json = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Show how much of each case every model fixes."""
    from errata_bench.results.detail.rates import case_rates
    from errata_bench.results.published import published_cases
    from errata_bench.views.published import print_published_cases, published_cases_json
    from errata_bench.views.rates import print_rates, rates_json
    from errata_bench.views.terminal import make_console

    selection = selection_of(model, provider, effort, case, category)
    if (published := published_named(group, results_dir)) is not None:
        texts = published_cases(published, selection)
        if as_json:
            typer.echo(published_cases_json(published, texts))
        else:
            print_published_cases(make_console(), published, texts)
        return
    with opened(group, results_dir) as stored:
        table = case_rates(stored, selection)
        group_id = stored.id
    if as_json:
        typer.echo(rates_json(group_id, table, "cases"))
    elif not table.entries:
        typer.echo(f"The group {group_id} holds no runs yet.")
    else:
        print_rates(make_console(), table, "case")


@app.command("categories")
def categories(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Json = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Show how much of each category of error every model fixes."""
    from errata_bench.results.detail.rates import category_rates
    from errata_bench.views.rates import print_rates, rates_json
    from errata_bench.views.terminal import make_console

    with opened(group, results_dir) as stored:
        table = category_rates(stored, selection_of(model, provider, effort, case, category))
        group_id = stored.id
    if as_json:
        typer.echo(rates_json(group_id, table, "categories"))
    elif not table.entries:
        typer.echo(f"The group {group_id} holds no runs yet.")
    else:
        print_rates(make_console(), table, "category")


@app.command("issues")
def issues(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Json = False,
    never_fixed: Annotated[bool, typer.Option("--never-fixed", help="Only those that no run has fixed.")] = False,
    always_fixed: Annotated[bool, typer.Option("--always-fixed", help="Only those that every run has fixed.")] = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Show each planted error and how many fixed it."""
    from errata_bench.results.detail.issues import issue_rows
    from errata_bench.views.issues import issues_json, print_issues
    from errata_bench.views.terminal import make_console

    with opened(group, results_dir) as stored:
        rows = issue_rows(stored, selection_of(model, provider, effort, case, category))
        group_id = stored.id
    if never_fixed or always_fixed:
        rows = [row for row in rows if (never_fixed and row.never_fixed) or (always_fixed and row.always_fixed)]
    if as_json:
        typer.echo(issues_json(group_id, rows))
    else:
        print_issues(make_console(), rows)


@app.command("misses")
def misses(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Json = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
    category: Categories = None,
) -> None:
    """Show what was altered but not accepted, and why."""
    from errata_bench.results.detail.misses import misses as find_misses
    from errata_bench.views.issues import misses_json, print_misses
    from errata_bench.views.terminal import make_console

    with opened(group, results_dir) as stored:
        found = list(find_misses(stored, selection_of(model, provider, effort, case, category)))
        group_id = stored.id
    if as_json:
        typer.echo(misses_json(group_id, found))
    else:
        print_misses(make_console(), found)


@app.command("runs")
def runs(
    group: GroupArgument = None,
    results_dir: ResultsDir = None,
    as_json: Json = False,
    model: Models = None,
    provider: Providers = None,
    effort: Efforts = None,
    case: Cases = None,
) -> None:
    """List the runs of a group with their numbers."""
    from errata_bench.results.detail.run import run_list
    from errata_bench.views.runs import print_runs, runs_json
    from errata_bench.views.terminal import make_console

    with opened(group, results_dir) as stored:
        records = run_list(stored, selection_of(model, provider, effort, case, None))
        group_id = stored.id
    if as_json:
        typer.echo(runs_json(group_id, records))
    elif not records:
        typer.echo(f"The group {group_id} holds no runs yet.")
    else:
        print_runs(make_console(), records)


@app.command("run")
def run(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group.")],
    number: Annotated[int, typer.Argument(metavar="RUN", help="The run's number, from: errata-bench view runs.")],
    results_dir: ResultsDir = None,
    as_json: Json = False,
    whole: Annotated[bool, typer.Option("--whole", help="Show unchanged paragraphs as well.")] = False,
    calls: Annotated[bool, typer.Option("--calls", help="Show each tool call with its result.")] = False,
) -> None:
    """Show one run: its text with every edit marked.

    Its verdicts, its turns and its cost are below.
    """
    from errata_bench.results.detail.run import run_detail
    from errata_bench.views.run import print_run
    from errata_bench.views.run_json import run_json
    from errata_bench.views.terminal import make_console

    with opened(group, results_dir) as stored:
        detail = run_detail(stored, number)
        group_id = stored.id
    if as_json:
        typer.echo(run_json(group_id, detail))
    else:
        print_run(make_console(), detail, whole=whole, calls=calls)
