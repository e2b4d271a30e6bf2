"""Changes as an annotated source, in the author's own characters. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from errata_bench.cases.annotated import ARROW, BAR, CLOSE, OPEN, escape
from errata_bench.cases.header import Header, write_header
from errata_bench.generation.proposals import Change
from errata_bench.generation.source import SourceParagraph, SourceText
from errata_bench.taxonomy import find_category


def write_source(source: SourceText, changes: Iterable[Change], header: Header) -> str:
    """The whole annotated source."""
    by_paragraph: dict[int, list[Change]] = {}
    for change in changes:
        by_paragraph.setdefault(change.paragraph, []).append(change)
    blocks = [write_paragraph(paragraph, by_paragraph.get(paragraph.index, ())) for paragraph in source.paragraphs]
    return f"{write_header(header)}---\n" + "\n\n".join(blocks) + "\n"


def write_paragraph(
    paragraph: SourceParagraph, changes: Sequence[Change], ids: Mapping[Change, str] | None = None
) -> str:
    """One paragraph with its marks; ``ids`` names issues that are to have an id of their own."""
    written = []
    at = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        written.append(escape(paragraph.raw_slice(at, change.start)))
        written.append(_mark(paragraph, change, None if ids is None else ids.get(change)))
        at = change.end
    written.append(escape(paragraph.raw_slice(at, len(paragraph.text))))
    text = "".join(written)
    # A paragraph of bare hyphens would be read as the end of the header, if it were the first.
    return text if text.strip("-") else f"{OPEN}U+002D{CLOSE}{text[1:]}"


def _mark(paragraph: SourceParagraph, change: Change, issue_id: str | None) -> str:
    category = find_category(change.category)
    assert category is not None  # only those of the taxonomy are planted
    fields = [
        escape(_raw(paragraph, change, change.wrong)) + ARROW + escape(paragraph.raw_slice(change.start, change.end)),
        category.child,
    ]
    fields.extend(f"also: {escape(_raw(paragraph, change, text))}" for text in change.also)
    if change.severity is not None and change.severity != category.severity:
        fields.append(change.severity)
    if change.valid_word is not None and category.creates_valid_word is None:
        fields.append(f"valid-word: {change.valid_word}")
    if issue_id is not None:
        fields.append(f"id: {issue_id}")
    if note := " ".join(change.description.split()):
        fields.append(f"note: {escape(note)}")
    return f"{OPEN}{BAR.join(fields)}{CLOSE}"


def _raw(paragraph: SourceParagraph, change: Change, text: str) -> str:
    """A text for that place in the author's characters: what it shares with the right text stays as it is there."""
    right = change.right
    shorter = min(len(text), len(right))
    head = next((n for n in range(shorter) if text[n] != right[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if text[-1 - n] != right[-1 - n]), rest)
    start, end = change.start + head, change.end - tail
    if (start, end) != paragraph.whole(start, end):  # an ellipsis is cut
        return text
    middle = text[head : len(text) - tail]
    if "’" in paragraph.raw and "'" not in paragraph.raw:
        middle = middle.replace("'", "’")
    return paragraph.raw_slice(change.start, start) + middle + paragraph.raw_slice(end, change.end)
