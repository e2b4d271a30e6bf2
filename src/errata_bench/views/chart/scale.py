"""Where a value lies on an axis, and which values are written beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_DECADE = 10.0
_MARGIN = 0.04
_NEAR_NOTHING = 1e-9
"""Below this share of the largest value the rest of an axis would be squeezed by what is as good as zero."""


class ScaleKind(StrEnum):
    """How values are spread over an axis; the words are Vega-Lite's."""

    LINEAR = "linear"
    LOG = "log"
    SYMLOG = "symlog"
    """As logarithmic, and with room for zero."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high``; ``constant`` is where a `ScaleKind.SYMLOG` turns from linear to logarithmic."""

    kind: ScaleKind
    low: float
    high: float
    constant: float = 1.0

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high end."""
        low, high = self._spread(self.low), self._spread(self.high)
        return (self._spread(value) - low) / (high - low)

    def value_at(self, place: float) -> float:
        """The value at a place: the reverse of `place`."""
        low, high = self._spread(self.low), self._spread(self.high)
        return self._gathered(low + place * (high - low))

    def ticks(self, most: int) -> list[float]:
        """Round values on the axis, ascending, at most so many (2 or more)."""
        if self.kind is ScaleKind.LINEAR:
            return _round_steps(self.low, self.high, most)
        ticks = [0.0] if self.low <= 0 <= self.high else []
        least = self.constant if self.kind is ScaleKind.SYMLOG else self.low
        first, last = math.ceil(math.log10(least) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        for factors in ((1, 2, 5), (1, 3), (1,)):
            found = [f * 10.0**n for n in range(first - 1, last + 1) for f in factors]
            found = [tick for tick in found if least <= tick * (1 + 1e-9) and tick <= self.high * (1 + 1e-9)]
            if len(ticks) + len(found) <= most and found:
                return ticks + found
        step = max(1, math.ceil((last - first + 1) / max(1, most - len(ticks))))
        return ticks + [10.0**n for n in range(first, last + 1, step)]

    def _spread(self, value: float) -> float:
        if self.kind is ScaleKind.LOG:
            return math.log10(max(value, math.ulp(0.0)))
        if self.kind is ScaleKind.SYMLOG:
            return math.copysign(math.log1p(abs(value) / self.constant), value)
        return value

    def _gathered(self, spread: float) -> float:
        if self.kind is ScaleKind.LOG:
            return float(10.0**spread)
        if self.kind is ScaleKind.SYMLOG:
            return math.copysign(math.expm1(abs(spread)) * self.constant, spread)
        return spread


def fit_scale(values: Sequence[float], *, logarithmic: bool, within: tuple[float, float] | None = None) -> Scale:
    """A scale with some room around the values, none of which is negative on a logarithmic one.

    It is logarithmic only where that helps: where the values span a decade or more. ``within`` bounds the room.
    """
    positive = [value for value in values if value > 0]
    if logarithmic and positive and max(positive) / min(positive) >= _DECADE and min(values) >= 0:
        low, high = min(positive), max(positive)
        if min(values) == 0 or low < high * _NEAR_NOTHING:
            low = max(low, high * _NEAR_NOTHING)
            return Scale(ScaleKind.SYMLOG, 0.0, high * (high / low) ** _MARGIN, low)
        room = (high / low) ** _MARGIN
        return Scale(ScaleKind.LOG, low / room, high * room)
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * _MARGIN or max(abs(high) * 0.1, 0.05)
    low, high = low - room, high + room
    if min(values, default=0.0) >= 0:
        low = max(low, 0.0)
    if within is not None:
        low, high = max(low, within[0]), min(high, within[1])
    return Scale(ScaleKind.LINEAR, low, high)


def _round_steps(low: float, high: float, most: int) -> list[float]:
    span = high - low
    magnitude = 10.0 ** math.floor(math.log10(span / max(1, most - 1)))
    for factor in (1, 2, 5, 10, 20, 50):
        step = factor * magnitude
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [n * step for n in range(first, last + 1)]
    return [low, high]
