from __future__ import annotations

import csv

import pytest

from errata_bench.bundled import bundled_dataset
from errata_bench.cases.load import load_cases
from errata_bench.errors import UserError
from errata_bench.results.aggregate import ranked
from errata_bench.results.detail.selection import Selection
from errata_bench.results.published import PUBLISHED_ELSEWHERE, PUBLISHED_IDS, load_published, narrow_published
from tests.support.builders import shared

_NAMES = {
    "issues_per_usd": "efficiency_issues_per_usd",
    "issues_per_minute": "speed_issues_per_min",
}
_SAME = (
    "quality",
    "bad_fix_rate",
    "missed_rate",
    "tool_chars_per_issue",
    "off_target_share",
    "rewrite_share",
    "turns_per_chunk",
    "cost_per_run_usd",
    "output_tokens_per_run",
)


def test_every_published_leaderboard_says_where_and_when_and_how() -> None:
    for published_id in PUBLISHED_IDS:
        published = load_published(published_id)
        assert published is not None
        assert published.source and published.date and published.conditions
        assert PUBLISHED_ELSEWHERE in published.remarks[0]
        assert any(published.source in remark for remark in published.remarks)


def test_figures_are_those_of_the_official_leaderboard() -> None:
    published = load_published("published-v1")
    assert published is not None
    with shared("upstream/official-v1-ranking.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [str(summary.variant) for summary in published.summaries] == [row["model"] for row in rows]
    for summary, row in zip(published.summaries, rows, strict=True):
        for ours, theirs in {**_NAMES, **dict(zip(_SAME, _SAME, strict=True))}.items():
            assert summary[ours] == float(row[theirs]), (row["model"], ours)
        assert summary["duration_seconds_per_run"] == pytest.approx(float(row["duration_ms_per_run"]) / 1000)
        assert (summary.total_runs, summary.successful_runs) == (int(row["total_runs"]), int(row["succeeded_runs"]))
        assert summary.stability == pytest.approx(float(row["stability"]), abs=1e-6)


def test_cases_are_those_of_the_official_leaderboard() -> None:
    published = load_published("published-v1")
    assert published is not None
    with shared("upstream/official-v1-datasets.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(case.case_id, case.attempts, case.succeeded, case.failed) for case in published.cases] == [
        (row["dataset_name"], int(row["attempt_count"]), int(row["succeeded_attempts"]), int(row["failed_attempts"]))
        for row in rows
    ]


def test_no_published_text_is_one_of_ours() -> None:
    published = load_published("published-v1")
    assert published is not None
    ours = {case.id for case in load_cases([str(bundled_dataset())])}
    assert ours and ours.isdisjoint(case.case_id for case in published.cases)


def test_our_order_is_the_published_one() -> None:
    published = load_published("published-v1")
    assert published is not None
    assert ranked(published.summaries) == list(published.summaries)


def test_models_can_be_chosen_and_cases_cannot() -> None:
    published = load_published("published-v1")
    assert published is not None
    chosen = narrow_published(published, Selection(("gpt-5.4-nano",), (), (), (), ()))
    assert {summary.variant.model for summary in chosen.summaries} == {"openai/gpt-5.4-nano"}
    with pytest.raises(UserError, match="no figures by case"):
        narrow_published(published, Selection((), (), (), ("letter",), ()))


def test_what_was_not_published_is_not_known() -> None:
    published = load_published("published-v1")
    assert published is not None
    assert published.summaries[0]["unjudged_rate"] is None
    assert load_published("published-v2") is None
