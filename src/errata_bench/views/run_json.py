"""One run as JSON: everything that is known of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from errata_bench.results.detail.marking import MarkedParagraph
from errata_bench.results.detail.run import ChunkDetail, IssueVerdict, RunDetail
from errata_bench.views.issues import judgment_fields, piece_fields
from errata_bench.views.runs import run_fields


def run_json(group_id: str, detail: RunDetail) -> str:
    """Everything of a run as JSON (ASCII)."""
    content = {
        "group": group_id,
        **run_fields(detail.record),
        "instruction": detail.case.instruction,
        "version": detail.origin.version,
        "adaptations": list(detail.origin.adaptations),
        "spent_usd": detail.spent_usd,
        "unpriced_requests": detail.unpriced_attempts,
        "oddities": dict(detail.oddities),
        "restraint": _restraint(detail),
        "issues": [_issue(one) for one in detail.issues],
        "paragraphs": [_paragraph(paragraph) for paragraph in detail.paragraphs],
        "chunk_details": [_chunk(chunk) for chunk in detail.chunks],
        "failures": [asdict(failure) for failure in detail.failures],
        "requests": [asdict(attempt) for attempt in detail.attempts],
    }
    return json.dumps(content, indent=2)


def _restraint(detail: RunDetail) -> dict[str, Any] | None:
    restraint = detail.restraint
    if restraint is None:
        return None
    return {
        **asdict(restraint),
        "unneeded_per_1000_words": restraint.unneeded_per_1000_words,
        "changed_words_per_1000": restraint.changed_words_per_1000,
        "drift_per_1000_words": restraint.drift_per_1000_words,
        "precision": restraint.precision,
        "f05": restraint.f05,
        "untouched_share": restraint.untouched_share,
    }


def _issue(one: IssueVerdict) -> dict[str, Any]:
    issue = one.issue
    return {
        "issue": issue.id,
        "category": one.category,
        "paragraph": issue.paragraph_id,
        "find": issue.find,
        "replace": issue.replace,
        "accepted": list(issue.accepted),
        "description": issue.description,
        "disqualified": issue.disqualified,
        "finding": one.finding,
        "verdict": one.verdict,
        "aligned_verdict": one.aligned,
        "after": one.after,
        "judgment": None if one.judgment is None else judgment_fields(one.judgment),
    }


def _paragraph(paragraph: MarkedParagraph) -> dict[str, Any]:
    return {
        "id": paragraph.id,
        "changed": paragraph.changed,
        "issues": list(paragraph.issue_ids),
        "located": paragraph.located,
        "pieces": [piece_fields(piece) for piece in paragraph.pieces],
    }


def _chunk(chunk: ChunkDetail) -> dict[str, Any]:
    return {
        "chunk": chunk.chunk,
        "paragraphs": list(chunk.paragraph_ids),
        "done": chunk.done,
        "completed": chunk.completed,
        "turns": [
            {
                "message": dict(turn.message),
                "calls": [{**asdict(call), "arguments": dict(call.arguments)} for call in turn.calls],
                "usage": asdict(turn.usage),
                "cost_usd": turn.cost_usd,
                "duration_seconds": turn.duration_seconds,
                "finish_reason": turn.finish_reason,
                "oddities": dict(turn.oddities),
            }
            for turn in chunk.turns
        ],
    }
