from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.model import Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.rule_v1 import Finding, Verdict, contains, find_verdict, find_verdicts, settle
from errata_bench.text import normalise
from tests.support.builders import SHARED, make_case, shared

WORDS = {"fixed": Finding.EXACT, "alternative candidate": Finding.CANDIDATE, "not addressed": Finding.NOT_ADDRESSED}
ROWS = json.loads((SHARED / "scoring-cases.json").read_text()) if (SHARED / "scoring-cases.json").exists() else []


def issue(find: str, replace: str, **fields: Any) -> Issue:
    return dataclasses.replace(Issue("i", "c", "p1", find, replace, 0), **fields)


def paragraph(inner_html: str) -> Paragraph:
    return Paragraph("p1", inner_html)


def test_there_are_35_scoring_cases() -> None:
    shared("scoring-cases.json")
    assert len(ROWS) == 35


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_rule_v1_says_of_each_scoring_case_what_is_recorded(row: dict[str, Any]) -> None:
    found = find_verdict(issue(normalise(row["find"]), normalise(row["replace"])), paragraph(normalise(row["final"])))
    assert found is WORDS[row["contains_rule"]]


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("the cat sat", "cat", True),
        ("the category", "cat", False),
        ("a bobcat", "cat", False),
        ("cat", "cat", True),
        ("cat_like", "cat", False),
        ("cat-like", "cat", True),
        ("cat's", "cat", True),
        ("the cats' home", "cats'", True),
        ("the dogs'bowls", "dogs'", False),
        ("o'clock", "clock", True),
        ("écatè", "cat", True),
        ("cat9", "cat", False),
        ("the category of", "e cat", True),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),
        ("“Quoted” text", '"Quoted"', True),
        ("don’t", "don't", True),
        ("wait…", "wait...", True),
        ("cafe\u0301 noir", "caf\u00e9 noir", True),
        ("The Cat", "cat", False),
        ("anything", "", False),
        ("cat cat2", "cat", True),
        ("cat2 cat", "cat", True),
    ],
)
def test_a_word_has_to_stand_alone_and_any_other_needle_is_a_plain_substring(
    text: str, needle: str, found: bool
) -> None:
    assert contains(text, needle) is found


def test_the_paragraphs_own_tag_is_searched_too() -> None:
    # A known error of the rule, kept: `id` and `p` are always there.
    assert find_verdict(issue("id", "did"), paragraph("He did it.")) is Finding.NOT_ADDRESSED
    assert find_verdict(issue("xx", "p"), paragraph("Nothing of it.")) is Finding.EXACT


def test_a_paragraph_that_is_gone_holds_nothing() -> None:
    assert find_verdict(issue("teh", "the"), None) is Finding.CANDIDATE


def test_the_wrong_text_beside_the_right_one_is_not_addressed() -> None:
    assert find_verdict(issue("teh", "the"), paragraph("the teh")) is Finding.NOT_ADDRESSED


def test_an_accepted_correction_is_as_good_as_the_expected_one() -> None:
    either = issue("teh", "the", accepted=("that",))
    assert find_verdict(either, paragraph("that")) is Finding.EXACT
    assert find_verdict(either, paragraph("those")) is Finding.CANDIDATE
    assert find_verdict(either, paragraph("that teh")) is Finding.NOT_ADDRESSED


def test_a_deletion_is_fixed_as_soon_as_the_wrong_text_is_gone() -> None:
    assert find_verdict(issue("very very", ""), paragraph("It is good.")) is Finding.EXACT


def test_issues_that_do_not_count_get_no_finding() -> None:
    case = make_case()
    dropped = dataclasses.replace(case.issues[0], disqualified=True)
    case = dataclasses.replace(case, issues=(dropped, *case.issues[1:]))
    assert find_verdicts(case, case.expected) == {"issue-02": Finding.EXACT, "issue-03": Finding.EXACT}
    assert find_verdicts(case, Document(())) == {"issue-02": Finding.CANDIDATE, "issue-03": Finding.CANDIDATE}


@pytest.mark.parametrize(
    ("finding", "judged", "verdict"),
    [
        (Finding.EXACT, None, Verdict.FIXED),
        (Finding.EXACT, False, Verdict.FIXED),
        (Finding.NOT_ADDRESSED, None, Verdict.NOT_ADDRESSED),
        (Finding.NOT_ADDRESSED, True, Verdict.NOT_ADDRESSED),
        (Finding.CANDIDATE, True, Verdict.FIXED_ALTERNATIVE),
        (Finding.CANDIDATE, False, Verdict.BAD_FIX),
        (Finding.CANDIDATE, None, Verdict.UNJUDGED),
    ],
)
def test_a_judge_decides_on_candidates_alone(finding: Finding, judged: bool | None, verdict: Verdict) -> None:
    assert settle(finding, judged) is verdict


def test_only_the_two_kinds_of_fixed_are_fixed() -> None:
    assert {verdict for verdict in Verdict if verdict.is_fixed} == {Verdict.FIXED, Verdict.FIXED_ALTERNATIVE}


@given(st.text(min_size=1), st.text(), st.text())
def test_what_is_no_bare_word_is_found_wherever_it_stands(needle: str, before: str, after: str) -> None:
    needle = normalise(f"-{needle}-")
    assert contains(f"{normalise(before)} {needle} {normalise(after)}", needle)


@given(st.text(), st.text())
def test_no_text_is_ever_taken_for_a_pattern(text: str, needle: str) -> None:
    if contains(text, needle):
        assert normalise(needle) in normalise(text)


def test_the_wrong_text_inside_another_word_does_not_make_an_issue_missed() -> None:
    assert find_verdict(issue("their", "there"), paragraph("there were theirs")) is Finding.EXACT


def test_the_wrong_text_is_found_whatever_its_quotes() -> None:
    assert find_verdict(issue("dog's", "dogs"), paragraph("the dog\u2019s bowls")) is Finding.NOT_ADDRESSED
