from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.results.statistics.intervals import Interval, Method, Sampling, intervals
from errata_bench.results.statistics.scores import F05, RATE, SHARE, Question, Scale, VariantScores
from tests.results.statistics.groups import drawn, variant, weighted

THESE, NEW = Question.THESE_TEXTS, Question.NEW_TEXTS
HALF = [1.0, 0.0] * 5  # ten issues, five fixed: s² = 10 × 0.25 / 9
Z = 1.959963985


def only(
    scores: VariantScores, question: Question = THESE, scale: Scale = SHARE, *, hierarchical: bool = False
) -> Interval:
    (interval,) = intervals([scores], question, scale, hierarchical=hierarchical)
    assert interval is not None
    return interval


class TestTheseTexts:
    def test_the_estimate_is_the_mean_of_the_case_means(self) -> None:
        assert only(variant("a", [1, 1, 1, 0], [0, 1])).estimate == pytest.approx((0.75 + 0.5) / 2)

    def test_the_standard_error_is_that_of_the_formula(self) -> None:
        # s² is 0.25 over 4 issues, and 0.5 over 2
        error = only(variant("a", [1, 1, 1, 0], [0, 1])).standard_error
        assert error == pytest.approx(0.5 * sqrt(0.25 / 4 + 0.5 / 2))

    def test_cases_with_many_issues_get_the_normal_interval(self) -> None:
        interval = only(variant("a", HALF, HALF))
        error = 0.5 * sqrt(2 * (10 * 0.25 / 9) / 10)
        assert interval.method is Method.NORMAL
        assert interval.low == pytest.approx(0.5 - Z * error)
        assert interval.high == pytest.approx(0.5 + Z * error)
        assert interval.half_width == pytest.approx(Z * error)
        assert (interval.cases, interval.units) == (2, 20)

    @pytest.mark.parametrize("thin", [[1.0, 0.0], [1.0] * 12])
    def test_a_case_with_few_issues_or_all_alike_brings_in_the_bootstrap(self, thin: list[float]) -> None:
        interval = only(variant("a", HALF, thin))
        assert interval.method is Method.BOOTSTRAP
        error = interval.standard_error
        assert error is not None
        assert interval.low <= max(0.0, interval.estimate - Z * error) + 1e-9
        assert interval.high >= min(1.0, interval.estimate + Z * error) - 1e-9

    def test_the_mean_over_runs_scatters_less_than_single_runs(self) -> None:
        single, averaged = only(variant("a", HALF)), only(variant("a", [0.75, 0.25] * 5))
        assert averaged.half_width == pytest.approx(single.half_width / 2)

    def test_a_case_of_one_issue_is_taken_to_scatter_as_the_others(self) -> None:
        error = only(variant("a", HALF, [1.0])).standard_error
        variance = 10 * 0.25 / 9
        assert error == pytest.approx(0.5 * sqrt(variance / 10 + variance / 1))

    def test_all_alike_is_not_certain(self) -> None:
        perfect = only(variant("a", [1.0] * 10))
        assert perfect.method is Method.BOUND
        assert perfect.high == 1.0
        assert perfect.low == pytest.approx(0.025**0.1)  # Clopper and Pearson for 10 of 10
        assert perfect.standard_error is None

    def test_a_rate_without_events_may_have_had_some(self) -> None:
        none = only(weighted("a", [(0.0, 400.0), (0.0, 600.0)]), scale=RATE)
        assert (none.low, none.estimate) == (0.0, 0.0)
        assert none.high == pytest.approx(-log(0.025))  # 3.7 edits in the 1,000 words seen

    def test_a_ratio_has_the_delta_methods_standard_error(self) -> None:
        # r = 3/4, mean weight 4/3, residuals 0.9375, -0.5625, -0.375
        interval = only(weighted("a", [(2, 1), (0, 1), (1, 2)]), scale=RATE)
        assert interval.estimate == 0.75
        assert interval.standard_error == pytest.approx(sqrt((0.9375**2 + 0.5625**2 + 0.375**2) / 2 / 3))

    def test_without_a_case_there_is_none(self) -> None:
        assert intervals([VariantScores("a", ())]) == [None]
        assert intervals([VariantScores("a", ()), variant("b", HALF)])[0] is None


class TestNewTexts:
    CASES = ([1.0] * 5 + [0.0] * 5, [1.0] * 7 + [0.0] * 3, [1.0] * 9 + [0.0])

    def test_the_t_interval_is_over_case_means(self) -> None:
        interval = only(variant("a", *self.CASES), NEW)
        assert interval.method is Method.STUDENT_T
        assert interval.standard_error == pytest.approx(0.2 / sqrt(3))
        assert interval.low == pytest.approx(0.7 - 4.302652730 * 0.2 / sqrt(3))
        assert interval.high == 1.0  # clipped

    def test_one_case_says_nothing_about_others(self) -> None:
        assert intervals([variant("a", HALF)], NEW) == [None]

    def test_cases_that_score_the_same_are_no_surer_than_on_these_texts(self) -> None:
        scores = variant("a", HALF, HALF)
        assert only(scores, NEW).half_width == only(scores, THESE).half_width
        assert only(scores, NEW).question is NEW

    def test_the_hierarchical_bootstrap_is_at_least_as_wide_as_issues_alone(self) -> None:
        scores = variant("a", *self.CASES)
        hierarchical = only(scores, NEW, hierarchical=True)
        assert hierarchical.method is Method.HIERARCHICAL
        assert hierarchical.half_width > 1.96 * 0.2 / sqrt(3) * sqrt(2 / 3)

    def test_it_is_wider_than_on_these_texts_where_cases_differ(self) -> None:
        scores = variant("a", [1.0] * 20, HALF, [0.0] * 20)
        assert only(scores, NEW).half_width > 2 * only(scores, THESE).half_width


class TestEmptyCases:
    def test_a_case_without_weight_scores_what_the_scale_says(self) -> None:
        scores = weighted("a", [(1.0, 2.0), (1.0, 2.0)], [(0.0, 0.0)])
        assert only(scores, scale=F05).estimate == pytest.approx((0.5 + 1.0) / 2)

    def test_or_is_left_out(self) -> None:
        scores = weighted("a", [(1.0, 2.0), (1.0, 2.0)], [(0.0, 0.0)])
        assert only(scores).estimate == 0.5
        assert only(scores).cases == 1


def test_the_same_scores_give_the_same_numbers_in_any_order() -> None:
    one, other = drawn("a", 0.9, issues=6), drawn("b", 0.6, issues=6, seed=2)
    turned = VariantScores("a", one.cases[::-1])
    assert intervals([one, other])[0] == intervals([other, turned])[1] == intervals([one])[0]


def test_another_seed_draws_other_samples() -> None:
    scores = drawn("a", 0.95, issues=6, cases=3)
    first, second, again = (
        intervals([scores], NEW, sampling=Sampling(seed=seed, resamples=50), hierarchical=True)[0] for seed in (1, 2, 1)
    )
    assert first != second
    assert first == again


@pytest.mark.parametrize("unit", [(float("nan"), 1.0), (1.0, -1.0), (1.0, float("inf"))])
def test_what_is_no_number_is_refused(unit: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="c0"):
        intervals([weighted("a", [unit])])


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 1.0]), min_size=1, max_size=12), min_size=1, max_size=4),
    st.sampled_from(Question),
    st.booleans(),
)
def test_an_interval_holds_its_estimate_within_the_scale(
    cases: list[list[float]], question: Question, hierarchical: bool
) -> None:
    sampling = Sampling(resamples=200)
    (interval,) = intervals([variant("a", *cases)], question, sampling=sampling, hierarchical=hierarchical)
    if interval is None:
        assert question is NEW and len(cases) == 1
    else:
        assert 0.0 <= interval.low <= interval.estimate + 1e-9
        assert interval.estimate - 1e-9 <= interval.high <= 1.0
        assert interval.high > interval.low
