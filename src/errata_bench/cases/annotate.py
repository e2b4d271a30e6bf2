"""From a case back to an annotated source.

Building that again gives the same paragraphs and, for every issue, the same text with it mended in each accepted way.
``find`` and ``replace`` may come with other context. Line breaks in instruction and description become spaces, and
what normalisation folds (C1) is written as folded.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from errata_bench.cases.annotated import ARROW, BAR, CLOSE, OPEN, escape
from errata_bench.cases.build import usual_description
from errata_bench.cases.classify import NOTHING_STATED, VALID_WORD, classify
from errata_bench.cases.header import REQUIRED, Format, Header, write_header
from errata_bench.cases.load import read_cases
from errata_bench.cases.model import Case, Issue
from errata_bench.document import Paragraph
from errata_bench.errors import DatasetError, DatasetFault, UserError
from errata_bench.taxonomy import find_category

_UNSAID = {
    "title": "untitled",
    "genre": "unknown",
    "voice": "not described",
    "licence": "unknown",
    "language": "en",
}


def annotate_case(case: Case, about: Mapping[str, Any] | None = None, file: str = "") -> str:
    """Write a case as an annotated source.

    ``about`` may hold what a case itself does not know: ``title``, ``genre``, ``voice``, ``licence``, ``language``,
    as a case JSON has them. ``file`` is the case's name for messages. Paragraphs are plain text where the case can be
    had from one, else inner HTML. Raises `DatasetError` for issues that cannot be marked side by side.
    """
    form: Format = "text" if _is_plain(case) else "html"
    read = _plain if form == "text" else _as_it_is
    faults: list[DatasetFault] = []
    numbers = {issue.id: f"issue-{n:02d}" for n, issue in enumerate(_in_order(case), 1)}
    by_paragraph: dict[str, list[_Region]] = {paragraph.id: [] for paragraph in case.document}
    for issue in _in_order(case):
        paragraph = case.document.get(issue.paragraph_id)
        assert paragraph is not None  # the loader has anchored it
        by_paragraph[issue.paragraph_id].append(_region(issue, paragraph.inner_html, form))
    blocks = []
    for paragraph in case.document:
        regions = sorted(by_paragraph[paragraph.id], key=lambda region: (region.start, region.end))
        for one, other in pairwise(regions):
            if other.start < one.end or (other.start, other.end) == (one.start, one.end):
                problem = (
                    f"it and its accepted corrections reach into issue {one.issue.id}, so that no mark can hold it"
                )
                faults.append(DatasetFault(file or case.id, problem, case.id, other.issue.id))
        blocks.append(_write_paragraph(paragraph, _whole_words(regions, paragraph.inner_html), numbers, read))
    if faults:
        raise DatasetError(faults)
    return write_header(_header(case, about or {}, form)) + "---\n" + "\n\n".join(blocks) + "\n"


def annotate_file(file: Path, out: Path | None = None) -> str:
    """Write the one case of a case file as an annotated source, to ``out`` if given; returns it.

    Raises `DatasetError` for faults of the case, `UserError` for a file of several cases and for one that cannot be
    written.
    """
    loaded = read_cases([str(file)])
    if loaded.faults:
        raise DatasetError(loaded.faults)
    if len(loaded.cases) != 1:
        raise UserError(
            f"{file}: {len(loaded.cases)} cases are in it", mend="give a file with one case; an annotated source is one"
        )
    text = annotate_case(loaded.cases[0].case, loaded.cases[0].content, str(file))
    if out is not None:
        try:
            out.write_bytes(text.encode())
        except OSError as error:
            raise UserError(f"{out}: cannot be written: {error.strerror or error}") from error
    return text


@dataclass(frozen=True, slots=True)
class _Region:
    """The part of a paragraph's inner HTML that an issue and its accepted corrections change."""

    issue: Issue
    start: int
    end: int
    right: str
    also: tuple[str, ...]


def _in_order(case: Case) -> list[Issue]:
    """The issues in the order of the document."""
    place = {paragraph.id: n for n, paragraph in enumerate(case.document)}
    return sorted(case.issues, key=lambda issue: (place[issue.paragraph_id], *issue.core[:2]))


def _is_plain(case: Case) -> bool:
    """Whether every paragraph, mended in any accepted way, is what a plain text gives."""
    texts = [paragraph.inner_html for document in (case.document, case.expected) for paragraph in document]
    for issue in case.issues:
        paragraph = case.document.get(issue.paragraph_id)
        assert paragraph is not None
        before, after = paragraph.inner_html[: issue.start], paragraph.inner_html[issue.end :]
        texts.extend(before + text + after for text in (issue.replace, *issue.accepted))
    return all(text == text.strip() != "" and html.escape(_plain(text), quote=False) == text for text in texts)


def _plain(inner_html: str) -> str:
    """Undo the escaping of the three characters that C2 escapes, and of no other."""
    return inner_html.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _region(issue: Issue, inner_html: str, form: Format) -> _Region:
    texts = [issue.find, issue.replace, *issue.accepted]
    shorter = min(map(len, texts))
    head = next((n for n in range(shorter) if len({text[n] for text in texts}) > 1), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if len({text[-1 - n] for text in texts}) > 1), rest)
    start, end = issue.start + head, issue.end - tail
    changed = [text[head : len(text) - tail] for text in texts]
    before = after = ""
    if form == "text":
        before = _open_entity(inner_html[:start])
        if any(_open_entity(before + text) for text in changed):
            after = inner_html[end : inner_html.index(";", end) + 1]
    wrong, right, *also = (before + text + after for text in changed)
    others = tuple(text for text in dict.fromkeys(also) if text not in (wrong, right))
    return _Region(issue, start - len(before), end + len(after), right, others)


def _open_entity(text: str) -> str:
    """The beginning of an entity that a text ends in, as where ``&lt;`` and ``&gt;`` part."""
    at = text.rfind("&")
    return text[at:] if at >= 0 and ";" not in text[at:] else ""


def _whole_words(regions: Sequence[_Region], inner_html: str) -> list[_Region]:
    """Widen regions to whole words, and empty sides by a word, as far as the regions beside them let it."""
    widened: list[_Region] = []
    for n, region in enumerate(regions):
        floor = widened[-1].end if widened else 0
        ceiling = regions[n + 1].start if n + 1 < len(regions) else len(inner_html)
        start, end = region.start, region.end
        # A word is cut where either side of the mark goes on with it.
        sides: tuple[str, ...] = (inner_html[start:end], region.right)
        while (
            start > floor
            and _is_of_word(inner_html[start - 1])
            and any(_is_of_word((side + inner_html[end:])[:1]) for side in sides)
        ):
            start -= 1
            sides = tuple(inner_html[start] + side for side in sides)
        while (
            end < ceiling
            and _is_of_word(inner_html[end])
            and any(_is_of_word((inner_html[:start] + side)[-1:]) for side in sides)
        ):
            sides = tuple(side + inner_html[end] for side in sides)
            end += 1
        if not all(sides):
            start, end = _with_neighbour(inner_html, start, end, region.right, floor, ceiling)
        before, after = inner_html[start : region.start], inner_html[region.end : end]
        also = tuple(before + text + after for text in region.also)
        widened.append(_Region(region.issue, start, end, before + region.right + after, also))
    return widened


def _with_neighbour(text: str, start: int, end: int, right: str, floor: int, ceiling: int) -> tuple[int, int]:
    """Take in the word before or after what is only left out or only put in, so that a reader sees where it is."""
    left, further = start, end
    while left > floor and text[left - 1].isspace():
        left -= 1
    while left > floor and not text[left - 1].isspace():
        left -= 1
    while further < ceiling and text[further].isspace():
        further += 1
    while further < ceiling and not text[further].isspace():
        further += 1
    choices = []
    if left < start and (left == 0 or text[left - 1].isspace()):
        choices.append((left, end))
    if further > end and (further == len(text) or text[further].isspace()):
        choices.append((start, further))
    changed = text[start:end] or right
    if changed[:1].isalnum():
        choices.reverse()
    return choices[0] if choices else (start, end)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "'"


def _write_paragraph(
    paragraph: Paragraph, regions: Sequence[_Region], numbers: Mapping[str, str], read: Callable[[str], str]
) -> str:
    written = []
    at = 0
    for region in regions:
        written.append(escape(read(paragraph.inner_html[at : region.start])))
        wrong = paragraph.inner_html[region.start : region.end]
        written.append(_write_mark(region, read(wrong), numbers, read))
        at = region.end
    written.append(escape(read(paragraph.inner_html[at:])))
    text = "".join(written)
    return text if text.strip() else f"{OPEN}U+0020{CLOSE}"


def _write_mark(region: _Region, wrong: str, numbers: Mapping[str, str], read: Callable[[str], str]) -> str:
    issue = region.issue
    right = read(region.right)
    category = find_category(issue.category)
    fields = [f"{escape(wrong)}{ARROW}{escape(right)}", escape(issue.category) if category is None else category.child]
    fields.extend(f"also: {escape(read(text))}" for text in region.also)
    fields.extend(_stated(issue, wrong, right))
    if issue.id != numbers[issue.id]:
        fields.append(f"id: {escape(issue.id)}")
    note = " ".join(issue.description.split())
    if note and issue.description != usual_description(wrong, right):
        fields.append(f"note: {escape(note)}")
    return f"{OPEN}{BAR.join(fields)}{CLOSE}"


def _stated(issue: Issue, wrong: str, right: str) -> list[str]:
    """The fields for what the case says otherwise than it would be derived."""
    said = issue.classification
    derived = classify(issue.category, wrong, right, NOTHING_STATED)
    if said is None or derived is None:
        return []
    fields: list[str] = []
    if said.severity != derived.severity:
        fields.append(said.severity)
    if said.edit_scope != derived.edit_scope:
        fields.append(f"scope: {said.edit_scope}")
    if said.operation_type != derived.operation_type:
        fields.append(f"operation: {said.operation_type}")
    if said.dimension != derived.dimension:
        fields.append(f"dimension: {said.dimension}")
    if said.creates_valid_word != derived.creates_valid_word:
        fields.append(
            f"valid-word: {next(word for word, value in VALID_WORD.items() if value == said.creates_valid_word)}"
        )
    return fields


def _header(case: Case, about: Mapping[str, Any], form: Format) -> Header:
    def said(key: str) -> str:
        value = about.get(key)
        return " ".join(value.split()) if isinstance(value, str) and value.strip() else _UNSAID[key]

    own = sorted({issue.category for issue in case.issues if find_category(issue.category) is None})
    return Header(
        **{key: said(key) for key in REQUIRED},
        instruction=" ".join(case.instruction.split()),
        format=form,
        own=tuple(own),
    )


def _as_it_is(inner_html: str) -> str:
    return inner_html
