"""Rows of a group's file: from columns to the values they stand for, and back; no query."""

from __future__ import annotations

import sqlite3
from typing import Any

import orjson

from errata_bench.chat import Attempt, Usage
from errata_bench.proofreading.loop import CallRecord, Turn
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.restraint import Restraint
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.records import RunKey, RunRecord, RunSettings, RunStatus
from errata_bench.store.values import storable_count, storable_json, storable_text
from errata_bench.variants import Variant

Values = tuple[str | int | float | None, ...]


def read_run(row: sqlite3.Row) -> RunRecord:
    """A run from its row, with its case's id, its figures and its counts beside it."""
    settings = RunSettings(
        endpoint=row["endpoint"],
        max_words=row["max_words"],
        max_turns=row["max_turns"],
        prompt_version=row["prompt_version"],
        judge=row["judge"],
        max_completion_tokens=row["max_completion_tokens"],
        reasoning=row["reasoning"],
    )
    return RunRecord(
        id=row["id"],
        key=RunKey(settings, Variant(row["model"], row["effort"] or None), row["fingerprint"]),
        case_id=row["case_id"],
        sample=row["sample"],
        status=RunStatus(row["status"]),
        chunk_count=row["chunk_count"],
        chunks_done=row["chunks_done"],
        failures=row["failures"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        figures=None if row["figures"] is None else _figures(orjson.loads(row["figures"])),
        imported=None if row["imported"] is None else ImportedFigures(orjson.loads(row["imported"])),
    )


def _figures(content: dict[str, Any]) -> RunFigures:
    restraint = content.pop("restraint", None)
    return RunFigures(**content, restraint=None if restraint is None else Restraint(**restraint))


def read_call(row: sqlite3.Row) -> CallRecord:
    """A tool call from its row."""
    return CallRecord(
        name=row["name"],
        arguments=orjson.loads(row["arguments"]),
        raw_arguments=row["raw_arguments"],
        ok=bool(row["ok"]),
        message=row["message"],
        replacements=row["replacements"],
    )


def read_turn(row: sqlite3.Row, calls: tuple[CallRecord, ...]) -> Turn:
    """A turn from its row and its calls."""
    return Turn(
        message=orjson.loads(row["message"]),
        calls=calls,
        usage=Usage(
            row["prompt_tokens"], row["completion_tokens"], row["reasoning_tokens"], row["cached_prompt_tokens"]
        ),
        cost_usd=row["cost_usd"],
        duration_seconds=row["duration"],
        finish_reason=row["finish_reason"],
        oddities=orjson.loads(row["oddities"]),
        cost_reported=None if row["cost_reported"] is None else bool(row["cost_reported"]),
    )


def turn_values(turn: Turn) -> Values:
    """The columns of a turn behind its key, in their order."""
    return (
        storable_json(turn.message),
        *_usage_values(turn.usage),
        turn.cost_usd,
        turn.duration_seconds,
        None if turn.finish_reason is None else storable_text(turn.finish_reason),
        storable_json(turn.oddities),
        turn.cost_reported,
    )


def call_values(call: CallRecord) -> Values:
    """The columns of a call behind its key, in their order."""
    return (
        storable_text(call.name),
        storable_json(call.arguments),
        storable_text(call.raw_arguments),
        call.ok,
        storable_text(call.message),
        call.replacements,
    )


def attempt_values(attempt: Attempt) -> Values:
    """The columns of a request in the ledger from ``at`` on, in their order."""
    return (
        attempt.started_at,
        attempt.duration_seconds,
        storable_text(attempt.outcome),
        attempt.status,
        *_usage_values(attempt.usage),
        attempt.cost_usd,
        None if attempt.message is None else storable_text(attempt.message),
    )


def _usage_values(usage: Usage) -> tuple[int | None, ...]:
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens, usage.cached_prompt_tokens)
    return tuple(storable_count(count) for count in counts)
