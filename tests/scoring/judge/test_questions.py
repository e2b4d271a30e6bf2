from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.judge.questions import Question, candidates, questions_about
from tests.support.builders import make_case

CASE = make_case()
ISSUE = CASE.issues[0]
QUESTION = Question(ISSUE, "Here is teh sentence.", "Here is a sentence.")


def left_as(**texts: str) -> Document:
    document = CASE.document
    for paragraph_id, text in texts.items():
        document = document.with_inner_html(paragraph_id, text)
    return document


def test_only_what_is_neither_right_nor_still_wrong_is_asked_about() -> None:
    final = left_as(para01="Here is the sentence.", para02="Here is a sentence.")
    assert candidates(CASE, final) == {"issue-02"}


def test_a_disqualified_issue_is_no_candidate() -> None:
    case = dataclasses.replace(CASE, issues=tuple(dataclasses.replace(i, disqualified=True) for i in CASE.issues))
    assert candidates(case, left_as(para01="Other.")) == frozenset()


def test_questions_of_a_paragraph_are_asked_together_in_the_order_of_the_text() -> None:
    text = "A teh and a hte."
    paragraph = Paragraph("p", text)
    issues = (Issue("z", "c", "p", "hte", "the", 12), Issue("a", "c", "p", "teh", "the", 2))
    case = Case("x", "", Document((paragraph,)), Document((Paragraph("p", "A the and a the."),)), issues)
    (asked,) = questions_about(case, Document((Paragraph("p", "A thing."),)), {"a", "z"})
    assert [question.issue.id for question in asked.questions] == ["a", "z"]
    assert (asked.original, asked.final) == (text, "A thing.")
    assert [question.issue.id for question in asked.only({"z"}).questions] == ["z"]


def test_a_paragraph_that_is_gone_is_an_empty_one() -> None:
    final = Document(CASE.document.paragraphs[1:])
    (asked,) = questions_about(CASE, final, candidates(CASE, final))
    assert asked.final == ""


def test_ids_and_names_are_no_part_of_the_key() -> None:
    renamed = dataclasses.replace(ISSUE, id="other", paragraph_id="other", category="other", start=99)
    assert dataclasses.replace(QUESTION, issue=renamed).key("j", "v") == QUESTION.key("j", "v")


@pytest.mark.parametrize(
    "change",
    [{"find": "x"}, {"replace": "x"}, {"accepted": ("x",)}, {"description": "x"}],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_shown_of_an_issue_is_part_of_the_key(change: dict[str, Any]) -> None:
    assert dataclasses.replace(QUESTION, issue=dataclasses.replace(ISSUE, **change)).key("j", "v") != QUESTION.key(
        "j", "v"
    )


def test_texts_judge_and_prompt_are_part_of_the_key() -> None:
    keys = {
        QUESTION.key("j", "v"),
        QUESTION.key("k", "v"),
        QUESTION.key("j", "w"),
        dataclasses.replace(QUESTION, original="x").key("j", "v"),
        dataclasses.replace(QUESTION, final="x").key("j", "v"),
    }
    assert len(keys) == 5


def test_half_a_character_pair_has_a_key_too() -> None:
    assert dataclasses.replace(QUESTION, final="a\ud800b").key("j", "v")
