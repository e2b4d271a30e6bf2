from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.results.statistics.intervals import Sampling
from errata_bench.results.statistics.ranks import rank
from errata_bench.results.statistics.scores import RATE, Question, VariantScores
from tests.results.statistics.groups import drawn, variant, weighted

THESE, NEW = Question.THESE_TEXTS, Question.NEW_TEXTS


def test_variants_come_best_first_and_equals_by_name() -> None:
    ranked = rank([variant("c", [0.0, 1.0]), variant("b", [1.0, 1.0]), variant("a", [1.0, 0.0])])
    assert [(one.name, one.rank) for one in ranked] == [("b", 1), ("a", 2), ("c", 2)]


def test_less_may_be_better() -> None:
    ranked = rank([weighted("a", [(3.0, 10.0)]), weighted("b", [(1.0, 10.0)])], scale=RATE, less_is_better=True)
    assert [(one.name, one.score) for one in ranked] == [("b", 0.1), ("a", pytest.approx(0.3))]


def test_a_variant_without_scores_is_left_out() -> None:
    assert [one.name for one in rank([VariantScores("a", ()), variant("b", [1.0])])] == ["b"]
    assert rank([]) == []


@pytest.mark.parametrize("question", [THESE, NEW])
def test_clear_differences_give_narrow_places(question: Question) -> None:
    group = [drawn("good", 0.95, cases=8), drawn("fair", 0.6, cases=8, seed=2), drawn("poor", 0.2, cases=8, seed=3)]
    ranked = rank(group, question)
    assert [(one.name, one.low, one.high) for one in ranked] == [("good", 1, 1), ("fair", 2, 2), ("poor", 3, 3)]
    assert [one.with_best for one in ranked] == [True, False, False]


@pytest.mark.parametrize("question", [THESE, NEW])
def test_equals_share_the_group_of_the_best_and_have_wide_places(question: Question) -> None:
    ranked = rank([drawn(f"v{seed}", 0.7, seed=seed) for seed in range(6)], question)
    assert all(one.with_best for one in ranked)
    assert all(one.high - one.low >= 3 for one in ranked)


def test_what_one_resample_shares_is_no_reason_to_doubt_an_order() -> None:
    """Issues are hard or easy for all: variants that differ on every tenth issue are told apart by pairing."""
    low = [1.0, 0.0] * 50
    high = [1.0 if n % 10 == 1 else x for n, x in enumerate(low)]
    ranked = rank([variant("low", low, low), variant("high", high, high)])
    assert [(one.name, one.low, one.high, one.with_best) for one in ranked] == [
        ("high", 1, 1, True),
        ("low", 2, 2, False),
    ]


def test_exact_equals_are_never_parted() -> None:
    ranked = rank([variant("a", [1.0] * 20), variant("b", [1.0] * 20)])
    assert [(one.rank, one.low, one.high, one.with_best) for one in ranked] == [(1, 1, 2, True), (1, 1, 2, True)]


def test_a_distance_that_never_scatters_has_to_be_large_enough() -> None:
    few, many = [variant("a", [1.0]), variant("b", [0.0])], [variant("a", [1.0] * 20), variant("b", [0.0] * 20)]
    assert [one.with_best for one in rank(many)] == [True, False]
    assert [one.with_best for one in rank(few)] == [True, True]
    halves = [variant("a", [1.0, 1.0]), variant("b", [0.5, 0.5])]
    assert [one.with_best for one in rank(halves)] == [True, True]


def test_one_case_parts_nobody_on_new_texts() -> None:
    assert all(one.with_best for one in rank([variant("a", [1.0] * 20), variant("b", [0.0] * 20)], NEW))


def test_a_variant_that_lacks_a_case_is_ranked_on_those_it_has() -> None:
    ranked = rank([variant("a", [1.0, 0.0], [1.0, 1.0]), variant("b", [1.0, 1.0])], NEW)
    assert [(one.name, one.score) for one in ranked] == [("b", 1.0), ("a", 0.75)]


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=4), min_size=2, max_size=2),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(Question),
    st.randoms(use_true_random=False),
)
def test_places_hold_their_ranks_in_any_order(
    scores: list[list[list[float]]], question: Question, random: object
) -> None:
    group = [variant(f"v{n}", *cases) for n, cases in enumerate(scores)]
    sampling = Sampling(resamples=100)
    ranked = rank(group, question, sampling=sampling)
    assert [one.name for one in rank(group[::-1], question, sampling=sampling)] == [one.name for one in ranked]
    for one in ranked:
        assert 1 <= one.low <= one.rank <= one.high <= len(group)
    assert ranked[0].with_best
