from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.errors import UserError
from errata_bench.serving.faults import FaultKind, FaultPlan, parse_faults

ALL = dict.fromkeys(FaultKind, 0.1)


def test_faults_are_read_as_written() -> None:
    assert parse_faults(["503:0.25", " Leaked-Call:1", "reset:0"]) == {
        FaultKind.OVERLOADED: 0.25,
        FaultKind.LEAKED_CALL: 1.0,
        FaultKind.RESET: 0.0,
    }


@pytest.mark.parametrize(
    "value",
    ["503", "504:0.1", ":0.1", "reset:", "reset:often", "reset:1.5", "reset:-0.1", "reset:nan", "reset:inf", ""],
)
def test_a_fault_that_cannot_be_read_is_named_with_all_kinds(value: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_faults(["429:0.1", value])
    assert repr(value) in caught.value.message
    assert all(kind in (caught.value.mend or "") for kind in FaultKind)


def test_all_wrong_faults_are_named_at_once_and_a_kind_is_given_once() -> None:
    with pytest.raises(UserError) as caught:
        parse_faults(["nope:0.1", "cut:0.1", "cut:0.2", "slow:x"])
    assert all(word in caught.value.message for word in ("'nope:0.1'", "cut is given twice", "'slow:x'"))


@given(
    content=st.text(max_size=20), number=st.integers(1, 1000), seed=st.integers(), kind=st.sampled_from(list(FaultKind))
)
def test_probability_one_always_strikes_and_zero_never(content: str, number: int, seed: int, kind: FaultKind) -> None:
    assert FaultPlan({kind: 1.0}, seed).draw(content, number) is kind
    assert FaultPlan({kind: 0.0}, seed).draw(content, number) is None
    assert FaultPlan({}, seed).draw(content, number) is None


@given(seed=st.integers(), order=st.permutations([(content, n) for content in "abc" for n in range(1, 5)]))
def test_the_draw_does_not_hang_on_the_order_of_requests(seed: int, order: list[tuple[str, int]]) -> None:
    in_turn = {(content, n): FaultPlan(ALL, seed).draw(content, n) for content, n in sorted(order)}
    plan = FaultPlan(dict(reversed(ALL.items())), seed)
    assert {(content, n): plan.draw(content, n) for content, n in order} == in_turn


def test_repeats_draw_anew_and_seeds_differ() -> None:
    plan = FaultPlan({FaultKind.RESET: 0.5}, 1)
    draws = [plan.draw("body", n) for n in range(1, 101)]
    assert 25 < sum(kind is None for kind in draws) < 75
    assert draws != [FaultPlan({FaultKind.RESET: 0.5}, 2).draw("body", n) for n in range(1, 101)]


def test_each_kind_strikes_about_as_often_as_it_should_and_none_is_favoured() -> None:
    drawn = Counter(FaultPlan(ALL).draw(f"body {n}", 1) for n in range(20_000))
    assert drawn[None] / 20_000 == pytest.approx(0.9 ** len(FaultKind), abs=0.02)
    each = (1 - 0.9 ** len(FaultKind)) / len(FaultKind)
    assert [drawn[kind] / 20_000 for kind in FaultKind] == pytest.approx([each] * len(FaultKind), abs=0.01)


def test_a_certain_fault_does_not_give_way_to_a_rare_one() -> None:
    plan = FaultPlan({FaultKind.RESET: 1.0, FaultKind.CUT: 0.2})
    drawn = Counter(plan.draw(f"body {n}", 1) for n in range(10_000))
    # Both strike in a fifth of the draws, and each is taken in half of these.
    assert drawn[FaultKind.CUT] / 10_000 == pytest.approx(0.1, abs=0.02)


def test_the_documentation_lists_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "trying-without-money.md").read_text("utf-8")
    assert [kind for kind in FaultKind if f"| `{kind}` |" not in page] == []
