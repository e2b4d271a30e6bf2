"""How much context an issue's ``find`` and ``replace`` need.

Both start from the sides of a mark and take in whole words of context until ``find`` occurs once in its paragraph
and, where that can be had, until rule v1, which only looks for ``find`` and ``replace`` in the paragraph, can tell
that the error is there and that it is mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from errata_bench.text import occurrences

_NEAR = 10
"""Up to that many words on each side every combination is tried; beyond, only as many on both sides."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A mark in its paragraph, all in the domain of the inner HTML, normalised.

    The paragraph is ``before + wrong + after`` when corrupted, and ``clean_before + right + clean_after`` when
    clean. ``others`` are start and end of the other marks' wrong sides in the corrupted paragraph.
    """

    before: str
    wrong: str
    after: str
    clean_before: str
    right: str
    clean_after: str
    also: tuple[str, ...] = ()
    others: tuple[tuple[int, int], ...] = ()

    @property
    def corrupted(self) -> str:
        """The paragraph as a model gets it."""
        return self.before + self.wrong + self.after

    def clean(self, right: str | None = None) -> str:
        """The paragraph with every issue mended, this one by ``right``."""
        return self.clean_before + (self.right if right is None else right) + self.clean_after


@dataclass(frozen=True, slots=True)
class Anchored:
    """``find`` as it stands in the paragraph, what belongs in its place, and what else may stand there."""

    find: str
    replace: str
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class _Shortcomings:
    """What is wrong with a choice of context, the worst first."""

    crosses_another: bool
    unseen_by_v1: bool
    accepted_unseen: int
    core_moves: bool

    @property
    def none(self) -> bool:
        return not (self.crosses_another or self.unseen_by_v1 or self.accepted_unseen or self.core_moves)


def widen(slot: Slot, opening_tag: str) -> Anchored | None:
    """Choose the context; ``opening_tag`` is the paragraph's, over which rule v1 looks as well.

    Of all choices with a ``find`` that occurs once the smallest without shortcomings, else the one with the least.
    None where ``find`` is never unique.
    """
    best: tuple[_Shortcomings, Anchored] | None = None
    for start, end in _spans(slot):
        find = slot.corrupted[start:end]
        if len(occurrences(slot.corrupted, find)) != 1 or _count(slot.corrupted, find) != 1:
            continue
        mark_start, mark_end = len(slot.before), len(slot.before) + len(slot.wrong)
        left, right = slot.corrupted[start:mark_start], slot.corrupted[mark_end:end]
        anchored = Anchored(find, left + slot.right + right, tuple(left + text + right for text in slot.also))
        shortcomings = _Shortcomings(
            crosses_another=any(start < other_end and other_start < end for other_start, other_end in slot.others),
            unseen_by_v1=not _seen(slot, anchored, slot.right, anchored.replace, opening_tag),
            accepted_unseen=sum(
                not _seen(slot, anchored, text, accepted, opening_tag)
                for text, accepted in zip(slot.also, anchored.accepted, strict=True)
            ),
            core_moves=_core_moves(anchored, len(left), len(right)),
        )
        if best is None or shortcomings < best[0]:
            best = shortcomings, anchored
        if shortcomings.none:
            break
    return None if best is None else best[1]


def seen_by_rule_v1(find: str, replace: str, corrupted: str, mended: str) -> bool:
    """Whether rule v1 can tell the corrupted paragraph from the mended one (both with their tag).

    The right text must come and the wrong one go; an empty one has come as soon as the other has gone.
    """
    return (
        bool(occurrences(corrupted, find))
        and not occurrences(mended, find)
        and (not replace or (bool(occurrences(mended, replace)) and not occurrences(corrupted, replace)))
    )


def contain_each_other(find: str, replace: str) -> bool:
    """Whether one of them contains the other, as rule v1 sees it."""
    return bool(occurrences(find, replace) or occurrences(replace, find))


def _seen(slot: Slot, anchored: Anchored, right: str, replace: str, opening_tag: str) -> bool:
    corrupted = f"{opening_tag}{slot.corrupted}</p>"
    mended = f"{opening_tag}{slot.clean(right)}</p>"
    return seen_by_rule_v1(anchored.find, replace, corrupted, mended) and not contain_each_other(anchored.find, replace)


def _core_moves(anchored: Anchored, left: int, right: int) -> bool:
    """Whether shared text pulls the difference of the two out of the mark, as in ``ab ab ab`` for ``ab ab``."""
    find, replace = anchored.find, anchored.replace
    shorter = min(len(find), len(replace))
    head = next((n for n in range(shorter) if find[n] != replace[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if find[-1 - n] != replace[-1 - n]), rest)
    return head < left or head > len(find) - right or tail < right


def _spans(slot: Slot) -> Iterator[tuple[int, int]]:
    """Start and end of ever wider context: by the number of words, evenly spread first, left before right."""
    text = slot.corrupted
    starts = list(_stops(text[: len(slot.before)][::-1], slot.wrong + slot.after, slot.right + slot.clean_after))
    ends = list(
        _stops(text[len(slot.before) + len(slot.wrong) :], (slot.before + slot.wrong)[::-1], slot.right[::-1] or "")
    )
    near = [(i, j) for i in range(min(len(starts), _NEAR + 1)) for j in range(min(len(ends), _NEAR + 1))]
    near.sort(key=lambda pair: (sum(pair), abs(pair[0] - pair[1]), pair[1]))
    far = [(min(n, len(starts) - 1), min(n, len(ends) - 1)) for n in range(_NEAR, max(len(starts), len(ends)))]
    for i, j in [*near, *far]:
        start = len(slot.before) - starts[i]
        end = len(slot.before) + len(slot.wrong) + ends[j]
        if start < end:
            yield start, end


def _stops(context: str, *insides: str) -> Iterator[int]:
    """How many characters of context to take in, word by word; ``context`` is read away from the mark.

    Where the mark begins or ends inside a word (by any of ``insides``), the rest of that word is taken in at once.
    """
    at = 0
    if any(inside and _of_word(inside[0]) for inside in insides):
        while at < len(context) and _of_word(context[at]):
            at += 1
    yield at
    while at < len(context):
        while at < len(context) and context[at].isspace():
            at += 1
        while at < len(context) and not context[at].isspace():
            at += 1
        yield at


def _of_word(character: str) -> bool:
    return character.isalnum() or character in "'_-"


def _count(text: str, needle: str) -> int:
    """How often a text occurs, overlapping hits included."""
    return sum(text.startswith(needle, at) for at in range(len(text) - len(needle) + 1))
