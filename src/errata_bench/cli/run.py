"""``errata-bench run``: let models proofread cases, and rank them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from errata_bench.errors import Reach

HELP = """Let models proofread cases until each has its samples, then rank them.

What is stored is never run again: an interrupted or partly failed run goes on where it stopped. Without a key and
without --models the offline baselines run."""


def run(
    models: Annotated[
        list[str] | None,
        typer.Option("--models", "-m", help="Variants org/model:effort, comma-separated; may be repeated."),
    ] = None,
    models_file: Annotated[
        Path | None, typer.Option("--models-file", help="JSON array of variants, as strings or objects.")
    ] = None,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Run the offline baselines, beside what --models names.")
    ] = False,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            help="Case files or folders, comma-separated; may be repeated. Default: the bundled cases.",
        ),
    ] = None,
    group_id: Annotated[
        str | None, typer.Option("--group-id", "-g", help="Where results are kept. Default: official-v1.")
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", "--runs", min=1, help="Successful runs wanted of each variant on each case.")
    ] = 3,
    chunk_size: Annotated[
        int,
        typer.Option("--chunk-size", "--max-words-per-chunk", min=0, help="Words of a chunk; 0: the whole document."),
    ] = 2000,
    max_turns: Annotated[
        int, typer.Option("--max-turns", "--max-turns-per-chunk", min=1, help="Requests for each chunk at most.")
    ] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Runs at work at a time.")] = 30,
    max_completion_tokens: Annotated[
        int, typer.Option("--max-completion-tokens-per-turn", min=1, help="Tokens a reply may have at most.")
    ] = 8192,
    request_timeout: Annotated[
        float, typer.Option("--request-timeout", min=1, help="Seconds for one request.")
    ] = 600.0,
    reasoning_exclude: Annotated[
        bool, typer.Option("--reasoning-exclude", help="Ask the endpoint to leave the reasoning out of replies.")
    ] = False,
    reasoning_max_tokens: Annotated[
        int | None, typer.Option("--reasoning-max-tokens", min=1, help="Limit of the reasoning in tokens.")
    ] = None,
    results_dir: Annotated[
        Path | None, typer.Option("--results-dir", help="Folder of the results files.", show_default="results")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run; send and write nothing.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for every run and every fault.")] = False,
) -> None:
    """See `HELP`."""
    import asyncio

    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.load import load_cases
    from errata_bench.endpoint.model_list import read_models, starter_models
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.aggregate import ranked, summarise_runs
    from errata_bench.runs.invocation import RunOptions, planned_work, run_group, select_variants
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path
    from errata_bench.views.outcome import outcome_lines
    from errata_bench.views.plan import print_plan
    from errata_bench.views.progress import ProgressDisplay
    from errata_bench.views.rankings import print_rankings
    from errata_bench.views.terminal import make_console

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group_id or settings.default_results_id)
    named = read_models(models or (), models_file)
    selection = select_variants(named, settings, starter_models, baselines=baselines)
    for remark in selection.remarks:
        typer.echo(remark, err=True)
    cases = load_cases(dataset or [str(bundled_dataset())])
    options = RunOptions(
        samples=samples,
        chunk_size=chunk_size,
        max_turns=max_turns,
        concurrency=concurrency,
        max_completion_tokens=max_completion_tokens,
        request_timeout=request_timeout,
        reasoning_exclude=reasoning_exclude,
        reasoning_max_tokens=reasoning_max_tokens,
    )
    if dry_run:
        print_plan(make_console(), path.stem, planned_work(path, cases, selection.variants, settings, options))
        return
    display = ProgressDisplay(make_console(sys.stderr), verbose=verbose)
    outcome = asyncio.run(run_group(path, cases, selection.variants, settings, options, display))
    with read_group(path) as group:
        summaries = ranked(summarise_runs(group.runs()))
    if summaries:
        print_rankings(make_console(), summaries)
    for line in outcome_lines(path.stem, outcome, display.progress, verbose=verbose, has_key=settings.can_call):
        typer.echo(line, err=True)
    if outcome.stopped:
        raise typer.Exit(130)
    if any(fault.reach is Reach.ALL for fault in outcome.fatal.values()):
        raise typer.Exit(2)
    if outcome.failed:
        raise typer.Exit(1)
