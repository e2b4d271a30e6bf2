"""Everything that runs did, one run a line: what was said and done, turn by turn, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import orjson

from errata_bench.cases.model import Case
from errata_bench.chat import Usage
from errata_bench.document import Document
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.results.exports.columns import run_row
from errata_bench.results.exports.writing import Folder
from errata_bench.store.group import Group
from errata_bench.store.records import Failure, RunRecord

_CALL, _USAGE, _FAILURE = (tuple(field.name for field in fields(one)) for one in (CallRecord, Usage, Failure))


def export_trajectories(group: Group, folder: Folder) -> None:
    """Write ``trajectories.jsonl``: a line a run, one run in memory at a time. ``docs/exports.md`` shows the fields."""
    with folder.file("trajectories.jsonl") as stream:
        for trajectory in trajectories(group):
            stream.write(orjson.dumps(trajectory, default=dict, option=orjson.OPT_NON_STR_KEYS) + b"\n")


def trajectories(group: Group) -> Iterator[dict[str, Any]]:
    """The trajectory of each run, in the order in which they were begun."""
    cases: dict[str, Case | None] = {}
    split: dict[tuple[str, int], tuple[Document, ...]] = {}
    for record in group.runs():
        fingerprint, words = record.key.fingerprint, record.key.settings.max_words
        if fingerprint not in cases:
            cases[fingerprint] = group.case(fingerprint)
        case = cases[fingerprint]
        if case is not None and (fingerprint, words) not in split:
            split[fingerprint, words] = split_into_chunks(case.document, words)
        yield _trajectory(group, record, case, split.get((fingerprint, words), ()))


def _trajectory(group: Group, record: RunRecord, case: Case | None, chunks: tuple[Document, ...]) -> dict[str, Any]:
    results = group.chunk_results(record.id, chunks) if case is not None and record.chunks_done else []
    return {
        "run": run_row(record),
        "has_documents": bool(results),
        "instruction": None if case is None else case.instruction,
        "chunks": [
            _chunk(number, before, result) for number, (before, result) in enumerate(zip(chunks, results, strict=False))
        ],
        "verdicts": [
            {"issue": verdict.issue_id, "finding": verdict.finding, "verdict": verdict.verdict}
            for verdict in group.run_verdicts(record.id)
        ],
        "judgments": {
            issue_id: {"judge": judgment.judge, "valid": judgment.valid, "reason": judgment.reason}
            for issue_id, judgment in group.judgments.of_run(record.id).items()
        },
        "failures": [_row(failure, _FAILURE) for failure in group.failures(record.id)],
    }


def _chunk(number: int, before: Document, result: ChunkResult) -> dict[str, Any]:
    return {
        "chunk": number,
        "completed": result.completed,
        "before": [[paragraph.id, paragraph.inner_html] for paragraph in before],
        "after": [[paragraph.id, paragraph.inner_html] for paragraph in result.paragraphs],
        "turns": [_turn(n, turn) for n, turn in enumerate(result.turns, 1)],
    }


def _turn(number: int, turn: Turn) -> dict[str, Any]:
    return {
        "turn": number,
        "message": turn.message,
        "calls": [_row(call, _CALL) for call in turn.calls],
        "usage": _row(turn.usage, _USAGE),
        "cost_usd": turn.cost_usd,
        "duration_seconds": turn.duration_seconds,
        "finish_reason": turn.finish_reason,
        "oddities": turn.oddities,
    }


def _row(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    # What was just read belongs to nobody else: copying it deeply, as `asdict` does, took most of an export's time.
    return {name: getattr(value, name) for name in names}
