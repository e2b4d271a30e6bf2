"""A variant behind an endpoint: sends a request, tries again, adapts, and tells of every attempt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from errata_bench.chat import Attempt, AttemptSink, ChatReply, ChatRequest, Usage, ignore_attempt
from errata_bench.endpoint.adapt import Adaptation, Refusal, find_remedy, revoked
from errata_bench.endpoint.events import Event, EventKind
from errata_bench.endpoint.faults import UNCLEAR_KINDS, Surroundings
from errata_bench.endpoint.payload import build_body, encode
from errata_bench.endpoint.replies import Expected, error_in, read_reply, spent_in
from errata_bench.endpoint.spending import bound_of
from errata_bench.errors import EndpointFault, InternalError, Reach
from errata_bench.variants import Variant

if TYPE_CHECKING:
    from errata_bench.endpoint.client import Endpoint
    from errata_bench.endpoint.conduct import Passage
    from errata_bench.endpoint.transport import Response

_REFUSED_STATUSES = frozenset({400, 404, 422})
_UNKNOWN_COST_KINDS = frozenset(
    {"timeout", "connection_lost", "cut_body", "malformed_body", "body_too_large", "bad_http"}
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one attempt, begun at ``started`` by the endpoint's timer: a reply, or a fault with its body."""

    started: float
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
        counting as a failure (policy P), and neither does an attempt that fell into an outage. The fault that is
        raised in the end has reach RETRY if it was transient. Raises `SpendRefused` where the money does not suffice.
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
                    self._tell(EventKind.ADAPTATION, change=remedy.value, fault=str(fault))
                    tried |= {remedy}
                    continue
                if remedy is Refusal.EFFORT:
                    raise self._unsupported_effort(fault)
            if await endpoint.conduct.outage_explains(fault, outcome.started):
                continue
            failures += 1
            wait = endpoint.retry.wait(fault, failures)
            if wait is None:
                raise _after(fault, failures)
            _log.info("%s: attempt %d failed, next in %.1f s: %s", model, failures, wait, fault)
            self._tell(EventKind.WAIT, attempt=failures, fault=str(fault), seconds=round(wait, 3))
            async with endpoint.conduct.waiting(model, fault):
                await endpoint.sleep(wait)

    def _tell(self, kind: EventKind, **details: str | int | float) -> None:
        self._endpoint.conduct.tell(Event(kind, {"model": self.variant.model, **details}))

    def _body(self, request: ChatRequest, active: frozenset[Adaptation]) -> dict[str, Any]:
        # Compared as text: the settings module is not loaded for that.
        send = self._endpoint.settings.api_reasoning_mode.value == "passthrough"
        return build_body(
            request, model=self.variant.model, effort=self.variant.effort, send_reasoning=send, adaptations=active
        )

    async def _attempt(self, body: Mapping[str, Any], request: ChatRequest, on_attempt: AttemptSink) -> _Outcome:
        encoded = encode(body)
        begun = any(message.get("role") == "assistant" for message in request.messages)
        bound = bound_of(self.variant.model, encoded, request.max_completion_tokens, begun=begun)
        async with self._endpoint.conduct.passage(bound) as passage:
            return await self._send(encoded, request, on_attempt, passage)

    async def _send(self, encoded: bytes, request: ChatRequest, on_attempt: AttemptSink, passage: Passage) -> _Outcome:
        endpoint = self._endpoint
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
            given_up = Attempt(started_at, endpoint.timer() - start, "cancelled")
            passage.ended(given_up)
            on_attempt(given_up)
            raise
        seconds = endpoint.timer() - start
        raw = response.body if response is not None else b""
        if reply is not None:
            cost = reply.cost_usd if reply.cost_usd is not None else self._price(reply.usage)
            reported = reply.cost_usd is not None
            reply = replace(reply, cost_usd=cost, cost_reported=reported, duration_seconds=seconds)
            attempt = Attempt(started_at, seconds, "ok", response.status if response else None, reply.usage, cost)
        elif fault is not None:
            attempt = self._failed(fault, response, started_at, seconds)
        _log.debug("%s: %s in %.2f s, status %s", self.variant, attempt.outcome, seconds, attempt.status)
        passage.ended(attempt, fault)
        on_attempt(attempt)
        return _Outcome(start, reply, fault, raw)

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
