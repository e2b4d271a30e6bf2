"""The clean text that errors are planted in: as its author wrote it, and as a model reads it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from errata_bench.cases.files import read_text
from errata_bench.cases.header import Format
from errata_bench.document import Document, Paragraph
from errata_bench.errors import UserError
from errata_bench.text import count_words, normalise

_BLANK_LINE = re.compile(r"\n\s*\n")
_HTML_PARAGRAPH = re.compile(r"<p(?:\s[^>]*)?>(.*?)</p\s*>", re.DOTALL | re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]*>|&#?\w+;")
_FORMATS: dict[str, Format] = {".txt": "text", ".html": "html", ".htm": "html"}
_SUFFIXES = ".txt, .html"


@dataclass(frozen=True)
class SourceParagraph:
    """One paragraph; ``index`` counts from 0.

    ``raw`` is what the author wrote, composed (NFC) and on one line; ``text`` the same normalised (C1), which is what
    models read and offsets count in. Of an HTML source both are inner HTML.
    """

    index: int
    raw: str
    text: str
    format: Format = "text"

    @property
    def words(self) -> int:
        """The number of words, at least 1 (C4)."""
        return count_words(self.text)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        """For each character of ``text`` the one of ``raw`` it comes from, and the end."""
        places = [at for at, character in enumerate(self.raw) for _ in normalise(character)]
        return (*places, len(self.raw)) if len(places) == len(self.text) else tuple(range(len(self.text) + 1))

    def raw_slice(self, start: int, end: int) -> str:
        """What the author wrote at ``text[start:end]``, which has to hold whole characters; see `whole`."""
        return self.raw[self._places[start] : self._places[end]]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The span, wide enough not to cut a character of the author's (an ellipsis is read as three dots)."""
        places = self._places
        while 0 < start < len(self.text) and places[start] == places[start - 1]:
            start -= 1
        while 0 < end < len(self.text) and places[end] == places[end - 1]:
            end += 1
        return start, end

    @cached_property
    def markup(self) -> tuple[tuple[int, int], ...]:
        """Where tags and entities stand, which are no text; nothing in a plain text."""
        if self.format == "text":
            return ()
        return tuple(match.span() for match in _MARKUP.finditer(self.text))

    def touches_markup(self, start: int, end: int) -> bool:
        """Whether a span reaches into a tag or an entity."""
        return any(start < stop and begin < end for begin, stop in self.markup)


@dataclass(frozen=True)
class SourceText:
    """A whole clean text."""

    paragraphs: tuple[SourceParagraph, ...]
    format: Format

    @property
    def words(self) -> int:
        """The number of words (C4)."""
        return sum(paragraph.words for paragraph in self.paragraphs)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, in hex."""
        content = "\0".join((self.format, *(paragraph.raw for paragraph in self.paragraphs)))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def document(self) -> Document:
        """The paragraphs with their numbers for ids."""
        return Document(tuple(Paragraph(str(p.index), p.text) for p in self.paragraphs))


def make_source(content: str, form: Format) -> SourceText:
    """Split a text into paragraphs as a case is (C2); those without a word are dropped."""
    if form == "html":
        blocks = [match[1].strip() for match in _HTML_PARAGRAPH.finditer(content)]
    else:
        lines = content.replace("\r\n", "\n").replace("\r", "\n")
        blocks = [
            " ".join(line.strip() for line in block.split("\n") if line.strip())
            for block in _BLANK_LINE.split(lines.strip())
        ]
    paragraphs: list[SourceParagraph] = []
    for block in blocks:
        raw = unicodedata.normalize("NFC", block.strip())
        text = normalise(raw)
        if not text:
            continue
        if "".join(map(normalise, raw)) != text:  # a character that normalisation joins with its neighbour
            raw = text
        paragraphs.append(SourceParagraph(len(paragraphs), raw, text, form))
    return SourceText(tuple(paragraphs), form)


def read_source(path: Path) -> SourceText:
    """Read a clean text. Raises `UserError` for what is no text, and for an annotated source."""
    form = _FORMATS.get(path.suffix.lower())
    if form is None:
        raise UserError(
            f"{path}: a source ends in {_SUFFIXES}", mend="give a plain text, paragraphs between blank lines"
        )
    try:
        content = read_text(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 (byte {error.start})", mend="save it as UTF-8") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is no name of a file: {error}") from error
    if "\n---" in content and "⇒" in content and "⟦" in content:
        raise UserError(
            f"{path}: this is an annotated source, in which errors are planted already",
            mend="build it with `errata-bench cases build`, or give its clean text",
        )
    source = make_source(content, form)
    if not source.paragraphs:
        what = "no <p>…</p> with text" if form == "html" else "no text"
        raise UserError(f"{path}: there is {what} in it")
    return source
