from __future__ import annotations

from math import atan, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.results.statistics.student import normal_quantile, t_cdf, t_quantile


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.706204736), (2, 4.302652730), (5, 2.570581836), (10, 2.228138852), (30, 2.042272456), (120, 1.979930405)],
)
def test_the_975_quantile_is_that_of_the_tables(degrees: int, quantile: float) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(quantile, abs=1e-8)


@settings(deadline=None)
@given(st.floats(-50, 50))
def test_one_and_two_degrees_of_freedom_have_closed_forms(value: float) -> None:
    assert t_cdf(value, 1) == pytest.approx(0.5 + atan(value) / pi, abs=1e-8)
    assert t_cdf(value, 2) == pytest.approx(0.5 + value / (2 * sqrt(2 + value * value)), abs=1e-8)


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.integers(1, 200))
def test_quantile_and_distribution_are_inverse(probability: float, degrees: int) -> None:
    assert t_cdf(t_quantile(probability, degrees), degrees) == pytest.approx(probability, abs=1e-9)


def test_many_degrees_of_freedom_are_normal() -> None:
    assert t_quantile(0.975, 1e7) == pytest.approx(normal_quantile(0.975), abs=1e-6)
    assert normal_quantile(0.975) == pytest.approx(1.959963985, abs=1e-9)
