from __future__ import annotations

import pytest

from errata_bench.errors import UserError
from errata_bench.serving.ledger import Bill, Ledger, TokenPrice, parse_price


def test_sums_are_kept_in_all_by_outcome_and_by_model() -> None:
    ledger = Ledger()
    price = TokenPrice(1.0, 10.0)
    ledger.enter("a", "ok", price.bill(1_000_000, 100_000))
    ledger.enter("b", "ok", price.bill(500_000, 0))
    ledger.enter("b", "503")
    summary = ledger.summary()
    assert {key: summary[key] for key in ("requests", "prompt_tokens", "completion_tokens", "cost_usd")} == {
        "requests": 3,
        "prompt_tokens": 1_500_000,
        "completion_tokens": 100_000,
        "cost_usd": 2.5,
    }
    assert summary["outcomes"]["ok"]["requests"] == 2
    assert summary["outcomes"]["503"]["cost_usd"] == 0
    assert summary["models"]["b"]["prompt_tokens"] == 500_000


def test_a_ledger_without_requests_is_all_zeros() -> None:
    assert Ledger().summary() == {
        "requests": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost_usd": 0,
        "outcomes": {},
        "models": {},
    }


def test_many_small_costs_add_up_exactly() -> None:
    ledger = Ledger()
    for _ in range(10):
        ledger.enter("a", "ok", Bill(1, 1, 0.1))
    assert ledger.summary()["cost_usd"] == 1.0


def test_a_price_is_a_pair() -> None:
    assert parse_price("0.5:3") == TokenPrice(0.5, 3.0)


@pytest.mark.parametrize("text", ["", "1", "1:2:3", "a:1", "1:", "-1:2", "nan:1", "1:inf", "1,2"])
def test_anything_else_is_no_price(text: str) -> None:
    with pytest.raises(UserError, match="--cost") as caught:
        parse_price(text)
    assert "IN:OUT" in (caught.value.mend or "")
