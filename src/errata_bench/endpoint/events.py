"""What an endpoint tells of beside its attempts: waits, adaptations, the pace, outages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Detail = str | int | float | None


class EventKind(StrEnum):
    """What happened; the words are those of the log."""

    WAIT = "wait"
    """A request failed and is tried again: ``model``, ``attempt`` (from 1), ``fault``, ``seconds`` until then."""
    ADAPTATION = "adaptation"
    """A refused parameter is left out or renamed: ``model``, ``change``, ``fault``."""
    PACE = "pace"
    """A model gets another number of requests at a time: ``model``, ``at_a_time``."""
    OUTAGE = "outage"
    """Nothing at the endpoint answers, and all requests wait: ``fault``."""
    OUTAGE_OVER = "outage_over"
    """The endpoint answers again: ``seconds`` that it did not."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; it holds no secret."""

    kind: EventKind
    details: Mapping[str, Detail] = field(default_factory=dict)


EventSink = Callable[[Event], None]
"""Is told of an event as it happens, in the task whose request it is about."""


def ignore_event(_: Event) -> None:
    """An `EventSink` that keeps nothing."""
