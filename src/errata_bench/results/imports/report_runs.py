"""From what a report says of a run to a run that can be kept, and its verdicts."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import orjson

from errata_bench.results.imports.artifact import AttemptShape
from errata_bench.results.imports.attempts import run_of, without_paths
from errata_bench.results.imports.reports import VERDICTS, Report
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.store.imported import ImportedReport, ImportedRun, ImportedVerdict
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.variants import EFFORTS

# Runs of the existing project are named after the moment they began: 2026-04-06T21-32-45-225Z.
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z")


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A report as a run of its own, for as long as no results file names it, with its verdicts.

    ``about`` names it in messages.
    """

    run: ImportedRun
    report: ImportedReport
    about: str


def reported_run(file: str, report: Report, now: float) -> ReportedRun:
    """What a report says, as a run. ``now`` (seconds since 1970) dates a run whose name is no moment."""
    attempt = _attempt(report)
    run = run_of(AttemptShape.model_validate(attempt), attempt, now)
    assert run.figures is not None
    figures = ImportedFigures({**_further_figures(report), **run.figures.values})
    verdicts = {
        issue.issue_id: ImportedVerdict(*VERDICTS[issue.resolution], without_paths(issue.paragraph_id))
        for issue in report.shape.issues
        if issue.resolution is not None
    }
    # The name of the file is no part of it: the same run may stand alone in one file and among others in another.
    said = [
        report.shape.run_id,
        run.case_id,
        str(run.key.variant),
        sorted((name, *map(str, (one.finding, one.verdict, one.paragraph_id))) for name, one in verdicts.items()),
        sorted(figures.values.items()),
    ]
    digest = hashlib.sha256(orjson.dumps(said)).hexdigest()
    where = f"{report.where}: " if report.where else ""
    return ReportedRun(
        run=ImportedRun(
            digest=hashlib.sha256(f"report:{digest}".encode()).hexdigest(),
            key=run.key,
            case_id=run.case_id,
            sample=run.sample,
            at=run.at,
            figures=figures,
            error=None,
            attempt=run.attempt,
        ),
        report=ImportedReport(digest, file, verdicts),
        about=f"{file}: {where}the report of {report.shape.run_id or report.file} on {run.case_id}",
    )


def _attempt(report: Report) -> dict[str, Any]:
    """What a results file would say of the run, as far as its report says it."""
    shape, summary, tooling = report.shape, report.shape.summary, report.shape.summary.tooling
    label = shape.model_label or shape.model or ""
    stated = label.rpartition(":")[2]
    return {
        "datasetName": report.case_id,
        "model": label,
        # A model alone may have its effort in its name, as a label has.
        "baseModel": shape.model if shape.model_label or shape.reasoning_effort else None,
        "reasoningEffort": shape.reasoning_effort or (stated if stated in EFFORTS else None),
        "judgeModel": report.judge,
        "maxWordsPerChunk": shape.max_words_per_chunk,
        "maxTurnsPerChunk": shape.max_turns_per_chunk,
        "recordedAt": shape.recorded_at or _moment(shape.run_id),
        "succeeded": True,
        "error": None,
        "runId": shape.run_id,
        "reportArtifact": None if report.file is None else f"{report.file}.json",
        "correctedIssues": shape.count(Verdict.FIXED, Verdict.FIXED_ALTERNATIVE),
        "attemptedButInvalidIssues": shape.count(Verdict.BAD_FIX),
        "notAddressedIssues": shape.count(Verdict.NOT_ADDRESSED),
        "totalIssues": len(shape.issues),
        "totalOutputTokens": summary.output_tokens,
        "totalDurationMs": summary.duration_ms,
        "averageTurnsPerChunk": summary.average_turns_per_chunk,
        **(tooling.model_dump(by_alias=True) if tooling is not None else {}),
    }


def _further_figures(report: Report) -> dict[str, float]:
    """What a results file does not say."""
    summary = report.shape.summary
    changed, unexpected = summary.actual_changed_paragraph_ids, summary.unexpected_paragraph_changes
    values = {
        "fixed_alternative": report.shape.count(Verdict.FIXED_ALTERNATIVE),
        "prompt_tokens": summary.prompt_tokens,
        "exact_match": summary.exact_document_match,
        "changed_paragraphs": None if changed is None else len(changed),
        "unexpected_paragraphs": None if unexpected is None else len(unexpected),
    }
    return {name: value for name, value in values.items() if value is not None}


def _moment(run_id: str | None) -> str | None:
    found = _MOMENT.match(run_id or "")
    return f"{found[1]}:{found[2]}:{found[3]}.{found[4]}+00:00" if found else None
