"""Small reports of the existing project's form, and attempts of the same runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RUN_ID = "2026-04-06T21-32-45-225Z"
METHODS = ("exact", "alternative_judge", "attempted_invalid", "not_addressed")
FIXED = ("exact", "alternative_judge")


def issue(number: int, method: str, **fields: Any) -> dict[str, Any]:
    """What became of an issue, with the fields of a real report."""
    return {
        "issueId": f"issue-{number:02}",
        "paragraphId": f"para{number:02}",
        "staticCorrected": method == "exact",
        "attemptedChange": method != "not_addressed",
        "alternativeCandidate": method in ("alternative_judge", "attempted_invalid"),
        "corrected": method in FIXED,
        "resolutionMethod": method,
        **fields,
    }


def summary(methods: Sequence[str], **fields: Any) -> dict[str, Any]:
    """The figures of a run whose issues ended like this."""
    return {
        "totalIssues": len(methods),
        "correctedIssues": sum(one in FIXED for one in methods),
        "attemptedButInvalidIssues": methods.count("attempted_invalid"),
        "notAddressedIssues": methods.count("not_addressed"),
        "actualChangedParagraphIds": ["para01", "para02"],
        "unexpectedParagraphChanges": ["para09"],
        "exactDocumentMatch": False,
        "outputTokens": 120,
        "promptTokens": 900,
        "durationMs": 60_000,
        "tooling": {"benchmarkToolCalls": 2, "benchmarkToolArgumentChars": 80, "offTargetToolCalls": 0},
        "averageTurnsPerChunk": 2,
        **fields,
    }


def report(run_id: str = RUN_ID, methods: Sequence[str] = METHODS, **fields: Any) -> dict[str, Any]:
    """A report as it stands in a file of its own."""
    return {
        "runId": run_id,
        "caseId": "letter",
        "judgeModel": "org/judge:low",
        "model": "org/model",
        "modelLabel": "org/model:low",
        "maxWordsPerChunk": 2000,
        "maxTurnsPerChunk": 3,
        "finalParagraphs": {"para01": '<p id="para01">The text.</p>'},
        "issues": [issue(n, method) for n, method in enumerate(methods, 1)],
        "summary": summary(methods),
        "chunks": [{"chunkIndex": 1, "decision": "stop", "turns": 2, "toolExecutions": []}],
        **fields,
    }


def attempt(run_id: str | None = RUN_ID, methods: Sequence[str] = METHODS, **fields: Any) -> dict[str, Any]:
    """The attempt of the same run in a results file."""
    return {
        "datasetName": "letter",
        "model": "org/model:low",
        "baseModel": "org/model",
        "reasoningEffort": "low",
        "apiEndpointLabel": "openrouter",
        "judgeModel": "org/judge:low",
        "maxWordsPerChunk": 2000,
        "maxTurnsPerChunk": 3,
        "runNumber": 1,
        "recordedAt": "2026-04-06T21:40:00.000Z",
        "succeeded": True,
        "error": None,
        "reportArtifact": None if run_id is None else f"/home/somebody/reports/{run_id}--letter--org-model-low.json",
        "totalIssues": len(methods),
        "correctedIssues": sum(one in FIXED for one in methods),
        "totalCostUsd": 0.5,
        **fields,
    }


def write(path: Path, content: Any) -> Path:
    """Write a file of JSON."""
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
