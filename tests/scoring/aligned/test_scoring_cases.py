"""The 35 small cases with a right answer that lie beside the repository."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.aligned.run import AlignedRun, align_document
from errata_bench.text import normalise, occurrences
from tests.support.builders import SHARED, shared
from tests.support.case_files import case_json, issue_json, the_fault_of, write_case

FILE = SHARED / "scoring-cases.json"
ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in json.loads(FILE.read_text())} if FILE.exists() else {}

NOT_IN_THE_TEXT = {"overlap_find_holds_other_clean_text"}
"""``find`` does not stand in the corrupted text: there is no place to align, so loading has to refuse the case."""
THE_SAME_NORMALISED = {"nbsp_issue_invisible", "curly_quote_issue_invisible", "ellipsis_issue_invisible"}
"""Loading refuses these, because C1 makes both texts one. The alignment, given the texts as they are, decides them."""
PLAIN_FIND = {"html_entity_in_source"}
"""``find`` is written in plain text: loading refuses it with 0 hits. Here it is escaped as the loaded case would be."""


def test_there_are_35_rows() -> None:
    shared("scoring-cases.json")
    assert len(ROWS) == 35


@pytest.mark.parametrize("name", [name for name in ROWS if name not in NOT_IN_THE_TEXT])
def test_the_aligned_verdict_is_the_right_one(name: str) -> None:
    row = ROWS[name]
    assert align(row).verdicts["0"].value == row["right"]


@pytest.mark.parametrize("name", [name for name in ROWS if name in NOT_IN_THE_TEXT | THE_SAME_NORMALISED | PLAIN_FIND])
def test_a_row_that_cannot_be_loaded_is_refused_with_the_reason(name: str, tmp_path: Any) -> None:
    row = ROWS[name]
    issue = issue_json(find=row["find"], replace=row["replace"])
    file = write_case(tmp_path, case_json(issues=[issue]), text=html.unescape(row["corrupted"]))
    problem = the_fault_of(file).problem
    assert "the same after normalisation" in problem if name in THE_SAME_NORMALISED else "stands 0 times" in problem


@pytest.mark.parametrize("name", ["context_edit_and_fix", "context_synonym", "legit_double_had", "over_application"])
def test_what_recall_cannot_see_is_a_hunk(name: str) -> None:
    assert len(align(ROWS[name]).hunks) == 1


def align(row: dict[str, Any]) -> AlignedRun:
    raw = row["name"] in THE_SAME_NORMALISED
    corrupted, clean, final = (inner(row[key], raw=raw) for key in ("corrupted", "clean", "final"))
    issues = []
    for n, planted in enumerate([row, *row.get("other_issues", [])]):
        find, replace = (planted[key] if raw else normalise(planted[key]) for key in ("find", "replace"))
        if row["name"] in PLAIN_FIND:
            find, replace = html.escape(find, quote=False), html.escape(replace, quote=False)
        starts = [corrupted.index(find)] if raw else occurrences(corrupted, find)
        assert len(starts) == 1
        issues.append(Issue(str(n), "any", "p", find, replace, starts[0]))
    case = Case(row["name"], "", alone(corrupted), alone(clean), tuple(issues))
    return align_document(case, alone(final))


def inner(text: str, *, raw: bool) -> str:
    element = re.fullmatch(r"<p[^>]*>(.*)</p>", text, re.DOTALL)
    text = element[1] if element else text
    return text if raw else normalise(text)


def alone(inner_html: str) -> Document:
    return Document((Paragraph("p", inner_html),))
