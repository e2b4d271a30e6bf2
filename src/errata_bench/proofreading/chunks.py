"""Chunks: consecutive whole paragraphs up to a word limit (contract C4)."""

from __future__ import annotations

from errata_bench.document import Document, Paragraph


def split_into_chunks(document: Document, max_words: int) -> tuple[Document, ...]:
    """Split a document into chunks of at most ``max_words`` words; 0 means one chunk.

    A chunk is closed when the next paragraph would take it over the limit. A paragraph is never split, so one that
    is longer than the limit is a chunk by itself.
    """
    if max_words <= 0:
        return (document,)
    chunks: list[Document] = []
    current: list[Paragraph] = []
    words = 0
    for paragraph in document:
        if current and words + paragraph.words > max_words:
            chunks.append(Document(tuple(current)))
            current, words = [], 0
        current.append(paragraph)
        words += paragraph.words
    chunks.append(Document(tuple(current)))
    return tuple(chunks)
