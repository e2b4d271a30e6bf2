"""``errata-bench generate``: make a case out of a clean text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errata_bench.cli.options import AllowUnpriced, Concurrency, MaxCost, MaxOutage, MaxRetries, RequestTimeout

if TYPE_CHECKING:
    from errata_bench.cases.check import Report
    from errata_bench.endpoint.settings import Settings
    from errata_bench.generation.options import Roles

HELP = """Make a benchmark case out of a clean text.

A model plants errors (--model), another accepts only those worth benchmarking (--review-model), and code checks all
that needs no model. --offline plants by rules, without any model. Interrupted, the same command goes on where it
stopped."""

_INTERRUPTED, _MISTAKE, _SHORT = 130, 2, 1


def generate(
    source: Annotated[Path, typer.Option("--source", "-s", metavar="FILE", help="The clean text, .txt or .html.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="VARIANT",
            help="Corruptor org/model:effort. Default: ERRATA_BENCH_DEFAULT_CORRUPTION_MODEL.",
        ),
    ] = None,
    review_model: Annotated[
        str | None,
        typer.Option(
            "--review-model", metavar="VARIANT", help="Reviewer. Default: ERRATA_BENCH_DEFAULT_CORRUPTION_REVIEW_MODEL."
        ),
    ] = None,
    second_review_model: Annotated[
        str | None,
        typer.Option("--second-review-model", metavar="VARIANT", help="A second reviewer, who has to agree."),
    ] = None,
    solve_model: Annotated[
        str | None,
        typer.Option(
            "--solve-model", metavar="VARIANT", help="A model that tries to find what was planted, for the author."
        ),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Plant by rules; no model takes part.")] = False,
    review_min_confidence: Annotated[
        str,
        typer.Option(
            "--review-min-confidence", metavar="LEVEL", help="What a reviewer has to be sure with: low, medium or high."
        ),
    ] = "medium",
    issues_per_1000_words: Annotated[
        float | None,
        typer.Option("--issues-per-1000-words", metavar="N", help="Errors wanted in 1,000 words. Default: 5."),
    ] = None,
    issue_count: Annotated[
        int | None, typer.Option("--issue-count", metavar="N", min=1, help="Errors wanted in all.")
    ] = None,
    max_words_per_chunk: Annotated[
        int, typer.Option("--max-words-per-chunk", metavar="WORDS", min=0, help="Words of a window; 0: the whole text.")
    ] = 300,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Fixes every choice that is not a model's.")] = 0,
    target_category: Annotated[
        str | None, typer.Option("--target-category", metavar="CATEGORY", help="Plant only errors of this category.")
    ] = None,
    target_categories: Annotated[
        list[str] | None,
        typer.Option(
            "--target-categories", metavar="CATEGORIES", help="Plant only these, comma-separated; may be repeated."
        ),
    ] = None,
    required_parent: Annotated[
        str | None, typer.Option("--required-parent", metavar="PARENT", help="Plant only categories of this parent.")
    ] = None,
    candidate_categories: Annotated[
        int,
        typer.Option(
            "--candidate-categories", metavar="N", min=1, help="Categories offered to the corruptor at a time."
        ),
    ] = 4,
    single_target_class_per_chunk: Annotated[
        bool, typer.Option("--single-target-class-per-chunk", help="Offer exactly one category at a time.")
    ] = False,
    dataset_to_balance: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset-to-balance",
            metavar="PATHS",
            help="Cases whose rare categories are favoured, comma-separated; may be repeated.",
        ),
    ] = None,
    balance_exclude_top_categories: Annotated[
        int | None,
        typer.Option(
            "--balance-exclude-top-categories", metavar="N", min=1, help="Leave out that many of their commonest."
        ),
    ] = None,
    balance_max_category_count: Annotated[
        int | None,
        typer.Option(
            "--balance-max-category-count",
            metavar="N",
            min=1,
            help="Leave out those that occur so often, new ones too.",
        ),
    ] = None,
    max_attempts_per_issue: Annotated[
        int,
        typer.Option(
            "--max-attempts-per-issue",
            metavar="N",
            min=1,
            help="Proposals for each error wanted, on average; --offline ignores it.",
        ),
    ] = 6,
    output_dir: Annotated[
        Path | None,
        typer.Option("--output-dir", "-o", metavar="FOLDER", help="Folder to write to. Default: that of the source."),
    ] = None,
    case_id: Annotated[
        str | None,
        typer.Option(
            "--case-id", metavar="ID", help="Name of the case and its files. Default: the source's, and -case."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the text. Default: the source's name.")
    ] = None,
    genre: Annotated[str, typer.Option(metavar="TEXT", help="Genre of the text.")] = "unknown",
    voice: Annotated[
        str, typer.Option(metavar="TEXT", help="How it is written, and what is meant to be odd about it.")
    ] = "not described",
    licence: Annotated[str, typer.Option(metavar="TEXT", help="Licence of the text.")] = "unknown",
    language: Annotated[str, typer.Option(metavar="TAG", help="Language tag of the text.")] = "en",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Begin anew, and write over a case of that name.")
    ] = False,
    concurrency: Concurrency = 10,
    request_timeout: RequestTimeout = 600.0,
    max_retries: MaxRetries = 6,
    retry_wait: Annotated[float, typer.Option("--retry-wait", min=0, hidden=True)] = 1.0,
    max_outage: MaxOutage = 3600.0,
    max_cost: MaxCost = None,
    allow_unpriced: AllowUnpriced = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask about the estimate.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made and what it would cost; send and write nothing.")
    ] = False,
    no_checkers: Annotated[
        bool, typer.Option("--no-checkers", help="Do not let the offline checkers read the clean text in the end.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for every attempt and every wait.")] = False,
) -> None:
    """See `HELP`."""
    import asyncio

    from errata_bench.cases.header import Header
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.errors import Reach, UserError
    from errata_bench.generation.balance import CategoryOptions
    from errata_bench.generation.invocation import forecast, prepare
    from errata_bench.generation.invocation import generate as make
    from errata_bench.generation.options import GenerateOptions
    from errata_bench.generation.reviewer import Confidence
    from errata_bench.runs.consent import must_ask
    from errata_bench.runs.estimate import Estimate
    from errata_bench.runs.invocation import ending_remarks
    from errata_bench.runs.options import RunOptions
    from errata_bench.views.estimate import estimate_lines
    from errata_bench.views.generation import (
        GenerationDisplay,
        check_lines,
        made_lines,
        prepared_line,
        print_estimate,
        solver_lines,
    )
    from errata_bench.views.terminal import make_console

    settings = load_settings()
    named = [model, review_model, second_review_model, solve_model]
    roles = _roles(named, settings, offline=offline)
    if issue_count is not None and issues_per_1000_words is not None:
        raise UserError("--issue-count and --issues-per-1000-words exclude each other", mend="choose one of them")
    if issues_per_1000_words is not None and not 0 < issues_per_1000_words <= 1000:
        raise UserError("--issues-per-1000-words has to be more than 0 and at most 1000")
    if review_min_confidence not in tuple(Confidence):
        raise UserError(f"--review-min-confidence is low, medium or high, not {review_min_confidence!r}")
    if target_category is not None and target_categories:
        raise UserError("--target-category and --target-categories exclude each other", mend="choose one of them")
    if (balance_exclude_top_categories or balance_max_category_count) and not dataset_to_balance:
        raise UserError(
            "--balance-exclude-top-categories and --balance-max-category-count need cases to balance with",
            mend="name them with --dataset-to-balance",
        )
    targets = [name.strip() for names in target_categories or () for name in names.split(",") if name.strip()]
    options = GenerateOptions(
        source=source,
        output_dir=output_dir,
        case_id=case_id,
        header=Header(
            title=_line(title or source.stem),
            genre=_line(genre),
            voice=_line(voice),
            licence=_line(licence),
            language=_line(language),
            format="text" if source.suffix.lower() == ".txt" else "html",
        ),
        roles=roles,
        max_words=max_words_per_chunk,
        per_1000=5.0 if issues_per_1000_words is None else issues_per_1000_words,
        count=issue_count,
        seed=seed,
        categories=CategoryOptions(
            targets=tuple(targets) if target_category is None else (target_category,),
            required_parent=required_parent,
            single=single_target_class_per_chunk,
            offered=candidate_categories,
            exclude_top=balance_exclude_top_categories or 0,
            max_count=balance_max_category_count,
        ),
        balance=tuple(dataset_to_balance or ()),
        least_confidence=Confidence(review_min_confidence),
        attempts_per_issue=max_attempts_per_issue,
        run=RunOptions(
            concurrency=concurrency,
            request_timeout=request_timeout,
            max_retries=max_retries,
            retry_wait=retry_wait,
            max_outage=max_outage,
            max_cost=max_cost,
            allow_unpriced=allow_unpriced,
        ),
        overwrite=overwrite,
    )
    prepared = prepare(options)
    for remark in ending_remarks(roles.variants, settings):
        typer.echo(remark, err=True)
    typer.echo(prepared_line(prepared), err=True)
    if dry_run:
        if not roles.offline:
            estimate, note = asyncio.run(forecast(prepared, settings))
            print_estimate(make_console(), roles, estimate)
            if note is not None:
                typer.echo(note, err=True)
        typer.echo("Nothing was sent or written.", err=True)
        return

    def approve(estimate: Estimate) -> None:
        on_terminal = sys.stdin.isatty() and sys.stderr.isatty()
        asked = must_ask(estimate, options.run, yes=yes, on_terminal=on_terminal)
        if asked:
            print_estimate(make_console(sys.stderr), roles, estimate)
        else:
            for line in estimate_lines(estimate):
                typer.echo(line, err=True)
        if asked and not typer.confirm("Go on?", err=True):
            typer.echo("Nothing was sent.", err=True)
            raise typer.Exit(_SHORT)

    display = GenerationDisplay(make_console(sys.stderr), verbose=verbose)
    made = asyncio.run(make(prepared, settings, display, approve))
    report = None
    if made.built is not None:
        report = asyncio.run(_check(prepared.place.case, checkers=not no_checkers))
    for line in (*made_lines(made, display.progress), *solver_lines(made)):
        typer.echo(line, err=True)
    for line in () if report is None else check_lines(report):
        typer.echo(line, err=True)
    if made.outcome.stopped:
        raise typer.Exit(_INTERRUPTED)
    fault = made.outcome.fault
    if fault is not None:
        raise typer.Exit(_MISTAKE if fault.reach in (Reach.ALL, Reach.VARIANT) else _SHORT)
    if made.short or made.solver_fault is not None:
        raise typer.Exit(_SHORT)


def _line(text: str) -> str:
    return " ".join(text.split()) or "unknown"


def _roles(named: list[str | None], settings: Settings, *, offline: bool) -> Roles:
    from errata_bench.errors import SettingsError, UserError
    from errata_bench.generation.options import Roles
    from errata_bench.variants import parse_variant

    if offline:
        if any(named):
            raise UserError("--offline plants without any model", mend="leave out --offline, or the models")
        return Roles()
    planting, reviewing, second, solving = named
    planting = planting or settings.default_corruption_model
    reviewing = reviewing or settings.default_corruption_review_model
    for name, flag, variable in (
        (planting, "--model", "ERRATA_BENCH_DEFAULT_CORRUPTION_MODEL"),
        (reviewing, "--review-model", "ERRATA_BENCH_DEFAULT_CORRUPTION_REVIEW_MODEL"),
    ):
        if not name:
            raise UserError(
                f"no model is named with {flag}", mend=f"name one, or set {variable}; without any model: --offline"
            )
    variants = [None if name is None else parse_variant(name) for name in (planting, reviewing, second, solving)]
    for variant in variants:
        if variant is not None and variant.is_baseline:
            raise UserError(f"{variant} is no language model", mend="without any model: --offline")
    if not settings.can_call:
        raise SettingsError(
            f"there is no key for {planting}",
            mend="set ERRATA_BENCH_API_KEY in the environment or in .env; --offline needs none",
        )
    return Roles(*variants)


async def _check(case: Path, *, checkers: bool) -> Report:
    from errata_bench.baselines import close_engines
    from errata_bench.cases.check import check_cases
    from errata_bench.cli.cases import offline_checkers

    try:
        return await check_cases([str(case)], checkers=offline_checkers() if checkers else None)
    finally:
        await close_engines()
