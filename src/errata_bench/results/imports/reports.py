"""The existing project's run and report artifacts: what became of each issue of one run, or of several in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from errata_bench.results.imports.artifact import ToolingShape
from errata_bench.results.imports.reading import Count, Name, Whole, fault_line, faults_of, refuse_if
from errata_bench.scoring.rule_v1 import Finding, Verdict

_MEND = "give a report as the existing project wrote it, whole"


class Resolution(StrEnum):
    """How the existing project says that an issue ended."""

    EXACT = "exact"
    ALTERNATIVE_JUDGE = "alternative_judge"
    ATTEMPTED_INVALID = "attempted_invalid"
    NOT_ADDRESSED = "not_addressed"


VERDICTS: Mapping[Resolution, tuple[Finding, Verdict]] = {
    Resolution.EXACT: (Finding.EXACT, Verdict.FIXED),
    Resolution.ALTERNATIVE_JUDGE: (Finding.CANDIDATE, Verdict.FIXED_ALTERNATIVE),
    Resolution.ATTEMPTED_INVALID: (Finding.CANDIDATE, Verdict.BAD_FIX),
    Resolution.NOT_ADDRESSED: (Finding.NOT_ADDRESSED, Verdict.NOT_ADDRESSED),
}
"""What its ways of ending are here."""


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=False)


class IssueShape(_Shape):
    """What became of one issue; without ``resolutionMethod`` the other fields say it."""

    issue_id: Name
    paragraph_id: str | None = None
    corrected: bool | None = None
    static_corrected: bool | None = None
    attempted_change: bool | None = None
    resolution_method: Resolution | None = None

    @property
    def resolution(self) -> Resolution | None:
        """How it ended; None where nothing says it."""
        if self.resolution_method is not None or self.corrected is None:
            return self.resolution_method
        if self.corrected:
            return Resolution.EXACT if self.static_corrected else Resolution.ALTERNATIVE_JUDGE
        return Resolution.ATTEMPTED_INVALID if self.attempted_change else Resolution.NOT_ADDRESSED


class SummaryShape(_Shape):
    """The figures of the run; durations in milliseconds."""

    total_issues: Whole | None = None
    corrected_issues: Whole | None = None
    attempted_but_invalid_issues: Whole | None = None
    not_addressed_issues: Whole | None = None
    actual_changed_paragraph_ids: list[str] | None = None
    unexpected_paragraph_changes: list[str] | None = None
    exact_document_match: bool | None = None
    output_tokens: Count | None = None
    prompt_tokens: Count | None = None
    duration_ms: Count | None = None
    average_turns_per_chunk: Count | None = None
    tooling: ToolingShape | None = None


class ReportShape(_Shape):
    """One run. Its final paragraphs and its conversation are not read: the document they belong to is not there."""

    run_id: Name | None = None
    case_id: Name | None = None
    model: Name | None = None
    model_label: Name | None = None
    reasoning_effort: str | None = None
    judge_model: str | None = None
    max_words_per_chunk: Whole | None = None
    max_turns_per_chunk: Whole | None = None
    recorded_at: str | None = None
    issues: list[IssueShape]
    summary: SummaryShape = Field(default_factory=SummaryShape)

    def count(self, *verdicts: Verdict) -> int:
        """How many issues have one of these verdicts; none has another kind of ending."""
        counts = Counter(VERDICTS[one.resolution][1] for one in self.issues if one.resolution is not None)
        return sum(counts[verdict] for verdict in verdicts)


@dataclass(frozen=True, slots=True)
class Report:
    """One run of a file: what it says, checked; which case it is of; the file's own name where it holds no other run.

    ``where`` names the run within its file; it is empty where the file is one report.
    """

    shape: ReportShape
    case_id: str
    judge: str | None
    where: str = ""
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Reports:
    """A file of reports: its name, and its runs."""

    name: str
    reports: tuple[Report, ...]


def is_report(content: Any) -> bool:
    """Whether a JSON value is a report of one run, rather than a case, which has issues too."""
    return (
        isinstance(content, dict)
        and isinstance(content.get("issues"), list)
        and not content.keys().isdisjoint(("runId", "model", "modelLabel", "summary"))
    )


def reports_from(path: Path, content: Mapping[str, Any]) -> Reports:
    """The reports that a file holds: one, or those of its list ``runs``.

    Raises `UserError` that names the file and what is wrong with which run.
    """
    single = is_report(content)
    faults: list[str] = []
    reports: list[Report] = []
    for number, raw in enumerate([content] if single else content["runs"]):
        where = "" if single else f"runs[{number}]"
        try:
            shape = ReportShape.model_validate(raw)
        except ValidationError as error:
            faults += faults_of(where, error)
            continue
        case_id = shape.case_id or _text(content, "caseId") or (_case_in_name(path.stem) if single else None)
        judge = shape.judge_model or _text(content, "judgeModel") or _text(content.get("source"), "judgeModel")
        found = [fault_line(where, field, problem) for field, problem in _problems(shape)]
        if case_id is None:
            found.append(fault_line(where, "caseId", "nothing says which case it is of"))
        if shape.run_id is None and not single:
            found.append(fault_line(where, "runId", "the field is missing"))
        faults += found
        if case_id is not None:
            reports.append(Report(shape, case_id, judge, where, path.stem if single else None))
    refuse_if(path, faults, _MEND)
    return Reports(path.name, tuple(reports))


def _text(content: Any, name: str) -> str | None:
    value = content.get(name) if isinstance(content, Mapping) else None
    return value if isinstance(value, str) and value else None


def _case_in_name(stem: str) -> str | None:
    """The case in ``<run id>--<case>--<model>``."""
    parts = stem.split("--")
    return "--".join(parts[1:-1]) or None


def _problems(shape: ReportShape) -> list[tuple[str, str]]:
    """Field and problem of all that contradicts itself or is missing."""
    problems = []
    if shape.model is None and shape.model_label is None:
        problems.append(("model", "it names no model"))
    seen = set()
    for number, issue in enumerate(shape.issues):
        field = f"issues[{number}]"
        if issue.issue_id in seen:
            problems.append((f"{field}.issueId", f"{issue.issue_id} is there twice"))
        seen.add(issue.issue_id)
        if issue.resolution is None:
            problems.append((f"{field}.resolutionMethod", "neither it nor `corrected` says how the issue ended"))
        elif issue.corrected not in (None, VERDICTS[issue.resolution][1].is_fixed):
            problems.append((f"{field}.corrected", f"it contradicts the resolutionMethod {issue.resolution}"))
    if problems:
        return problems
    summary = shape.summary
    for name, said, counted in (
        ("totalIssues", summary.total_issues, len(shape.issues)),
        ("correctedIssues", summary.corrected_issues, shape.count(Verdict.FIXED, Verdict.FIXED_ALTERNATIVE)),
        ("attemptedButInvalidIssues", summary.attempted_but_invalid_issues, shape.count(Verdict.BAD_FIX)),
        ("notAddressedIssues", summary.not_addressed_issues, shape.count(Verdict.NOT_ADDRESSED)),
    ):
        if said is not None and said != counted:
            problems.append((f"summary.{name}", f"it is {said}, and {counted} by its issues"))
    return problems
