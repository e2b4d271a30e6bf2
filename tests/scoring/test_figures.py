from __future__ import annotations

from typing import Any

import pytest

from errata_bench.chat import Usage
from errata_bench.proofreading.loop import ChunkResult, Turn
from errata_bench.scoring.figures import measure_run
from errata_bench.scoring.run_score import score_run
from tests.support.builders import make_case, make_figures


def turn(**fields: Any) -> Turn:
    known: dict[str, Any] = {
        "message": {},
        "calls": (),
        "usage": Usage(100, 10, 5, 50),
        "cost_usd": 0.5,
        "duration_seconds": 2.0,
        "finish_reason": "stop",
    }
    return Turn(**{**known, **fields})


def chunk(*turns: Turn, completed: bool = True) -> ChunkResult:
    return ChunkResult((), turns, completed)


CASE = make_case()
ALL_FIXED = score_run(CASE, CASE.expected, ())


def test_turns_tokens_time_and_cost_add_up_over_chunks() -> None:
    figures = measure_run(ALL_FIXED, [chunk(turn(), turn()), chunk(turn(), completed=False)], 21)
    assert (figures.chunks, figures.completed_chunks, figures.turns) == (2, 1, 3)
    assert figures.turns_per_chunk == 1.5
    assert figures.duration_seconds == 6.0
    assert (figures.prompt_tokens, figures.completion_tokens) == (300, 30)
    assert (figures.reasoning_tokens, figures.cached_prompt_tokens) == (15, 150)
    assert figures.candidate_cost_usd == figures.cost_usd == 1.5
    assert figures.words == 21
    assert (figures.issues, figures.fixed, figures.exact_match) == (3, 3, True)


def test_one_unknown_part_makes_a_sum_unknown_and_no_other() -> None:
    figures = measure_run(ALL_FIXED, [chunk(turn(), turn(cost_usd=None, usage=Usage(1, None, 1, 1)))], 21)
    assert figures.candidate_cost_usd is None
    assert figures.cost_usd is None
    assert figures.issues_per_usd is None
    assert figures.completion_tokens is None
    assert figures.prompt_tokens == 101
    assert figures.issues_per_minute == pytest.approx(45.0)


def test_an_unknown_price_of_the_judge_makes_the_cost_unknown() -> None:
    assert make_figures(5, judge_cost_usd=None).cost_usd is None
    assert make_figures(5, judge_cost_usd=0.25).cost_usd == 1.25


def test_oddities_are_counted_over_all_turns() -> None:
    figures = measure_run(ALL_FIXED, [chunk(turn(oddities={"a": 1})), chunk(turn(oddities={"a": 2, "b": 1}))], 21)
    assert figures.oddities == {"a": 3, "b": 1}


def test_rates_of_a_run() -> None:
    figures = make_figures(
        4, 10, bad_fixes=3, unjudged=2, missed=3, off_target_chars=100, benchmark_rewrite_chars=100, turns=5, chunks=2
    )
    assert (figures.quality, figures.bad_fix_rate, figures.unjudged_rate, figures.missed_rate) == (0.4, 0.3, 0.2, 0.3)
    assert (figures.issues_per_usd, figures.issues_per_minute) == (4.0, 4.0)
    assert (figures.tool_chars_per_issue, figures.tool_calls_per_issue) == (100.0, 1.0)
    assert (figures.off_target_share, figures.rewrite_share) == (0.2, 0.25)
    assert figures.turns_per_chunk == 2.5


def test_where_nothing_was_fixed_nothing_is_divided_by_it() -> None:
    figures = make_figures(0)
    assert (figures.quality, figures.issues_per_usd, figures.issues_per_minute) == (0.0, 0.0, 0.0)
    assert (figures.tool_chars_per_issue, figures.tool_calls_per_issue) == (None, None)
    assert (figures.off_target_share, figures.rewrite_share) == (0.0, 0.0)


def test_what_costs_nothing_has_no_issues_for_a_dollar() -> None:
    figures = make_figures(5, candidate_cost_usd=0.0)
    assert figures.cost_usd == 0.0
    assert figures.issues_per_usd is None


def test_what_took_no_time_has_no_speed() -> None:
    assert make_figures(5, duration_seconds=0.0).issues_per_minute is None


def test_a_control_has_no_quality_and_no_rates() -> None:
    figures = make_figures(0, 0)
    assert figures.is_control
    assert figures.quality is figures.bad_fix_rate is figures.missed_rate is figures.unjudged_rate is None
    assert figures.issues_per_usd is figures.issues_per_minute is None
    assert figures.cost_usd == 1.0
