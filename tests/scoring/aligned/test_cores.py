from __future__ import annotations

import dataclasses

import pytest

from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Issue
from errata_bench.errors import DatasetError
from errata_bench.scoring.aligned.cores import prepare_case
from tests.scoring.aligned.sketches import Sketch, document, sketch
from tests.support.builders import shared


def core(text: str, *issue: str) -> tuple[str, tuple[str, ...]]:
    """The wrong tokens of the only core, and the right ones, each joined by ``|``."""
    (paragraph,) = prepare_case(sketch(text, issue))
    (found,) = paragraph.cores
    return "|".join(paragraph.tokens[found.start : found.end]), tuple("|".join(branch) for branch in found.branches)


@pytest.mark.parametrize(
    ("text", "issue", "wrong", "right"),
    [
        ("The senior clerks form both.", ("clerks form both", "clerks from both"), "form", ("from",)),
        ("Went home", ("home", "home."), "", (".",)),
        ("A tradmark is.", ("dm", "dem"), "tradmark", ("trademark",)),
        ("The dog ran.", ("dog", "dogs"), "dog", ("dogs",)),
        ("It is too good.", ("too", ""), "too| ", ("",)),
        ("Too good.", ("Too", ""), "Too| ", ("",)),
        ("He go to school and play.", ("go to school and play", "went to school and played"),
         "go| |to| |school| |and| |play", ("went| |to| |school| |and| |played",)),
        ("The data shows it.", ("data shows", "data show", "findings show"),
         "data| |shows", ("data| |show", "findings| |show")),
        ("R &amp; D was.", ("&amp; D was", "&amp; D were"), "was", ("were",)),
    ],
)  # fmt: skip
def test_a_core_is_what_differs_in_whole_tokens(text: str, issue: Sketch, wrong: str, right: tuple[str, ...]) -> None:
    assert core(text, *issue) == (wrong, right)


def test_an_issue_about_markup_alone_is_refused() -> None:
    with pytest.raises(DatasetError, match="only markup differs"):
        prepare_case(sketch("The <em>end</em>.", ("<em>end</em>", "<b>end</b>")))


def test_two_issues_in_one_word_are_refused() -> None:
    with pytest.raises(DatasetError, match="same words as issue 0"):
        prepare_case(sketch("It beleivs.", ("bel", "beli"), ("vs", "ves")))


def test_corrections_that_do_not_lead_to_the_expected_text_are_refused() -> None:
    case = dataclasses.replace(sketch("He go.", ("go", "goes")), expected=document("He went."))
    with pytest.raises(DatasetError, match="do not lead to the expected text"):
        prepare_case(case)


def test_corrections_that_cancel_out_are_refused() -> None:
    case = sketch("He said that that he saw.", ("said that", "said"), ("he saw", "that he saw"))
    with pytest.raises(DatasetError, match="cancel out"):
        prepare_case(case)


def test_all_faults_are_told_at_once() -> None:
    case = sketch({"A <i>b</i>.": [("<i>b</i>", "<u>b</u>")], "C <i>d</i>.": [("<i>d</i>", "<u>d</u>")]})
    with pytest.raises(DatasetError) as caught:
        prepare_case(case)
    assert [fault.issue for fault in caught.value.faults] == ["0", "1"]


def test_a_combining_mark_stays_with_its_letter() -> None:
    text = "cafe\u0301 x"
    issue = Issue("0", "any", "p0", "\u0301 x", "\u0301 y", text.index("\u0301"))
    case = dataclasses.replace(sketch(text), issues=(issue,), expected=document("café y"))
    (paragraph,) = prepare_case(case)
    assert paragraph.tokens == ("café", " ", "x")
    assert paragraph.cores[0].branches == (("y",),)


@pytest.mark.parametrize("name", ["jury-instructions", "the-call-of-the-wild-chapter-3"])
def test_the_upstream_cases_can_be_aligned(name: str) -> None:
    (case,) = load_cases([str(shared(f"upstream/datasets/v1/generated/{name}.json"))])
    assert sum(len(paragraph.cores) for paragraph in prepare_case(case)) == len(case.issues)
