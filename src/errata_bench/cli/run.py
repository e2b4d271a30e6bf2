"""``errata-bench run``: let models proofread cases, and rank them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from errata_bench.cli.options import (
    AllowUnpriced,
    Concurrency,
    MaxCost,
    MaxOutage,
    MaxRetries,
    RequestTimeout,
    ResultsDir,
)
from errata_bench.errors import Reach

HELP = """Let models proofread cases, and rank them.

They run until each has its samples on each case. What is stored is never run again: an interrupted or partly failed
run goes on where it stopped. Without a key and without --models the offline baselines run."""


def run(
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models", "-m", metavar="VARIANTS", help="Variants org/model:effort, comma-separated; may be repeated."
        ),
    ] = None,
    models_file: Annotated[
        Path | None,
        typer.Option("--models-file", metavar="FILE", help="JSON array of variants, as strings or objects."),
    ] = None,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Run the offline baselines, beside what --models names.")
    ] = False,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            metavar="PATHS",
            help="Case files or folders, comma-separated; may be repeated. Default: the bundled cases.",
        ),
    ] = None,
    group_id: Annotated[
        str | None,
        typer.Option(
            "--group-id",
            "-g",
            metavar="GROUP",
            help="Where results are kept. Default: ERRATA_BENCH_DEFAULT_RESULTS_ID, else official-v1.",
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            "--samples", "--runs", metavar="N", min=1, help="Successful runs wanted of each variant on each case."
        ),
    ] = 3,
    chunk_size: Annotated[
        int,
        typer.Option(
            "--chunk-size",
            "--max-words-per-chunk",
            metavar="WORDS",
            min=0,
            help="Words of a chunk; 0: the whole document.",
        ),
    ] = 2000,
    max_turns: Annotated[
        int,
        typer.Option(
            "--max-turns", "--max-turns-per-chunk", metavar="N", min=1, help="Requests for each chunk at most."
        ),
    ] = 3,
    concurrency: Concurrency = 30,
    max_completion_tokens: Annotated[
        int,
        typer.Option("--max-completion-tokens-per-turn", metavar="N", min=1, help="Tokens a reply may have at most."),
    ] = 8192,
    request_timeout: RequestTimeout = 600.0,
    max_retries: MaxRetries = 6,
    retry_wait: Annotated[
        float,
        typer.Option(
            "--retry-wait",
            metavar="SECONDS",
            min=0.001,
            max=60,
            help="Seconds before the first of them, about; doubled each time.",
        ),
    ] = 1.0,
    max_outage: MaxOutage = 3600.0,
    max_cost: MaxCost = None,
    allow_unpriced: AllowUnpriced = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, whatever the estimate.")] = False,
    reasoning_exclude: Annotated[
        bool, typer.Option("--reasoning-exclude", help="Ask the endpoint to leave the reasoning out of replies.")
    ] = False,
    reasoning_max_tokens: Annotated[
        int | None, typer.Option("--reasoning-max-tokens", metavar="N", min=1, help="Limit of the reasoning in tokens.")
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option(
            "--judge-model",
            metavar="VARIANT",
            help="The model that decides whether a fix that differs from the expected one is valid. Default: "
            "ERRATA_BENCH_DEFAULT_JUDGE_MODEL, else on OpenRouter anthropic/claude-opus-4.6:low.",
        ),
    ] = None,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Leave such fixes unjudged; they count as bad ones.")
    ] = False,
    results_dir: ResultsDir = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and what it would cost; run and write nothing.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say in words what the log in <results>/logs says, as it happens.")
    ] = False,
) -> None:
    """See `HELP`."""
    import asyncio

    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.load import load_cases
    from errata_bench.endpoint.model_list import read_models, starter_models
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.ranking import make_ranking
    from errata_bench.runs.consent import must_ask
    from errata_bench.runs.estimate import Estimate
    from errata_bench.runs.invocation import Hooks, RunOptions, forecast_group, run_group, select_variants
    from errata_bench.runs.judge_choice import choose_judge
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path
    from errata_bench.views.estimate import estimate_lines, print_estimate
    from errata_bench.views.outcome import outcome_lines
    from errata_bench.views.plan import print_plan
    from errata_bench.views.progress import ProgressDisplay
    from errata_bench.views.rankings import print_rankings
    from errata_bench.views.terminal import make_console

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group_id or settings.default_results_id)
    named = read_models(models or (), models_file)
    selection = select_variants(named, settings, starter_models, baselines=baselines)
    judging = choose_judge(judge_model, settings, selection.variants, none=no_judge)
    for remark in (*selection.remarks, *([judging.remark] if judging.remark else [])):
        typer.echo(remark, err=True)
    cases = load_cases(dataset or [str(bundled_dataset())])
    options = RunOptions(
        samples=samples,
        chunk_size=chunk_size,
        max_turns=max_turns,
        concurrency=concurrency,
        max_completion_tokens=max_completion_tokens,
        request_timeout=request_timeout,
        max_retries=max_retries,
        retry_wait=retry_wait,
        max_outage=max_outage,
        max_cost=max_cost,
        allow_unpriced=allow_unpriced,
        reasoning_exclude=reasoning_exclude,
        reasoning_max_tokens=reasoning_max_tokens,
        judge=judging.variant,
    )
    if dry_run:
        forecast = asyncio.run(forecast_group(path, cases, selection.variants, settings, options))
        print_plan(make_console(), path.stem, forecast.plan)
        if forecast.note is not None:
            typer.echo(forecast.note, err=True)
        if forecast.plan.todo:
            print_estimate(make_console(), forecast.estimate)
        return

    def approve(estimate: Estimate) -> None:
        on_terminal = sys.stdin.isatty() and sys.stderr.isatty()
        asked = must_ask(estimate, options, yes=yes, on_terminal=on_terminal)
        if asked:
            print_estimate(make_console(sys.stderr), estimate)
        for line in estimate_lines(estimate):
            typer.echo(line, err=True)
        if asked and not typer.confirm("Go on?", err=True):
            typer.echo("Nothing was run.", err=True)
            raise typer.Exit(1)

    display = ProgressDisplay(make_console(sys.stderr), verbose=verbose)
    hooks = Hooks(approve, display.logged)
    outcome = asyncio.run(run_group(path, cases, selection.variants, settings, options, display, hooks))
    with read_group(path) as group:
        ranking = make_ranking(group)
    if ranking.summaries:
        print_rankings(make_console(), ranking.summaries, remarks=ranking.remarks)
    for line in outcome_lines(
        path.stem, outcome, display.progress, verbose=verbose, has_key=settings.can_call, results_dir=results_dir
    ):
        typer.echo(line, err=True)
    if outcome.stopped:
        raise typer.Exit(130)
    if any(fault.reach is Reach.ALL for fault in outcome.fatal.values()):
        raise typer.Exit(2)
    if outcome.failed or outcome.unaffordable:
        raise typer.Exit(1)
