"""The endpoint as a maker of `ChatModel` s: sends requests, tries again, adapts, and tells of every attempt."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from errata_bench.chat import Attempt, AttemptSink, ChatReply, ChatRequest, Usage, ignore_attempt
from errata_bench.endpoint.adapt import Adaptation, Refusal, find_remedy, revoked
from errata_bench.endpoint.catalogue import ModelInfo, read_models
from errata_bench.endpoint.faults import UNCLEAR_KINDS, Surroundings
from errata_bench.endpoint.payload import build_body, encode
from errata_bench.endpoint.replies import Expected, error_in, read_reply, spent_in
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.errors import EndpointFault, InternalError, Reach
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
_REFUSED_STATUSES = frozenset({400, 404, 422})
_UNKNOWN_COST_KINDS = frozenset(
    {"timeout", "connection_lost", "cut_body", "malformed_body", "body_too_large", "bad_http"}
)

_log = logging.getLogger(__name__)


class Endpoint:
    """One endpoint with one pool of connections; use it as an async context manager.

    ``request_timeout`` is the deadline of one attempt in seconds, which nothing extends. ``prices`` tell the cost of
    replies that do not report it; they may be set later. ``sleep``, ``clock`` (Unix time) and ``timer`` (seconds from
    any start) are for tests.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        retry: RetryPolicy = _DEFAULT_RETRY,
        request_timeout: float = DEFAULT_TIMEOUT_SECONDS,
        prices: PriceBook | None = None,
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

    async def __aenter__(self) -> Self:
        # Imported late: aiohttp is slow to load, and most commands never open a connection.
        from errata_bench.endpoint.transport import Transport, TransportOptions

        options = TransportOptions(self._max_body_bytes, self.settings.authorization, self.settings.redactor)
        self._transport = Transport(self.settings.base_url, options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        return await self._transport.exchange(method, url, body, seconds)

    def surroundings(self) -> Surroundings:
        """Return what the texts of faults need to know."""
        return Surroundings(
            url=self.settings.shown_url,
            has_key=self.settings.authorization is not None,
            now=self.clock(),
            redact=self.settings.redactor,
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one attempt: a reply, or a fault and the body it came with."""

    reply: ChatReply | None = None
    fault: EndpointFault | None = None
    raw: bytes = b""


class HttpChatModel:
    """A variant behind an `Endpoint`: a `ChatModel`."""

    def __init__(self, endpoint: Endpoint, variant: Variant) -> None:
        self._endpoint = endpoint
        self.variant = variant

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What requests to this model are adapted by, sorted; kept with results."""
        return tuple(sorted(self._endpoint.adaptations(self.variant.model)))

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        """Answer one request; see `ChatModel.complete`.

        Transient faults are waited out as the `RetryPolicy` says. A refused parameter is left out at once, without
        counting as a failure (policy P). The fault that is raised in the end has reach RETRY if it was transient.
        """
        endpoint, model = self._endpoint, self.variant.model
        tried: frozenset[Adaptation] = frozenset()
        dropped: frozenset[Adaptation] = frozenset()
        failures = 0
        while True:
            active = (endpoint.adaptations(model) | tried) - dropped
            body = self._body(request, active)
            outcome = await self._attempt(body, request, on_attempt)
            if outcome.reply is not None:
                endpoint.remember(model, tried - dropped, dropped)
                return outcome.reply
            fault = outcome.fault
            if fault is None:
                raise InternalError("an attempt ended with neither a reply nor a fault")
            if fault.kind in UNCLEAR_KINDS and fault.status in _REFUSED_STATUSES:
                error = error_in(outcome.raw)
                if unwanted := revoked(error, active) - dropped:
                    dropped |= unwanted
                    continue
                remedy = find_remedy(error, body, active | dropped)
                if isinstance(remedy, Adaptation):
                    _log.info("%s: %s, after: %s", model, remedy, fault)
                    tried |= {remedy}
                    continue
                if remedy is Refusal.EFFORT:
                    raise self._unsupported_effort(fault)
            failures += 1
            wait = endpoint.retry.wait(fault, failures)
            if wait is None:
                raise _after(fault, failures)
            _log.info("%s: attempt %d failed, next in %.1f s: %s", model, failures, wait, fault)
            await endpoint.sleep(wait)

    def _body(self, request: ChatRequest, active: frozenset[Adaptation]) -> dict[str, Any]:
        # Compared as text: the settings module is not loaded for that.
        send = self._endpoint.settings.api_reasoning_mode.value == "passthrough"
        return build_body(
            request, model=self.variant.model, effort=self.variant.effort, send_reasoning=send, adaptations=active
        )

    async def _attempt(self, body: Mapping[str, Any], request: ChatRequest, on_attempt: AttemptSink) -> _Outcome:
        endpoint = self._endpoint
        encoded = encode(body)
        around = endpoint.surroundings()
        started_at, start = around.now, endpoint.timer()
        response: Response | None = None
        reply: ChatReply | None = None
        fault: EndpointFault | None = None
        try:
            url = endpoint.settings.chat_url
            response = await endpoint.exchange("POST", url, encoded, endpoint.request_timeout)
            # The clock is read again: a date in Retry-After counts from now, not from the start of a long attempt.
            around = replace(around, now=endpoint.clock())
            expected = _expected(request, around)
            reply = read_reply(response.status, response.headers, response.body, expected)
        except EndpointFault as error:
            fault = error
        except asyncio.CancelledError:
            # What was sent may be billed all the same.
            on_attempt(Attempt(started_at, endpoint.timer() - start, "cancelled"))
            raise
        seconds = endpoint.timer() - start
        raw = response.body if response is not None else b""
        if reply is not None:
            cost = reply.cost_usd if reply.cost_usd is not None else self._price(reply.usage)
            reply = replace(reply, cost_usd=cost, duration_seconds=seconds)
            attempt = Attempt(started_at, seconds, "ok", response.status if response else None, reply.usage, cost)
        elif fault is not None:
            attempt = self._failed(fault, response, started_at, seconds)
        _log.debug("%s: %s in %.2f s, status %s", self.variant, attempt.outcome, seconds, attempt.status)
        on_attempt(attempt)
        return _Outcome(reply, fault, raw)

    def _failed(self, fault: EndpointFault, response: Response | None, started_at: float, seconds: float) -> Attempt:
        usage, cost = spent_in(response.body) if response is not None else (Usage(), None)
        if cost is None:
            counted = usage.prompt_tokens is not None or usage.completion_tokens is not None
            if counted:
                cost = self._price(usage)
            elif fault.kind not in _UNKNOWN_COST_KINDS:
                # Never sent, or refused by an answer that speaks of no tokens: nothing was bought.
                cost = 0.0
        status = response.status if response is not None else fault.status
        return Attempt(started_at, seconds, fault.kind, status, usage, cost, fault.message)

    def _price(self, usage: Usage) -> float | None:
        prices = self._endpoint.prices
        return prices.cost(self.variant.model, usage) if prices is not None else None

    def _unsupported_effort(self, fault: EndpointFault) -> EndpointFault:
        return EndpointFault(
            Refusal.EFFORT.value,
            fault.message,
            reach=Reach.VARIANT,
            status=fault.status,
            mend=f"choose another effort for {self.variant.model}, or set ERRATA_BENCH_API_REASONING_MODE=omit",
        )


def _expected(request: ChatRequest, around: Surroundings) -> Expected:
    used = {
        str(call["id"])
        for message in request.messages
        for call in message.get("tool_calls") or ()
        if isinstance(call, Mapping) and "id" in call
    }
    tools = frozenset(tool.name for tool in request.tools)
    return Expected(tools, frozenset(used), request.max_completion_tokens, around)


def _after(fault: EndpointFault, attempts: int) -> EndpointFault:
    if attempts > 1:
        fault.message = f"{fault.message} (after {attempts} attempts)"
    return fault
