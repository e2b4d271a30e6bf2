"""The verdict on one core, read off the path (SCORING section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

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
    rulings = [_rule(paragraph, core, steps, *_bounds(steps, number)) for number, core in enumerate(paragraph.cores)]
    path = list(steps)
    for number, ruling in enumerate(rulings):
        if ruling.verdict is AlignedVerdict.ALTERED:
            _take_in_insertions(path, number)
            entered, left = _bounds(path, number)
            after = tuple(step.after for step in path[entered + 1 : left] if step.after)
            rulings[number] = replace(ruling, after=after)
    return Ruled(rulings, path)


def _take_in_insertions(path: list[Step], number: int) -> None:
    """Move the marks of a core outwards over the insertions that touch it."""
    entered, left = _bounds(path, number)
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


def _bounds(steps: Sequence[Step], number: int) -> tuple[int, int]:
    """Where a core is entered and left."""
    marks = [n for n, step in enumerate(steps) if step.core == number and step.is_mark]
    return marks[0], marks[1]


def _is_put_between(step: Step) -> bool:
    return step.operation is Operation.INSERT and step.core == NOWHERE


def _is_kept_space(step: Step) -> bool:
    return step.operation is Operation.MATCH and step.core == NOWHERE and step.is_space


def _rule(paragraph: PreparedParagraph, core: Core, steps: Sequence[Step], entered: int, left: int) -> Ruling:
    inside = steps[entered + 1 : left]
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
    if _is_gone(paragraph, core, steps, entered, left):
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


def _is_gone(paragraph: PreparedParagraph, core: Core, steps: Sequence[Step], entered: int, left: int) -> bool:
    """Whether every word of the span was left out and no word was put in its place.

    A span without words is gone with its punctuation.
    """
    number = steps[entered].core
    cores = {n for n, other in enumerate(paragraph.cores) if _overlaps(core, other)} | {number}
    span = (core.span_start, core.span_end)
    told = [
        step
        for step in steps
        if step.before
        and not step.is_space
        and (step.core in cores or (step.core == NOWHERE and span[0] <= step.at < span[1]))
    ]
    words = [step for step in told if is_word(step.before)]
    if any(step.after for step in words or told):
        return False
    if not told and core.start < core.end:
        return False  # taking it out was right, and something beside it was changed: that is for the judge
    if all(is_space(token) for token in paragraph.tokens[slice(*span)]):
        return False
    around = _run_around(steps, entered, left)
    return not any(is_word(step.after) if words else step.after and not step.is_space for step in around)


def _overlaps(core: Core, other: Core) -> bool:
    return other.start < core.span_end and core.span_start < other.end


def _run_around(steps: Sequence[Step], entered: int, left: int) -> Sequence[Step]:
    """The steps of the run of changes that a core is part of."""
    begin = entered
    while begin > 0 and not _stands(steps[begin - 1]):
        begin -= 1
    end = left
    while end + 1 < len(steps) and not _stands(steps[end + 1]):
        end += 1
    return steps[begin : end + 1]


def _stands(step: Step) -> bool:
    return not step.is_mark and not step.is_space and step.operation is Operation.MATCH
