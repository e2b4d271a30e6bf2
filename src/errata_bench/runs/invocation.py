"""One invocation of ``run``: from options to a plan, and from a plan to executed runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import orjson

from errata_bench import __version__
from errata_bench.baselines import BASELINE_NAMES, unavailable_reason
from errata_bench.cases.answers import expected_paragraphs as expected_paragraphs
from errata_bench.cases.model import Case
from errata_bench.chat import Reasoning
from errata_bench.endpoint.settings import Settings
from errata_bench.errors import SettingsError
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs.budget import Budget
from errata_bench.runs.consent import check_prices
from errata_bench.runs.engine import Engine, Outcome, RunObserver
from errata_bench.runs.estimate import Estimate, estimate_plan
from errata_bench.runs.garbage import seldom_collected
from errata_bench.runs.interrupts import interrupts
from errata_bench.runs.judging import JudgeDesk
from errata_bench.runs.log import LoggedRuns, Record, RunLog
from errata_bench.runs.models import open_models
from errata_bench.runs.open_files import connections_allowed
from errata_bench.runs.options import RunOptions as RunOptions
from errata_bench.runs.plan import Plan, make_plan
from errata_bench.store.group import read_group, write_group
from errata_bench.store.open import store_faults
from errata_bench.store.records import RunRecord, RunSettings
from errata_bench.variants import Variant, ending_remark, parse_variant

OFFLINE = "offline"
"""The endpoint label of the baselines."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The variants to run, and what has to be said about the choice."""

    variants: tuple[Variant, ...]
    remarks: tuple[str, ...] = ()


def select_variants(
    named: Sequence[Variant],
    settings: Settings,
    starter: Callable[[], Sequence[Variant]],
    *,
    baselines: bool = False,
) -> Selection:
    """The variants to run.

    Those named, and the baselines where they are asked for; else the default model; else the starter list where there
    is a key; else the baselines. Raises `SettingsError` when a language model is named and nothing can be asked, or
    when an endpoint of one's own is set without a model.
    """
    for variant in named:
        if variant.is_baseline and (reason := unavailable_reason(variant.model)) is not None:
            raise SettingsError(f"{variant} cannot be run: {reason}")
    if named and not settings.can_call and (models := [variant for variant in named if not variant.is_baseline]):
        raise SettingsError(
            f"there is no key for {', '.join(map(str, models))}",
            mend="set ERRATA_BENCH_API_KEY in the environment or in .env; baseline/… need none",
        )
    remarks = ending_remarks(named, settings)
    if baselines:
        offline = _baselines()
        return Selection(tuple(dict.fromkeys((*named, *offline.variants))), (*remarks, *offline.remarks))
    if named:
        return Selection(tuple(dict.fromkeys(named)), remarks)
    if settings.can_call and settings.default_model is not None:
        return Selection((parse_variant(settings.default_model),))
    if settings.has_key and settings.endpoint_label == "openrouter":
        variants = tuple(starter())
        return Selection(variants, (f"No --models: running the starter list of {len(variants)} models.",))
    if settings.can_call:
        raise SettingsError(
            "no model is named for this endpoint",
            mend="name models with --models, or set ERRATA_BENCH_DEFAULT_MODEL; offline proofreaders: --baselines",
        )
    offline = _baselines()
    return Selection(offline.variants, ("No key and no --models: running the offline baselines.", *offline.remarks))


def ending_remarks(named: Iterable[Variant], settings: Settings) -> tuple[str, ...]:
    """What has to be said of named models whose ids end in what may have been meant as an effort."""
    any_unknown = settings.endpoint_label == "openrouter"
    said = (ending_remark(variant, any_unknown=any_unknown) for variant in named)
    return tuple(dict.fromkeys(remark for remark in said if remark is not None))


def _baselines() -> Selection:
    """The baselines that are installed, and what is said of those that are not."""
    names = {name: unavailable_reason(name) for name in BASELINE_NAMES}
    return Selection(
        tuple(Variant(name, None) for name, reason in names.items() if reason is None),
        tuple(f"{name} is left out: {reason}" for name, reason in names.items() if reason is not None),
    )


def run_settings(variant: Variant, settings: Settings, options: RunOptions) -> RunSettings:
    """What of the options and settings belongs to the identity of a variant's runs (C8)."""
    judge = "" if options.judge is None else str(options.judge)
    if variant.is_baseline:
        # No prompt and no token limit reaches a baseline; what can change its work is this program.
        return RunSettings(OFFLINE, options.chunk_size, options.max_turns, f"baseline-{__version__}", judge, 0)
    reasoning: dict[str, object] = {"mode": str(settings.api_reasoning_mode)}
    if options.reasoning_exclude:
        reasoning["exclude"] = True
    if options.reasoning_max_tokens is not None:
        reasoning["max_tokens"] = options.reasoning_max_tokens
    return RunSettings(
        endpoint=settings.endpoint_label,
        max_words=options.chunk_size,
        max_turns=options.max_turns,
        prompt_version=PROMPT_VERSION,
        judge=judge,
        max_completion_tokens=options.max_completion_tokens,
        reasoning=orjson.dumps(reasoning, option=orjson.OPT_SORT_KEYS).decode(),
    )


def loop_settings(variant: Variant, options: RunOptions) -> LoopSettings:
    """What bounds the loop of a variant's runs."""
    return LoopSettings(
        max_turns_per_chunk=options.max_turns,
        max_completion_tokens=options.max_completion_tokens,
        reasoning=Reasoning(variant.effort, options.reasoning_exclude, options.reasoning_max_tokens),
    )


class RunDisplay(Protocol):
    """Shows a person what happens."""

    def remark(self, text: str) -> None:
        """Say something worth knowing, such as how old the prices are."""

    def showing(self, plan: Plan) -> AbstractContextManager[RunObserver]:
        """Show the progress of a plan while the context lasts."""

    def interrupted(self, at_once: bool) -> None:
        """Say that an interrupt was heard: running chunks are finished, or everything stops now."""


def _approve(_: Estimate) -> None:
    return


def _ignore(_: Record) -> None:
    return


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a caller takes part in an invocation.

    ``approve`` is shown the estimate before the first request, and raises what is to end the invocation there.
    ``on_record`` is told each record of the log as it is written.
    """

    approve: Callable[[Estimate], None] = _approve
    on_record: Callable[[Record], None] = _ignore


_NO_HOOKS = Hooks()


@dataclass(frozen=True, slots=True)
class Forecast:
    """What an invocation would do and what it would take; ``note`` tells what is amiss with the prices, if anything."""

    plan: Plan
    estimate: Estimate
    note: str | None = None


async def run_group(
    path: Path,
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings: Settings,
    options: RunOptions,
    display: RunDisplay,
    hooks: Hooks = _NO_HOOKS,
) -> Outcome:
    """Fill a group up to the samples wanted of each variant on each case, and say how that ended.

    The first interrupt lets running chunks finish, the second stops at once. Nothing is written before models and
    prices are known to be usable and the estimate is approved. Raises `StoreError` when the file cannot be used and
    `UserError` when a model cannot be had, or not under the cap on spending.
    """
    planned = planned_work(path, cases, variants, settings, options)
    if not planned.todo:
        return Outcome()
    options = _within_open_files(options, variants, display)
    log = RunLog(settings.redactor, hooks.on_record)
    async with open_models(cases, variants, settings, options, log.event) as models:
        if models.note is not None:
            display.remark(models.note)
        estimate = estimate_plan(planned, options, models.price_of)
        if models.endpoint is not None:
            check_prices(estimate, options)
            hooks.approve(estimate)
        if options.max_cost is not None:
            log.budget = Budget(options.max_cost, models.price_of)
            models.guard_spending(log.budget)
        with write_group(path) as group, log.opened(path):
            plan = _plan(group.runs(), cases, variants, settings, options)
            log.write("started", _described(plan, settings, options, estimate))
            with display.showing(plan) as observer:
                judge = options.judge
                engine = Engine(
                    group,
                    lambda run: models.model_of(run.variant),
                    lambda run: loop_settings(run.variant, options),
                    LoggedRuns(log, observer),
                    judge=None if judge is None else JudgeDesk(group, judge, models.model_of(judge)),
                    concurrency=options.concurrency,
                    admission=models.admission,
                )
                with interrupts(engine, display.interrupted), seldom_collected():
                    outcome = await engine.execute(plan)
            outcome.budget = None if log.budget is None else log.budget.state
            log.write("ended", {name: getattr(outcome, name) for name in ("succeeded", "failed", "left", "stopped")})
            return outcome


async def forecast_group(
    path: Path, cases: Sequence[Case], variants: Sequence[Variant], settings: Settings, options: RunOptions
) -> Forecast:
    """Say what there would be to do and what it would take; the endpoint is asked for nothing but its prices."""
    plan = planned_work(path, cases, variants, settings, options)
    if not plan.todo:
        return Forecast(plan, estimate_plan(plan, options, lambda _: None))
    async with open_models(cases, variants, settings, options) as models:
        return Forecast(plan, estimate_plan(plan, options, models.price_of), models.note)


def _within_open_files(options: RunOptions, variants: Sequence[Variant], display: RunDisplay) -> RunOptions:
    """Lower the concurrency to what the limit of open files bears, and say so."""
    if all(variant.is_baseline for variant in variants) and options.judge is None:
        return options
    allowed = connections_allowed(options.concurrency)
    if allowed < options.concurrency:
        display.remark(f"The system allows too few open files for that: {allowed} requests at a time (ulimit -n).")
    return replace(options, concurrency=allowed)


def _described(plan: Plan, settings: Settings, options: RunOptions, estimate: Estimate) -> dict[str, object]:
    """What the first record of a log says."""
    return {
        "version": __version__,
        "endpoint": settings.shown_url,
        "runs": len(plan.todo),
        "runs_stored": len(plan.done),
        "concurrency": options.concurrency,
        "max_retries": options.max_retries,
        "request_timeout": options.request_timeout,
        "max_cost_usd": options.max_cost,
        "estimated_usd": round(estimate.cost_usd, 6),
        "judge": None if options.judge is None else str(options.judge),
    }


def planned_work(
    path: Path, cases: Sequence[Case], variants: Sequence[Variant], settings: Settings, options: RunOptions
) -> Plan:
    """What there would be to do; the group is only read, and need not exist."""
    records: Sequence[RunRecord] = ()
    with store_faults(path):
        exists = path.exists()
    if exists:
        with read_group(path) as group:
            records = group.runs()
    return _plan(records, cases, variants, settings, options)


def _plan(
    records: Sequence[RunRecord],
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings: Settings,
    options: RunOptions,
) -> Plan:
    return make_plan(
        cases, variants, lambda variant: run_settings(variant, settings, options), options.samples, records
    )
