"""What could have been seen at all."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from errata_bench.results.statistics.student import normal_quantile, t_quantile

POWER = 0.8


def smallest_difference(
    standard_error: float, degrees: int | None = None, *, confidence: float = 0.95, power: float = POWER
) -> float | None:
    """The smallest true difference that a comparison with this standard error shows with this probability.

    (quantile of the test + quantile of the power) × SE; 2.80 SE at 95% and 80%. ``degrees`` of freedom, for
    a comparison over cases, take Student's t in place of the normal distribution. None where nothing scatters: then
    nobody knows (a standard error of 0 does not mean that any difference would show).
    """
    if not standard_error > 0:
        return None
    test = (1 + confidence) / 2
    if degrees is None:
        return (normal_quantile(test) + normal_quantile(power)) * standard_error
    if degrees < 1:
        return None
    return (t_quantile(test, degrees) + t_quantile(power, degrees)) * standard_error


def typical(differences: Iterable[float | None]) -> float | None:
    """The median of the smallest differences of several comparisons: what a group as a whole can show."""
    known = [difference for difference in differences if difference is not None]
    return median(known) if known else None
