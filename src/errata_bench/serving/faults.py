"""How the server misbehaves: the kinds of fault, and which request meets which. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from errata_bench.errors import UserError


class FaultKind(StrEnum):
    """One kind of fault; the words are what ``--fault`` takes and what the ledger counts by."""

    TOO_MANY_REQUESTS = "429"
    """Status 429 with ``Retry-After: 0``."""
    SERVER_ERROR = "500"
    """Status 500 with a JSON error."""
    BAD_GATEWAY = "502"
    """Status 502 with a JSON error."""
    OVERLOADED = "503"
    """Status 503 with a JSON error."""
    GATEWAY_TIMEOUT = "524"
    """Status 524 with a web page, as a proxy before the server sends it."""
    RESET = "reset"
    """The connection is reset before a response."""
    CUT = "cut"
    """The connection ends in the middle of the body; the reply is billed."""
    EMPTY = "empty"
    """Status 200 without a body."""
    HTML = "html"
    """Status 200 with a web page, as a login page or a wrong address answers."""
    ERROR_BODY = "error-body"
    """Status 200 with an error of code 502 in the body."""
    NO_CHOICES = "no-choices"
    """Status 200 with an empty list of choices; the prompt is billed."""
    SLOW = "slow"
    """The right reply, but ``--slow-seconds`` late."""
    TRUNCATED = "truncated"
    """The reply is cut in its middle, finish reason ``length``."""
    MALFORMED_ARGUMENTS = "malformed-arguments"
    """The reply ends with its last edit, the arguments of which are no JSON."""
    LEAKED_CALL = "leaked-call"
    """The calls are written into the text."""
    NO_TOOLS = "no-tools"
    """The reply is only talk."""

    @property
    def is_transient(self) -> bool:
        """Whether a client gets the right reply by asking again."""
        return self not in (FaultKind.HTML, FaultKind.SLOW) and not self.spoils_the_reply

    @property
    def spoils_the_reply(self) -> bool:
        """Whether the reply is a valid response with less in it than the model meant."""
        return self in (
            FaultKind.TRUNCATED,
            FaultKind.MALFORMED_ARGUMENTS,
            FaultKind.LEAKED_CALL,
            FaultKind.NO_TOOLS,
        )


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """How probable each kind of fault is, from 0 to 1, and the seed of the draw.

    The draw hangs on nothing but the seed, the content of a request and how many requests of this content came
    before: neither time nor the order of other requests changes what happens, and a repeated request draws anew. Each
    kind strikes independently with its probability; where several strike, one of them, chosen without favour, is
    taken. So kinds of 10% each do not add up: sixteen of them disturb about 81% of the requests.
    """

    probabilities: Mapping[FaultKind, float] = field(default_factory=dict)
    seed: int = 0

    def draw(self, content: str, number: int) -> FaultKind | None:
        """The fault that the ``number``-th request of this content (from 1) meets; None for none."""
        struck: dict[FaultKind, float] = {}
        for kind, probability in self.probabilities.items():
            chance = _chance(f"{self.seed}:{number}:{kind}:{content}")
            if chance < probability:
                struck[kind] = chance / probability
        return min(struck, key=lambda kind: struck[kind]) if struck else None


def parse_faults(values: Iterable[str]) -> dict[FaultKind, float]:
    """Read ``KIND:PROBABILITY``, as ``--fault`` takes them; raises one `UserError` for all that cannot be read."""
    read: dict[FaultKind, float] = {}
    problems: list[str] = []
    for value in values:
        name, colon, amount = value.strip().rpartition(":")
        kind = next((kind for kind in FaultKind if kind == name.strip().lower()), None)
        probability = _probability(amount)
        if not colon:
            problems.append(f"{value!r} has no colon")
        elif kind is None:
            problems.append(f"{value!r} names no kind of fault")
        elif probability is None:
            problems.append(f"{value!r} has no probability from 0 to 1")
        elif kind in read:
            problems.append(f"{kind} is given twice")
        else:
            read[kind] = probability
    if problems:
        raise UserError(
            "--fault: " + "; ".join(problems),
            mend=f"write KIND:PROBABILITY, such as 503:0.1; the kinds are {', '.join(FaultKind)}",
        )
    return read


def _probability(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def _chance(text: str) -> float:
    """A number from 0 up to but without 1, the same for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48
