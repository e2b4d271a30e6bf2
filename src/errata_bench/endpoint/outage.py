"""When nothing at the endpoint answers: all requests wait, one small one asks now and then, and no run fails for it.

A connection that fails may be one request's bad luck, or the end of the network. Which one it is, is found out by
asking the endpoint for its list of models: whatever comes back, even a refusal, is an answer.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from errata_bench.endpoint.events import Event, EventKind, EventSink, ignore_event
from errata_bench.endpoint.faults import repeated
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.errors import EndpointFault, Reach

DEFAULT_PATIENCE_SECONDS = 3600.0
"""How long an outage may last before the invocation is ended."""

SILENT_KINDS = frozenset({"dns", "connect", "proxy", "connection_lost", "timeout"})
"""Kinds of fault after which nobody knows whether anything is there."""

OUTAGE = "outage"
UNREACHABLE = "unreachable"
"""Kinds of fault: nothing has answered for too long, or nothing ever has."""

OUTAGE_KINDS = frozenset({OUTAGE, UNREACHABLE})

_SUSPECT_KINDS = SILENT_KINDS | {"cut_body"}
_MEND = "run the same command again when the network is back: finished work is kept; --max-outage sets how long to wait"


@dataclass(frozen=True, slots=True)
class OutageClock:
    """How long an outage may last, how often it is asked, and the clock (seconds from any start) and sleep to use."""

    patience: float
    retry: RetryPolicy
    sleep: Callable[[float], Awaitable[None]]
    timer: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What asking has shown: no outage, one that is over, or one that lasts too long."""

    was_down: bool
    fault: EndpointFault | None = None


class OutageWatch:
    """Knows whether the endpoint answers.

    ``probe`` asks it for something small and says whether anything came back. An endpoint that has never answered is
    asked as often as a request is tried again, no longer: its address is more likely wrong than its network down.
    """

    def __init__(
        self, probe: Callable[[], Awaitable[bool]], clock: OutageClock, *, tell: EventSink = ignore_event
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._tell = tell
        self._answered_at = -math.inf
        self._over_at = -math.inf
        self._asking: asyncio.Task[_Verdict] | None = None
        self._given_up: EndpointFault | None = None

    @property
    def is_on(self) -> bool:
        """Whether nothing is to be sent: nothing answers, it is being found out, or it lasts too long."""
        return self._asking is not None or self._given_up is not None

    def answered(self) -> None:
        """Note that something has come back, whatever it was."""
        self._answered_at = self._clock.timer()

    async def passed(self) -> None:
        """Return when requests may go out. Raises the fault of an outage that lasts too long."""
        if self._given_up is not None:
            raise repeated(self._given_up)
        while self._asking is not None:
            await self._wait(self._asking)

    async def explains(self, fault: EndpointFault, started: float) -> bool:
        """Say whether an outage is to blame for a failed attempt; if so, return when it is over.

        ``started`` is when the attempt began, by the same clock. Raises the fault of an outage that lasts too long.
        """
        if fault.reach is not Reach.RETRY or fault.kind not in _SUSPECT_KINDS:
            return False
        if self._asking is None:
            if self._given_up is not None:
                raise repeated(self._given_up)
            if self._answered_at >= started:  # somebody else's request has had an answer meanwhile
                return started < self._over_at
            self._asking = asyncio.create_task(self._ask(repeated(fault)))
        return await self._wait(self._asking)

    async def close(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
            self._asking = None

    async def _wait(self, asking: asyncio.Task[_Verdict]) -> bool:
        # Shielded: others go on waiting when one of them is cancelled.
        verdict = await asyncio.shield(asking)
        if verdict.fault is not None:
            raise repeated(verdict.fault)
        return verdict.was_down

    async def _ask(self, fault: EndpointFault) -> _Verdict:
        try:
            verdict = await self._ask_until_answered(fault)
            self._given_up = verdict.fault
            return verdict
        finally:
            self._asking = None

    async def _ask_until_answered(self, fault: EndpointFault) -> _Verdict:
        began = self._clock.timer()
        silent = 0
        while not await self._probe():
            silent += 1
            if silent == 1:
                self._tell(Event(EventKind.OUTAGE, {"fault": str(fault)}))
            wait = self._clock.retry.backoff(silent)
            waited = self._clock.timer() - began
            if self._answered_at == -math.inf:
                if silent > self._clock.retry.max_retries:
                    return _Verdict(True, _unreachable(fault, silent))
            elif waited + wait > self._clock.patience:
                return _Verdict(True, _outage(fault, waited))
            await self._clock.sleep(wait)
        self.answered()
        if silent:
            self._over_at = self._answered_at
            self._tell(Event(EventKind.OUTAGE_OVER, {"seconds": round(self._over_at - began, 1)}))
        return _Verdict(silent > 0)


def _unreachable(fault: EndpointFault, silent: int) -> EndpointFault:
    message = f"{fault.message} ({fault.kind}; nothing has answered in {silent + 1} attempts)"
    return EndpointFault(UNREACHABLE, message, reach=Reach.ALL, mend=fault.mend)


def _outage(fault: EndpointFault, seconds: float) -> EndpointFault:
    message = f"{fault.message} ({fault.kind}; nothing has answered for {seconds / 60:.0f} min)"
    return EndpointFault(OUTAGE, message, reach=Reach.ALL, mend=_MEND)
