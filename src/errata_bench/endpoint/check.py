"""Finds out whether a run would work at an endpoint, by a few tiny requests, and what to mend where it would not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errata_bench.chat import ToolSchema
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.findings import MODEL_STEPS, NOT_TRIED, CheckReport, FindingSink, Status, Step
from errata_bench.endpoint.model_check import ModelCheck, Notebook
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.errors import EndpointFault, SettingsError
from errata_bench.variants import Variant, parse_variant

if TYPE_CHECKING:
    from errata_bench.endpoint.catalogue import ModelInfo
    from errata_bench.endpoint.settings import Settings

RETRIES = RetryPolicy(max_retries=2, cap_seconds=10.0)
"""A check is no run: what does not answer soon is reported."""

_NOT_THERE = frozenset({"dns", "connect", "proxy", "tls", "bad_address", "bad_http"})
_LOST_ON_THE_WAY = frozenset({"timeout", "connection_lost"})
_WRONG_PLACE = frozenset({"wrong_url", "not_an_api", "redirected"})
_ABOUT_THE_KEY = frozenset({"invalid_key", "no_credit", "quota_used_up"})


def checked_models(
    named: Sequence[Variant], settings: Settings, starter: Callable[[], Sequence[Variant]]
) -> tuple[Variant, ...]:
    """The variants to check: those named, else the default model, else the first of OpenRouter's starter list.

    Raises `SettingsError` where none is left, and for baselines, which are behind no endpoint.
    """
    offline = [str(variant) for variant in named if variant.is_baseline]
    if offline:
        raise SettingsError(f"{', '.join(offline)}: a baseline is behind no endpoint", mend="name a language model")
    if named:
        return tuple(named)
    if settings.default_model is not None:
        return (parse_variant(settings.default_model),)
    if settings.endpoint_label == "openrouter":
        return tuple(starter())[:1]
    raise SettingsError(
        "no model is named for this endpoint", mend="name one with --model, or set ERRATA_BENCH_DEFAULT_MODEL"
    )


async def run_check(
    settings: Settings,
    variants: Sequence[Variant],
    tools: Sequence[ToolSchema],
    *,
    request_timeout: float = 120.0,
    on_step: FindingSink | None = None,
    cache_dir: Path | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> CheckReport:
    """Check an endpoint and models of it with the tools of a run; ``on_step`` is told each finding as it is made.

    Raises `UserError` for a broken pricing file; whatever the endpoint does is a finding.
    """
    async with Endpoint(settings, retry=RETRIES, request_timeout=request_timeout, sleep=sleep) as endpoint:
        notes = Notebook(endpoint, tuple(tools), on_step or (lambda _: None))
        await _list_models(notes, cache_dir)
        stopped = False
        for place, variant in enumerate(variants):
            if not stopped:
                model = ModelCheck(notes, variant)
                fault = await model.ask_plainly() if _may_ask(notes) else None
                stopped = (place == 0 and not _is_connected(notes, fault)) or not await model.run(fault)
            _skip_rest(notes, str(variant))
    costs = [attempt.cost_usd for attempt in notes.attempts]
    return CheckReport(
        endpoint=settings.shown_url,
        findings=tuple(notes.findings),
        requests=len(notes.attempts),
        failed_requests=sum(attempt.outcome != "ok" for attempt in notes.attempts),
        cost_usd=None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs),
    )


async def _list_models(notes: Notebook, cache_dir: Path | None) -> None:
    from errata_bench.endpoint.pricing import load_price_book

    endpoint = notes.endpoint
    try:
        notes.listed = await endpoint.list_models()
    except EndpointFault as fault:
        notes.listed = fault

    async def listed() -> tuple[ModelInfo, ...]:
        if isinstance(notes.listed, EndpointFault):
            raise notes.listed
        return notes.listed

    endpoint.prices = await load_price_book(endpoint.settings, listed, cache_dir=cache_dir, clock=endpoint.clock)


def _may_ask(notes: Notebook) -> bool:
    unlisted = _unlisted(notes)
    given_up = unlisted is not None and unlisted.kind in _NOT_THERE | {"invalid_key"}
    return notes.endpoint.settings.can_call and not given_up


def _is_connected(notes: Notebook, asked: EndpointFault | None) -> bool:
    """Tell what is known of address and key, once the list and a first reply were asked for."""
    settings = notes.endpoint.settings
    unlisted = _unlisted(notes)
    astray = _astray(unlisted, asked)
    if astray is not None:
        notes.tell(Step.REACHABLE, Status.FAIL, str(astray), astray.mend)
        notes.tell(Step.KEY, Status.SKIPPED, NOT_TRIED)
        return False
    if isinstance(notes.listed, EndpointFault):
        why = f" ({notes.listed.kind})"
        status = Status.OK if notes.listed.kind == "invalid_key" else Status.WARN
        notes.tell(Step.REACHABLE, status, f"{settings.shown_url} answers, but lists no models{why}")
    else:
        notes.tell(Step.REACHABLE, Status.OK, f"{settings.shown_url}, models listed: {len(notes.listed)}")
    refusal = next((f for f in (asked, unlisted) if f is not None and f.kind in _ABOUT_THE_KEY), None)
    if not settings.can_call:
        notes.tell(Step.KEY, Status.FAIL, "there is no key", "set ERRATA_BENCH_API_KEY in the environment or in .env")
        return False
    if refusal is not None:
        notes.tell(Step.KEY, Status.FAIL, str(refusal), refusal.mend)
        return False
    sent = settings.authorization is not None
    notes.tell(Step.KEY, Status.OK, "not refused" if sent else "none is set, and none is asked for")
    return True


def _astray(unlisted: EndpointFault | None, asked: EndpointFault | None) -> EndpointFault | None:
    """The fault that says that no such API is there, or None."""
    if unlisted is not None and unlisted.kind in _NOT_THERE:
        return unlisted
    if asked is not None and asked.kind in _NOT_THERE | _WRONG_PLACE:
        return asked
    # Where the list comes and a reply does not, the model is slow, not the address wrong.
    return asked if unlisted is not None and asked is not None and asked.kind in _LOST_ON_THE_WAY else None


def _unlisted(notes: Notebook) -> EndpointFault | None:
    return notes.listed if isinstance(notes.listed, EndpointFault) else None


def _skip_rest(notes: Notebook, model: str) -> None:
    told = {finding.step for finding in notes.findings if finding.model == model}
    for step in MODEL_STEPS:
        if step not in told:
            notes.tell(step, Status.SKIPPED, NOT_TRIED, model=model)
