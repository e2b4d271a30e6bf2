"""The seam to whoever watches over the money: asked before an attempt is sent, told when it has ended. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from errata_bench.chat import Attempt
from errata_bench.errors import ErrataBenchError

HIDDEN_PROMPT_TOKENS = 512
"""Tokens that a provider may add to a prompt by itself: its chat template, its own instructions on tools."""


@dataclass(frozen=True, slots=True)
class AttemptBound:
    """The most that an attempt can use, in tokens.

    ``begun`` says that answers of the same conversation are paid for, which is lost if it cannot go on.
    """

    model: str
    prompt_tokens: int
    completion_tokens: int
    begun: bool = False


def bound_of(model: str, body: bytes, max_completion_tokens: int, *, begun: bool) -> AttemptBound:
    """The bound of a request with that body.

    No tokeniser makes more tokens of a text than it has bytes, and the body holds every text of the request.
    """
    return AttemptBound(model, len(body) + HIDDEN_PROMPT_TOKENS, max_completion_tokens, begun)


class SpendRefused(ErrataBenchError):
    """The money that is allowed does not suffice for a request; nothing was sent.

    ``needed_usd`` is what the request may cost at most, ``left_usd`` what is left of the allowance.
    """

    def __init__(self, needed_usd: float, left_usd: float) -> None:
        super().__init__(f"the next request may cost ${needed_usd:.4f}, and ${left_usd:.4f} is left")
        self.needed_usd = needed_usd
        self.left_usd = left_usd


class Reservation(Protocol):
    """Money set aside for one attempt."""

    def settle(self, attempt: Attempt | None) -> None:
        """Put what the attempt cost in its place; None: nothing was sent."""


class SpendGuard(Protocol):
    """Allows attempts, or does not."""

    async def reserve(self, bound: AttemptBound) -> Reservation:
        """Set money aside; waits where it may come free. Raises `SpendRefused` where it cannot any more."""
        ...
