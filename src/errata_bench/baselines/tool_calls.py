"""Edits of a paragraph, written down as calls of the tools that a proofreader has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata_bench.baselines.plain_text import HtmlEdit
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.tools import FIND_AND_REPLACE, REPLACE_PARAGRAPH
from errata_bench.text import normalise

_TOKEN = re.compile(r"<[^>]*>|&#?\w+;|\w+|\s+|.", re.DOTALL)
_MOST_CONTEXT = 16
"""Tokens of context on both sides together; text that repeats for longer is written as a whole paragraph."""


@dataclass(frozen=True, slots=True)
class EditCall:
    """A call of one of the two editing tools."""

    name: str
    arguments: Mapping[str, str]


def write_calls(paragraph_id: str, inner_html: str, edits: Sequence[HtmlEdit]) -> tuple[EditCall, ...]:
    """Calls which, executed in order on the paragraph, make the edits and nothing else.

    ``edits`` are in order and do not overlap. Each becomes a ``find_and_replace`` whose ``find`` holds whole words
    and occurs once in the paragraph as the calls before it left it. Where this would need long context, or be
    longer than the paragraph itself, the rest of the edits is written as one ``replace_paragraph``.
    """
    calls: list[EditCall] = []
    document = Document((Paragraph(paragraph_id, inner_html),))
    moved = 0
    for n, edit in enumerate(edits):
        current = document.paragraphs[0].inner_html
        start, end = edit.start + moved, edit.end + moved
        if current[start:end] == edit.replacement:
            continue
        rest = _apply(current, moved, edits[n:])
        whole = f'<p id="{paragraph_id}">{rest}</p>'
        span = _unique_span(current, start, end, edit.replacement)
        # What replace_paragraph would not keep as it is (C1, stripped ends) goes through it only for want of a span.
        if span is None or (normalise(rest).strip() == rest and 2 * (span[1] - span[0]) > len(whole)):
            arguments = {"paragraphId": paragraph_id, "newParagraphHtml": whole}
            return (*calls, EditCall(REPLACE_PARAGRAPH, arguments))
        find = current[span[0] : span[1]]
        replace = current[span[0] : start] + edit.replacement + current[end : span[1]]
        calls.append(EditCall(FIND_AND_REPLACE, {"paragraphId": paragraph_id, "find": find, "replace": replace}))
        document = document.find_and_replace(paragraph_id, find, replace).document
        moved += len(document.paragraphs[0].inner_html) - len(current)
    return tuple(calls)


def _apply(current: str, moved: int, edits: Sequence[HtmlEdit]) -> str:
    """The text after edits whose offsets lag ``moved`` characters behind it."""
    parts: list[str] = []
    done = 0
    for edit in edits:
        parts += (current[done : edit.start + moved], edit.replacement)
        done = edit.end + moved
    return "".join((*parts, current[done:]))


def _unique_span(text: str, start: int, end: int, replacement: str) -> tuple[int, int] | None:
    """The shortest span of whole tokens round the edit that occurs nowhere else in the text, not even overlapping."""
    lefts, rights = _bounds(text, start, end, replacement)
    for context in range(_MOST_CONTEXT + 1):
        spans = [
            (lefts[context - right], rights[right])
            for right in range(context + 1)
            if right < len(rights) and context - right < len(lefts)
        ]
        for left, right in sorted(spans, key=lambda span: span[1] - span[0]):
            find = text[left:right]
            # Both arguments are normalised before they are used (C1): what that would change cannot be found again.
            if find and normalise(find) == find and text.find(find) == left and text.find(find, left + 1) < 0:
                return left, right
    return None


def _bounds(text: str, start: int, end: int, replacement: str) -> tuple[list[int], list[int]]:
    """Where a span may begin and where it may end, nearest first: at tokens, with white space only inside it."""
    # A window is enough and keeps long paragraphs cheap; a token cut by its edge lies beyond any context used.
    low = max(0, start - 1500)
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text, low, min(len(text), end + 1500))]
    changed = replacement or text[start:end]
    joins_left = _is_word(changed[:1]) or _is_word(text[start : start + 1])
    joins_right = _is_word(changed[-1:]) or _is_word(text[end - 1 : end] if end > start else "")
    first, last = start, end
    for left, right, token in tokens:
        word = _is_word(token[:1])
        if left < start < right or (right == start and word and joins_left):
            first = left
        if left < end < right or (left == end and word and joins_right):
            last = right
    lefts = [first, *(left for left, right, token in reversed(tokens) if right <= first and not token.isspace())]
    rights = [last, *(right for left, right, token in tokens if left >= last and not token.isspace())]
    return lefts, rights


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
