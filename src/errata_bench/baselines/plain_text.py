"""What a checker reads of a paragraph, and the way back from there to its inner HTML."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_UNIT = re.compile(r"<[^>]*>|&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);|.", re.DOTALL)
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlEdit:
    """Put ``replacement`` (HTML) in the place of ``inner_html[start:end]``."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Correction:
    """Put ``replacement`` (plain text) in the place of ``text[start:end]``; offsets count code points."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class PlainText:
    """A paragraph without its tags and with its entities decoded.

    The n-th character of ``text`` comes from ``inner_html[starts[n]:ends[n]]``. A line break tag is read as a
    space, so that the words beside it stay apart.
    """

    inner_html: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def html_edit(self, correction: Correction) -> HtmlEdit | None:
        """The same edit in the inner HTML, without what it leaves as it is.

        None where it changes nothing, and where it cannot be made without touching a tag or half of an entity.
        """
        before = self.text[correction.start : correction.end]
        after = correction.replacement
        head = _common_prefix(before, after)
        tail = _common_prefix(before[head:][::-1], after[head:][::-1])
        start, end = correction.start + head, correction.end - tail
        changed = after[head : len(after) - tail]
        if start == end:
            if not changed:
                return None
            # What is inserted belongs to the text of the correction beside it, on the same side of a tag.
            at = self._insertion_point(start, after_text=head > 0 or tail == 0)
            return None if at is None else HtmlEdit(at, at, html.escape(changed, quote=False))
        if not self._is_whole(start, end):
            return None
        return HtmlEdit(self.starts[start], self.ends[end - 1], html.escape(changed, quote=False))

    def _insertion_point(self, at: int, *, after_text: bool) -> int | None:
        if 0 < at < len(self.text) and self.starts[at] == self.starts[at - 1]:
            return None
        if after_text and at > 0:
            return self.ends[at - 1]
        if at < len(self.text):
            return self.starts[at]
        return self.ends[at - 1] if at > 0 else 0

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether the characters stand side by side in the HTML, and none is a tag or shares an entity outside."""
        if start > 0 and self.starts[start] == self.starts[start - 1]:
            return False
        if end < len(self.text) and self.starts[end] == self.starts[end - 1]:
            return False
        if any(self.inner_html[self.starts[n]] == "<" and self.ends[n] - self.starts[n] > 1 for n in range(start, end)):
            return False
        return all(
            self.ends[n] == self.starts[n + 1] or self.starts[n] == self.starts[n + 1] for n in range(start, end - 1)
        )


def read_plain_text(inner_html: str) -> PlainText:
    """Drop the tags of a paragraph's inner HTML and decode its entities."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _UNIT.finditer(inner_html):
        unit = match[0]
        if len(unit) > 1 and unit[0] == "<":
            unit = " " if _LINE_BREAK.fullmatch(unit) else ""
        elif len(unit) > 1:
            decoded = html.unescape(unit)
            if decoded == unit:  # no such entity: it stands for itself, character by character
                characters += unit
                starts += range(match.start(), match.end())
                ends += range(match.start() + 1, match.end() + 1)
                continue
            unit = decoded
        for character in unit:
            characters.append(character)
            starts.append(match.start())
            ends.append(match.end())
    return PlainText(inner_html, "".join(characters), tuple(starts), tuple(ends))


def html_edits(plain: PlainText, corrections: tuple[Correction, ...]) -> tuple[HtmlEdit, ...]:
    """The corrections of one paragraph as edits of its inner HTML, in order and apart from each other.

    Of two that overlap or touch, the one that begins first is kept; one that would cross a tag is dropped.
    """
    edits: list[HtmlEdit] = []
    done = 0
    for correction in sorted(corrections, key=lambda c: (c.start, c.end)):
        edit = plain.html_edit(correction)
        if edit is not None and correction.start >= done and (not edits or edit.start > edits[-1].end):
            edits.append(edit)
            done = correction.end
    return tuple(edits)


def _common_prefix(left: str, right: str) -> int:
    for n, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return n
    return min(len(left), len(right))
