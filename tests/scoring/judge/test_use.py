from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.scoring.judge.use import JudgingUse, total_use

tokens = st.none() | st.integers(0, 10**6)
uses = st.builds(JudgingUse, tokens, tokens, st.none() | st.floats(0, 10))


@given(uses, st.integers(1, 20))
def test_shares_are_equal_and_add_up_to_the_whole(use: JudgingUse, count: int) -> None:
    shares = use.shares(count)
    assert len(shares) == count
    whole = total_use(shares)
    assert (whole.prompt_tokens, whole.completion_tokens) == (use.prompt_tokens, use.completion_tokens)
    assert whole.cost_usd == (None if use.cost_usd is None else pytest.approx(use.cost_usd))
    counts = [share.prompt_tokens for share in shares if share.prompt_tokens is not None]
    assert not counts or max(counts) - min(counts) <= 1


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    assert total_use([JudgingUse(1, 2, 0.5), JudgingUse(1, None, None)]) == JudgingUse(2, None, None)


def test_nothing_asked_costs_nothing() -> None:
    assert total_use([]) == JudgingUse(0, 0, 0.0)
