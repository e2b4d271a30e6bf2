"""How many requests go out at a time: to the endpoint and to each model.

To a model go at most as many as it bears: 429 and overload halve the number, answers let it grow by one for each round
of answers (additive increase, multiplicative decrease: Chiu and Jain, 1989). The first request goes out alone, so that
a wrong key is refused once and not thirty times. A refusal is quick as a rule, so the others wait for a moment and no
longer; where it takes more, it is met by those that went out meanwhile, which costs nothing, and told once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from errata_bench.endpoint.events import Event, EventKind, EventSink, ignore_event
from errata_bench.endpoint.faults import repeated
from errata_bench.errors import EndpointFault, Reach

OVERLOAD_KINDS = frozenset({"rate_limited", "overloaded"})
"""Kinds of fault that say that too much is asked: 429, 503, 529."""

GATE_PATIENCE_SECONDS = 0.5
"""A wrong key is refused at once. What has been silent for this long is at work, and nobody has to wait for it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The right to send one request, until it is given back with `Pacer.leave`."""

    model: str
    halvings: int


@dataclass(slots=True)
class _Gate:
    """Lets one request through until something has answered, or that one was silent for long enough."""

    is_open: bool = False
    timer: asyncio.TimerHandle | None = None

    def passed(self, patience: float, then: Callable[[], None]) -> None:
        """A request has gone through; ``then`` is called if it makes the gate open by its silence."""
        if not self.is_open and self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(patience, self._lose_patience, then)

    def open(self) -> None:
        self.is_open = True
        self.forget()

    def forget(self) -> None:
        """Its request is back, and has proven nothing."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _lose_patience(self, then: Callable[[], None]) -> None:
        self.open()
        then()


@dataclass(slots=True)
class _Pace:
    """One model: how many may be in flight, how many are, and who waits."""

    limit: float
    in_flight: int = 0
    waiting: int = 0
    backing_off: int = 0
    halvings: int = 0
    gate: _Gate = field(default_factory=_Gate)
    waiters: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def at_a_time(self) -> int:
        """Requests that may be in flight."""
        return max(1, int(self.limit)) if self.gate.is_open else 1

    @property
    def held_back(self) -> bool:
        return self.waiting > 0 and self.in_flight >= self.at_a_time


class Pacer:
    """Lets requests go in turn; for one event loop.

    ``concurrency`` is the most that are in flight at a time, over all models. Where several models may send, the one
    with the fewest in flight goes first. ``patience`` is `GATE_PATIENCE_SECONDS` for tests.
    """

    def __init__(
        self, concurrency: int, *, patience: float = GATE_PATIENCE_SECONDS, tell: EventSink = ignore_event
    ) -> None:
        self._concurrency = max(1, concurrency)
        self._patience = patience
        self._tell = tell
        self._paces: dict[str, _Pace] = {}
        self._in_flight = 0
        self._waiting = 0
        self._gate = _Gate()
        self._fatal: EndpointFault | None = None
        self._listeners: list[Callable[[], None]] = []

    def limit(self, model: str) -> int:
        """How many requests to a model may be in flight now, from 1 to the concurrency."""
        return self._pace(model).at_a_time

    @property
    def held_back(self) -> int:
        """How many requests wait because of their own model: they take nobody else's place."""
        return sum((pace.waiting if pace.held_back else 0) + pace.backing_off for pace in self._paces.values())

    def subscribe(self, on_change: Callable[[], None]) -> None:
        """Be told whenever `limit` or `held_back` may have changed."""
        self._listeners.append(on_change)

    async def enter(self, model: str) -> Turn:
        """Wait for the turn of a request. Raises the fault that has stopped the whole endpoint, if any has."""
        if self._fatal is not None:
            raise repeated(self._fatal)
        pace = self._pace(model)
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        pace.waiters.append(place)
        self._wait(pace, 1)
        self._admit()
        if not place.done():
            self._changed()
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._wait(pace, -1)
            elif place.exception() is None:
                self._release(pace)
            self._admit()
            self._changed()
            raise
        return Turn(model, pace.halvings)

    def leave(self, turn: Turn, fault: EndpointFault | None = None, *, answered: bool = True) -> None:
        """Give a turn back and learn from how it ended: with a good answer, a fault, or (not ``answered``) nothing."""
        pace = self._pace(turn.model)
        in_flight = pace.in_flight
        self._release(pace)
        before = pace.at_a_time
        if fault is None and answered:
            self._gate.open()
            pace.gate.open()
            pace.limit = min(float(self._concurrency), pace.limit + 1.0 / pace.limit)
        elif fault is not None:
            self._learn(pace, turn, fault, in_flight)
        if pace.at_a_time != before and pace.gate.is_open:
            self._tell(Event(EventKind.PACE, {"model": turn.model, "at_a_time": pace.at_a_time}))
        self._admit()
        self._changed()

    @contextmanager
    def backing_off(self, model: str) -> Iterator[None]:
        """While a request waits because its model is overloaded."""
        pace = self._pace(model)
        pace.backing_off += 1
        self._changed()
        try:
            yield
        finally:
            pace.backing_off -= 1
            self._changed()

    def close(self) -> None:
        """Forget all timers; nobody may be waiting any more."""
        for gate in (self._gate, *(pace.gate for pace in self._paces.values())):
            gate.forget()

    def _learn(self, pace: _Pace, turn: Turn, fault: EndpointFault, in_flight: int) -> None:
        if fault.reach is Reach.ALL:
            self._fatal = self._fatal or repeated(fault)
        elif fault.reach is not Reach.RETRY:
            # Key and address are good. After a fault of the run alone, so is the model.
            self._gate.open()
            if fault.reach is Reach.RUN:
                pace.gate.open()
        elif fault.kind in OVERLOAD_KINDS and turn.halvings == pace.halvings:
            # Requests that were in flight together are refused together, and that is one sign, not many.
            pace.limit = max(1.0, min(pace.limit, float(in_flight)) / 2.0)
            pace.halvings += 1

    def _pace(self, model: str) -> _Pace:
        pace = self._paces.get(model)
        if pace is None:
            pace = self._paces[model] = _Pace(float(self._concurrency))
        return pace

    def _wait(self, pace: _Pace, more: int) -> None:
        pace.waiting += more
        self._waiting += more

    def _release(self, pace: _Pace) -> None:
        pace.in_flight -= 1
        self._in_flight -= 1
        pace.gate.forget()
        self._gate.forget()

    def _admit(self) -> None:
        """Let go whoever may."""
        if self._fatal is not None:
            for pace in self._paces.values():
                while pace.waiters:
                    place = pace.waiters.popleft()
                    if not place.done():
                        self._wait(pace, -1)
                        place.set_exception(repeated(self._fatal))
            return
        while (chosen := self._next()) is not None:
            place = chosen.waiters.popleft()
            self._wait(chosen, -1)
            chosen.in_flight += 1
            self._in_flight += 1
            self._gate.passed(self._patience, self._opened)
            chosen.gate.passed(self._patience, self._opened)
            place.set_result(None)

    def _next(self) -> _Pace | None:
        if not self._waiting or self._in_flight >= (self._concurrency if self._gate.is_open else 1):
            return None
        best: _Pace | None = None
        for pace in self._paces.values():
            while pace.waiters and pace.waiters[0].done():  # cancelled while it waited
                pace.waiters.popleft()
            if pace.waiters and pace.in_flight < pace.at_a_time and (best is None or pace.in_flight < best.in_flight):
                best = pace
        return best

    def _opened(self) -> None:
        self._admit()
        self._changed()

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()
