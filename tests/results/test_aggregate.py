from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.results.aggregate import (
    FIGURES,
    RESTRAINT_FIGURES,
    CaseRuns,
    VariantSummary,
    mean_over_cases,
    ranked,
    summarise,
    summarise_runs,
)
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_figures, make_settings, shared

VARIANT = Variant("org/model", "low")


def summary(*cases: CaseRuns, variant: Variant = VARIANT) -> VariantSummary:
    return summarise(variant, make_settings(), cases)


def runs(name: str, *fixed: int, issues: int = 10, failures: int = 0, **fields: Any) -> CaseRuns:
    return CaseRuns(name, name, tuple(make_figures(n, issues, **fields) for n in fixed), failures)


def record(
    case: str,
    sample: int = 1,
    figures: RunFigures | None = None,
    status: RunStatus = RunStatus.SUCCEEDED,
    failures: int = 0,
    variant: Variant = VARIANT,
    **settings: Any,
) -> RunRecord:
    key = RunKey(make_settings(**settings), variant, f"fingerprint of {case}")
    return RunRecord(1, key, case, sample, status, 1, 1, failures, 0.0, None, figures)


def golden_figures(attempt: dict[str, Any]) -> RunFigures:
    chars = attempt["benchmarkToolArgumentChars"]
    return make_figures(
        attempt["correctedIssues"],
        attempt["totalIssues"],
        bad_fixes=attempt["attemptedButInvalidIssues"],
        missed=attempt["notAddressedIssues"],
        benchmark_calls=attempt["benchmarkToolCalls"],
        benchmark_chars=chars,
        off_target_calls=attempt["offTargetToolCalls"],
        off_target_chars=attempt["offTargetToolArgumentChars"],
        benchmark_rewrite_chars=chars * attempt["benchmarkParagraphRewriteShare"],
        turns=attempt["averageTurnsPerChunk"],
        completion_tokens=attempt["totalOutputTokens"],
        duration_seconds=attempt["totalDurationMs"] / 1000,
        candidate_cost_usd=attempt["candidateCostUsd"],
        judge_cost_usd=attempt["judgeCostUsd"],
    )


def test_the_recorded_aggregate_is_reproduced_in_all_its_values() -> None:
    golden = json.loads(shared("upstream/golden-aggregate.json").read_text())
    by_case: dict[str, list[RunFigures]] = defaultdict(list)
    for attempt in golden["attempts"]:
        by_case[attempt["datasetName"]].append(golden_figures(attempt))
    found = summary(*(CaseRuns(name, name, tuple(figures)) for name, figures in by_case.items()))
    values = {
        "datasetCount": found.cases,
        "totalRuns": found.total_runs,
        "succeededRuns": found.successful_runs,
        "failedRuns": found.total_runs - found.successful_runs,
        "successRate": found.success_rate,
        "qualityAxis": found["quality"],
        "efficiencyAxis": found["issues_per_usd"],
        "speedAxis": found["issues_per_minute"],
        "stabilityAxis": found.stability,
        "meanPerDatasetQualityRange": found.mean_range,
        "medianPerDatasetQualityRange": found.median_range,
        "meanAttemptedButInvalidRate": found["bad_fix_rate"],
        "meanNotAddressedRate": found["missed_rate"],
        "meanBenchmarkToolCharsPerResolvedIssue": found["tool_chars_per_issue"],
        "meanOffTargetToolCharsShare": found["off_target_share"],
        "meanBenchmarkParagraphRewriteShare": found["rewrite_share"],
        "meanAverageTurnsPerChunk": found["turns_per_chunk"],
        "costAxisUsd": found["cost_per_run_usd"],
        "meanTotalOutputTokens": found["output_tokens_per_run"],
        "meanTotalDurationMs": None if (s := found["duration_seconds_per_run"]) is None else s * 1000,
    }
    assert len(golden["expected"]) == 20
    assert values == {name: pytest.approx(value, rel=1e-12, abs=1e-12) for name, value in golden["expected"].items()}


def second_official_variant() -> VariantSummary:
    """A published variant with one failed run and a case of which every run failed."""
    corrected = {
        "aerodynamics": ((8, 23, 9), 35),
        "extent": ((14, 20, 14), 48),
        "jury": ((6, 7, 8), 27),
        "law": ((28, 26, 26), 82),
        "better-learning": ((11, 9, 10), 25),
        "fertility": ((26, 22, 17), 56),
        "growth": ((21, 21, 8), 40),
        "reznor": ((23, 29), 47),
        "sherlock": ((34, 19, 30), 46),
        "wild": ((17, 12, 15), 26),
        "uk-hospital": ((), 20),
    }
    failures = {"reznor": 1, "uk-hospital": 3}
    return summary(
        *(
            runs(name, *fixed, issues=issues, failures=failures.get(name, 0))
            for name, (fixed, issues) in corrected.items()
        )
    )


def test_a_case_without_a_successful_run_is_left_out_and_counted() -> None:
    found = second_official_variant()
    assert found["quality"] == pytest.approx(0.4221062982975508, abs=1e-12)
    assert found.mean_range == pytest.approx(0.1863804255559744, abs=1e-12)
    assert (found.cases_counted, found.cases) == (10, 11)
    assert (found.successful_runs, found.total_runs) == (29, 33)
    assert found.stability == pytest.approx(29 / 33 * (1 - 0.1863804255559744), abs=1e-12)


def test_every_case_weighs_the_same_however_many_runs_it_has() -> None:
    found = summary(runs("one", 10, 10, 10), runs("two", 0), runs("three", 5, 10))
    assert found["quality"] == pytest.approx((1.0 + 0.0 + 0.75) / 3)


def test_range_and_its_median_are_over_cases_and_zero_for_one_run() -> None:
    found = summary(runs("one", 2, 8), runs("two", 5), runs("three", 5, 6))
    assert found.mean_range == pytest.approx((0.6 + 0.0 + 0.1) / 3)
    assert found.median_range == pytest.approx(0.1)


def test_failed_attempts_lower_stability_and_nothing_else() -> None:
    steady = summary(runs("one", 5, 5))
    failing = summary(runs("one", 5, 5, failures=2))
    assert (steady.stability, failing.stability) == (1.0, 0.5)
    assert steady.figures == failing.figures


def test_where_nothing_is_known_nothing_is_claimed() -> None:
    found = summary(runs("one", failures=2))
    assert (found.cases_counted, found.cases, found.success_rate) == (0, 1, 0.0)
    assert found.stability is None
    assert found.mean_range is found.median_range is None
    assert set(found.figures) == set(FIGURES) | set(RESTRAINT_FIGURES)
    assert all(value is None for value in found.figures.values())
    nothing = summary()
    assert nothing.success_rate is nothing.stability is None


def test_a_run_that_lacks_a_figure_is_left_out_of_that_figure_alone() -> None:
    case = CaseRuns("one", "one", (make_figures(0), make_figures(4), make_figures(6, candidate_cost_usd=None)))
    found = summary(case, runs("two", 0))
    assert found["tool_chars_per_issue"] == 100.0
    assert found["cost_per_run_usd"] == 1.0
    assert found["quality"] == pytest.approx((10 / 3 / 10 + 0) / 2)


def test_without_a_price_cost_and_efficiency_are_unknown() -> None:
    found = summary(runs("one", 5, candidate_cost_usd=None))
    assert found["cost_per_run_usd"] is found["issues_per_usd"] is None
    assert found["quality"] == 0.5


def test_controls_are_outside_every_mean() -> None:
    control = CaseRuns("clean", "clean", (make_figures(0, 0, unexpected_paragraphs=4, candidate_cost_usd=99.0),))
    alone = summary(runs("one", 5))
    found = summary(runs("one", 5), control)
    assert found.figures == alone.figures
    assert (found.cases, found.cases_counted, found.controls) == (1, 1, 1)
    assert found.mean_range == alone.mean_range
    assert found.control_unexpected_paragraphs == 4.0
    assert alone.control_unexpected_paragraphs is None


def test_an_order_has_quality_first_then_stability_efficiency_speed_and_cost() -> None:
    def variant(name: str, *fixed: int, **fields: Any) -> VariantSummary:
        return summary(runs("one", *fixed, **fields), variant=Variant(name, None))

    in_order = [
        variant("a-best", 9, 9),
        variant("z-steady", 5, 5),
        variant("y-unsteady", 4, 6),
        variant("x-fast", 3, 3, candidate_cost_usd=2.0, duration_seconds=30.0),
        variant("w-slow", 3, 3, candidate_cost_usd=2.0),
        variant("m-same", 2, 2, candidate_cost_usd=None),
        variant("n-same", 2, 2, candidate_cost_usd=None),
        variant("b-floor", 0, 0, candidate_cost_usd=1.0),
        variant("a-dear", 0, 0, candidate_cost_usd=2.0),
        variant("a-unpriced", 0, 0, candidate_cost_usd=None),
        summary(runs("one", failures=1), variant=Variant("a-failed", None)),
    ]
    assert ranked(reversed(in_order)) == in_order
    assert ranked(in_order) == in_order


def test_efficiency_comes_before_speed() -> None:
    cheap = summary(runs("one", 5, candidate_cost_usd=0.5, duration_seconds=600.0), variant=Variant("z", None))
    fast = summary(runs("one", 5, candidate_cost_usd=5.0, duration_seconds=1.0), variant=Variant("a", None))
    assert ranked([fast, cheap]) == [cheap, fast]


def test_runs_of_a_group_are_summed_up_by_variant_and_settings() -> None:
    other = Variant("org/other", "high")
    found = summarise_runs(
        [
            record("one", 1, make_figures(5)),
            record("one", 2, make_figures(7)),
            record("one", 1, make_figures(1), variant=other),
            record("one", 1, make_figures(2), max_turns=9),
        ]
    )
    assert {(s.variant, s.settings.max_turns): s["quality"] for s in found} == {
        (VARIANT, 3): 0.6,
        (other, 3): 0.1,
        (VARIANT, 9): 0.2,
    }


def test_a_variant_that_lacks_a_case_of_the_group_shows_it() -> None:
    other = Variant("org/other", "high")
    by_variant = {
        s.variant: s
        for s in summarise_runs(
            [
                record("one", 1, make_figures(5)),
                record("two", 1, make_figures(5)),
                record("clean", 1, make_figures(0, 0)),
                record("one", 1, make_figures(9), variant=other),
            ]
        )
    }
    assert (by_variant[VARIANT].cases_counted, by_variant[VARIANT].cases, by_variant[VARIANT].controls) == (2, 2, 1)
    assert (by_variant[other].cases_counted, by_variant[other].cases, by_variant[other].controls) == (1, 2, 1)


@pytest.mark.parametrize("first", [0, 1])
def test_a_control_is_known_from_any_variant_whatever_the_order(first: int) -> None:
    other = Variant("org/other", "high")
    records = [
        record("clean", 1, make_figures(0, 0)),
        record("clean", 1, None, RunStatus.FAILED, failures=1, variant=other),
    ]
    found = summarise_runs([records[first], records[1 - first]])
    assert [(s.cases, s.controls) for s in found] == [(0, 1), (0, 1)]


def test_attempts_failures_and_unfinished_runs_are_counted() -> None:
    (found,) = summarise_runs(
        [
            record("one", 1, make_figures(5), failures=2),
            record("one", 2, None, RunStatus.FAILED, failures=1),
            record("one", 3, None, RunStatus.RUNNING),
            record("two", 1, None, RunStatus.RUNNING, failures=1),
        ]
    )
    assert (found.successful_runs, found.total_runs, found.unfinished_runs) == (1, 5, 2)


def test_a_group_without_runs_has_no_summaries() -> None:
    assert summarise_runs([]) == []
    assert ranked([]) == []


@given(st.lists(st.lists(st.integers(0, 10), min_size=1, max_size=4), min_size=1, max_size=6))
def test_quality_lies_between_the_worst_and_the_best_run(cases: list[list[int]]) -> None:
    found = summary(*(runs(str(n), *fixed) for n, fixed in enumerate(cases)))
    everything = [n / 10 for fixed in cases for n in fixed]
    quality, stability = found["quality"], found.stability
    assert quality is not None
    assert stability is not None
    assert min(everything) - 1e-12 <= quality <= max(everything) + 1e-12
    assert 0 <= stability <= 1


def test_a_mean_of_no_values_is_unknown() -> None:
    assert mean_over_cases([], lambda run: run.quality) is None
    assert mean_over_cases([dataclasses.replace(runs("one", 5), successful=())], lambda run: run.quality) is None
