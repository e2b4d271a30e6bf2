"""What rules are made of: a paragraph in words, places for errors, and tables of words and phrases. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?]['\")\]]*\s+(?=[\"'(\[]?[A-Z])")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|St|No|Nos|vol|cf|e\.g|i\.e|pp?|Messrs|Rev|Prof|Ltd)\.$")
_CODE = re.compile(r"[`$@#\\{}=<>|~^*_]|\w\(|://|--\w")
LEAST_WORDS = 8
"""Shorter paragraphs are headings and the like; rules leave them alone."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place in the paragraph."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """In small letters."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for an error: ``wrong`` in the place of ``text[start:end]``, and what is wrong about it."""

    category: str
    start: int
    end: int
    wrong: str
    note: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph as rules see it."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its words in order."""
        return tuple(Token(match[0], *match.span()) for match in WORD.finditer(self.text))

    @cached_property
    def sentence_starts(self) -> tuple[int, ...]:
        """Where sentences begin, the first at 0."""
        starts = [0]
        for match in _SENTENCE_END.finditer(self.text):
            if not _ABBREVIATION.search(self.text[: match.start() + 1]):
                starts.append(match.end())
        return tuple(starts)

    def sentence(self, at: int) -> str:
        """The sentence that holds a place."""
        starts = [*self.sentence_starts, len(self.text)]
        start = max(start for start in starts[:-1] if start <= at)
        end = min(start for start in starts if start > at) if at < len(self.text) else len(self.text)
        return self.text[start:end]

    def gap(self, n: int) -> str:
        """What stands between word ``n`` and the one before it."""
        start = self.tokens[n - 1].end if n > 0 else 0
        return self.text[start : self.tokens[n].start]

    def joined(self, n: int) -> bool:
        """Whether word ``n`` follows the one before it after a single space."""
        return n > 0 and self.gap(n) == " "

    def word(self, n: int) -> str:
        """Word ``n`` in small letters, empty outside the paragraph."""
        return self.tokens[n].lower if 0 <= n < len(self.tokens) else ""

    def starts_sentence(self, n: int) -> bool:
        """Whether word ``n`` is the first of a sentence."""
        return self.begins_sentence(self.tokens[n].start)

    def begins_sentence(self, at: int) -> bool:
        """Whether a sentence begins at a place, or may."""
        before = self.text[:at].rstrip("\"'([ ")
        return (
            not before
            or before[-1] in ".!?:"
            or any(start <= at and not WORD.search(self.text[start:at]) for start in self.sentence_starts)
        )

    @cached_property
    def is_prose(self) -> bool:
        """Whether it is made of sentences, rather than a heading, a table or code."""
        return (
            len(self.tokens) >= LEAST_WORDS
            and self.text.rstrip("\"')]").endswith((".", "!", "?", ";", ":"))
            and not _CODE.search(self.text)
            and sum(token.text.isupper() and len(token.text) > 1 for token in self.tokens) * 4 < len(self.tokens)
        )


Rule = Callable[[Paragraph], Iterator[Spot]]
"""Yields every place of a paragraph where it could plant an error."""


def in_case_of(original: str, replacement: str) -> str:
    """The replacement with the capitals of what it replaces."""
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement


def pairs(lines: str) -> dict[str, tuple[str, ...]]:
    """A table written as text: a line is ``right > wrong`` or ``right > wrong | wrong``."""
    table: dict[str, tuple[str, ...]] = {}
    for line in lines.strip().splitlines():
        right, _, wrong = line.strip().partition(" > ")
        table[right] = (*table.get(right, ()), *(text.strip() for text in wrong.split("|")))
    return table


def words(text: str) -> frozenset[str]:
    """The words of a list written as text."""
    return frozenset(text.split())


def swapping(category: str, table: Mapping[str, Iterable[str]], note: str) -> Rule:
    """A rule that puts wrong phrases in the place of right ones, whole words, in the same capitals.

    ``note`` may name ``{right}`` and ``{wrong}``.
    """
    # The longest first, so that "because of" is not taken for "because".
    phrases = sorted(table, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w'-])(?:{'|'.join(map(re.escape, phrases))})(?![\w'-])", re.IGNORECASE)

    def rule(paragraph: Paragraph) -> Iterator[Spot]:
        for match in pattern.finditer(paragraph.text):
            if match[0].isupper() and len(match[0]) > 1:
                continue
            if match[0][0].isupper() and not paragraph.begins_sentence(match.start()):
                continue  # a name
            for wrong in table[match[0].lower()]:
                name_in_it = match[0][1:] != match[0][1:].lower()
                said = note.format(right=match[0] if name_in_it else match[0].lower(), wrong=wrong)
                yield Spot(category, *match.span(), in_case_of(match[0], wrong), said)

    return rule


def matching(category: str, pattern: str, wrong: str, note: str, *, flags: int = 0) -> Rule:
    r"""A rule that rewrites what a regular expression matches; ``wrong`` is a template such as ``\1 of``.

    A group named ``keep`` has to match as part of the expression and stays as it is (it may only stand last).
    """
    compiled = re.compile(pattern, flags)

    def rule(paragraph: Paragraph) -> Iterator[Spot]:
        for match in compiled.finditer(paragraph.text):
            end = match.start("keep") if "keep" in compiled.groupindex else match.end()
            spoilt = match.expand(wrong)
            if spoilt != paragraph.text[match.start() : end]:
                yield Spot(category, match.start(), end, spoilt, note.format(right=match[0]))

    return rule
