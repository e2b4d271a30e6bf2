"""Chunks (contract C4)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.chunks import split_into_chunks


def document(*words: int) -> Document:
    return Document(tuple(Paragraph(f"para{n}", " ".join(["word"] * count)) for n, count in enumerate(words)))


def sizes(doc: Document, limit: int) -> list[list[int]]:
    return [[paragraph.words for paragraph in chunk] for chunk in split_into_chunks(doc, limit)]


@pytest.mark.parametrize(
    ("words", "limit", "expected"),
    [
        ([3, 3, 4], 10, [[3, 3, 4]]),  # exactly full
        ([3, 3, 5], 10, [[3, 3], [5]]),
        ([4, 20, 4], 10, [[4], [20], [4]]),  # one that is too long is a chunk by itself
        ([20], 10, [[20]]),
        ([1, 1, 1], 1, [[1], [1], [1]]),
        ([6, 6, 2, 2], 10, [[6], [6, 2, 2]]),  # in order, not packed
        ([5, 6, 7], 0, [[5, 6, 7]]),
        ([5, 6, 7], -1, [[5, 6, 7]]),
    ],
)
def test_chunk_is_closed_when_the_next_paragraph_would_take_it_over_the_limit(
    words: list[int], limit: int, expected: list[list[int]]
) -> None:
    assert sizes(document(*words), limit) == expected


def test_paragraph_without_words_counts_as_one() -> None:
    doc = Document(tuple(Paragraph(f"para{n}", "<br>") for n in range(5)))
    assert sizes(doc, 2) == [[1, 1], [1, 1], [1]]


def test_tags_are_no_words() -> None:
    doc = Document((Paragraph("a", '<a href="a b c d">one</a>'), Paragraph("b", "two")))
    assert len(split_into_chunks(doc, 2)) == 1


@given(st.lists(st.integers(1, 12), min_size=1), st.integers(1, 20))
def test_chunks_are_the_document_and_as_long_as_they_may_be(words: list[int], limit: int) -> None:
    doc = document(*words)
    chunks = split_into_chunks(doc, limit)
    assert tuple(paragraph for chunk in chunks for paragraph in chunk) == doc.paragraphs
    for chunk in chunks:
        assert len(chunk) >= 1
        assert chunk.words <= limit or len(chunk) == 1
    for chunk, following in pairwise(chunks):
        assert chunk.words + following.paragraphs[0].words > limit


@given(st.lists(st.integers(1, 12), min_size=1))
def test_no_limit_means_one_chunk(words: list[int]) -> None:
    assert split_into_chunks(document(*words), 0) == (document(*words),)
