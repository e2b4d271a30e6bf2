"""``errata-bench results rescore|refresh|prune``: keeping stored results right."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from errata_bench.cli.options import Concurrency, GroupArgument, MaxCost, RequestTimeout, ResultsDir
from errata_bench.errors import UserError

if TYPE_CHECKING:
    from errata_bench.cases.model import Case
    from errata_bench.endpoint.settings import Settings
    from errata_bench.results.refresh import Prices
    from errata_bench.store.group import Group

INCOMPLETE = 1

Dataset = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        "-d",
        metavar="PATHS",
        help="Case files or folders whose disqualified issues hold, comma-separated; may be repeated. "
        "Default: the bundled cases.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change; write nothing and ask nobody.")]


def register(app: typer.Typer) -> None:
    """Add these commands to ``errata-bench results``."""
    app.command("rescore")(rescore)
    app.command("refresh")(refresh)
    app.command("prune")(prune)


def rescore(
    group: GroupArgument = None,
    judge_model: Annotated[
        str | None,
        typer.Option(
            "--judge-model",
            metavar="VARIANT",
            help="Let all verdicts rest on this judge; what it has judged before is not asked again. "
            "Default: each run's own judge, and nobody is asked.",
        ),
    ] = None,
    dataset: Dataset = None,
    dry_run: DryRun = False,
    results_dir: ResultsDir = None,
    concurrency: Concurrency = 30,
    request_timeout: RequestTimeout = 600.0,
    max_cost: MaxCost = None,
) -> None:
    """Score stored final documents again.

    By the current rules, disqualified issues and judge; no model reads a text. Each run is written by itself: broken
    off, the same command does the rest.
    """
    import asyncio

    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.rescore import rescore_group
    from errata_bench.results.rescorer import no_preparation
    from errata_bench.runs.judge_choice import named_judge
    from errata_bench.runs.judging_anew import NewJudge
    from errata_bench.runs.options import RunOptions
    from errata_bench.runs.rejudging import JudgePlace
    from errata_bench.runs.scoring import score_stored_run
    from errata_bench.views.maintenance import rescore_lines

    settings = load_settings(results_dir=results_dir)
    judge = None if judge_model is None else named_judge(judge_model, settings)
    cases = _cases(dataset)
    with _writable(settings, group, dry_run=dry_run) as stored:
        new = None if judge is None else NewJudge(stored, judge)
        if new is not None and not dry_run:
            options = RunOptions(concurrency=concurrency, request_timeout=request_timeout, max_cost=max_cost)
            asyncio.run(new.ask(JudgePlace(settings, options, _remark)))
        prepare = no_preparation if new is None else new.take_over
        report = rescore_group(stored, score_stored_run, cases, prepare=prepare, progress=_show_progress)
        if new is not None:
            new.take_over_unfinished()
    for line in rescore_lines(report, new, dry_run=dry_run):
        typer.echo(line)
    if new is not None and new.left and not dry_run:
        raise typer.Exit(INCOMPLETE)


def refresh(
    group: GroupArgument = None,
    dataset: Dataset = None,
    no_prices: Annotated[bool, typer.Option("--no-prices", help="Leave costs as they are.")] = False,
    reported_too: Annotated[
        bool,
        typer.Option("--reported-too", help="Reckon costs by the price list even where replies reported their own."),
    ] = False,
    dry_run: DryRun = False,
    results_dir: ResultsDir = None,
) -> None:
    """Apply disqualified issues and current prices to a group.

    Verdicts and costs follow from what is stored; no model is called. Costs that replies reported stay unless
    --reported-too. What was really paid stays in the ledger of spend.
    """
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.refresh import Prices, refresh_group
    from errata_bench.runs.scoring import score_stored_run
    from errata_bench.views.maintenance import refresh_lines

    settings = load_settings(results_dir=results_dir)
    cases = _cases(dataset)
    with _writable(settings, group, dry_run=dry_run) as stored:
        prices = Prices() if no_prices else _prices(settings, stored, ask=not dry_run, reported_too=reported_too)
        report = refresh_group(stored, score_stored_run, cases, prices, progress=_show_progress)
    for line in refresh_lines(report, dry_run=dry_run):
        typer.echo(line)


def prune(
    group: GroupArgument = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Failed runs, and recorded failures of runs that succeeded later.")
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="A model (all efforts) or a variant, by its whole name; may be repeated.",
        ),
    ] = None,
    case: Annotated[
        list[str] | None, typer.Option("--case", metavar="ID", help="A case by its whole id; may be repeated.")
    ] = None,
    endpoint: Annotated[
        list[str] | None, typer.Option("--endpoint", metavar="LABEL", help="An endpoint's label.")
    ] = None,
    prompt_version: Annotated[
        list[str] | None, typer.Option("--prompt-version", metavar="VERSION", help="A prompt version.")
    ] = None,
    old_prompts: Annotated[
        bool, typer.Option("--old-prompts", help="Runs of any prompt version but the current one; imported ones stay.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    results_dir: ResultsDir = None,
) -> None:
    """Take runs out of a group; a copy of it is kept.

    Those go that meet every option given; the copy lies beside the group. Names are whole ones here, never parts.
    Requests that were paid for stay in the ledger of spend.
    """
    import time

    from errata_bench import __version__
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.proofreading.prompts import PROMPT_VERSION
    from errata_bench.results.imports.attempts import IMPORTED
    from errata_bench.results.prune import Filter, absent_names, backup_path, select
    from errata_bench.results.prune import prune as prune_group
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path
    from errata_bench.views.maintenance import absent_lines, loss_lines, pruned_line

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group or settings.default_results_id)
    current = {PROMPT_VERSION, f"baseline-{__version__}", IMPORTED} if old_prompts else set()
    wanted = Filter(
        models=tuple(model or ()),
        cases=tuple(case or ()),
        endpoints=tuple(endpoint or ()),
        prompt_versions=tuple(prompt_version or ()),
        current_prompts=frozenset(current),
        failed=failed,
    )
    with read_group(path) as stored:
        records = stored.runs()
        selection = select(records, wanted)
    for line in absent_lines(absent_names(records, wanted)):
        _remark(line)
    for line in loss_lines(selection.losses()):
        typer.echo(line)
    if not selection:
        typer.echo(f"Nothing in {path.stem} is meant by this.")
        return
    if dry_run:
        typer.echo("Nothing was written.")
        return
    _agree(path.stem, yes=yes)
    with _writable(settings, group) as stored:
        # Looked at again: another process may have been at work meanwhile.
        selection = select(stored.runs(), wanted)
        backup = backup_path(path, time.time())
        pruned = prune_group(stored, selection, backup)
    typer.echo(pruned_line(pruned, backup))


def _cases(dataset: list[str] | None) -> tuple[Case, ...]:
    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.load import load_cases

    return load_cases(dataset or [str(bundled_dataset())])


@contextmanager
def _writable(settings: Settings, group: str | None, *, dry_run: bool = False) -> Iterator[Group]:
    """The group to be written, which has to be there; for a dry run, a copy that is thrown away."""
    from errata_bench.store.group import read_group, write_group
    from errata_bench.store.open import group_path
    from errata_bench.store.upkeep import rehearsal

    path = group_path(settings.results_dir, group or settings.default_results_id)
    if dry_run:
        with rehearsal(path) as copy, write_group(copy) as stored:
            yield stored
        return
    with read_group(path):
        pass  # one that is not there is not made
    with write_group(path) as stored:
        yield stored


def _prices(settings: Settings, group: Group, *, ask: bool, reported_too: bool) -> Prices:
    """The prices in use; the endpoint's list is asked for only where the group has models that cost anything."""
    import asyncio

    from errata_bench.endpoint.client import Endpoint
    from errata_bench.endpoint.pricing import PriceBook, kept_price_book
    from errata_bench.results.refresh import Prices

    async def load() -> PriceBook:
        async with Endpoint(settings) as endpoint:
            return await endpoint.load_prices()

    priced = any(not run.key.variant.is_baseline and run.chunks_done for run in group.runs())
    book = asyncio.run(load()) if ask and priced else kept_price_book(settings)
    if book.note is not None:
        _remark(book.note)
    return Prices(book.cost, reported_too)


def _agree(group_id: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(f"nobody is there to agree to what {group_id} would lose", mend="agree beforehand with --yes")
    if not typer.confirm("Take this out?", default=False):
        raise UserError("nothing was taken out")


def _show_progress(done: int, total: int) -> None:
    """On a terminal, count on one line, which goes again at the end."""
    if sys.stderr.isatty() and (done % 50 == 0 or done == total):
        typer.echo("\r\033[K" if done == total else f"\r{done:,} of {total:,} runs", nl=False, err=True)


def _remark(text: str) -> None:
    typer.echo(text, err=True)
