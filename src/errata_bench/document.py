"""Documents, and the two edits that can be made to them.

A `Document` is an immutable value: an edit returns a new one. Its paragraphs keep their order and their ids for
ever; only their inner HTML changes. An edit that cannot be made raises `EditRefused` with a message from which a
model can correct itself; the document is unchanged.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from errata_bench.text import count_words, normalise

_PARAGRAPH = re.compile(
    r"""\s*<p\s+id\s*=\s*(?P<quote>["'])(?P<id>[^"'<>]*)(?P=quote)\s*>(?P<inner>.*)</p\s*>\s*""",
    re.DOTALL | re.IGNORECASE,
)
_BLOCK_TAG = re.compile(
    r"</?(?:p|div|section|article|aside|main|nav|header|footer|address|figure|figcaption|form|fieldset|details|h[1-6]|hr"
    r"|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|td|th|blockquote|pre|body|html)(?:\s[^>]*)?/?>",
    re.IGNORECASE,
)


class EditRefused(Exception):
    """An edit that cannot be made; the text says why and how to make it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph: its id and its inner HTML, normalised (C1)."""

    id: str
    inner_html: str

    @property
    def html(self) -> str:
        """The paragraph as a model sees it."""
        return f'<p id="{self.id}">{self.inner_html}</p>'

    @property
    def words(self) -> int:
        """The number of words, at least 1 (C4)."""
        return count_words(self.inner_html)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was made: the document after it, and how many places it changed (0: nothing changed)."""

    document: Document
    paragraph_id: str
    replacements: int

    @property
    def changed(self) -> bool:
        """Whether the paragraph's text is another than before."""
        return self.replacements > 0


@dataclass(frozen=True)
class Document:
    """Paragraphs in order, with unique ids."""

    paragraphs: tuple[Paragraph, ...]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {paragraph.id: n for n, paragraph in enumerate(self.paragraphs)}

    def __iter__(self) -> Iterator[Paragraph]:
        return iter(self.paragraphs)

    def __len__(self) -> int:
        return len(self.paragraphs)

    def __contains__(self, paragraph_id: object) -> bool:
        return paragraph_id in self._index

    def get(self, paragraph_id: str) -> Paragraph | None:
        """The paragraph of that id, or None."""
        n = self._index.get(paragraph_id)
        return None if n is None else self.paragraphs[n]

    @property
    def words(self) -> int:
        """The number of words of all paragraphs (C4)."""
        return sum(paragraph.words for paragraph in self.paragraphs)

    @property
    def html(self) -> str:
        """The document as a model sees it: one paragraph a line."""
        return "\n".join(paragraph.html for paragraph in self.paragraphs)

    def select(self, paragraph_ids: Iterable[str]) -> Document:
        """The paragraphs of those ids, in that order. Raises `KeyError` for an unknown id."""
        return Document(tuple(self.paragraphs[self._index[paragraph_id]] for paragraph_id in paragraph_ids))

    def with_inner_html(self, paragraph_id: str, inner_html: str) -> Document:
        """The document with one paragraph's inner HTML replaced. Raises `KeyError` for an unknown id."""
        n = self._index[paragraph_id]
        changed = Paragraph(paragraph_id, inner_html)
        document = Document((*self.paragraphs[:n], changed, *self.paragraphs[n + 1 :]))
        document.__dict__["_index"] = self._index  # the ids and their order are the same
        return document

    def find_and_replace(self, paragraph_id: str, find: str, replace: str) -> Edit:
        """Replace every occurrence of ``find`` in one paragraph's inner HTML (C5).

        Both texts are normalised (C1); the match is exact and case-sensitive. An edit that leaves the text as it
        was is made, with 0 replacements. Raises `EditRefused` for an unknown paragraph, an empty ``find`` and a
        ``find`` that does not occur.
        """
        paragraph = self._wanted(paragraph_id)
        find, replace = normalise(find), normalise(replace)
        if not find:
            raise EditRefused("`find` is empty. Give the exact text that is to be replaced.")
        count = paragraph.inner_html.count(find)
        if count == 0:
            raise EditRefused(_not_found(paragraph, find))
        # Composed again, because a combining mark in `replace` joins the letter before it.
        inner_html = normalise(paragraph.inner_html.replace(find, replace))
        if inner_html == paragraph.inner_html:
            return Edit(self, paragraph_id, 0)
        _refuse_block_tags(paragraph.inner_html, inner_html, "`replace`")
        return Edit(self.with_inner_html(paragraph_id, inner_html), paragraph_id, count)

    def replace_paragraph(self, paragraph_id: str, new_paragraph_html: str) -> Edit:
        """Replace one paragraph by exactly one ``<p id="…">…</p>`` with the same id (C5).

        Raises `EditRefused` for an unknown paragraph and for anything but one such element.
        """
        paragraph = self._wanted(paragraph_id)
        match = _PARAGRAPH.fullmatch(new_paragraph_html)
        if match is None:
            raise EditRefused(
                f'`newParagraphHtml` has to be exactly one element <p id="{paragraph_id}">…</p> and nothing else.'
            )
        if match["id"] != paragraph_id:
            raise EditRefused(
                f"`newParagraphHtml` has the id {match['id']!r}, but the paragraph to be replaced is {paragraph_id!r}. "
                "The id has to stay."
            )
        inner_html = normalise(match["inner"]).strip()
        _refuse_block_tags(paragraph.inner_html, inner_html, "`newParagraphHtml`")
        if inner_html == paragraph.inner_html:
            return Edit(self, paragraph_id, 0)
        return Edit(self.with_inner_html(paragraph_id, inner_html), paragraph_id, 1)

    def _wanted(self, paragraph_id: str) -> Paragraph:
        paragraph = self.get(paragraph_id)
        if paragraph is None:
            known = ", ".join(p.id for p in self.paragraphs[:40])
            more = f" and {len(self) - 40} more" if len(self) > 40 else ""
            raise EditRefused(
                f"There is no paragraph {paragraph_id!r} in this part of the document. "
                f"Its paragraphs are: {known}{more}."
            )
        return paragraph


def _refuse_block_tags(before: str, after: str, name: str) -> None:
    """Exactly one top-level block (QUIRKS Q102): an edit cannot bring another block into a paragraph."""
    tags = _BLOCK_TAG.findall(after)
    if len(tags) > len(_BLOCK_TAG.findall(before)):
        raise EditRefused(
            f"{name} would put {tags[0]} inside the paragraph. "
            "A paragraph cannot be split or merged, and cannot hold another block."
        )


def _not_found(paragraph: Paragraph, find: str) -> str:
    """Say why the text was not found, as precisely as can be known, without guessing what was meant."""
    text = paragraph.inner_html
    hint = ""
    if html.escape(find, quote=False) in text:
        hint = " The document is HTML: write & as &amp;, < as &lt; and > as &gt;."
    elif normalise(html.unescape(find)) in text:
        hint = " It occurs when its HTML entities are written as plain characters."
    elif "\\" in find and _unescaped(find) in text:
        hint = " It occurs without the backslashes: do not escape characters inside the JSON strings twice."
    elif find.casefold() in text.casefold():
        hint = " It occurs with other capitals: the match is case-sensitive."
    elif find.strip() and find.strip() in text:
        hint = " It occurs without the white space at its ends."
    elif " ".join(find.split()) in " ".join(text.split()):
        hint = " It occurs with other white space."
    elif (near := _first_difference(text, find)) is not None:
        hint = near
    return (
        f"`find` does not occur in paragraph {paragraph.id!r}.{hint} "
        f"It has to be copied exactly from the paragraph as it stands now: {text}"
    )


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\")


def _first_difference(text: str, find: str) -> str | None:
    """Name the first differing character where a good part of ``find`` occurs (QUIRKS Q88, Q90)."""
    low, high = 0, len(find)
    while low < high:  # the longest prefix of `find` that occurs, by bisection: prefixes of a match match too
        middle = (low + high + 1) // 2
        if find[:middle] in text:
            low = middle
        else:
            high = middle - 1
    if low < 8 or low >= len(find):
        return None
    at = text.find(find[:low]) + low
    have = _code_point(text[at]) if at < len(text) else "the end of the paragraph"
    return f" After {find[max(0, low - 20) : low]!r} the paragraph has {have}, not {_code_point(find[low])}."


def _code_point(char: str) -> str:
    return f"{char!r} (U+{ord(char):04X})"
