"""The Pareto front: what nothing else beats in both figures at once."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]], *, less_x: bool, less_y: bool) -> list[int]:
    """The places of the points that no other point dominates, in ascending order.

    One point dominates another when it is at least as good in both figures and better in one. ``less_x`` and
    ``less_y`` say that less of that figure is better. Points that agree in both dominate each other not.
    """
    signed = [(-x if less_x else x, -y if less_y else y) for x, y in points]
    front: list[int] = []
    best_y = float("-inf")
    last: tuple[float, float] | None = None
    for n in sorted(range(len(signed)), key=lambda n: (-signed[n][0], -signed[n][1])):
        if signed[n] == last:
            front.append(n)
        elif signed[n][1] > best_y:
            front.append(n)
            last, best_y = signed[n], signed[n][1]
    return sorted(front)
