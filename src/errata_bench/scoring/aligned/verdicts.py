"""The verdict on one core, read off the path (SCORING section 2)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from errata_bench.scoring.aligned.cores import Core, PreparedParagraph, Tokens
from errata_bench.scoring.aligned.steps import CORRUPTED, NOWHERE, Operation, Step
from errata_bench.scoring.aligned.tokens import has_words, is_space, is_word


class AlignedVerdict(StrEnum):
    """What became of an error, by its place."""

    FIXED = "fixed"
    """A right text stands there exactly."""
    ALTERED = "altered"
    """Something else was done there: only this needs a judge."""
    DELETED = "deleted"
    """No word of the span is left and none was put in its place; not a fix."""
    UNTOUCHED = "untouched"
    """The wrong text stands there as it did."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict and what it rests on.

    ``branch`` is the right text that stands there (its number in `Core.branches`) or `CORRUPTED` where none was taken.
    ``recased`` says that an issue is fixed but for capitals that were nobody's business: one edit more. ``edited``
    says that the tokens of the core itself were changed.
    """

    verdict: AlignedVerdict
    branch: int
    before: Tokens
    after: Tokens
    recased: bool = False

    @property
    def edited(self) -> bool:
        """Whether the text at the core is another than before."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Ruled:
    """The rulings on the cores of a paragraph, in order, and the path that goes with them."""

    rulings: list[Ruling]
    steps: list[Step]


def rule(paragraph: PreparedParagraph, steps: Sequence[Step]) -> Ruled:
    """Rule on the cores of a paragraph.

    What was put in right at the edge of an altered core is part of what was done there ("right there" made "right;
    there"): on the path that is returned it lies inside. At the edge of any other core it stays outside.
    """
    index = _Index(steps)
    rulings = [_rule(paragraph, core, index, number) for number, core in enumerate(paragraph.cores)]
    path = list(steps)
    for number, ruling in enumerate(rulings):
        if ruling.verdict is AlignedVerdict.ALTERED:
            inside = _take_in_insertions(path, number, *index.bounds[number])
            rulings[number] = replace(ruling, after=tuple(step.after for step in inside if step.after))
    return Ruled(rulings, path)


class _Index:
    """Where things are on a path, found once for all its cores: a paragraph may have thousands of steps and of cores.

    ``bounds`` are where each core is entered and left.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        marks: dict[int, list[int]] = defaultdict(list)
        for n, step in enumerate(steps):
            if step.core != NOWHERE and step.is_mark:
                marks[step.core].append(n)
        self.bounds = {number: (entered, left) for number, (entered, left) in marks.items()}

    @cached_property
    def _of_token(self) -> dict[int, int]:
        """The step about each token of the paragraph."""
        return {step.at: n for n, step in enumerate(self.steps) if step.at != NOWHERE}

    @cached_property
    def _runs(self) -> list[_Run]:
        """What lies between two steps that stand, and before the first and behind the last."""
        runs = []
        first, words, text = 0, False, False
        for n, step in enumerate(self.steps):
            if _stands(step):
                runs.append(_Run(first, words, text))
                first, words, text = n + 1, False, False
            elif step.after:
                words = words or is_word(step.after)
                text = text or not step.is_space
        return [*runs, _Run(first, words, text)]

    def of_tokens(self, start: int, end: int) -> list[Step]:
        """The steps about these tokens of the paragraph, as far as the path comes by them."""
        found = (self._of_token.get(token) for token in range(start, end))
        return [self.steps[n] for n in found if n is not None]

    def of_core(self, number: int) -> Sequence[Step]:
        """The steps within a core."""
        entered, left = self.bounds[number]
        return self.steps[entered + 1 : left]

    def is_put_around(self, number: int, *, words: bool) -> bool:
        """Whether a word (or else anything but white space) was put into the run of changes that a core is part of."""
        entered, left = self.bounds[number]
        first, last = (bisect_right(self._runs, at, key=attrgetter("first")) for at in (entered, left))
        standing = (step for step in self.of_core(number) if _stands(step))
        return any(run.words if words else run.text for run in self._runs[first - 1 : last]) or any(
            is_word(step.after) if words else True for step in standing
        )


class _Run(NamedTuple):
    """A run of changes: the step at which it begins, and whether words, or anything but white space, came into it."""

    first: int
    words: bool
    text: bool


def _take_in_insertions(path: list[Step], number: int, entered: int, left: int) -> list[Step]:
    """Move the marks of a core outwards over the insertions that touch it; returns what is between them then.

    No other step of the path changes its place.
    """
    first = entered
    while first > 0 and _is_put_between(path[first - 1]):
        first -= 1
    if first == entered and entered > 0 and _is_kept_space(path[entered - 1]):
        # " the" put in before a space is "the " put in behind it.
        while first > 1 and _is_put_between(path[first - 2]):
            first -= 1
        if first < entered and path[first - 1].after == path[entered - 1].after:
            path[first - 1 : entered] = [path[entered - 1], *path[first : entered - 1], path[first - 1]]
        else:
            first = entered
    last = left
    while last + 1 < len(path) and _is_put_between(path[last + 1]):
        last += 1
    if last == left and left + 1 < len(path) and _is_kept_space(path[left + 1]):
        while last + 2 < len(path) and _is_put_between(path[last + 2]):
            last += 1
        if last > left and path[last + 1].after == path[left + 1].after:
            path[left + 1 : last + 2] = [path[last + 1], *path[left + 2 : last + 1], path[left + 1]]
        else:
            last = left
    branch = path[entered].branch
    inside = [*path[first:entered], *path[entered + 1 : left], *path[left + 1 : last + 1]]
    path[first : last + 1] = [
        path[entered],
        *(step._replace(core=number, branch=branch) for step in inside),
        path[left],
    ]
    return path[first + 1 : last]


def _is_put_between(step: Step) -> bool:
    return step.operation is Operation.INSERT and step.core == NOWHERE


def _is_kept_space(step: Step) -> bool:
    return step.operation is Operation.MATCH and step.core == NOWHERE and step.is_space


def _rule(paragraph: PreparedParagraph, core: Core, index: _Index, number: int) -> Ruling:
    steps = index.steps
    entered, left = index.bounds[number]
    inside = index.of_core(number)
    branch = steps[entered].branch
    wrong = paragraph.tokens[core.start : core.end]
    final = tuple(step.after for step in inside if step.after)

    def ruling(verdict: AlignedVerdict, *, recased: bool = False) -> Ruling:
        return Ruling(verdict, branch, wrong, final, recased)

    exact = all(step.operation is Operation.MATCH for step in inside)
    intact = _intact(steps, entered, -1) and _intact(steps, left, 1)
    if branch == CORRUPTED:
        if exact and intact:
            return ruling(AlignedVerdict.UNTOUCHED)
    else:
        right = core.branches[branch]
        # Where one side has no word, the place is known by its neighbours alone.
        placed = intact or (has_words(wrong) and has_words(right))
        if exact and placed:
            return ruling(AlignedVerdict.FIXED)
        same_letters = all(step.operation in (Operation.MATCH, Operation.CASE) for step in inside)
        if same_letters and placed and not _is_about_case(wrong, right):
            return ruling(AlignedVerdict.FIXED, recased=True)
    if _is_gone(paragraph, core, index, number):
        return ruling(AlignedVerdict.DELETED)
    return ruling(AlignedVerdict.ALTERED)


def _intact(steps: Sequence[Step], mark: int, direction: int) -> bool:
    """Whether the next token on that side, white space apart, is as it was, with nothing changed up to it.

    The beginning and the end of a paragraph are intact neighbours, whatever white space stands there.
    """
    space_changed = False
    n = mark + direction
    while 0 <= n < len(steps):
        step = steps[n]
        if not step.is_mark:
            if not step.is_space:
                return step.operation is Operation.MATCH and not space_changed
            space_changed = space_changed or step.operation is not Operation.MATCH
        n += direction
    return True


def _is_about_case(wrong: Tokens, right: Tokens) -> bool:
    """Whether capitals are part of what has to be mended: a word is in both texts, in different ones."""
    cases = {token.casefold(): token for token in wrong}
    return any(cases.get(token.casefold(), token) != token for token in right if token not in wrong)


def _is_gone(paragraph: PreparedParagraph, core: Core, index: _Index, number: int) -> bool:
    """Whether every word of the span was left out and no word was put in its place.

    A span without words is gone with its punctuation.
    """
    within = [step for n in _cores_in_span(paragraph.cores, number) for step in index.of_core(n)]
    around = [step for step in index.of_tokens(core.span_start, core.span_end) if step.core == NOWHERE]
    told = [step for step in (*within, *around) if step.before and not step.is_space]
    words = [step for step in told if is_word(step.before)]
    if any(step.after for step in words or told):
        return False
    if not told and core.start < core.end:
        return False  # taking it out was right, and something beside it was changed: that is for the judge
    if all(is_space(token) for token in paragraph.tokens[core.span_start : core.span_end]):
        return False
    return not index.is_put_around(number, words=bool(words))


def _cores_in_span(cores: Sequence[Core], number: int) -> range:
    """The numbers of the cores that lie in the span of one, itself included; cores are in order."""
    core = cores[number]
    first = last = number
    while first > 0 and cores[first - 1].end > core.span_start:
        first -= 1
    while last + 1 < len(cores) and cores[last + 1].start < core.span_end:
        last += 1
    return range(first, last + 1)


def _stands(step: Step) -> bool:
    return not step.is_mark and not step.is_space and step.operation is Operation.MATCH
