"""The shape of the files: case JSON (contract C3) and the list of disqualified issues."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from errata_bench.taxonomy import Dimension, EditScope, OperationType, Severity

_Text = Annotated[str, Field(min_length=1)]


class _Shape(BaseModel):
    # Unknown keys are let through: later versions and other tools may add their own.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, strict=True, frozen=True)


class CorrectionShape(_Shape):
    """What stands in the text, and what should."""

    find: _Text
    replace: str


class ClassificationShape(_Shape):
    """What kind of error it is."""

    label: _Text
    parent: _Text
    child: _Text
    severity: Severity
    edit_scope: EditScope
    operation_type: OperationType
    creates_valid_word: bool | None = None
    dimension: Dimension


class IssueShape(_Shape):
    """One planted error."""

    id: _Text
    category: _Text
    paragraph_id: _Text | None = None
    description: str = ""
    classification: ClassificationShape | None = None
    expected_correction: CorrectionShape
    accepted_corrections: list[str] = []


class CaseShape(_Shape):
    """One case."""

    id: _Text
    instruction: _Text
    source_path: _Text
    issues: list[IssueShape]


class DisqualifiedShape(_Shape):
    """One issue that does not count."""

    case_id: _Text
    issue_id: _Text
    reason: str | None = None


class DisqualificationsShape(_Shape):
    """The file ``disqualified-issues.json``."""

    # Of no consequence yet; a union of types would make two faults of one, with the types in the field's name.
    version: Any
    issues: list[DisqualifiedShape]
