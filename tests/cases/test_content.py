"""A case as JSON values, kept with results and read back without its files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import orjson
import pytest

from errata_bench.cases.content import case_content, case_from_content
from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case
from tests.support.case_files import CLASSIFICATION, case_json, issue_json, write_case


def round_trip(case: Case) -> Case:
    return case_from_content(orjson.loads(orjson.dumps(case_content(case))))


def test_case_comes_back_as_it_was(tmp_path: Path) -> None:
    issues = [
        issue_json(description="A slip.", classification=CLASSIFICATION, acceptedCorrections=["That first", "First"]),
        issue_json("issue-02", "an cat &amp; a", "a cat &amp; a 😀"),
    ]
    (tmp_path / "disqualified-issues.json").write_text(
        '{"version": "v1", "issues": [{"caseId": "letter", "issueId": "issue-02"}]}'
    )
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=issues)))])
    back = round_trip(case)
    assert back == case
    assert back.fingerprint == case.fingerprint
    assert [issue.disqualified for issue in back.issues] == [False, True]
    assert isinstance(back.issues[0].accepted, tuple)
    assert hash(back.issues[0]) == hash(case.issues[0])


def test_control_comes_back_as_it_was(tmp_path: Path) -> None:
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[])))])
    assert round_trip(case) == case


def test_content_covers_every_field_of_a_case() -> None:
    fields = {field.name for field in dataclasses.fields(Case)}
    assert fields == {"id", "instruction", "source_name", "document", "expected", "issues"}


@pytest.mark.parametrize("name", ["jury-instructions", "the-call-of-the-wild-chapter-3"])
def test_upstream_case_comes_back_as_it_was(upstream: Path, name: str) -> None:
    (case,) = load_cases([str(upstream / f"datasets/v1/generated/{name}.json")])
    assert round_trip(case) == case
