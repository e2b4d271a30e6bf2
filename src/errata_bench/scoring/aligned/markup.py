"""What was changed away from the errors (hunks), and a paragraph in pieces for whoever marks it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from errata_bench.scoring.aligned.cores import PreparedParagraph
from errata_bench.scoring.aligned.steps import NOWHERE, Operation, Step
from errata_bench.scoring.aligned.tokens import is_word
from errata_bench.scoring.aligned.verdicts import Ruling


class HunkKind(StrEnum):
    """What a hunk does to the text."""

    INSERTION = "insertion"
    DELETION = "deletion"
    SUBSTITUTION = "substitution"
    CASE = "case"
    """Other capitals, and nothing else."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A maximal run of changes outside all cores; between its changes stands nothing but white space.

    ``start`` and ``end`` are character offsets in `AlignedParagraph.before`; ``words`` counts the words left out, put
    in or replaced (a replacement once). ``beside`` are the issues whose core it touches. ``at_issue`` is set for other
    capitals at an error that is mended otherwise: this one edit lies on the core.
    """

    paragraph_id: str
    start: int
    end: int
    before: str
    after: str
    kind: HunkKind
    words: int
    beside: tuple[str, ...] = ()
    at_issue: str | None = None


class SegmentKind(StrEnum):
    """What a piece of a paragraph is."""

    EQUAL = "equal"
    """Unchanged but for white space, which is no edit."""
    CORE = "core"
    HUNK = "hunk"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a paragraph: its text before and after.

    ``issue_id`` names the issue of a core, ``hunk`` the hunk's number in its paragraph. All ``before`` joined are the
    paragraph as the model got it, all ``after`` joined the paragraph as it left it (both plain and folded).
    """

    kind: SegmentKind
    before: str
    after: str
    issue_id: str | None = None
    hunk: int | None = None


@dataclass(frozen=True, slots=True)
class Markup:
    """The hunks and the segments of one paragraph, in order."""

    hunks: tuple[Hunk, ...]
    segments: tuple[Segment, ...]


def mark_up(paragraph: PreparedParagraph, steps: Sequence[Step], rulings: Sequence[Ruling]) -> Markup:
    """Read hunks and segments off a path."""
    writer = _Writer(paragraph, rulings)
    at = 0
    while at < len(steps):
        first = at
        while at < len(steps) and steps[at].operation is Operation.MATCH:
            at += 1
        if first < at:
            writer.take_matches(steps[first:at])
        if at < len(steps):
            writer.take(steps[at])
            at += 1
    return writer.finish()


def unchanged(paragraph: PreparedParagraph) -> Markup:
    """The markup of a paragraph that nobody has changed."""
    segments = []
    at = 0
    for core in paragraph.cores:
        for start, end, issue_id in ((at, core.start, None), (core.start, core.end, core.issue_id)):
            text = "".join(paragraph.tokens[start:end])
            if text or issue_id:
                segments.append(Segment(SegmentKind.CORE if issue_id else SegmentKind.EQUAL, text, text, issue_id))
        at = core.end
    if rest := "".join(paragraph.tokens[at:]):
        segments.append(Segment(SegmentKind.EQUAL, rest, rest))
    return Markup((), tuple(segments))


@dataclass(slots=True)
class _Writer:
    paragraph: PreparedParagraph
    rulings: Sequence[Ruling]
    hunks: list[Hunk] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    equal: list[Step] = field(default_factory=list)
    """Steps that belong to no hunk, not yet written."""
    changes: list[Step] = field(default_factory=list)
    """The hunk that is open."""
    spaces: list[Step] = field(default_factory=list)
    """White space behind it, or behind anything: of the hunk only if another change follows."""
    offset: int = 0
    """Characters of the corrupted text that are written."""
    beside: list[str] = field(default_factory=list)
    """The core just left, and then those that the open hunk touches."""
    inside: int = NOWHERE
    waiting: list[int] = field(default_factory=list)
    """Cores without a place of their own in the text, met within a hunk: written behind it."""

    def take(self, step: Step) -> None:
        """Take a step that is no match."""
        if step.operation is Operation.ENTER:
            self._enter(step)
        elif step.operation is Operation.LEAVE:
            self._leave(step)
        elif self.inside != NOWHERE:
            pass  # the ruling knows the core's text
        elif step.is_space:
            self.spaces.append(step)
        else:
            self._change(step)

    def take_matches(self, steps: Sequence[Step]) -> None:
        """Take a run of matches, at least one: most of a path is such runs."""
        if self.inside != NOWHERE:
            return
        first, last = 0, len(steps)
        while first < last and steps[first].is_space:
            first += 1
        self.spaces += steps[:first]
        if first == last:
            return
        while steps[last - 1].is_space:
            last -= 1
        self._close()
        self.equal += self.spaces
        self.equal += steps[first:last]
        self.spaces = list(steps[last:])
        self.beside.clear()

    def finish(self) -> Markup:
        self._close()
        self.equal += self.spaces
        self._flush()
        return Markup(tuple(self.hunks), tuple(self.segments))

    def _change(self, step: Step) -> None:
        if self.changes:
            self.changes += self.spaces
        else:
            # White space put in or left out right before a change is part of it ("in" -> "in very").
            first = len(self.spaces)
            while first and self.spaces[first - 1].operation is not Operation.MATCH:
                first -= 1
            self.equal += self.spaces[:first]
            self.changes = self.spaces[first:]
        self.spaces = []
        self.changes.append(step)

    def _enter(self, step: Step) -> None:
        core = self.paragraph.cores[step.core]
        if self.changes:
            self.beside.append(core.issue_id)
            ruling = self.rulings[step.core]
            if not ruling.before and not ruling.after:
                self.waiting.append(step.core)  # nothing stands there, so it parts no run of changes
                return
        self._close()
        self.equal += self.spaces
        self.spaces = []
        self._flush()
        self.inside = step.core

    def _leave(self, step: Step) -> None:
        if self.inside != NOWHERE:
            self._write_core(step.core)
            self.inside = NOWHERE
            self.beside = [self.paragraph.cores[step.core].issue_id]

    def _write_core(self, number: int) -> None:
        core, ruling = self.paragraph.cores[number], self.rulings[number]
        before, after = "".join(ruling.before), "".join(ruling.after)
        self.segments.append(Segment(SegmentKind.CORE, before, after, core.issue_id))
        start = self.offset
        self.offset += len(before)
        if ruling.recased:
            right = core.branches[ruling.branch]
            words = sum(one != other for one, other in zip(right, ruling.after, strict=True))
            at = core.issue_id
            self.hunks.append(
                Hunk(self.paragraph.id, start, self.offset, "".join(right), after, HunkKind.CASE, words, (at,), at)
            )

    def _close(self) -> None:
        """End the open hunk, if there is one; changed white space right behind it is part of it."""
        if not self.changes:
            return
        count = next((n for n, step in enumerate(self.spaces) if step.operation is Operation.MATCH), len(self.spaces))
        self.changes += self.spaces[:count]
        self.spaces = self.spaces[count:]
        self._flush()
        before = "".join(step.before for step in self.changes)
        after = "".join(step.after for step in self.changes)
        start = self.offset
        self.offset += len(before)
        self.segments.append(Segment(SegmentKind.HUNK, before, after, hunk=len(self.hunks)))
        self.hunks.append(
            Hunk(
                self.paragraph.id,
                start,
                self.offset,
                before,
                after,
                _kind(self.changes, before, after),
                sum(_changes_word(step) for step in self.changes),
                tuple(self.beside),
            )
        )
        self.changes = []
        self.beside = []
        for number in self.waiting:
            self._write_core(number)
        if self.waiting:
            self.beside = [self.paragraph.cores[self.waiting[-1]].issue_id]
        self.waiting = []

    def _flush(self) -> None:
        if self.equal:
            before = "".join([step.before for step in self.equal])  # lists: a generator takes twice as long
            after = "".join([step.after for step in self.equal])
            self.segments.append(Segment(SegmentKind.EQUAL, before, after))
            self.offset += len(before)
            self.equal = []


def _kind(changes: Sequence[Step], before: str, after: str) -> HunkKind:
    if not before.strip():
        return HunkKind.INSERTION
    if not after.strip():
        return HunkKind.DELETION
    if all(step.operation in (Operation.CASE, Operation.MATCH) for step in changes):
        return HunkKind.CASE
    return HunkKind.SUBSTITUTION


def _changes_word(step: Step) -> bool:
    return step.operation is not Operation.MATCH and (is_word(step.before) or is_word(step.after))
