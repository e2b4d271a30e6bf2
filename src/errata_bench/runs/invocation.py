"""One invocation of ``run``: from options to a plan, and from a plan to executed runs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import orjson

from errata_bench import __version__
from errata_bench.baselines import BASELINE_NAMES, baseline_model, close_engines, unavailable_reason
from errata_bench.cases.answers import expected_paragraphs as expected_paragraphs
from errata_bench.cases.model import Case
from errata_bench.chat import ChatModel, Reasoning
from errata_bench.endpoint.settings import Settings
from errata_bench.errors import SettingsError
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs.engine import Engine, Outcome, RunObserver
from errata_bench.runs.plan import Plan, make_plan
from errata_bench.store.group import read_group, write_group
from errata_bench.store.open import store_faults
from errata_bench.store.records import RunRecord, RunSettings
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
    if baselines:
        offline = _baselines()
        return Selection(tuple(dict.fromkeys((*named, *offline.variants))), offline.remarks)
    if named:
        return Selection(tuple(dict.fromkeys(named)))
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


def _baselines() -> Selection:
    """The baselines that are installed, and what is said of those that are not."""
    names = {name: unavailable_reason(name) for name in BASELINE_NAMES}
    return Selection(
        tuple(Variant(name, None) for name, reason in names.items() if reason is None),
        tuple(f"{name} is left out: {reason}" for name, reason in names.items() if reason is not None),
    )


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


class RunDisplay(Protocol):
    """Shows a person what happens."""

    def remark(self, text: str) -> None:
        """Say something worth knowing, such as how old the prices are."""

    def showing(self, plan: Plan) -> AbstractContextManager[RunObserver]:
        """Show the progress of a plan while the context lasts."""

    def interrupted(self, at_once: bool) -> None:
        """Say that an interrupt was heard: running chunks are finished, or everything stops now."""


async def run_group(
    path: Path,
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings: Settings,
    options: RunOptions,
    display: RunDisplay,
) -> Outcome:
    """Fill a group up to the samples wanted of each variant on each case, and say how that ended.

    The first interrupt lets running chunks finish, the second stops at once. Nothing is written before models and
    prices are known to be usable. Raises `StoreError` when the file cannot be used and `UserError` when a model
    cannot be had.
    """
    if not planned_work(path, cases, variants, settings, options).todo:
        return Outcome()
    async with _models(cases, variants, settings, options, display) as model_of:
        with write_group(path) as group:
            plan = _plan(group.runs(), cases, variants, settings, options)
            with display.showing(plan) as observer:
                engine = Engine(
                    group,
                    lambda run: model_of(run.variant),
                    lambda run: loop_settings(run.variant, options),
                    observer,
                    concurrency=options.concurrency,
                )
                with _interrupts(engine, display.interrupted):
                    return await engine.execute(plan)


@asynccontextmanager
async def _models(
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings: Settings,
    options: RunOptions,
    display: RunDisplay,
) -> AsyncIterator[Callable[[Variant], ChatModel]]:
    """One model for each variant, and an open endpoint with prices where one is needed."""
    expected = expected_paragraphs(cases)
    models: dict[Variant, ChatModel] = {
        variant: baseline_model(variant.model, expected=expected) for variant in variants if variant.is_baseline
    }
    remote = [variant for variant in variants if not variant.is_baseline]
    try:
        if not remote:
            yield models.__getitem__
            return
        from errata_bench.endpoint.client import Endpoint

        async with Endpoint(settings, request_timeout=options.request_timeout) as endpoint:
            prices = await endpoint.load_prices()
            if prices.note is not None:
                display.remark(prices.note)
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

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            # asyncio leaves the default in its place, which would end the loop in the middle of closing connections.
            signal.signal(number, handler)


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
