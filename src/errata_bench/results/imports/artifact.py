"""The existing project's results artifact: one JSON object whose ``attempts`` say what each run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from errata_bench.errors import UserError
from errata_bench.results.imports.reading import Count, Name, Share, fault_line, faults_of, read_json, refuse_if

_MEND = "give the existing project's results file: a JSON object with `attempts`"


class ToolingShape(BaseModel):
    """How the edit tools were used: part of an attempt, and a part of a report by itself."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=False)

    benchmark_tool_calls: Count | None = None
    benchmark_tool_argument_chars: Count | None = None
    off_target_tool_calls: Count | None = None
    off_target_tool_argument_chars: Count | None = None
    benchmark_tool_calls_per_resolved_issue: Count | None = None
    benchmark_tool_chars_per_resolved_issue: Count | None = None
    off_target_tool_chars_share: Share | None = None
    benchmark_paragraph_rewrite_share: Share | None = None


class AttemptShape(ToolingShape):
    """One attempt. Older files lack fields, and failed attempts have nothing but names; unknown fields are kept.

    Durations are in milliseconds, costs in US dollars, rates and shares 0 to 1.
    """

    dataset_name: Name | None = None
    dataset_path: Name | None = None
    model: Name | None = None
    base_model: Name | None = None
    reasoning_effort: str | None = None
    api_provider: str | None = None
    api_endpoint_label: str | None = None
    judge_model: str | None = None
    max_words_per_chunk: int | None = Field(None, ge=0)
    max_turns_per_chunk: int | None = Field(None, ge=0)
    run_number: int | None = Field(None, ge=0, le=10**9)
    succeeded: bool | None = None
    error: Any = None
    recorded_at: str | None = None
    report_artifact: str | None = None

    total_issues: int | None = Field(None, ge=0)
    corrected_issues: int | None = Field(None, ge=0)
    attempted_but_invalid_issues: Count | None = None
    not_addressed_issues: Count | None = None
    attempted_but_invalid_rate: Share | None = None
    not_addressed_rate: Share | None = None
    quality_axis: Share | None = None
    efficiency_axis: Count | None = None
    speed_axis: Count | None = None
    total_output_tokens: Count | None = None
    total_duration_ms: Count | None = None
    average_turns_per_chunk: Count | None = None
    candidate_cost_usd: Count | None = None
    judge_cost_usd: Count | None = None
    total_cost_usd: Count | None = None

    @property
    def has_succeeded(self) -> bool:
        """Whether it succeeded; a file that does not say so means it where there is a result."""
        return self.succeeded if self.succeeded is not None else self.corrected_issues is not None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A results file: its name, when it was last written (as it says), and its attempts, checked and as they stand."""

    name: str
    updated_at: str | None
    attempts: tuple[tuple[AttemptShape, Mapping[str, Any]], ...]


def read_artifact(path: Path) -> Artifact:
    """Read a results artifact. Raises `UserError` that names the file and what is wrong with which attempts."""
    return artifact_from(path, read_json(path))


def artifact_from(path: Path, content: Any) -> Artifact:
    """The results artifact that a file holds. Raises `UserError` as `read_artifact` does."""
    attempts = content.get("attempts") if isinstance(content, dict) else None
    if not isinstance(attempts, list):
        raise UserError(f"{path} has no list of `attempts`", mend=_MEND)
    read = []
    faults: list[str] = []
    for number, attempt in enumerate(attempts):
        where = f"attempts[{number}]"
        try:
            shape = AttemptShape.model_validate(attempt)
        except ValidationError as error:
            faults += faults_of(where, error)
            continue
        faults += [fault_line(where, "", problem) for problem in _problems(shape)]
        read.append((shape, attempt))
    refuse_if(path, faults, _MEND)
    updated_at = content.get("updatedAt")
    return Artifact(path.name, updated_at if isinstance(updated_at, str) else None, tuple(read))


def _problems(shape: AttemptShape) -> list[str]:
    problems = []
    if shape.dataset_name is None and shape.dataset_path is None:
        problems.append("it names no datasetName")
    if shape.model is None and shape.base_model is None:
        problems.append("it names no model")
    if shape.has_succeeded:
        if shape.corrected_issues is None and shape.quality_axis is None:
            problems.append("it succeeded, and neither correctedIssues nor qualityAxis says how well")
        elif shape.total_issues is None and shape.quality_axis is None:
            problems.append("it succeeded, and totalIssues is missing")
        elif None not in (shape.corrected_issues, shape.total_issues) and (
            (shape.corrected_issues or 0) > (shape.total_issues or 0)
        ):
            problems.append("correctedIssues is more than totalIssues")
    return problems
