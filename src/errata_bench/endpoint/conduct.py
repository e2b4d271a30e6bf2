"""What an attempt passes through before it is sent: outage, pace, money. Each of them may be absent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from errata_bench.chat import Attempt
from errata_bench.endpoint.events import EventSink, ignore_event
from errata_bench.endpoint.outage import OutageWatch
from errata_bench.endpoint.pacing import OVERLOAD_KINDS, Pacer, Turn
from errata_bench.endpoint.spending import AttemptBound, Reservation, SpendGuard
from errata_bench.errors import EndpointFault


@dataclass(frozen=True, slots=True)
class Controls:
    """What holds requests back, and who is told of it.

    ``max_outage`` is how many seconds an outage may last; None: a fault of the connection is each request's own. By
    default every request goes out at once.
    """

    pacer: Pacer | None = None
    max_outage: float | None = None
    tell: EventSink = ignore_event


@dataclass(slots=True)
class Passage:
    """One attempt on its way; told how it ended by `ended`, before anybody else is."""

    reservation: Reservation | None = None
    attempt: Attempt | None = None
    fault: EndpointFault | None = None

    def ended(self, attempt: Attempt, fault: EndpointFault | None = None) -> None:
        """Say how the attempt ended: its cost takes the place of what was set aside for it."""
        self.attempt = attempt
        self.fault = fault
        if self.reservation is not None:
            self.reservation.settle(attempt)


class Conduct:
    """Lets attempts pass; ``guard`` may be set later, as prices are known only once the endpoint was asked."""

    def __init__(self, pacer: Pacer | None, outage: OutageWatch | None, tell: EventSink) -> None:
        self.guard: SpendGuard | None = None
        self.tell = tell
        self._pacer = pacer
        self._outage = outage

    @asynccontextmanager
    async def passage(self, bound: AttemptBound) -> AsyncIterator[Passage]:
        """Wait until an attempt may be sent, and see to what follows from how it ended.

        Raises `SpendRefused` where there is no money for it, and the fault that has stopped the endpoint.
        """
        passage = Passage()
        turn = await self._turn(bound.model)
        try:
            passage.reservation = await self.guard.reserve(bound) if self.guard is not None else None
            try:
                yield passage
            finally:
                if passage.attempt is None and passage.reservation is not None:
                    passage.reservation.settle(None)
        finally:
            if self._pacer is not None and turn is not None:
                answered = passage.attempt is not None and passage.attempt.outcome == "ok"
                self._pacer.leave(turn, passage.fault, answered=answered)

    async def _turn(self, model: str) -> Turn | None:
        while True:
            if self._outage is not None:
                await self._outage.passed()
            if self._pacer is None:
                return None
            turn = await self._pacer.enter(model)
            if self._outage is None or not self._outage.is_on:
                return turn
            self._pacer.leave(turn, answered=False)  # the network went while this one queued

    async def outage_explains(self, fault: EndpointFault, started: float) -> bool:
        """Say whether an outage is to blame for a fault, and wait for its end; see `OutageWatch.explains`."""
        return self._outage is not None and await self._outage.explains(fault, started)

    def answered(self) -> None:
        """Note that the endpoint has answered something."""
        if self._outage is not None:
            self._outage.answered()

    @asynccontextmanager
    async def waiting(self, model: str, fault: EndpointFault) -> AsyncIterator[None]:
        """While a request waits to be sent again."""
        if self._pacer is None or fault.kind not in OVERLOAD_KINDS:
            yield
        else:
            with self._pacer.backing_off(model):
                yield

    async def close(self) -> None:
        """End what runs by the clock."""
        if self._pacer is not None:
            self._pacer.close()
        if self._outage is not None:
            await self._outage.close()
