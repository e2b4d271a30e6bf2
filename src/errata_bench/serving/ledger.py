"""The server's own count of what it was asked and what it billed. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from errata_bench.errors import UserError

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a served model costs, in USD per million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def bill(self, prompt_tokens: int, completion_tokens: int) -> Bill:
        """The bill for these tokens."""
        cost = (prompt_tokens * self.prompt + completion_tokens * self.completion) / _MILLION
        return Bill(prompt_tokens, completion_tokens, cost)


def parse_price(text: str) -> TokenPrice:
    """Read ``IN:OUT``, as ``--cost`` takes it: USD per million tokens. Raises `UserError`."""
    amounts = [_amount(part) for part in text.split(":")]
    if len(amounts) != 2 or amounts[0] is None or amounts[1] is None:
        raise UserError(
            f"--cost {text!r} is no pair of prices",
            mend="write IN:OUT, the USD per million tokens in and out, such as 0.5:3",
        )
    return TokenPrice(amounts[0], amounts[1])


def _amount(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


@dataclass(frozen=True, slots=True)
class Bill:
    """What one request is charged with: tokens and USD."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(slots=True)
class Ledger:
    """Every request of a chat completion, by outcome and by model.

    The outcome is ``ok``, the kind of fault that the request met, or ``refused`` for one that was no good. A reply is
    entered as it is sent; whether it arrived, only the client knows.
    """

    _entries: list[tuple[str, str, Bill]] = field(default_factory=list)

    def enter(self, model: str, outcome: str, bill: Bill = Bill()) -> None:
        """Enter one request; ``model`` is empty where none could be read."""
        self._entries.append((model, str(outcome), bill))

    def summary(self) -> dict[str, Any]:
        """All sums as JSON values: in all, by outcome, and by model."""
        by_outcome: dict[str, list[Bill]] = defaultdict(list)
        by_model: dict[str, list[Bill]] = defaultdict(list)
        for model, outcome, bill in self._entries:
            by_outcome[outcome].append(bill)
            by_model[model].append(bill)
        return {
            **_sums([bill for _, _, bill in self._entries]),
            "outcomes": {name: _sums(bills) for name, bills in sorted(by_outcome.items())},
            "models": {name: _sums(bills) for name, bills in sorted(by_model.items())},
        }


def _sums(bills: list[Bill]) -> dict[str, Any]:
    return {
        "requests": len(bills),
        "prompt_tokens": sum(bill.prompt_tokens for bill in bills),
        "completion_tokens": sum(bill.completion_tokens for bill in bills),
        "cost_usd": math.fsum(bill.cost_usd for bill in bills),
    }
