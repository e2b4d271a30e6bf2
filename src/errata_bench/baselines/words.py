"""Which unknown words are no misspellings, and how a correction is written.

A checker's dictionary lacks names, terms, identifiers and dialect. What is known about a word from its shape and
from the rest of the visible text decides whether it may be a slip at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


def names(text: str) -> frozenset[str]:
    """The words of a list written as text, between white space."""
    return frozenset(text.split())


WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
"""A run of letters, apostrophes inside it included; parts of a hyphenated compound are words of their own."""

SEEN_OFTEN = 2
"""A slip is made once; an unknown word that occurs this many times in the visible text is meant."""

_SENTENCE_START = re.compile(r"(?:[.!?]['\")\]]*\s+|[\"'(\[–—•]\s*|^\W*\d*[.)]?\s*)[\W_]*$")
_ABBREVIATION = re.compile(r"\b(?:[A-Za-z]|[A-Z][a-z]{1,4}|etc|vol|no|vs|cf|viz|ibid|al|pp|approx)\.\s+$")
_ROMAN = re.compile(r"[ivxlcdm]+", re.IGNORECASE)


_UNIT = re.compile(r"\d\s?$")
# Among them brackets, as in an editor's "[t]he".
_CODE_BEFORE = frozenset("_@#/\\~$%&=<{]`0123456789")
_CODE_AFTER = frozenset("_@#/\\~$=({[`0123456789")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, with its place in code points."""

    text: str
    start: int
    end: int


def words_of(text: str) -> Iterator[Word]:
    """The words of a text, in order."""
    for match in WORD.finditer(text):
        yield Word(match[0], match.start(), match.end())


class VisibleText:
    """All paragraphs that a request shows, as far as they tell which words are meant."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._counts = Counter(_stem(word.text) for text in paragraphs for word in words_of(text))
        self._names = {
            _stem(word.text)
            for text in paragraphs
            for word in words_of(text)
            if word.text[0].isupper() and not starts_sentence(text, word.start)
        }

    def holds(self, word: str) -> bool:
        """Whether the text has that word, or another form of it."""
        return self._counts[_stem(word)] > 0

    def may_be_slip(self, text: str, word: Word) -> bool:
        """Whether a word unknown to a dictionary may be a misspelling.

        It is none if it has the shape of a name, a code, an identifier, a number, a shortened form or an
        abbreviation, or if it occurs `SEEN_OFTEN` times, inflected forms included.
        """
        letters = word.text
        before, after = text[: word.start][-1:], text[word.end :][:1]
        if len(letters) < 3 or not letters.isascii() or _ROMAN.fullmatch(letters):
            return False
        if letters[1:] != letters[1:].lower():  # capitals inside: a code or an identifier
            return False
        if len(letters) <= 4 and _UNIT.search(text[: word.start][-2:]):
            return False
        if is_in_identifier(text, word.start, word.end) or "'" in letters:
            return False
        # One part of a form with an apostrophe that the checker takes to pieces.
        if (after == "'" and text[word.end + 1 : word.end + 2].isalpha()) or (
            before == "'" and text[: word.start - 1][-1:].isalnum()
        ):
            return False
        if letters[0].isupper() and (_stem(letters) in self._names or not starts_sentence(text, word.start)):
            return False
        return self._counts[_stem(letters)] < SEEN_OFTEN


def is_in_identifier(text: str, start: int, end: int) -> bool:
    """Whether a span touches what belongs to a code: a path, a file or host name, an option, an editor's bracket."""
    before, after = text[:start][-2:], text[end:][:2]
    if before[-1:] in _CODE_BEFORE or after[:1] in _CODE_AFTER or before in ("--", " -", "-"):
        return True
    dotted_before = len(before) == 2 and before[1] == "." and before[0].isalnum()
    return dotted_before or (len(after) == 2 and after[0] == "." and after[1].isalnum())


def starts_sentence(text: str, at: int) -> bool:
    """Whether a word at that place may be written with a capital for no other reason than its place."""
    before = text[max(0, at - 12) : at]
    return _SENTENCE_START.search(before) is not None and _ABBREVIATION.search(before) is None


def is_strange(unknown: Iterable[Word], text: str) -> bool:
    """Whether so much of a paragraph is unknown that it is dialect, another language or code, and no slip of the pen.

    So it is with three different unknown words or more that make up a twelfth of all; names and words with accents,
    which are loans, apart.
    """
    different = {word.text for word in unknown if word.text[0].islower() and word.text.isascii()}
    return len(different) >= 3 and 12 * len(different) >= len(text.split())


def in_case_of(original: str, replacement: str) -> str:
    """The replacement with the capitals of the word it replaces."""
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement


def _stem(word: str) -> str:
    """Fold the forms of an unknown word: small letters, no possessive, no plural."""
    folded = word.lower()
    for ending in ("'s", "es", "s"):
        if len(folded) > len(ending) + 2 and folded.endswith(ending):
            return folded[: -len(ending)]
    return folded
