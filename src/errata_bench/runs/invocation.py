"""One invocation of ``run``: from options to a plan, and from a plan to executed runs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import orjson

from errata_bench import __version__
from errata_bench.baselines import BASELINE_NAMES, baseline_model, close_engines, unavailable_reason
from errata_bench.cases.model import Case
from errata_bench.chat import ChatModel, Reasoning
from errata_bench.endpoint.settings import Settings
from errata_bench.errors import SettingsError
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs.engine import Engine, Outcome, RunObserver
from errata_bench.runs.plan import Plan, PlannedRun
from errata_bench.store.group import Group
from errata_bench.store.records import RunSettings
from errata_bench.variants import Variant, parse_variant

OFFLINE = "offline"
"""The endpoint label of the baselines."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is to be run and how, besides the endpoint's settings.

    ``chunk_size`` is the words of a chunk (0: the whole document), ``concurrency`` the chunks worked on at a time,
    ``request_timeout`` seconds for one request.
    """

    samples: int = 3
    chunk_size: int = 2000
    max_turns: int = 3
    concurrency: int = 30
    max_completion_tokens: int = 8192
    request_timeout: float = 600.0
    reasoning_exclude: bool = False
    reasoning_max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The variants to run, and what has to be said about the choice."""

    variants: tuple[Variant, ...]
    remarks: tuple[str, ...] = ()


def select_variants(
    named: Sequence[Variant], settings: Settings, starter: Callable[[], Sequence[Variant]]
) -> Selection:
    """The variants named; else the default model; else the starter list where there is a key; else the baselines.

    Raises `SettingsError` when a language model is named and nothing can be asked, or when an endpoint of one's own is
    set without a model.
    """
    if named:
        if not settings.can_call and (models := [variant for variant in named if not variant.is_baseline]):
            raise SettingsError(
                f"there is no key for {', '.join(map(str, models))}",
                mend="set ERRATA_BENCH_API_KEY in the environment or in .env; baseline/… need none",
            )
        return Selection(tuple(dict.fromkeys(named)))
    if settings.can_call and settings.default_model is not None:
        return Selection((parse_variant(settings.default_model),))
    if settings.has_key and settings.endpoint_label == "openrouter":
        variants = tuple(starter())
        return Selection(variants, (f"No --models: running the starter list of {len(variants)} models.",))
    if settings.can_call:
        raise SettingsError(
            "no model is named for this endpoint",
            mend="name models with --models, or set ERRATA_BENCH_DEFAULT_MODEL; baselines: --models baseline/harper",
        )
    names = {name: unavailable_reason(name) for name in BASELINE_NAMES}
    remarks = ["No key and no --models: running the offline baselines."]
    remarks.extend(f"{name} is left out: {reason}" for name, reason in names.items() if reason is not None)
    return Selection(tuple(Variant(name, None) for name, reason in names.items() if reason is None), tuple(remarks))


def run_settings(variant: Variant, settings: Settings, options: RunOptions) -> RunSettings:
    """What of the options and settings belongs to the identity of a variant's runs (C8)."""
    if variant.is_baseline:
        # No prompt and no token limit reaches a baseline; what can change its work is this program.
        return RunSettings(OFFLINE, options.chunk_size, options.max_turns, f"baseline-{__version__}", "", 0)
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
        judge="",
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


def expected_paragraphs(cases: Sequence[Case]) -> Mapping[tuple[str, str], str]:
    """What the oracle knows: the expected inner HTML by paragraph id and corrupted inner HTML."""
    return {
        (paragraph.id, paragraph.inner_html): expected.inner_html
        for case in cases
        for paragraph, expected in zip(case.document, case.expected, strict=True)
        if paragraph != expected
    }


async def execute_plan(
    plan: Plan,
    group: Group,
    settings: Settings,
    options: RunOptions,
    observer: RunObserver,
    *,
    on_interrupt: Callable[[bool], None],
) -> Outcome:
    """Execute a plan. The first interrupt lets running chunks finish, the second stops at once.

    ``on_interrupt`` is told of each, with whether it stops at once. Raises `StoreError` and `UserError`.
    """
    async with _models(plan, settings, options) as model_of:
        engine = Engine(
            group,
            lambda run: model_of(run.variant),
            lambda run: loop_settings(run.variant, options),
            observer,
            concurrency=options.concurrency,
        )
        with _interrupts(engine, on_interrupt):
            return await engine.execute(plan)


@asynccontextmanager
async def _models(plan: Plan, settings: Settings, options: RunOptions) -> AsyncIterator[Callable[[Variant], ChatModel]]:
    """One model for each variant, and an open endpoint where one is needed."""
    models: dict[Variant, ChatModel] = {}
    variants = list(dict.fromkeys(run.variant for run in plan.todo))
    try:
        if any(variant.is_baseline for variant in variants):
            expected = expected_paragraphs(list({run.case.fingerprint: run.case for run in plan.todo}.values()))
            models.update(
                (variant, baseline_model(variant.model, expected=expected))
                for variant in variants
                if variant.is_baseline
            )
        remote = [variant for variant in variants if not variant.is_baseline]
        if not remote:
            yield models.__getitem__
            return
        from errata_bench.endpoint.client import Endpoint

        async with Endpoint(settings, request_timeout=options.request_timeout) as endpoint:
            models.update((variant, endpoint.chat_model(variant)) for variant in remote)
            yield models.__getitem__
    finally:
        await close_engines()


@contextmanager
def _interrupts(engine: Engine, on_interrupt: Callable[[bool], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        at_once, interrupted = interrupted, True
        on_interrupt(at_once)
        if at_once:
            engine.cancel()
        else:
            engine.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def runs_by_variant(runs: Sequence[PlannedRun]) -> Mapping[Variant, int]:
    """How many runs each variant has to do."""
    counts: dict[Variant, int] = {}
    for run in runs:
        counts[run.variant] = counts.get(run.variant, 0) + 1
    return counts
