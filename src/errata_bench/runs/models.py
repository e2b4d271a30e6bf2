"""The models of an invocation, open and paced: baselines, and what stands behind an endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errata_bench.baselines import baseline_model, close_engines
from errata_bench.cases.answers import expected_paragraphs
from errata_bench.cases.model import Case
from errata_bench.chat import ChatModel
from errata_bench.endpoint.events import EventSink, ignore_event
from errata_bench.runs.options import RunOptions
from errata_bench.runs.queue import ANY_NUMBER, Admission
from errata_bench.variants import Variant

if TYPE_CHECKING:
    from errata_bench.endpoint.catalogue import Price
    from errata_bench.endpoint.client import Endpoint
    from errata_bench.endpoint.pacing import Pacer
    from errata_bench.endpoint.settings import Settings
    from errata_bench.endpoint.spending import SpendGuard


@dataclass(frozen=True, slots=True)
class OpenModels:
    """One model for each variant. ``note`` says what is not as it should be about the prices, if anything."""

    models: Mapping[Variant, ChatModel]
    admission: Admission = ANY_NUMBER
    note: str | None = None
    endpoint: Endpoint | None = None

    def model_of(self, variant: Variant) -> ChatModel:
        """The model of a variant, the judge's included."""
        return self.models[variant]

    def price_of(self, model: str) -> Price | None:
        """The price of a model behind the endpoint; None where nobody knows it."""
        prices = self.endpoint.prices if self.endpoint is not None else None
        known = prices.find(model) if prices is not None else None
        return known.price if known is not None else None

    def guard_spending(self, guard: SpendGuard) -> None:
        """Have every attempt at the endpoint allowed first."""
        if self.endpoint is not None:
            self.endpoint.conduct.guard = guard


@asynccontextmanager
async def open_models(
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings: Settings,
    options: RunOptions,
    tell: EventSink = ignore_event,
) -> AsyncIterator[OpenModels]:
    """Make the models of these variants and of the judge, with an open endpoint and its prices where one is needed.

    Raises `UserError` for a pricing file that cannot be used.
    """
    expected = expected_paragraphs(cases)
    models: dict[Variant, ChatModel] = {
        variant: baseline_model(variant.model, expected=expected) for variant in variants if variant.is_baseline
    }
    remote = [variant for variant in variants if not variant.is_baseline]
    if options.judge is not None:
        remote.append(options.judge)
    try:
        if not remote:
            yield OpenModels(models)
            return
        from errata_bench.endpoint.client import Endpoint
        from errata_bench.endpoint.conduct import Controls
        from errata_bench.endpoint.pacing import Pacer

        pacer = Pacer(options.concurrency, tell=tell)
        controls = Controls(pacer, options.max_outage, tell)
        async with Endpoint(
            settings, retry=options.retry, request_timeout=options.request_timeout, controls=controls
        ) as endpoint:
            prices = await endpoint.load_prices()
            models.update((variant, endpoint.chat_model(variant)) for variant in remote)
            yield OpenModels(models, _admission(pacer), prices.note, endpoint)
    finally:
        await close_engines()


def _admission(pacer: Pacer) -> Admission:
    def limit(variant: Variant) -> int | None:
        return None if variant.is_baseline else pacer.limit(variant.model)

    return Admission(limit, lambda: pacer.held_back, pacer.subscribe)
