from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.results.statistics.compare import Comparison, compare, compare_all, holm
from errata_bench.results.statistics.intervals import Method
from errata_bench.results.statistics.power import smallest_difference, typical
from errata_bench.results.statistics.scores import RATE, SHARE, Question, Scale, VariantScores, only_units
from tests.results.statistics.groups import drawn, variant, weighted

THESE, NEW = Question.THESE_TEXTS, Question.NEW_TEXTS


def compared(one: VariantScores, other: VariantScores, question: Question = THESE, scale: Scale = SHARE) -> Comparison:
    comparison = compare(one, other, question, scale)
    assert comparison is not None
    return comparison


class TestDifference:
    def test_the_standard_error_is_that_of_the_paired_differences(self) -> None:
        # differences 1, 0, 0, 0 twice over and more: ten issues of which two differ
        one, other = variant("a", [1.0] * 7 + [0.0] * 3), variant("b", [1.0] * 5 + [0.0] * 5)
        comparison = compared(one, other)
        assert comparison.difference.estimate == pytest.approx(0.2)
        assert comparison.difference.method is Method.NORMAL
        assert comparison.difference.standard_error == pytest.approx(sqrt((2 * 0.8**2 + 8 * 0.2**2) / 9 / 10))

    def test_pairing_tells_more_than_two_intervals(self) -> None:
        base = drawn("a", 0.5)
        better = VariantScores(
            "b",
            tuple(type(case)(case.case_id, {**case.units, "i0": type(case.units["i0"])(1.0)}) for case in base.cases),
        )
        assert compared(better, base).difference.half_width < 0.05

    def test_only_what_both_have_counts(self) -> None:
        one = variant("a", [1.0, 1.0, 1.0], [1.0, 1.0])
        other = variant("b", [1.0, 0.0])
        comparison = compared(one, other)
        assert [(case.case_id, case.one, case.other, case.units) for case in comparison.cases] == [("c0", 1.0, 0.5, 2)]
        assert comparison.difference.estimate == 0.5

    def test_nothing_in_common_cannot_be_compared(self) -> None:
        assert compare(variant("a", [1.0]), VariantScores("b", ())) is None
        assert compare(variant("a", [1.0]), variant("b", [0.0]), NEW) is None

    def test_on_new_texts_the_t_interval_is_over_the_cases_differences(self) -> None:
        one = variant("a", [1.0] * 10, [1.0] * 8 + [0.0] * 2, [1.0] * 9 + [0.0])
        other = variant("b", [1.0] * 9 + [0.0], [1.0] * 6 + [0.0] * 4, [1.0] * 6 + [0.0] * 4)
        comparison = compared(one, other, NEW)  # differences 0.1, 0.2, 0.3
        assert comparison.difference.standard_error == pytest.approx(0.1 / sqrt(3))
        assert comparison.difference.high == pytest.approx(0.2 + 4.302652730 * 0.1 / sqrt(3))

    def test_two_that_do_the_same_may_still_differ_unseen(self) -> None:
        comparison = compared(variant("a", [1.0] * 10), variant("b", [1.0] * 10))
        assert comparison.p_value == 1.0
        assert comparison.difference.high == pytest.approx(1 - 0.025**0.1)
        assert comparison.difference.low == pytest.approx(-(1 - 0.025**0.1))
        assert comparison.smallest_difference is None

    def test_rates_are_compared_as_ratios(self) -> None:
        one = weighted("a", [(2000.0, 100.0), (0.0, 300.0)])
        other = weighted("b", [(0.0, 100.0), (1000.0, 300.0)])
        comparison = compared(one, other, scale=RATE)
        assert comparison.difference.estimate == pytest.approx(2000 / 400 - 1000 / 400)
        # four exchanges: as seen, none of both, and the two mirrored: |2.5|, |7.5|, |7.5|, |2.5|
        assert comparison.p_value == 1.0

    def test_one_category_can_be_compared_alone(self) -> None:
        keep = {"c0": {"i0", "i1"}, "c1": {"none"}}
        one = only_units(variant("a", [1.0, 1.0, 0.0], [1.0]), keep)
        other = only_units(variant("b", [0.0, 1.0, 1.0], [1.0]), keep)
        comparison = compared(one, other)
        assert comparison.difference.estimate == 0.5
        assert len(comparison.cases) == 1


class TestPermutation:
    def test_few_issues_are_gone_through_exactly(self) -> None:
        comparison = compared(variant("a", [1.0, 1.0, 1.0]), variant("b", [0.0, 0.0, 0.0]))
        assert comparison.exact
        assert comparison.p_value == 2 / 8

    def test_issues_weigh_as_in_the_mean_over_cases(self) -> None:
        # One case differs by 1 on its only issue, the other by a half on two: two of four flips are as far out.
        comparison = compared(variant("a", [1.0], [1.0, 1.0]), variant("b", [0.0], [0.0, 1.0]))
        assert comparison.difference.estimate == pytest.approx(0.75)
        assert comparison.p_value == 2 / 4

    def test_cases_are_gone_through_exactly(self) -> None:
        one, other = variant("a", [1.0] * 10, [1.0] * 10, [1.0] * 10), variant("b", [0.0] * 10, [0.5] * 10, [0.9] * 10)
        assert compared(one, other, NEW).p_value == 2 / 8

    def test_eleven_cases_that_all_point_one_way_are_the_two_ends_of_2048(self) -> None:
        one = variant("a", *[[1.0] * 12] * 11)
        other = variant("b", *[[1.0] * (11 - n % 3) + [0.0] * (1 + n % 3) for n in range(11)])
        comparison = compared(one, other, NEW)
        assert comparison.exact
        assert comparison.p_value == 2 / 2**11

    def test_more_than_sixteen_cases_are_sampled(self) -> None:
        one, other = variant("a", *[[1.0] * 10] * 17), variant("b", *[[0.9] * 10] * 17)
        comparison = compared(one, other, NEW)
        assert not comparison.exact
        assert 0 < comparison.p_value < 0.01

    def test_a_large_difference_on_many_issues_is_seen(self) -> None:
        comparison = compared(drawn("a", 0.9), drawn("b", 0.6, seed=2))
        assert comparison.p_value < 0.001
        assert comparison.difference.low > 0

    def test_the_same_scores_give_the_same_p(self) -> None:
        one, other = drawn("a", 0.7), drawn("b", 0.6, seed=2)
        assert compared(one, other) == compared(one, other)
        assert compared(one, other).p_value == compared(other, one).p_value


class TestSeveral:
    def test_holm_multiplies_by_how_many_are_left(self) -> None:
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])

    def test_holm_never_exceeds_one_and_leaves_one_test_alone(self) -> None:
        assert holm([0.6, 0.9]) == [1.0, 1.0]
        assert holm([0.2]) == [0.2]
        assert holm([]) == []

    def test_those_that_cannot_be_compared_are_not_counted(self) -> None:
        one, other = variant("a", [1.0, 1.0, 1.0]), variant("b", [0.0, 0.0, 0.0])
        first, second, third = compare_all([(one, other), (one, VariantScores("c", ())), (other, one)])
        assert second is None
        assert first is not None and third is not None
        assert (first.p_value, first.adjusted_p, third.adjusted_p) == (0.25, 0.5, 0.5)

    @settings(deadline=None)
    @given(st.lists(st.floats(0, 1), max_size=8))
    def test_adjusted_values_keep_their_order(self, p_values: list[float]) -> None:
        adjusted = holm(p_values)
        assert all(p <= q for p, q in zip(p_values, adjusted, strict=True))
        order = sorted(range(len(p_values)), key=lambda n: p_values[n])
        assert [adjusted[n] for n in order] == sorted(adjusted)


class TestPower:
    def test_on_these_texts_it_is_2_8_standard_errors(self) -> None:
        assert smallest_difference(0.01) == pytest.approx(0.0280158522, abs=1e-9)

    def test_few_cases_ask_for_more(self) -> None:
        # t(10): 2.228139 at 0.975 and 0.879058 at 0.8
        assert smallest_difference(0.01, 10) == pytest.approx(0.01 * (2.228138852 + 0.879057828), abs=1e-8)

    def test_where_nothing_scatters_nobody_knows(self) -> None:
        assert smallest_difference(0.0) is None
        assert smallest_difference(0.1, 0) is None

    def test_a_comparison_tells_its_own(self) -> None:
        comparison = compared(drawn("a", 0.7), drawn("b", 0.6, seed=2))
        assert comparison.difference.standard_error is not None
        assert comparison.smallest_difference == pytest.approx(2.80158522 * comparison.difference.standard_error)

    def test_a_group_has_the_median_of_its_comparisons(self) -> None:
        assert typical([0.03, None, 0.01, 0.02]) == 0.02
        assert typical([None]) is None


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=5),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(Question),
)
def test_turning_a_comparison_round_turns_its_sign_alone(
    cases: list[list[tuple[float, float]]], question: Question
) -> None:
    one = variant("a", *[[first for first, _ in case] for case in cases])
    other = variant("b", *[[second for _, second in case] for case in cases])
    forth, back = compared(one, other, question), compared(other, one, question)
    assert forth.p_value == back.p_value
    assert forth.difference.estimate == pytest.approx(-back.difference.estimate)
    assert forth.difference.low == pytest.approx(-back.difference.high)
    assert 0 < forth.p_value <= 1
