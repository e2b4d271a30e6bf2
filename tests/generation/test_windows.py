from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.errors import UserError
from errata_bench.generation.source import make_source
from errata_bench.generation.windows import apportion, issue_target, plan_spread, split_into_windows

SHARES = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 6)), min_size=1, max_size=12)


@given(SHARES, st.integers(0, 40), st.integers())
def test_shares_add_up_and_stay_under_their_caps(shares: list[tuple[int, int]], total: int, seed: int) -> None:
    weights, caps = [weight for weight, _ in shares], [cap for _, cap in shares]
    total = min(total, sum(caps))
    given_out = apportion(total, weights, caps, random.Random(seed))
    assert sum(given_out) == total
    assert all(0 <= share <= cap for share, cap in zip(given_out, caps, strict=True))


def test_shares_are_in_proportion_to_words() -> None:
    assert apportion(10, [300, 200, 500], [9, 9, 9], random.Random(0)) == [3, 2, 5]
    assert apportion(10, [300, 200, 500], [9, 9, 2], random.Random(0)) == [5, 3, 2]
    assert apportion(3, [100, 19, 18], [9, 9, 9], random.Random(0)) == [2, 1, 0]


def test_ties_are_drawn_by_the_seed() -> None:
    drawn = {tuple(apportion(1, [100, 100, 100], [1, 1, 1], random.Random(seed))) for seed in range(30)}
    assert drawn == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_windows_hold_whole_paragraphs_up_to_the_limit() -> None:
    source = make_source("\n\n".join("word " * 40 for _ in range(5)), "text")
    assert [len(window.paragraphs) for window in split_into_windows(source, 100)] == [2, 2, 1]
    assert [len(window.paragraphs) for window in split_into_windows(source, 0)] == [5]
    assert [window.index for window in split_into_windows(source, 10)] == [0, 1, 2, 3, 4]


def test_at_least_one_error_is_wanted_and_a_count_goes_before_a_rate() -> None:
    assert issue_target(3000, 5.0, None) == 15
    assert issue_target(20, 5.0, None) == 1
    assert issue_target(3000, 5.0, 3) == 3


def test_headings_get_no_error_and_paragraphs_have_caps() -> None:
    source = make_source("Chapter One\n\n" + "word " * 100 + "\n\n" + "word " * 100, "text")
    spread = plan_spread(source, split_into_windows(source, 300), 4, random.Random(0))
    assert spread.caps[0] == 0
    assert spread.caps[1:] == (3, 3)


def test_dense_texts_may_have_more_in_a_paragraph_than_the_checker_likes() -> None:
    source = make_source("word " * 100, "text")
    spread = plan_spread(source, split_into_windows(source, 300), 10, random.Random(0))
    assert spread.caps == (10,)
    assert spread.most_near == 20


def test_more_errors_than_there_is_room_for_are_a_mistake_of_the_user() -> None:
    source = make_source("Only a few words here.", "text")
    with pytest.raises(UserError, match="room for 1"):
        plan_spread(source, split_into_windows(source, 300), 2, random.Random(0))
