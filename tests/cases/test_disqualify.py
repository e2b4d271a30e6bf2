from __future__ import annotations

import json
from pathlib import Path

import pytest

from errata_bench.cases.disqualify import Disqualification, disqualifications, disqualify, requalify
from errata_bench.cases.load import load_cases
from errata_bench.errors import DatasetError, UserError
from tests.support.case_files import case_json, issue_json, write_case


@pytest.fixture
def case(tmp_path: Path) -> Path:
    issues = [issue_json(), issue_json("issue-02", "an cat", "a cat")]
    return write_case(tmp_path / "cases", case_json(issues=issues))


def counting(case: Path) -> list[str]:
    return [issue.id for issue in load_cases([str(case)])[0].scored_issues]


def test_a_disqualified_issue_does_not_count_and_the_case_is_not_touched(case: Path) -> None:
    before = case.read_bytes()
    done = disqualify(case, ["issue-02"], " two  mendings ")
    assert (done.path, done.changed) == (case.parent / "disqualified-issues.json", ("issue-02",))
    assert counting(case) == ["issue-01"]
    assert disqualifications(case) == (Disqualification("letter", "issue-02", "two mendings"),)
    assert case.read_bytes() == before


def test_doing_it_again_changes_only_the_reason(case: Path) -> None:
    disqualify(case, ["issue-02"], "first")
    assert disqualify(case, ["issue-02"], "first").changed == ()
    assert disqualify(case, ["issue-02", "issue-02"], "second").changed == ("issue-02",)
    assert [entry.reason for entry in disqualifications(case)] == ["second"]


def test_undone_it_counts_again_and_other_entries_stay(case: Path) -> None:
    path = case.parent / "disqualified-issues.json"
    other = {"caseId": "other", "issueId": "issue-01", "reason": "r", "by": "me"}
    path.write_text(json.dumps({"version": 1, "note": "kept", "issues": [other]}))
    disqualify(case, ["issue-01"], "r")
    assert requalify(case, ["issue-01"]).changed == ("issue-01",)
    assert requalify(case, ["issue-01"]).changed == ()
    assert json.loads(path.read_text()) == {"version": 1, "note": "kept", "issues": [other]}
    assert counting(case) == ["issue-01", "issue-02"]


def test_a_file_in_the_folder_above_is_gone_on_with(case: Path) -> None:
    above = case.parent.parent / "disqualified-issues.json"
    above.write_text(json.dumps({"version": 1, "issues": []}))
    assert disqualify(case, ["issue-01"], "r").path == above
    assert not (case.parent / "disqualified-issues.json").exists()


def test_what_another_file_disqualifies_is_not_undone_here(case: Path) -> None:
    entry = {"caseId": "letter", "issueId": "issue-01"}
    (case.parent.parent / "disqualified-issues.json").write_text(json.dumps({"version": 1, "issues": [entry]}))
    (case.parent / "disqualified-issues.json").write_text(json.dumps({"version": 1, "issues": []}))
    with pytest.raises(UserError, match="another file"):
        requalify(case, ["issue-01"])


@pytest.mark.parametrize(
    ("issues", "reason", "said"),
    [(["issue-09"], "r", "issue-09"), ([], "r", "no issue"), (["issue-01"], "  ", "reason")],
)
def test_mistakes_change_nothing(case: Path, issues: list[str], reason: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        disqualify(case, issues, reason)
    assert not (case.parent / "disqualified-issues.json").exists()


def test_a_faulty_file_is_reported_and_left_alone(case: Path) -> None:
    path = case.parent / "disqualified-issues.json"
    path.write_text('{"version": 1, "issues": [{"caseId": 1}]}')
    with pytest.raises(DatasetError):
        disqualify(case, ["issue-01"], "r")
    assert path.read_text() == '{"version": 1, "issues": [{"caseId": 1}]}'


def test_several_cases_and_folders_are_refused(tmp_path: Path, case: Path) -> None:
    several = write_case(tmp_path / "more", [case_json("a"), case_json("b")])
    with pytest.raises(UserError, match="2 cases"):
        disqualify(several, ["issue-01"], "r")
    with pytest.raises(UserError, match="folder"):
        disqualify(case.parent, ["issue-01"], "r")
