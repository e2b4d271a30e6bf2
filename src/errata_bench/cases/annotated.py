"""Annotated sources: a text in which every planted error is marked in place, and how to read one.

A header of ``key: value`` lines, a line ``---``, then paragraphs between blank lines. A mark is
``⟦wrong⇒right¦category¦…⟧``; the whole markup is described in ``docs/annotated-sources.md``. Every mistake in it is
reported with its line and column, all of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.cases.classify import NOTHING_STATED, Stated
from errata_bench.cases.header import Header, read_header
from errata_bench.cases.mark_fields import FieldMistake, read_fields
from errata_bench.errors import DatasetError, DatasetFault
from errata_bench.text import normalise

OPEN, CLOSE, ARROW, BAR = "⟦", "⟧", "⇒", "¦"
_ESCAPE = re.compile(r"⟦U\+([0-9A-Fa-f]{1,6})⟧")
_PIECE = re.compile(r"(?P<escape>⟦U\+[0-9A-Fa-f]{1,6}⟧)|(?P<mark>⟦(?:[^⟦⟧]|⟦U\+[0-9A-Fa-f]{1,6}⟧)*⟧)|(?P<stray>[⟦⟧⇒¦])")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the source: line and column from 1, the column in code points."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Mark:
    """One planted error.

    ``wrong``, ``right`` and ``also`` are literal texts that can stand in its place. ``category`` is a label; it is
    known to the taxonomy or declared in the header.
    """

    place: Place
    wrong: str
    right: str
    category: str
    also: tuple[str, ...] = ()
    note: str = ""
    id: str | None = None
    stated: Stated = NOTHING_STATED


@dataclass(frozen=True, slots=True)
class AnnotatedParagraph:
    """Texts and marks in turn, as they stand."""

    place: Place
    pieces: tuple[str | Mark, ...]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Its marks in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Mark))

    @property
    def corrupted(self) -> str:
        """The text with what is wrong."""
        return "".join(piece.wrong if isinstance(piece, Mark) else piece for piece in self.pieces)

    @property
    def clean(self) -> str:
        """The text with what is right."""
        return "".join(piece.right if isinstance(piece, Mark) else piece for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A whole annotated source."""

    header: Header
    paragraphs: tuple[AnnotatedParagraph, ...]


@dataclass(slots=True)
class Mistakes:
    """Collects mistakes of one source with their places."""

    file: str
    found: list[tuple[Place, str]]

    def add(self, place: Place, problem: str) -> None:
        """Note one mistake."""
        self.found.append((place, problem))

    def faults(self) -> list[DatasetFault]:
        """All mistakes in the order in which they stand; the file's name carries line and column."""
        in_order = sorted(self.found, key=lambda mistake: (mistake[0].line, mistake[0].column))
        return [DatasetFault(f"{self.file}:{place}", problem) for place, problem in in_order]

    def raise_if_any(self) -> None:
        """Raise `DatasetError` with all of them, if there are any."""
        if self.found:
            raise DatasetError(self.faults())


def read_annotated(source: str, file: str) -> AnnotatedText:
    """Read an annotated source; ``file`` is its name for messages.

    Raises `DatasetError` with every mistake, each with line and column.
    """
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    mistakes = Mistakes(file, [])
    end = next((n for n, line in enumerate(lines) if line.rstrip() == "---"), None)
    if end is None:
        mistakes.add(Place(1, 1), "no line `---` ends the header")
        raise DatasetError(mistakes.faults())
    header, header_mistakes = read_header(lines[:end])
    for number, column, problem in header_mistakes:
        mistakes.add(Place(number, column), problem)
    paragraphs = []
    block: list[tuple[int, str]] = []
    for n, text in enumerate([*lines[end + 1 :], ""], end + 2):
        if text.strip():
            block.append((n, text))
        elif block:
            paragraphs.append(_read_paragraph(block, header, mistakes))
            block = []
    if not paragraphs:
        mistakes.add(Place(end + 1, 1), "no paragraph follows the header")
    mistakes.raise_if_any()
    return AnnotatedText(header, tuple(paragraphs))


def escape(text: str) -> str:
    """Write a text so that it is read as it is: the marks' characters and line breaks as ``⟦U+…⟧``."""
    return re.sub("[⟦⟧⇒¦\n\r]", lambda match: f"{OPEN}U+{ord(match[0]):04X}{CLOSE}", text)


def unescape(text: str) -> str:
    """Read a text without marks."""
    return _ESCAPE.sub(lambda match: _character(match[1]) or match[0], text)


def _character(digits: str) -> str | None:
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _read_paragraph(block: Sequence[tuple[int, str]], header: Header, mistakes: Mistakes) -> AnnotatedParagraph:
    pieces: list[str | Mark] = []
    for nth, (number, line) in enumerate(block):
        if nth:
            pieces.append(" ")
        pieces.extend(_read_line(number, line, header, mistakes))
    first_line, first = block[0]
    return AnnotatedParagraph(Place(first_line, len(first) - len(first.lstrip()) + 1), _joined(pieces))


def _read_line(number: int, line: str, header: Header, mistakes: Mistakes) -> list[str | Mark]:
    pieces: list[str | Mark] = []
    end = len(line.rstrip())
    at = len(line) - len(line.lstrip())
    while at < end:
        match = _PIECE.search(line, at, end)
        if match is None:
            pieces.append(line[at:end])
            break
        pieces.append(line[at : match.start()])
        place = Place(number, match.start() + 1)
        if match["escape"]:
            character = unescape(match[0])
            if character == match[0]:
                mistakes.add(place, f"{match[0]} names no character")
            pieces.append(character)
        elif match["mark"]:
            mark = _read_mark(place, match[0][1:-1], header, mistakes)
            if mark is not None:
                pieces.append(mark)
        else:
            mistakes.add(place, _stray(line, match.start()))
            if match[0] == OPEN:  # what follows was meant to be in the mark, and is no mistake of its own
                next_mark = line.find(OPEN, match.end(), end)
                at = end if next_mark < 0 else next_mark
                continue
        at = match.end()
    return pieces


def _stray(line: str, at: int) -> str:
    sign = line[at]
    if sign != OPEN:
        return f"{sign} stands outside a mark; write {escape(sign)} for the character itself"
    following = _PIECE.search(line, at + 1)
    if following is not None and following[0].startswith(OPEN):
        return f"this mark is not closed before another begins in column {following.start() + 1}"
    return "this mark is not closed on its line"


def _read_mark(place: Place, inside: str, header: Header, mistakes: Mistakes) -> Mark | None:
    before = len(mistakes.found)
    # Bars and arrows that are meant as characters are escaped, so that what is split here are the mark's own.
    sides, *fields = inside.split(BAR)
    parts = sides.split(ARROW)
    if len(parts) != 2:
        problem = "has no ⇒" if len(parts) < 2 else f"has {len(parts) - 1} times ⇒"
        mistakes.add(place, f"the mark {problem}; it is written ⟦wrong⇒right¦category⟧")
        return None
    wrong, right = (unescape(part) for part in parts)
    column = place.column + 1 + len(sides)

    def note(mistake: FieldMistake) -> None:
        mistakes.add(Place(place.line, column + mistake.offset), mistake.problem)

    if any(ARROW in field for field in fields):
        mistakes.add(place, f"⇒ stands in a field of the mark; write {escape(ARROW)} for the character itself")
    read = read_fields([unescape(field) for field in fields], [len(field) for field in fields], header.own, note)
    both = (normalise(wrong), normalise(right))
    others = [normalise(other) for other in read.also]
    if both[0] == both[1]:
        mistakes.add(place, "both sides are the same after normalisation, so that nothing is wrong in the text")
    else:
        for other in others:
            if other in both:
                side = "wrong" if other == both[0] else "right"
                mistakes.add(place, f"`also: {other}` is what the mark has as {side}")
    if len(set(others)) < len(others):
        mistakes.add(place, "two `also:` are the same")
    if len(mistakes.found) > before:
        return None
    return Mark(place, wrong, right, read.category, read.also, read.note, read.id, read.stated)


def _joined(pieces: Sequence[str | Mark]) -> tuple[str | Mark, ...]:
    joined: list[str | Mark] = []
    for piece in pieces:
        if isinstance(piece, Mark):
            joined.append(piece)
        elif joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece:
            joined.append(piece)
    return tuple(joined)
