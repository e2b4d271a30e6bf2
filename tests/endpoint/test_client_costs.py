"""What requests cost, against a real server."""

from __future__ import annotations

from typing import Any

import pytest

from errata_bench.endpoint.catalogue import Price
from errata_bench.endpoint.pricing import KnownPrice, PriceBook, PriceSource
from tests.endpoint.clients import BUSY, client_of, settings_for
from tests.support.loopback import Answer, Cut, Loopback, Reset, chat_reply

# Costs


PRICES = PriceBook({"org/m": KnownPrice(Price(1e-6, 2e-6), PriceSource.FILE)})


async def test_the_reported_cost_wins_over_the_price_list(server: Loopback) -> None:
    reported = {"prompt_tokens": 1000, "completion_tokens": 100, "cost": 0.5}
    unreported = {"prompt_tokens": 1000, "completion_tokens": 100}
    server.script(*(Answer(body=chat_reply("x", usage=usage)) for usage in (reported, unreported, {})))
    async with client_of(settings_for(server), prices=PRICES) as client:
        costs = [(await client.complete()).cost_usd for _ in range(3)]
    assert costs == [0.5, pytest.approx(0.0012), None]
    assert [attempt.cost_usd for attempt in client.attempts] == costs


@pytest.mark.parametrize(
    ("step", "cost"),
    [
        (BUSY, 0.0),
        (Answer(502, {"error": {"message": "x"}, "usage": {"cost": 0.25}}), 0.25),
        (Answer(200, {"error": {"code": 502}, "usage": {"cost": 0.25}}), 0.25),
        (Answer(200, {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}), 0.0012),
        (Answer(200, {"choices": [], "usage": {"prompt_tokens": 1000}}), None),
        (Answer(200, '{"choices": [{"mess'), None),
        (Cut(), None),
        (Reset(), None),
    ],
)
async def test_a_failed_attempt_costs_what_its_body_says(step: Any, cost: float | None, server: Loopback) -> None:
    server.script(step)
    async with client_of(settings_for(server), prices=PRICES) as client:
        await client.complete()
    failed = client.attempts[0].cost_usd
    assert failed == (pytest.approx(cost) if cost is not None else None)
