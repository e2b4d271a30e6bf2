from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.baselines.plain_text import Correction, HtmlEdit, html_edits, read_plain_text


def corrected(inner_html: str, *corrections: Correction) -> str:
    text = inner_html
    for edit in reversed(html_edits(read_plain_text(inner_html), corrections)):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text


def test_tags_are_dropped_and_entities_decoded() -> None:
    assert read_plain_text("Salt &amp; <em>pepper</em> &#8212; &lt;hot&gt;").text == "Salt & pepper — <hot>"


def test_an_ampersand_that_begins_no_entity_stands_for_itself() -> None:
    assert read_plain_text("R&D and &nosuch; &amp;").text == "R&D and &nosuch; &"


def test_a_line_break_keeps_words_apart() -> None:
    assert read_plain_text("one<br/>two").text == "one two"


def test_a_correction_behind_tags_entities_and_emoji_lands_where_it_belongs() -> None:
    inner = "😀 <em>Café</em> &amp; teh bar"
    at = read_plain_text(inner).text.index("teh")
    assert corrected(inner, Correction(at, at + 3, "the")) == "😀 <em>Café</em> &amp; the bar"


def test_only_what_differs_is_replaced() -> None:
    plain = read_plain_text("The damp squid hung.")
    assert html_edits(plain, (Correction(4, 14, "damp squib"),)) == (HtmlEdit(13, 14, "b"),)


def test_a_correction_whose_change_lies_beside_a_tag_is_made() -> None:
    assert corrected("a <em>damp</em> squid", Correction(2, 12, "damp squib")) == "a <em>damp</em> squib"


@pytest.mark.parametrize(
    ("inner", "correction"),
    [
        ("in<em>fact</em> so", Correction(0, 6, "at feast")),
        ("one<br>two", Correction(2, 5, "-")),
        ("a &NotEqualTilde; b", Correction(2, 3, "x")),
    ],
)
def test_a_correction_that_would_cross_a_tag_or_halve_an_entity_is_dropped(inner: str, correction: Correction) -> None:
    assert corrected(inner, correction) == inner


@pytest.mark.parametrize(
    ("inner", "correction", "after"),
    [
        ("he <em>go</em> home", Correction(3, 5, "goes"), "he <em>goes</em> home"),
        ("an <em>pple</em>", Correction(3, 7, "apple"), "an <em>apple</em>"),
        ("", Correction(0, 0, "Yes."), "Yes."),
    ],
)
def test_what_is_inserted_stays_with_its_word(inner: str, correction: Correction, after: str) -> None:
    assert corrected(inner, correction) == after


def test_a_replacement_is_escaped() -> None:
    assert corrected("A and B", Correction(2, 5, "& <")) == "A &amp; &lt; B"


def test_of_overlapping_corrections_the_first_is_made() -> None:
    assert corrected("This are a book", Correction(0, 8, "These are"), Correction(5, 8, "is")) == "These are a book"


def test_a_correction_that_changes_nothing_is_no_edit() -> None:
    assert html_edits(read_plain_text("as it was"), (Correction(0, 2, "as"),)) == ()


@given(st.text())
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    plain = read_plain_text(html.escape(text, quote=False))
    assert plain.text == text
    assert len(plain.starts) == len(plain.ends) == len(text)
