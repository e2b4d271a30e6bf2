"""What a check of an endpoint finds, step by step. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

NOT_TRIED = "not tried after the failure above"
"""The text of a step that is left out because an earlier one failed."""


class Status(StrEnum):
    """How a step ended."""

    OK = "ok"
    WARN = "warn"
    """A run would work, but not all of it as wished."""
    FAIL = "FAIL"
    """A run would not work."""
    SKIPPED = "skipped"
    """Not tried: it makes no sense after an earlier failure, or the settings leave it out."""


class Step(StrEnum):
    """What is found out, in this order; from `MODEL` on for each model."""

    REACHABLE = "reachable"
    KEY = "key"
    MODEL = "model"
    TOOLS = "tool calling"
    SEVERAL = "several calls"
    HISTORY = "second turn"
    REASONING = "reasoning"
    USAGE = "token counts"
    COST = "cost"
    ADAPTED = "adaptations"


MODEL_STEPS = tuple(Step)[2:]
"""The steps of each model."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one step. ``text`` and ``mend`` hold no secret."""

    step: Step
    status: Status
    text: str
    mend: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All findings, and what finding them took; ``cost_usd`` is None where nobody knows."""

    endpoint: str
    findings: tuple[Finding, ...]
    requests: int
    failed_requests: int
    cost_usd: float | None

    @property
    def works(self) -> bool:
        """Whether a run would work."""
        return not any(finding.status is Status.FAIL for finding in self.findings)


FindingSink = Callable[[Finding], object]
"""Is told each finding as it is made."""
