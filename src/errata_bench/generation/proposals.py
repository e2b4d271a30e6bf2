"""What a corruptor proposes, the change that comes of it, and what can become of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from errata_bench.cases.classify import SaidOfWord
from errata_bench.taxonomy import Severity


class Fate(StrEnum):
    """What became of an attempt. The words are written to the log; they do not change."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    """The corruptor found no place for any of the categories."""
    MALFORMED = "malformed"
    """No answer that can be read, after asking again."""
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    """The span stands there more than once."""
    CROSSES_PARAGRAPHS = "crosses_paragraphs"
    TOUCHES_MARKUP = "touches_markup"
    """It reaches into a tag or an entity of an HTML source."""
    NO_CHANGE = "no_change"
    INVISIBLE = "invisible"
    """Nothing is changed after normalisation."""
    UNDOES_ITSELF = "undoes_itself"
    """What is wrong and what is right amount to the same for its category, or taking it back does not mend it."""
    NOT_OFFERED = "not_offered"
    """A category that was not among those offered."""
    ALREADY_THERE = "already_there"
    """The spoilt passage stands in the paragraph already."""
    OVERLAPS = "overlaps"
    """It meets an error that is planted already."""
    CAP_REACHED = "cap_reached"
    """The paragraph has its share of errors."""
    TOO_NEAR = "too_near"
    """There are too many errors within a few lines."""
    CONTAINED = "contained"
    """Right and wrong contain one another, or cannot be told by rule v1, however much context is taken in."""
    TOO_MUCH = "too_much"
    """More is changed than the edit scope of the category allows."""
    CONTRADICTION = "contradiction"
    """The change is not of the kind that its category names."""
    REPEATED = "repeated"
    """The same words are planted often enough."""
    UNMARKABLE = "unmarkable"
    """No case can be built with it."""
    REJECTED = "rejected"
    """A reviewer did not accept it."""
    UNSURE = "unsure"
    """A reviewer accepted it with less confidence than is asked for."""
    UNREVIEWED = "unreviewed"
    """A reviewer gave no answer that can be read."""
    FAULT = "fault"
    """The endpoint refused this request, as a content filter does."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One error as a corruptor describes it.

    ``passage`` is copied from a paragraph and occurs there once; ``original`` stands in it once, and ``corrupted`` is
    what would stand in its place. ``category`` is as the corruptor wrote it. ``paragraph`` is the one it is from, where
    that is known for certain: then the passage has to be the only one of its kind there, not in all the text.
    """

    category: str
    passage: str
    original: str
    corrupted: str
    description: str = ""
    severity: Severity | None = None
    valid_word: SaidOfWord | None = None
    paragraph: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One error at its place: ``wrong`` instead of ``right``, which is ``text[start:end]`` of a clean paragraph.

    Both are whole words. ``passage`` and ``spoilt`` are the stretch with context as it was proposed. ``also`` are
    further texts that are right in the place of ``wrong``.
    """

    paragraph: int
    start: int
    end: int
    wrong: str
    right: str
    category: str
    passage: str
    spoilt: str
    description: str = ""
    severity: Severity | None = None
    valid_word: SaidOfWord | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a proposal is not taken, in words from which the corruptor can learn."""

    fate: Fate
    reason: str
