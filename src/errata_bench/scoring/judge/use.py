"""What judging took: tokens and money."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from errata_bench.chat import ChatReply


@dataclass(frozen=True, slots=True)
class JudgingUse:
    """Tokens and US dollars of judge requests that were answered; None where something was not reported."""

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: JudgingUse) -> JudgingUse:
        return JudgingUse(
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
            None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd,
        )

    def shares(self, count: int) -> list[JudgingUse]:
        """The same in ``count`` equal parts, at least one; tokens stay whole, so the first parts may have one more."""
        prompt, completion = _split(self.prompt_tokens, count), _split(self.completion_tokens, count)
        cost = None if self.cost_usd is None else self.cost_usd / count
        return [JudgingUse(*tokens, cost) for tokens in zip(prompt, completion, strict=True)]


def use_of(reply: ChatReply) -> JudgingUse:
    """What one reply took."""
    return JudgingUse(reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.cost_usd)


def total_use(parts: Iterable[JudgingUse]) -> JudgingUse:
    """The sum; unknown as soon as one part is."""
    return sum(parts, JudgingUse())


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _split(number: int | None, count: int) -> list[int | None]:
    if number is None:
        return [None] * count
    whole, rest = divmod(number, count)
    return [whole + (n < rest) for n in range(count)]
