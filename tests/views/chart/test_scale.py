from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.views.chart.scale import Scale, ScaleKind, fit_scale

amounts = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=20)


@given(amounts, st.booleans())
def test_every_value_has_its_place_on_the_axis(values: list[float], logarithmic: bool) -> None:
    scale = fit_scale(values, logarithmic=logarithmic)
    assert scale.low < scale.high
    for value in values:
        assert -1e-9 <= scale.place(value) <= 1 + 1e-9
    ordered = sorted(values)
    places = [scale.place(value) for value in ordered]
    assert places == sorted(places)


@given(amounts, st.booleans(), st.floats(0, 1))
def test_a_place_leads_back_to_its_value(values: list[float], logarithmic: bool, place: float) -> None:
    scale = fit_scale(values, logarithmic=logarithmic)
    assert scale.place(scale.value_at(place)) == pytest.approx(place, abs=1e-6)


@given(amounts, st.booleans(), st.integers(2, 12))
def test_ticks_are_few_ascending_and_on_the_axis(values: list[float], logarithmic: bool, most: int) -> None:
    scale = fit_scale(values, logarithmic=logarithmic)
    ticks = scale.ticks(most)
    assert 1 <= len(ticks) <= most
    assert ticks == sorted(set(ticks))
    assert all(-1e-6 <= scale.place(tick) <= 1 + 1e-6 for tick in ticks)


@pytest.mark.parametrize(
    ("values", "logarithmic", "kind"),
    [
        ([0.1, 5.0], True, ScaleKind.LOG),
        ([0.1, 0.5], True, ScaleKind.LINEAR),
        ([0.0, 0.1, 5.0], True, ScaleKind.SYMLOG),
        ([0.0, 0.0], True, ScaleKind.LINEAR),
        ([0.1, 5.0], False, ScaleKind.LINEAR),
    ],
)
def test_an_axis_is_logarithmic_only_where_that_helps(values: list[float], logarithmic: bool, kind: ScaleKind) -> None:
    assert fit_scale(values, logarithmic=logarithmic).kind is kind


def test_round_values_are_the_ticks() -> None:
    assert Scale(ScaleKind.LINEAR, 0.0, 1.04).ticks(6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(ScaleKind.LOG, 0.009, 11.0).ticks(5) == pytest.approx([0.01, 0.1, 1, 10])
    assert Scale(ScaleKind.SYMLOG, 0.0, 120.0, 10.0).ticks(4) == pytest.approx([0, 10, 30, 100])


def test_nothing_stands_apart_from_the_smallest_of_the_rest() -> None:
    scale = fit_scale([0.0, 0.01, 1.0], logarithmic=True)
    assert scale.place(0.0) == 0
    assert 0.1 < scale.place(0.01) < 0.3
