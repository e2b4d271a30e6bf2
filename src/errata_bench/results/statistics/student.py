"""Quantiles of Student's t and of the normal distribution."""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from statistics import NormalDist

_STEPS = 200


def normal_quantile(probability: float) -> float:
    """The normal quantile; ``probability`` lies between 0 and 1, both excluded."""
    return NormalDist().inv_cdf(probability)


def t_cdf(value: float, degrees: float) -> float:
    """The probability that Student's t with these degrees of freedom (above 0) is at most ``value``."""
    if value == 0:
        return 0.5
    tail = 0.5 * _beta_share(degrees / (degrees + value * value), degrees / 2, 0.5)
    return tail if value < 0 else 1 - tail


def t_quantile(probability: float, degrees: float) -> float:
    """The value that Student's t stays at or below with this probability (0 to 1, both excluded).

    Found by bisection, to some twelve digits.
    """
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while t_cdf(high, degrees) < probability:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_cdf(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return high


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 1_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result
