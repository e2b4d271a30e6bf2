"""The existing project's results file, so that its viewers can read our groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from errata_bench.results.aggregate import VariantSummary, ranked, summarise_runs
from errata_bench.results.exports.writing import Folder, safe_name
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.group import Group
from errata_bench.store.imported_identity import IDENTITY_FIELD, failure_identity, run_identity
from errata_bench.store.records import Failure, RunRecord, RunStatus

Attempt = Mapping[str, Any]

_RESULT_FIELDS = (
    "correctedIssues",
    "attemptedButInvalidIssues",
    "notAddressedIssues",
    "attemptedButInvalidRate",
    "notAddressedRate",
    "totalIssues",
    "fullIssueCoverageCases",
    "totalCases",
    "totalOutputTokens",
    "totalDurationMs",
    "averageTurnsPerChunk",
    "correctionsPerOutputToken",
    "judgePassedCases",
    "judgeResolvedIssues",
    "judgeTotalIssues",
    "judgeUnnecessaryChanges",
    "judgeCollateralDamage",
    "judgeAverageRestraintScore",
    "judgeAverageResolvedIssuesPerUsd",
    "judgeAverageQualityScore",
    "judgeAverageBenchmarkScore",
    "qualityAxis",
    "restraintAxis",
    "efficiencyAxis",
    "speedAxis",
    "benchmarkToolCalls",
    "benchmarkToolArgumentChars",
    "offTargetToolCalls",
    "offTargetToolArgumentChars",
    "benchmarkToolCallsPerResolvedIssue",
    "benchmarkToolCharsPerResolvedIssue",
    "offTargetToolCharsShare",
    "benchmarkParagraphRewriteShare",
    "candidateCostUsd",
    "judgeCostUsd",
    "totalCostUsd",
)
_NOTHING: Attempt = dict.fromkeys(_RESULT_FIELDS)


def export_artifact(group: Group, folder: Folder) -> None:
    """Write ``<group>.json`` in the form of the existing project's results file.

    Each success and each failure is an attempt; unfinished runs are none. Imported attempts stand as they were read.
    By what each of ours is called here, `errata_bench.results.imports` knows it when it comes back.
    """
    with folder.file(f"{safe_name(group.id)}.json") as stream:
        stream.write(orjson.dumps(artifact_of(group), option=orjson.OPT_INDENT_2) + b"\n")


def artifact_of(group: Group) -> dict[str, Any]:
    """The content of the results file."""
    records = group.runs()
    attempts = _attempts(group, records)
    times = [at for record in records for at in (record.started_at, record.ended_at) if at is not None]
    aggregates = [_aggregate(summary) for summary in ranked(summarise_runs(records))]
    return {
        "version": "v1",
        "groupId": group.id,
        "createdAt": _moment(min(times, default=0.0)),
        "updatedAt": _moment(max(times, default=0.0)),
        "models": sorted({str(row["model"]) for row in aggregates}),
        "judgeModels": sorted({attempt["judgeModel"] for attempt in attempts if attempt.get("judgeModel")}),
        "datasets": _datasets(attempts),
        "attempts": attempts,
        "aggregates": sorted(aggregates, key=lambda row: str(row["model"])),
        "ranking": aggregates,
    }


def _attempts(group: Group, records: Sequence[RunRecord]) -> list[Attempt]:
    imported = dict(group.imports.attempts())
    attempts: list[Attempt] = []
    for record in records:
        if record.id in imported:
            attempts.append(imported[record.id])
            continue
        attempts += [_failure(record, failure) for failure in group.failures(record.id) if record.failures]
        if record.status is RunStatus.SUCCEEDED and record.figures is not None:
            attempts.append(_success(record, record.figures))
    return attempts


def _common(record: RunRecord) -> dict[str, Any]:
    settings = record.key.settings
    return {
        "sessionId": _session(record.started_at),
        "recordedAt": _moment(record.ended_at if record.ended_at is not None else record.started_at),
        "model": str(record.key.variant),
        "baseModel": record.key.variant.model,
        "reasoningEffort": record.key.variant.effort,
        "apiProvider": "openrouter" if settings.endpoint == "openrouter" else "openai-compatible",
        "apiEndpointLabel": settings.endpoint,
        "maxWordsPerChunk": settings.max_words,
        "maxTurnsPerChunk": settings.max_turns,
        "datasetPath": f"{record.case_id}.json",
        "datasetName": record.case_id,
        "datasetHash": record.key.fingerprint,
        "judgeModel": settings.judge or None,
        "runNumber": record.sample,
    }


def _failure(record: RunRecord, failure: Failure) -> Attempt:
    return {
        **_common(record),
        "recordedAt": _moment(failure.at),
        "succeeded": False,
        "error": f"{failure.kind}: {failure.message}",
        IDENTITY_FIELD: failure_identity(record, failure),
        "runId": None,
        "runArtifact": None,
        "reportArtifact": None,
        **_NOTHING,
    }


def _success(record: RunRecord, figures: RunFigures) -> Attempt:
    return {
        **_common(record),
        "succeeded": True,
        "error": None,
        IDENTITY_FIELD: run_identity(record),
        "runId": f"{_session(record.started_at)}--{record.id}",
        "runArtifact": None,
        "reportArtifact": None,
        **_NOTHING,
        "correctedIssues": figures.fixed,
        "attemptedButInvalidIssues": figures.bad_fixes,
        "notAddressedIssues": figures.missed,
        "attemptedButInvalidRate": figures.bad_fix_rate,
        "notAddressedRate": figures.missed_rate,
        "totalIssues": figures.issues,
        "fullIssueCoverageCases": int(figures.fixed == figures.issues),
        "totalCases": 1,
        "totalOutputTokens": figures.completion_tokens,
        "totalDurationMs": 1000 * figures.duration_seconds,
        "averageTurnsPerChunk": figures.turns_per_chunk,
        "correctionsPerOutputToken": figures.fixed / figures.completion_tokens if figures.completion_tokens else None,
        "qualityAxis": figures.quality,
        "efficiencyAxis": figures.issues_per_usd,
        "speedAxis": figures.issues_per_minute,
        "benchmarkToolCalls": figures.benchmark_calls,
        "benchmarkToolArgumentChars": figures.benchmark_chars,
        "offTargetToolCalls": figures.off_target_calls,
        "offTargetToolArgumentChars": figures.off_target_chars,
        "benchmarkToolCallsPerResolvedIssue": figures.tool_calls_per_issue,
        "benchmarkToolCharsPerResolvedIssue": figures.tool_chars_per_issue,
        "offTargetToolCharsShare": figures.off_target_share,
        "benchmarkParagraphRewriteShare": figures.rewrite_share,
        "candidateCostUsd": figures.candidate_cost_usd,
        "judgeCostUsd": figures.judge_cost_usd,
        "totalCostUsd": figures.cost_usd,
    }


def _datasets(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    by_name: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        by_name[str(attempt.get("datasetName"))].append(attempt)
    return [
        {
            "datasetPath": of_one[0].get("datasetPath"),
            "datasetName": name,
            "datasetHash": of_one[0].get("datasetHash"),
            "attemptCount": len(of_one),
            "succeededAttempts": sum(attempt.get("succeeded") is True for attempt in of_one),
            "failedAttempts": sum(attempt.get("succeeded") is not True for attempt in of_one),
            "models": sorted({str(attempt.get("model")) for attempt in of_one}),
            "judgeModels": sorted({attempt["judgeModel"] for attempt in of_one if attempt.get("judgeModel")}),
        }
        for name, of_one in sorted(by_name.items())
    ]


def _aggregate(summary: VariantSummary) -> dict[str, Any]:
    settings = summary.settings
    duration = summary["duration_seconds_per_run"]
    known = settings.max_words >= 0 and settings.max_turns >= 0
    return {
        "model": f"{summary.variant} @{settings.max_words}w/{settings.max_turns}t" if known else str(summary.variant),
        "baseModel": summary.variant.model,
        "reasoningEffort": summary.variant.effort,
        "apiProvider": "openrouter" if settings.endpoint == "openrouter" else "openai-compatible",
        "apiEndpointLabel": settings.endpoint,
        "maxWordsPerChunk": settings.max_words if known else None,
        "maxTurnsPerChunk": settings.max_turns if known else None,
        "datasetCount": summary.cases_counted,
        "totalRuns": summary.total_runs,
        "succeededRuns": summary.successful_runs,
        "failedRuns": summary.total_runs - summary.successful_runs,
        "successRate": summary.success_rate or 0.0,
        "runIds": [],
        "runScoreSeries": [],
        "runQualitySeries": [],
        "meanAttemptedButInvalidRate": summary["bad_fix_rate"],
        "meanNotAddressedRate": summary["missed_rate"],
        "meanTotalOutputTokens": summary["output_tokens_per_run"],
        "meanTotalDurationMs": None if duration is None else 1000 * duration,
        "meanAverageTurnsPerChunk": summary["turns_per_chunk"],
        "qualityAxis": summary["quality"],
        "restraintAxis": None,
        "efficiencyAxis": summary["issues_per_usd"],
        "speedAxis": summary["issues_per_minute"],
        "meanBenchmarkToolCallsPerResolvedIssue": summary["tool_calls_per_issue"],
        "meanBenchmarkToolCharsPerResolvedIssue": summary["tool_chars_per_issue"],
        "meanOffTargetToolCharsShare": summary["off_target_share"],
        "meanBenchmarkParagraphRewriteShare": summary["rewrite_share"],
        "costAxisUsd": summary["cost_per_run_usd"],
        "meanTotalCostUsd": summary["cost_per_run_usd"],
        "stabilityAxis": summary.stability or 0.0,
        "meanPerDatasetQualityRange": summary.mean_range,
        "medianPerDatasetQualityRange": summary.median_range,
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _session(seconds: float) -> str:
    return _moment(seconds).replace(":", "-").replace(".", "-")
