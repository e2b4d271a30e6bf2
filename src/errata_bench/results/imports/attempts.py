"""From what a results file says of an attempt to a run that can be kept."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson

from errata_bench.errors import UserError
from errata_bench.results.imports.artifact import Artifact, AttemptShape
from errata_bench.store.imported import ImportedRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.records import NOT_KNOWN, RunKey, RunSettings
from errata_bench.variants import EFFORTS, Variant, parse_variant

IMPORTED = "imported"
"""The prompt version of runs that were made elsewhere: nobody knows theirs."""

_SETTINGS_TAIL = re.compile(r"\s+@\d+w/\d+t$")
# An absolute path: not a URL, and no ``org/model``, whose slashes follow a word or a colon.
_PATH = re.compile(r"(?<![\w:/.\\])(?:file://)?(?:~|[A-Za-z]:)?[\\/](?:[^\\/\n\"'`<>|?*]+[\\/])+([^\\/\s\"'`<>|?*]+)")


def imported_runs(artifact: Artifact, now: float) -> list[ImportedRun]:
    """The runs of a results file, in its order. ``now`` (seconds since 1970) dates what the file does not."""
    at = _seconds(artifact.updated_at)
    seen: Counter[str] = Counter()
    runs = []
    for shape, raw in artifact.attempts:
        run = run_of(shape, raw, now if at is None else at)
        # Two failed attempts may be alike to the letter, and are two all the same.
        seen[run.digest] += 1
        digest = hashlib.sha256(f"{run.digest}:{seen[run.digest]}".encode()).hexdigest()
        runs.append(replace(run, digest=digest))
    return runs


def run_of(shape: AttemptShape, raw: Mapping[str, Any], at: float) -> ImportedRun:
    """The run of one attempt; its digest is over all that the attempt says. ``at`` dates one without a date."""
    attempt = without_paths(raw)
    case_id = _case_id(shape)
    recorded = _seconds(shape.recorded_at)
    return ImportedRun(
        digest=hashlib.sha256(orjson.dumps(attempt, option=orjson.OPT_SORT_KEYS)).hexdigest(),
        key=RunKey(_settings(shape), _variant(shape), f"{IMPORTED}:{case_id}"),
        case_id=case_id,
        sample=max(1, shape.run_number or 1),
        at=at if recorded is None else recorded,
        figures=figures_of(shape) if shape.has_succeeded else None,
        error=_error(attempt.get("error")),
        attempt=attempt,
    )


def figures_of(shape: AttemptShape) -> ImportedFigures:
    """The figures of a successful attempt by the names and in the units of `RunFigures`.

    A published rate goes before one that follows from its parts; what neither gives is left out.
    """
    fixed, issues = shape.corrected_issues, shape.total_issues
    minutes = _scaled(shape.total_duration_ms, 1 / 60_000)
    cost = shape.total_cost_usd
    if cost is None and shape.candidate_cost_usd is not None and shape.judge_cost_usd is not None:
        cost = shape.candidate_cost_usd + shape.judge_cost_usd
    chars = _sum(shape.benchmark_tool_argument_chars, shape.off_target_tool_argument_chars)
    values: dict[str, float | None] = {
        "issues": issues,
        "fixed": fixed,
        "bad_fixes": shape.attempted_but_invalid_issues,
        "missed": shape.not_addressed_issues,
        "quality": _either(shape.quality_axis, _ratio(fixed, issues)) if issues != 0 else None,
        "bad_fix_rate": _either(shape.attempted_but_invalid_rate, _ratio(shape.attempted_but_invalid_issues, issues)),
        "missed_rate": _either(shape.not_addressed_rate, _ratio(shape.not_addressed_issues, issues)),
        "issues_per_usd": _either(shape.efficiency_axis, _ratio(fixed, cost)),
        "issues_per_minute": _either(shape.speed_axis, _ratio(fixed, minutes)),
        "completion_tokens": shape.total_output_tokens,
        "duration_seconds": _scaled(shape.total_duration_ms, 1 / 1000),
        "turns_per_chunk": shape.average_turns_per_chunk,
        "benchmark_calls": shape.benchmark_tool_calls,
        "benchmark_chars": shape.benchmark_tool_argument_chars,
        "off_target_calls": shape.off_target_tool_calls,
        "off_target_chars": shape.off_target_tool_argument_chars,
        "tool_calls_per_issue": _either(
            shape.benchmark_tool_calls_per_resolved_issue, _ratio(shape.benchmark_tool_calls, fixed)
        ),
        "tool_chars_per_issue": _either(
            shape.benchmark_tool_chars_per_resolved_issue, _ratio(shape.benchmark_tool_argument_chars, fixed)
        ),
        "off_target_share": _either(
            shape.off_target_tool_chars_share, _ratio(shape.off_target_tool_argument_chars, chars)
        ),
        "rewrite_share": shape.benchmark_paragraph_rewrite_share,
        "candidate_cost_usd": shape.candidate_cost_usd,
        "judge_cost_usd": shape.judge_cost_usd,
        "cost_usd": cost,
    }
    return ImportedFigures({name: value for name, value in values.items() if value is not None})


def without_paths(value: Any) -> Any:
    """The same JSON with absolute paths reduced to their last names, in texts that hold more too."""
    if isinstance(value, str):
        return _PATH.sub(r"\1", value)
    if isinstance(value, Mapping):
        return {str(key): without_paths(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_paths(item) for item in value]
    return value


def _case_id(shape: AttemptShape) -> str:
    if shape.dataset_name is not None:
        return str(without_paths(shape.dataset_name))
    name = re.split(r"[\\/]", shape.dataset_path or "")[-1]
    return name.rpartition(".")[0] or name


def _variant(shape: AttemptShape) -> Variant:
    label = _SETTINGS_TAIL.sub("", shape.model or shape.base_model or "")
    try:
        named = parse_variant(label)
    except UserError:
        named = Variant(" ".join(label.split()), None)
    if shape.base_model is not None and shape.reasoning_effort in EFFORTS:
        return Variant(shape.base_model, shape.reasoning_effort)
    # Without a word of it, an effort is not known; it is not our default.
    stated = label.rpartition(":")[2] in EFFORTS
    return named if stated else Variant(shape.base_model or label, None)


def _settings(shape: AttemptShape) -> RunSettings:
    return RunSettings(
        endpoint=shape.api_endpoint_label or shape.api_provider or "not known",
        max_words=NOT_KNOWN if shape.max_words_per_chunk is None else shape.max_words_per_chunk,
        max_turns=NOT_KNOWN if shape.max_turns_per_chunk is None else shape.max_turns_per_chunk,
        prompt_version=IMPORTED,
        judge=shape.judge_model or "",
        max_completion_tokens=NOT_KNOWN,
    )


def _error(error: Any) -> str | None:
    if error is None or isinstance(error, str):
        return error
    return orjson.dumps(error).decode()


def _seconds(text: str | None) -> float | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def _either(stated: float | None, derived: float | None) -> float | None:
    return stated if stated is not None else derived


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
