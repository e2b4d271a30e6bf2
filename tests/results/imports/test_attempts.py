from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errata_bench.results.aggregate import VariantSummary, ranked, summarise_runs
from errata_bench.results.imports.artifact import Artifact, AttemptShape, read_artifact
from errata_bench.results.imports.attempts import figures_of, imported_runs, without_paths
from errata_bench.results.imports.group import import_artifact
from errata_bench.store.group import Group, write_group
from errata_bench.store.imported import ImportedRun
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import shared

ATTEMPT: dict[str, Any] = {
    "datasetName": "letter",
    "datasetPath": "/home/somebody/cases/letter.json",
    "model": "org/model:low",
    "baseModel": "org/model",
    "reasoningEffort": "low",
    "apiEndpointLabel": "openrouter",
    "maxWordsPerChunk": 2000,
    "maxTurnsPerChunk": 3,
    "judgeModel": "org/judge:low",
    "runNumber": 2,
    "recordedAt": "2026-04-07T00:00:00.000Z",
    "succeeded": True,
    "error": None,
    "correctedIssues": 3,
    "totalIssues": 4,
}
FAILED = {**ATTEMPT, "succeeded": False, "error": "no answer", "correctedIssues": None, "totalIssues": None}


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with write_group(tmp_path / "group.sqlite") as opened:
        yield opened


def artifact(*attempts: dict[str, Any]) -> Artifact:
    return Artifact("file.json", None, tuple((AttemptShape.model_validate(one), one) for one in attempts))


def only(attempt: dict[str, Any]) -> ImportedRun:
    (run,) = imported_runs(artifact(attempt), 5.0)
    return run


def import_(group: Group, *attempts: dict[str, Any]) -> int:
    return import_artifact(group, artifact(*attempts), 5.0, "1.0").added


def test_the_golden_aggregate_ranks_as_published(group: Group) -> None:
    path = shared("upstream/golden-aggregate.json")
    report = import_artifact(group, read_artifact(path), 5.0, "1.0")
    assert (report.attempts, report.added, report.failed, report.variants, report.cases) == (33, 33, 0, 1, 11)
    (summary,) = ranked(summarise_runs(group.runs()))
    expected = json.loads(path.read_text())["expected"]
    found = _published(summary)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name


def _published(summary: VariantSummary) -> dict[str, float | None]:
    duration = summary["duration_seconds_per_run"]
    assert duration is not None
    return {
        "datasetCount": summary.cases_counted,
        "totalRuns": summary.total_runs,
        "succeededRuns": summary.successful_runs,
        "failedRuns": summary.total_runs - summary.successful_runs,
        "successRate": summary.success_rate,
        "qualityAxis": summary["quality"],
        "efficiencyAxis": summary["issues_per_usd"],
        "speedAxis": summary["issues_per_minute"],
        "stabilityAxis": summary.stability,
        "meanPerDatasetQualityRange": summary.mean_range,
        "medianPerDatasetQualityRange": summary.median_range,
        "meanAttemptedButInvalidRate": summary["bad_fix_rate"],
        "meanNotAddressedRate": summary["missed_rate"],
        "meanBenchmarkToolCharsPerResolvedIssue": summary["tool_chars_per_issue"],
        "meanOffTargetToolCharsShare": summary["off_target_share"],
        "meanBenchmarkParagraphRewriteShare": summary["rewrite_share"],
        "meanAverageTurnsPerChunk": summary["turns_per_chunk"],
        "costAxisUsd": summary["cost_per_run_usd"],
        "meanTotalOutputTokens": summary["output_tokens_per_run"],
        "meanTotalDurationMs": 1000 * duration,
    }


def test_an_attempt_becomes_a_run_with_its_conditions() -> None:
    run = only(ATTEMPT)
    settings = run.key.settings
    assert (run.key.variant, run.case_id, run.sample) == (Variant("org/model", "low"), "letter", 2)
    assert (settings.endpoint, settings.max_words, settings.max_turns, settings.judge) == (
        "openrouter",
        2000,
        3,
        "org/judge:low",
    )
    assert run.at == 1775520000.0


@pytest.mark.parametrize(
    ("fields", "variant"),
    [
        ({"model": "org/model:low @2000w/3t", "baseModel": None, "reasoningEffort": None}, Variant("org/model", "low")),
        ({"baseModel": "org/m:free", "reasoningEffort": "high"}, Variant("org/m:free", "high")),
        ({"model": "org/model", "reasoningEffort": None}, Variant("org/model", None)),
        ({"model": "org/model", "reasoningEffort": "a lot"}, Variant("org/model", None)),
        ({"model": "baseline/oracle", "baseModel": "baseline/oracle", "reasoningEffort": None},
         Variant("baseline/oracle", None)),
        ({"model": None, "baseModel": "org/model", "reasoningEffort": "high"}, Variant("org/model", "high")),
    ],
)  # fmt: skip
def test_a_variant_is_read_from_whatever_names_it(fields: dict[str, Any], variant: Variant) -> None:
    assert only({**ATTEMPT, **fields}).key.variant == variant


def test_what_is_not_published_is_not_known_and_never_zero(group: Group) -> None:
    import_(group, ATTEMPT)
    (summary,) = summarise_runs(group.runs())
    assert (summary["quality"], summary["bad_fix_rate"], summary["cost_per_run_usd"]) == (0.75, None, None)
    assert (summary["unexpected_paragraphs"], summary["off_target_share"]) == (None, None)
    (record,) = group.runs()
    assert record.figures is None
    assert record.imported is not None
    assert (record.imported.fixed, record.imported.words) == (3, None)
    with pytest.raises(AttributeError):
        _ = record.imported.beauty


def test_rates_follow_from_counts_where_they_are_missing() -> None:
    counts = {
        **ATTEMPT,
        "attemptedButInvalidIssues": 1,
        "notAddressedIssues": 0,
        "totalDurationMs": 120_000,
        "candidateCostUsd": 0.25,
        "judgeCostUsd": 0.25,
        "benchmarkToolCalls": 6,
        "benchmarkToolArgumentChars": 300,
        "offTargetToolArgumentChars": 100,
    }
    figures = figures_of(AttemptShape.model_validate(counts))
    assert (figures.bad_fix_rate, figures.missed_rate, figures.issues_per_minute) == (0.25, 0.0, 1.5)
    assert (figures.cost_usd, figures.issues_per_usd) == (0.5, 6.0)
    assert (figures.tool_calls_per_issue, figures.tool_chars_per_issue, figures.off_target_share) == (2.0, 100.0, 0.25)


def test_failed_attempts_count_in_stability_alone(group: Group) -> None:
    import_(group, {**ATTEMPT, "runNumber": 1}, FAILED, {**FAILED, "runNumber": 3})
    (summary,) = summarise_runs(group.runs())
    assert (summary.successful_runs, summary.total_runs) == (1, 3)
    assert summary["quality"] == 0.75
    assert summary.stability == pytest.approx(1 / 3)
    failed = [run for run in group.runs() if run.status is RunStatus.FAILED]
    assert [failure.message for failure in group.failures(failed[0].id)] == ["no answer"]


def test_a_failed_attempt_without_anything_else_is_read(group: Group) -> None:
    import_(group, {"datasetName": "letter", "model": "org/model:low", "succeeded": False, "error": {"code": 500}})
    (run,) = group.runs()
    assert (run.status, group.failures(run.id)[0].message) == (RunStatus.FAILED, '{"code":500}')


def test_reading_a_file_twice_is_once_and_two_alike_attempts_are_two(group: Group) -> None:
    assert import_(group, ATTEMPT, FAILED, FAILED) == 3
    assert import_(group, ATTEMPT, FAILED, FAILED) == 0
    assert import_(group, ATTEMPT, FAILED, FAILED, FAILED) == 1
    assert [run.sample for run in group.runs()] == [2, 3, 4, 5]


def test_a_control_stays_outside_the_figures(group: Group) -> None:
    import_(group, ATTEMPT, {**ATTEMPT, "datasetName": "control", "correctedIssues": 0, "totalIssues": 0})
    (summary,) = summarise_runs(group.runs())
    assert (summary.controls, summary.cases, summary["quality"]) == (1, 1, 0.75)


def test_imported_runs_are_marked_and_have_no_case(group: Group) -> None:
    import_(group, ATTEMPT)
    (summary,) = summarise_runs(group.runs())
    (run,) = group.runs()
    assert (summary.imported_runs, group.case(run.key.fingerprint), run.chunk_count) == (1, None, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/Users/somebody/work/datasets/letter.json", "letter.json"),
        ("C:\\work\\datasets\\letter.json", "letter.json"),
        ("~/work/letter.json", "letter.json"),
        ("file:///home/somebody/letter.json", "letter.json"),
        ("open '/home/somebody/my work/a.json' failed", "open 'a.json' failed"),
        ("org/model:low", "org/model:low"),
        ("https://example.org/api/v1/chat", "https://example.org/api/v1/chat"),
        ("and/or", "and/or"),
        ("letter.json", "letter.json"),
    ],
)
def test_absolute_paths_are_reduced_to_names(text: str, expected: str) -> None:
    assert without_paths({"a": [text]}) == {"a": [expected]}


def test_no_path_of_the_file_is_kept(group: Group) -> None:
    import_(group, {**ATTEMPT, "reportArtifact": "/home/somebody/reports/1.json"})
    ((_, attempt),) = group.imports.attempts()
    assert "somebody" not in json.dumps(attempt)
    assert attempt["reportArtifact"] == "1.json"
    assert attempt["correctedIssues"] == 3


def test_a_case_known_by_its_path_alone_is_named_after_the_file() -> None:
    assert only({**ATTEMPT, "datasetName": None}).case_id == "letter"


def test_runs_of_our_own_and_imported_ones_live_in_one_group(group: Group) -> None:
    import_(group, ATTEMPT)
    import_(group, {**ATTEMPT, "model": "org/other:low", "baseModel": "org/other"})
    assert len(ranked(summarise_runs(group.runs()))) == 2
    assert group.imports.sources() == {"file.json": 2}
