"""Room for names beside points: places in which no name covers another name or a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

Align = Literal["left", "center", "right"]

CHARACTER = 6.4
"""Pixels that a character takes in the chart's font, on the wide side."""
LINE = 13.0
"""Pixels that a line takes."""
_GAP = 8.0
_RADIUS = 7.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A point in pixels from the left and the top, and its name; after it shorter ones, for where room is scarce."""

    x: float
    y: float
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name stands: what is at ``x`` is its left end, its centre or its right end; ``y`` is its middle."""

    x: float
    y: float
    align: Align
    text: str


def place_labels(spots: Sequence[Spot], width: float, height: float) -> list[Place | None]:
    """Where each name stands, in pixels; None where there is room for none of a point's names.

    The longest names are placed first, and of these those that are first in the list.
    """
    points = [_Box(s.x - _RADIUS, s.y - _RADIUS, s.x + _RADIUS, s.y + _RADIUS) for s in spots]
    taken: list[_Box] = []
    found: list[Place | None] = [None] * len(spots)
    for choice in range(max((len(spot.texts) for spot in spots), default=0)):
        for n, spot in enumerate(spots):
            if found[n] is not None or choice >= len(spot.texts):
                continue
            others = [*taken, *points[:n], *points[n + 1 :]]
            for tried in _candidates(spot, spot.texts[choice]):
                box = _box(tried)
                inside = box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
                if inside and not any(box.covers(other) for other in others):
                    taken.append(box)
                    found[n] = tried
                    break
    return found


def _box(place: Place) -> _Box:
    long = cell_len(place.text) * CHARACTER
    left = place.x - long * {"left": 0.0, "center": 0.5, "right": 1.0}[place.align]
    return _Box(left, place.y - LINE / 2, left + long, place.y + LINE / 2)


def _candidates(spot: Spot, text: str) -> list[Place]:
    near = [
        Place(spot.x + _GAP, spot.y, "left", text),
        Place(spot.x - _GAP, spot.y, "right", text),
        Place(spot.x, spot.y - LINE, "center", text),
        Place(spot.x, spot.y + LINE, "center", text),
    ]
    for step in (-0.75, 0.75, -1.2, 1.2):
        near.append(Place(spot.x + _GAP - 2, spot.y + step * LINE, "left", text))
        near.append(Place(spot.x - _GAP + 2, spot.y + step * LINE, "right", text))
    return near
