"""What an issue changes, and what the fingerprint of a case covers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from tests.support.case_files import CLASSIFICATION, case_json, issue_json, write_case


def make_issue(find: str, replace: str, start: int = 0) -> Issue:
    return Issue("issue-01", "spelling", "para1", find, replace, start)


@pytest.mark.parametrize(
    ("find", "replace", "core"),
    [
        ("teh cat", "the cat", (11, 13, "he")),
        ("the old part of", "the old part of town", (25, 25, " town")),
        ("the the cat", "the cat", (14, 18, "")),
        ("word", "wo-rd", (12, 12, "-")),
        ("aa", "aaa", (12, 12, "a")),
        ("aaa", "aa", (12, 13, "")),
        ("abc", "", (10, 13, "")),
        ("a", "b", (10, 11, "b")),
    ],
)
def test_core_is_what_really_changes(find: str, replace: str, core: tuple[int, int, str]) -> None:
    assert make_issue(find, replace, 10).core == core


@given(st.text("ab ", min_size=1), st.text("ab "), st.text("ab "), st.text("ab "))
def test_core_makes_the_replacement_of_the_whole(find: str, replace: str, before: str, after: str) -> None:
    start, end, text = make_issue(find, replace, len(before)).core
    whole = before + find + after
    assert len(before) <= start <= end <= len(before) + len(find)
    assert whole[:start] + text + whole[end:] == before + replace + after


def base_case() -> Case:
    document = Document((Paragraph("para1", "Teh cat sat in teh hat."), Paragraph("para2", "The end.")))
    issues = (
        Issue("issue-01", "spelling", "para1", "Teh cat", "The cat", 0, "A slip.", ("That cat",)),
        Issue("issue-02", "spelling", "para1", "in teh hat", "in the hat", 12),
    )
    return Case("letter", "Proofread.", document, document, issues, "text.txt")


def with_issue(case: Case, **fields: object) -> Case:
    return dataclasses.replace(case, issues=(dataclasses.replace(case.issues[0], **fields), *case.issues[1:]))  # type: ignore[arg-type]


def with_paragraphs(case: Case, *paragraphs: tuple[str, str]) -> Case:
    return dataclasses.replace(case, document=Document(tuple(Paragraph(*paragraph) for paragraph in paragraphs)))


FIRST, SECOND = ("para1", "Teh cat sat in teh hat."), ("para2", "The end.")


@pytest.mark.parametrize(
    "change",
    [
        lambda case: dataclasses.replace(case, instruction="Proofread!"),
        lambda case: with_paragraphs(case, ("para1", "Teh cat sat in teh hat!"), SECOND),
        lambda case: with_paragraphs(case, ("paraX", FIRST[1]), SECOND),
        lambda case: with_paragraphs(case, SECOND, FIRST),
        lambda case: with_paragraphs(case, FIRST),
        lambda case: dataclasses.replace(case, issues=case.issues[:1]),
        lambda case: dataclasses.replace(case, issues=()),
        lambda case: with_issue(case, id="issue-03"),
        lambda case: with_issue(case, paragraph_id="para2"),
        lambda case: with_issue(case, find="Teh"),
        lambda case: with_issue(case, replace="This cat"),
        lambda case: with_issue(case, accepted=()),
        lambda case: with_issue(case, disqualified=True),
    ],
)
def test_fingerprint_changes_with_the_content(change: Callable[[Case], Case]) -> None:
    assert change(base_case()).fingerprint != base_case().fingerprint


@pytest.mark.parametrize(
    "change",
    [
        lambda case: dataclasses.replace(case, source_name="other.txt"),
        lambda case: dataclasses.replace(case, id="renamed"),
        lambda case: dataclasses.replace(case, issues=case.issues[::-1]),
        lambda case: with_issue(case, description="Other words."),
    ],
)
def test_fingerprint_stays_whatever_the_case_is_called_and_described(change: Callable[[Case], Case]) -> None:
    assert change(base_case()).fingerprint == base_case().fingerprint


def test_fingerprint_stays_wherever_the_files_lie(tmp_path: Path) -> None:
    issue = issue_json()
    described = issue_json(description="A slip.", classification=CLASSIFICATION)
    here = write_case(tmp_path / "here", case_json(issues=[issue]))
    there = write_case(tmp_path / "there/deep", [case_json(issues=[described])], name="other.json")
    assert load_cases([str(here)])[0].fingerprint == load_cases([str(there)])[0].fingerprint


def test_fingerprint_is_64_hex_digits() -> None:
    assert len(base_case().fingerprint) == 64
    assert int(base_case().fingerprint, 16)


def test_case_whose_issues_are_all_disqualified_is_a_control() -> None:
    case = base_case()
    assert not case.is_control
    gone = dataclasses.replace(case, issues=tuple(dataclasses.replace(i, disqualified=True) for i in case.issues))
    assert gone.is_control
    assert gone.scored_issues == ()
