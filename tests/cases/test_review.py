from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from errata_bench.cases.load import load_cases
from errata_bench.cases.review import Review
from errata_bench.cli.cases import app
from errata_bench.errors import UserError
from tests.support.case_files import case_json, issue_json, write_case


@pytest.fixture
def case(tmp_path: Path) -> Path:
    # Out of the order of the document, with a field of somebody else's.
    issues = [issue_json("later", "an cat", "a cat", mine=1), issue_json("first", description="[red]Old[/red]")]
    return write_case(tmp_path, case_json(issues=issues, own="kept"))


def issue_of(case: Path, issue_id: str) -> dict[str, object]:
    content = json.loads(case.read_text())
    return next(issue for issue in content["issues"] if issue["id"] == issue_id)


def test_issues_come_in_the_order_of_the_document_with_their_context(case: Path) -> None:
    first, later = Review(case).issues
    assert [first.issue.id, later.issue.id] == ["first", "later"]
    assert (later.before, later.wrong, later.right) == ("The second one is about ", "an cat", "a cat")
    assert later.after == " &amp; a mouse."
    assert (later.number, later.total) == (2, 2)


def test_every_decision_is_in_the_file_at_once_and_nothing_else_changes(case: Path) -> None:
    review = Review(case)
    review.reword("first", " A slip \n of the pen. ")
    assert issue_of(case, "first")["description"] == "A slip of the pen."
    review.accept("later", "one cat")
    review.accept("later", "the cat")
    assert issue_of(case, "later")["acceptedCorrections"] == ["one cat", "the cat"]
    assert issue_of(case, "later")["mine"] == 1
    assert json.loads(case.read_text())["own"] == "kept"
    (loaded,) = load_cases([str(case)])
    assert loaded == review.case
    review.disqualify("first", "unfair")
    assert [shown.issue.disqualified for shown in review.issues] == [True, False]
    review.requalify("first")
    assert [issue.disqualified for issue in load_cases([str(case)])[0].issues] == [False, False]


@pytest.mark.parametrize("text", ["an cat", "a cat", "  "])
def test_what_is_no_further_correction_is_refused(case: Path, text: str) -> None:
    before = case.read_bytes()
    with pytest.raises(UserError):
        Review(case).accept("later", text)
    assert case.read_bytes() == before


def test_a_description_is_not_empty(case: Path) -> None:
    with pytest.raises(UserError):
        Review(case).reword("first", " ")


def test_a_pass_in_the_terminal_saves_after_each_decision(case: Path) -> None:
    answers = "r\nA slip.\nk\na\none cat\na\none cat\nx\nb\nd\nunfair\nq\n"
    result = CliRunner().invoke(app, ["review", str(case)], input=answers)
    assert result.exit_code == 0, result.output
    assert "[-an cat-]{+a cat+}" in result.output
    assert "[red]Old[/red]" in result.output
    assert "Not done: that is accepted already" in result.output
    assert "There is no choice 'x'" in result.output
    assert issue_of(case, "first")["description"] == "A slip."
    assert issue_of(case, "later")["acceptedCorrections"] == ["one cat"]
    assert [issue.disqualified for issue in load_cases([str(case)])[0].issues] == [False, True]


def test_a_pass_that_is_broken_off_has_saved_what_was_decided(case: Path) -> None:
    result = CliRunner().invoke(app, ["review", str(case)], input="r\nA slip.\nk\n")
    assert isinstance(result.exception, UserError)
    assert "no answer to issue 2 of 2, and no terminal" in result.exception.message
    assert "--from 2" in (result.exception.mend or "")
    assert issue_of(case, "first")["description"] == "A slip."


def test_a_pass_can_begin_further_on(case: Path) -> None:
    result = CliRunner().invoke(app, ["review", str(case), "--from", "2"], input="k\n")
    assert result.exit_code == 0
    assert "2/2" in result.output and "1/2" not in result.output
