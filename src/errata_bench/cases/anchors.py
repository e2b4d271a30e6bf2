"""Where a text stands in a document, without searching all of it for each of its errors."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from errata_bench.document import Document, Paragraph
from errata_bench.text import is_word_needle, occurrences

_RUN = re.compile(r"[A-Za-z0-9_]+")


class Anchor(NamedTuple):
    """A paragraph, and a character offset in its inner HTML."""

    paragraph_id: str
    start: int


def find_in(paragraph: Paragraph, text: str) -> list[Anchor]:
    """Every place where a normalised text occurs in a paragraph (see `occurrences`), in order."""
    return [Anchor(paragraph.id, start) for start in occurrences(paragraph.inner_html, text)]


class Anchors:
    """Finds texts in one document; the words of its paragraphs are indexed once, at the first search."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def find(self, text: str) -> list[Anchor]:
        """Every place where a normalised text occurs, in order."""
        return [anchor for paragraph in self._candidates(text) for anchor in find_in(paragraph, text)]

    @cached_property
    def _index(self) -> dict[str, list[Paragraph]]:
        index: dict[str, list[Paragraph]] = defaultdict(list)
        for paragraph in self.document:
            for run in set(_RUN.findall(paragraph.inner_html)):
                index[run].append(paragraph)
        return index

    def _candidates(self, text: str) -> tuple[Paragraph, ...] | list[Paragraph]:
        """The paragraphs that can hold a text: those with its rarest whole word, all where it has none."""
        bounded = is_word_needle(text)
        whole = [
            self._index.get(run[0], [])
            for run in _RUN.finditer(text)
            if bounded or (run.start() > 0 and run.end() < len(text))  # at its ends a word may go on
        ]
        return min(whole, key=len) if whole else self.document.paragraphs
