"""The endpoint as a maker of `ChatModel` s: one pool of connections, and what all its models share."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from errata_bench.endpoint.adapt import Adaptation
from errata_bench.endpoint.catalogue import ModelInfo, read_models
from errata_bench.endpoint.conduct import Conduct, Controls
from errata_bench.endpoint.faults import Surroundings
from errata_bench.endpoint.http_model import HttpChatModel
from errata_bench.endpoint.outage import SILENT_KINDS, OutageClock, OutageWatch
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.errors import EndpointFault, InternalError
from errata_bench.variants import Variant

if TYPE_CHECKING:
    from errata_bench.endpoint.pricing import PriceBook
    from errata_bench.endpoint.settings import Settings
    from errata_bench.endpoint.transport import Response, Transport

DEFAULT_TIMEOUT_SECONDS = 600.0
MAX_BODY_BYTES = 64 << 20
"""A reply has thousands of bytes, a list of models a million: more is no reply."""

_DEFAULT_RETRY = RetryPolicy()
_LIST_SECONDS = 30.0
_LIST_RETRIES = 2
_DEFAULT_CONTROLS = Controls()

__all__ = ["DEFAULT_TIMEOUT_SECONDS", "MAX_BODY_BYTES", "Endpoint", "HttpChatModel"]


class Endpoint:
    """One endpoint with one pool of connections; use it as an async context manager.

    ``request_timeout`` is the deadline of one attempt in seconds, which nothing extends. ``prices`` tell the cost of
    replies that do not report it; they may be set later, and so may ``conduct.guard``, who watches over the money.
    ``controls`` say what holds requests back. ``sleep``, ``clock`` (Unix time) and ``timer`` (seconds from any start)
    are for tests.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        retry: RetryPolicy = _DEFAULT_RETRY,
        request_timeout: float = DEFAULT_TIMEOUT_SECONDS,
        prices: PriceBook | None = None,
        controls: Controls = _DEFAULT_CONTROLS,
        max_body_bytes: int = MAX_BODY_BYTES,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.retry = retry
        self.request_timeout = request_timeout
        self.prices = prices
        self.sleep = sleep
        self.clock = clock
        self.timer = timer
        self._max_body_bytes = max_body_bytes
        self._transport: Transport | None = None
        self._adaptations: dict[str, frozenset[Adaptation]] = defaultdict(frozenset)
        watch: OutageWatch | None = None
        if controls.max_outage is not None:
            outage_clock = OutageClock(controls.max_outage, retry, sleep, timer)
            watch = OutageWatch(self._is_there, outage_clock, tell=controls.tell)
        self.conduct = Conduct(controls.pacer, watch, controls.tell)

    async def __aenter__(self) -> Self:
        # Imported late: aiohttp is slow to load, and most commands never open a connection.
        from errata_bench.endpoint.transport import Transport, TransportOptions

        options = TransportOptions(self._max_body_bytes, self.settings.authorization, self.settings.redactor)
        self._transport = Transport(self.settings.base_url, options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.conduct.close()
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    def chat_model(self, variant: Variant) -> HttpChatModel:
        """Return the model of a variant; what is learnt of a model is shared by all its variants."""
        return HttpChatModel(self, variant)

    def adaptations(self, model: str) -> frozenset[Adaptation]:
        """Return what requests to this model are adapted by."""
        return self._adaptations[model]

    def remember(self, model: str, adaptations: frozenset[Adaptation], revoked: frozenset[Adaptation]) -> None:
        """Keep what made a request succeed, for all later requests to this model."""
        self._adaptations[model] = (self._adaptations[model] | adaptations) - revoked

    async def list_models(self) -> tuple[ModelInfo, ...]:
        """Ask the endpoint for its models. Raises `EndpointFault`."""
        url = self.settings.models_url
        failures = 0
        while True:
            try:
                response = await self.exchange("GET", url, None, min(_LIST_SECONDS, self.request_timeout))
                around = replace(self.surroundings(), url=self.settings.redactor(url))
                return read_models(response.status, response.headers, response.body, around)
            except EndpointFault as error:
                fault = error
            failures += 1
            wait = self.retry.wait(fault, failures) if failures <= _LIST_RETRIES else None
            if wait is None:
                raise fault
            await self.sleep(wait)

    async def load_prices(self, cache_dir: Path | None = None) -> PriceBook:
        """Load the prices that this endpoint's costs are reckoned by; see `pricing.load_price_book`."""
        from errata_bench.endpoint.pricing import load_price_book

        self.prices = await load_price_book(self.settings, self.list_models, cache_dir=cache_dir, clock=self.clock)
        return self.prices

    async def exchange(self, method: str, url: str, body: bytes | None, seconds: float) -> Response:
        """Send one request; see `Transport.exchange`."""
        if self._transport is None:
            raise InternalError("the endpoint is not open: use it in an async with statement")
        response = await self._transport.exchange(method, url, body, seconds)
        self.conduct.answered()
        return response

    async def _is_there(self) -> bool:
        """Say whether anything answers, be it a refusal."""
        try:
            await self.exchange("GET", self.settings.models_url, None, min(_LIST_SECONDS, self.request_timeout))
        except EndpointFault as fault:
            return fault.kind not in SILENT_KINDS
        return True

    def surroundings(self) -> Surroundings:
        """Return what the texts of faults need to know."""
        return Surroundings(
            url=self.settings.shown_url,
            has_key=self.settings.authorization is not None,
            now=self.clock(),
            redact=self.settings.redactor,
        )
