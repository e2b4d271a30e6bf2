from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.document import Document, Paragraph
from errata_bench.scoring.changes import changed_paragraphs, comparable


def document(**paragraphs: str) -> Document:
    return Document(tuple(Paragraph(name, text) for name, text in paragraphs.items()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a  b", "a b"),
        ("a\n\tb", "a b"),
        (" a ", "a"),
        ("<b>a</b> <i>b</i>", "<b>a</b><i>b</i>"),
        ("it’s “so”…", 'it\'s "so"...'),
        ("a\u00a0b", "a b"),
    ],
)
def test_spaces_and_typographic_forms_are_no_change(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    ("one", "other"), [("ab", "a b"), ("a", "A"), ("a.", "a"), ("<b>a</b>", "a"), ("a <b>b", "a<b>b")]
)
def test_everything_else_is_a_change(one: str, other: str) -> None:
    assert comparable(one) != comparable(other)


def test_changed_paragraphs_come_in_the_order_of_the_document() -> None:
    before = document(one="a", two="b", three="c", four="d  d")
    after = document(three="x", two="b", one="y", four="d d")
    assert changed_paragraphs(before, after) == ("one", "three")


def test_a_paragraph_that_is_missing_has_changed() -> None:
    assert changed_paragraphs(document(one="a", two=""), document(one="a")) == ("two",)


def test_a_paragraph_that_was_added_is_no_change_of_the_others() -> None:
    assert changed_paragraphs(document(one="a"), document(one="a", two="b")) == ()


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert comparable(comparable(text)) == comparable(text)
