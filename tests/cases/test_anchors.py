"""Where a text stands in a document: the index finds what a search of everything finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.anchors import Anchor, Anchors
from errata_bench.document import Document, Paragraph
from errata_bench.text import occurrences

TEXTS = st.text(alphabet="ab1_' -.é", max_size=14)


def document_of(*texts: str) -> Document:
    return Document(tuple(Paragraph(f"p{n}", text) for n, text in enumerate(texts)))


@given(st.lists(TEXTS, max_size=5), TEXTS)
def test_the_index_finds_what_a_search_of_everything_finds(texts: list[str], needle: str) -> None:
    document = document_of(*texts)
    expected = [Anchor(p.id, start) for p in document for start in occurrences(p.inner_html, needle)]
    assert Anchors(document).find(needle) == expected


@given(st.lists(TEXTS, min_size=1, max_size=4), st.data())
def test_every_piece_of_a_text_is_found_where_it_stands(texts: list[str], data: st.DataObject) -> None:
    document = document_of(*texts)
    paragraph = data.draw(st.sampled_from(document.paragraphs))
    start = data.draw(st.integers(0, len(paragraph.inner_html)))
    end = data.draw(st.integers(start, len(paragraph.inner_html)))
    piece = paragraph.inner_html[start:end]
    found = Anchors(document).find(piece)
    assert (Anchor(paragraph.id, start) in found) == (start in occurrences(paragraph.inner_html, piece))


def test_a_word_at_the_end_of_a_piece_may_go_on() -> None:
    anchors = Anchors(document_of("the cathedral stands", "the cat sat"))
    assert anchors.find("the cat") == [Anchor("p0", 0), Anchor("p1", 0)]
    assert anchors.find("cat") == [Anchor("p1", 4)]


def test_a_text_with_a_word_that_stands_nowhere_is_found_nowhere() -> None:
    assert Anchors(document_of("one two three")).find("one four three") == []
