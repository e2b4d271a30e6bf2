"""The cap on what an invocation may spend: every attempt's worst case is set aside before it is sent.

What is spent and what is set aside never exceed the cap together, as long as no endpoint charges more than its prices
say. One that does is found out by the first bill: from then on its requests are reckoned that much dearer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from errata_bench.chat import Attempt
from errata_bench.endpoint.catalogue import Price
from errata_bench.endpoint.spending import AttemptBound, Reservation, SpendRefused

_TOLERANCE_USD = 1e-9
"""Sums of floating-point numbers differ by less than this; no token costs so little."""


@dataclass(frozen=True, slots=True)
class BudgetState:
    """How the money stands, in USD.

    ``unknown_usd`` is the part of ``spent_usd`` that stands for ``unknown_requests`` whose cost nobody knows, each at
    its worst case.
    """

    cap_usd: float
    spent_usd: float
    reserved_usd: float
    unknown_usd: float
    unknown_requests: int

    @property
    def left_usd(self) -> float:
        """What neither is spent nor set aside; 0 at least."""
        return max(0.0, self.cap_usd - self.spent_usd - self.reserved_usd)


@dataclass(slots=True)
class _Waiter:
    """A request that waits for money to come free."""

    worst_usd: float
    place: asyncio.Future[None]


class Budget:
    """A `SpendGuard` with a cap in USD.

    ``price_of`` gives the price of a model, or None where nobody knows it; such a model is not reckoned beforehand,
    only what its replies report. Whether it may be run at all is decided before. For one event loop.
    """

    def __init__(self, cap_usd: float, price_of: Callable[[str], Price | None]) -> None:
        self._cap = cap_usd
        self._price_of = price_of
        self._spent = 0.0
        self._reserved = 0.0
        self._unknown = 0.0
        self._unknown_requests = 0
        self._dearer: dict[str, float] = {}
        # Conversations that have begun go first: what they have paid for is lost if they cannot go on.
        self._begun: list[_Waiter] = []
        self._fresh: list[_Waiter] = []

    @property
    def state(self) -> BudgetState:
        """How the money stands now."""
        return BudgetState(self._cap, self._spent, self._reserved, self._unknown, self._unknown_requests)

    def worst_case(self, bound: AttemptBound) -> float:
        """The most that an attempt may cost in USD; 0 for a model without a price."""
        price = self._price_of(bound.model)
        return 0.0 if price is None else _cost(price, bound) * self._dearer.get(bound.model, 1.0)

    async def reserve(self, bound: AttemptBound) -> Reservation:
        """Set the worst case of an attempt aside; see `SpendGuard.reserve`."""
        worst = self.worst_case(bound)
        nobody_waits = not self._begun and (bound.begun or not self._fresh)
        if not (nobody_waits and self._fits(worst)):
            self._refuse_hopeless(worst)
            await self._wait(_Waiter(worst, asyncio.get_running_loop().create_future()), begun=bound.begun)
        else:
            self._reserved += worst
        return _Held(self, bound, worst)

    def _fits(self, worst: float) -> bool:
        return self._spent + self._reserved + worst <= self._cap + _TOLERANCE_USD

    def _refuse_hopeless(self, worst: float) -> None:
        if self._spent + worst > self._cap + _TOLERANCE_USD:
            raise SpendRefused(worst, max(0.0, self._cap - self._spent))

    async def _wait(self, waiter: _Waiter, *, begun: bool) -> None:
        queue = self._begun if begun else self._fresh
        queue.append(waiter)
        try:
            await waiter.place
        except asyncio.CancelledError:
            if waiter in queue:
                queue.remove(waiter)
            elif not waiter.place.cancelled() and waiter.place.exception() is None:
                self._reserved -= waiter.worst_usd  # it had just come free for this one
            self._grant()
            raise

    def _grant(self) -> None:
        """Give what has come free to those who wait, strictly in turn; refuse whom nothing can help any more."""
        for queue in (self._begun, self._fresh):
            while queue:
                waiter = queue[0]
                try:
                    self._refuse_hopeless(waiter.worst_usd)
                except SpendRefused as refused:
                    queue.pop(0)
                    if not waiter.place.done():
                        waiter.place.set_exception(refused)
                    continue
                if not self._fits(waiter.worst_usd):
                    return
                queue.pop(0)
                if not waiter.place.done():
                    self._reserved += waiter.worst_usd
                    waiter.place.set_result(None)

    def settle(self, bound: AttemptBound, worst: float, attempt: Attempt | None) -> None:
        """Put what an attempt cost in the place of what was set aside for it."""
        self._reserved = max(0.0, self._reserved - worst)
        if attempt is not None and attempt.cost_usd is not None:
            self._spent += attempt.cost_usd
            self._compare(bound, attempt)
        elif attempt is not None:
            self._spent += worst
            self._unknown += worst
            self._unknown_requests += 1
        self._grant()

    def _compare(self, bound: AttemptBound, attempt: Attempt) -> None:
        """Learn from a bill that is higher than the prices say."""
        price, usage = self._price_of(bound.model), attempt.usage
        if price is None or not attempt.cost_usd or usage.prompt_tokens is None or usage.completion_tokens is None:
            return
        listed = _cost(price, AttemptBound(bound.model, usage.prompt_tokens, usage.completion_tokens))
        if listed > 0:
            self._dearer[bound.model] = max(self._dearer.get(bound.model, 1.0), attempt.cost_usd / listed)


@dataclass(slots=True)
class _Held:
    """The `Reservation` of one attempt; settles once."""

    budget: Budget
    bound: AttemptBound
    worst_usd: float
    settled: bool = False

    def settle(self, attempt: Attempt | None) -> None:
        if not self.settled:
            self.settled = True
            self.budget.settle(self.bound, self.worst_usd, attempt)


def _cost(price: Price, bound: AttemptBound) -> float:
    prompt = max(price.prompt, price.cached_prompt or 0.0)
    return price.request + bound.prompt_tokens * prompt + bound.completion_tokens * price.completion
