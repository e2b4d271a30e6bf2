"""Windows of a text, and how many errors each is to get."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.cases.check import Limits
from errata_bench.errors import UserError
from errata_bench.generation.source import SourceParagraph, SourceText
from errata_bench.proofreading.chunks import split_into_chunks

LEAST_WORDS = 4
"""Shorter paragraphs are headings, list marks and the like, and get no error."""

_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive whole paragraphs that a corruptor sees at a time; ``index`` counts from 0."""

    index: int
    paragraphs: tuple[SourceParagraph, ...]

    @property
    def words(self) -> int:
        """The number of words (C4)."""
        return sum(paragraph.words for paragraph in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Spread:
    """How errors are to be spread.

    ``target`` is how many are wanted in all, ``quotas`` how many in each window, ``caps`` how many a paragraph may
    have at most. No ``window_words`` consecutive words may hold more than ``most_near``.
    """

    target: int
    quotas: tuple[int, ...]
    caps: tuple[int, ...]
    most_near: int
    window_words: int = _LIMITS.window_words


def split_into_windows(source: SourceText, max_words: int) -> tuple[Window, ...]:
    """Split a text into windows of at most ``max_words`` words (C4); 0 means one window."""
    windows = []
    for index, chunk in enumerate(split_into_chunks(source.document, max_words)):
        windows.append(Window(index, tuple(source.paragraphs[int(paragraph.id)] for paragraph in chunk)))
    return tuple(windows)


def issue_target(words: int, per_1000: float, count: int | None) -> int:
    """How many errors are wanted: ``count``, or by the number of words; at least 1."""
    return max(1, round(words * per_1000 / 1000) if count is None else count)


def plan_spread(source: SourceText, windows: Sequence[Window], target: int, rng: random.Random) -> Spread:
    """Spread errors over windows in proportion to their words, with a cap for each paragraph.

    A paragraph may have twice its share, rounded up, and as many as the checker of cases lets pass unless so many
    errors are wanted that its share alone is more. Raises `UserError` where the text has no room for so many.
    """
    density = target / max(1, source.words)
    caps = tuple(_cap(paragraph.words, density) for paragraph in source.paragraphs)
    room = [sum(caps[p.index] for p in window.paragraphs) for window in windows]
    if target > sum(room):
        raise UserError(
            f"{target} errors are wanted in {source.words} words, but there is room for {sum(room)}",
            mend="ask for fewer with --issue-count or --issues-per-1000-words, or give a longer text",
        )
    quotas = apportion(target, [window.words for window in windows], room, rng)
    most_near = max(_LIMITS.most_in_window, math.ceil(2 * density * _LIMITS.window_words))
    return Spread(target, tuple(quotas), caps, most_near)


def _cap(words: int, density: float) -> int:
    if words < LEAST_WORDS:
        return 0
    share = density * words
    most = max(_LIMITS.most_in_paragraph, math.ceil(share))
    # A word cannot be wrong twice, and there has to be a sound one between two errors.
    return min(most, max(1, math.ceil(2 * share)), max(1, words // 3))


def apportion(total: int, weights: Sequence[int], caps: Sequence[int], rng: random.Random) -> list[int]:
    """Give out whole shares in proportion to weights, none above its cap; ties are drawn.

    Largest remainders first (Hamilton's method); what a cap keeps out goes to the others, the largest quotient of
    weight and shares first. ``total`` must not be more than all caps.
    """
    whole = sum(weights)
    exact = [total * weight / whole if whole else 0.0 for weight in weights]
    shares = [min(math.floor(share), cap) for share, cap in zip(exact, caps, strict=True)]
    for _ in range(total - sum(shares)):
        open_ones = [n for n, cap in enumerate(caps) if shares[n] < cap]
        ranked = [(max(0.0, exact[n] - shares[n]), weights[n] / (shares[n] + 1), rng.random(), n) for n in open_ones]
        shares[max(ranked)[-1]] += 1
    return shares
