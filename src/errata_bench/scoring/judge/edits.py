"""Pairs of versions of one passage: out of a run's edits away from all issues, and out of planted errors as gold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.scoring.aligned.markup import Hunk, Segment, SegmentKind
from errata_bench.scoring.aligned.run import AlignedParagraph, AlignedRun, align_document

WORDS_BETWEEN = 3
"""Edits with at most so many words between them are compared together: they may depend on each other ("the dogs run"
→ "the dog runs"), and half of such an edit would look like an error."""
CONTEXT_CHARACTERS = 400
"""How much of the paragraph is shown on either side."""


class EditClass(StrEnum):
    """What an edit away from all issues is worth."""

    REAL_FLAW_FIXED = "real_flaw_fixed"
    """The text was wrong there and is right now: not counted against the model, listed for the maintainers."""
    HARMLESS = "harmless"
    """Both versions are right, mean the same, and neither is better."""
    PREFERENTIAL = "preferential"
    """Both mean the same and one reads better to the judge, or the judge disagrees with itself: a matter of taste."""
    HARMFUL = "harmful"
    """A new error, or another meaning."""


@dataclass(frozen=True, slots=True)
class EditPair:
    """One passage in two versions, with what stands around it in both."""

    left: str
    before: str
    after: str
    right: str

    @property
    def content(self) -> str:
        """What tells this pair from others: SHA-256, in hex."""
        return hashlib.sha256(json.dumps([self.left, self.before, self.after, self.right]).encode()).hexdigest()

    def key(self, judge: str, prompt_version: str) -> str:
        """SHA-256, in hex, of all that decides about the answer."""
        return hashlib.sha256(json.dumps([self.content, judge, prompt_version]).encode()).hexdigest()

    @property
    def swapped_first(self) -> bool:
        """Whether the version after the edit is shown first when the pair is first asked about.

        A coin that always falls alike for the same pair, so that the same question is the same request.
        """
        return int(self.content[0], 16) % 2 == 1

    def reversed(self) -> EditPair:
        """The edit undone."""
        return EditPair(self.left, self.after, self.before, self.right)


@dataclass(frozen=True, slots=True)
class RunEdit:
    """A pair out of a run, and the hunks that it is made of."""

    paragraph_id: str
    pair: EditPair
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A planted error, corrected or planted anew: what a judge has to say of it is known."""

    pair: EditPair
    expected: EditClass


def edits_of(run: AlignedRun) -> tuple[RunEdit, ...]:
    """The edits of a run away from all issues, in document order.

    A hunk at an issue's own place (other capitals) is compared by itself. Around a pair everything is as the run left
    it at issues, and as it was at other edits, so that a pair differs in itself alone.
    """
    return tuple(edit for paragraph in run.paragraphs for edit in _edits_of(paragraph))


def gold_pairs(case: Case, limit: int) -> tuple[GoldPair, ...]:
    """At most ``limit`` planted errors as pairs: half of them corrected, half of them planted anew.

    Which ones is decided by their content. The other errors of the paragraph are corrected around them.
    """
    found = []
    for issue in case.scored_issues:
        paragraph = case.document.get(issue.paragraph_id)
        expected = case.expected.get(issue.paragraph_id)
        if paragraph is None or expected is None:
            continue
        planted = issue.start, issue.end
        others = sorted(
            (other for other in case.issues if other.paragraph_id == issue.paragraph_id and other.id != issue.id),
            key=lambda other: other.start,
            reverse=True,
        )
        if any(other.start < planted[1] and planted[0] < other.end for other in others):
            continue  # spans that overlap leave no text that has just the one error
        html = paragraph.inner_html
        shift = 0
        for other in others:
            html = html[: other.start] + other.replace + html[other.end :]
            if other.start < planted[0]:
                shift += len(other.replace) - len(other.find)
        start, end = planted[0] + shift, planted[1] + shift
        found.append(EditPair(_tail(html[:start]), issue.find, issue.replace, _head(html[end:])))
    found.sort(key=lambda pair: pair.content)
    return tuple(
        GoldPair(pair, EditClass.REAL_FLAW_FIXED) if n % 2 == 0 else GoldPair(pair.reversed(), EditClass.HARMFUL)
        for n, pair in enumerate(found[:limit])
    )


def align_edits(case: Case, final: Document) -> tuple[RunEdit, ...]:
    """The edits of a final document away from all issues. Raises `DatasetError` as `align_document` does."""
    return edits_of(align_document(case, final))


def _edits_of(paragraph: AlignedParagraph) -> Iterator[RunEdit]:
    # What the paragraph says with all hunks undone and everything else as the run left it.
    texts = [part.before if part.kind is SegmentKind.HUNK else part.after for part in paragraph.segments]
    for first, last in _groups(paragraph.segments):
        parts = paragraph.segments[first : last + 1]
        pair = EditPair(
            left=_tail("".join(texts[:first])),
            before="".join(texts[first : last + 1]),
            after="".join(part.after for part in parts),
            right=_head("".join(texts[last + 1 :])),
        )
        hunks = tuple(paragraph.hunks[part.hunk] for part in parts if part.hunk is not None)
        yield RunEdit(paragraph.id, pair, hunks)
    for hunk in paragraph.hunks:
        if hunk.at_issue is None:
            continue
        at = next(n for n, part in enumerate(paragraph.segments) if part.issue_id == hunk.at_issue)
        pair = EditPair(_tail("".join(texts[:at])), hunk.before, hunk.after, _head("".join(texts[at + 1 :])))
        yield RunEdit(paragraph.id, pair, (hunk,))


def _groups(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """First and last segment of each run of hunks that lie close together, with no issue between them."""
    first = last = -1
    for n, part in enumerate(segments):
        if part.kind is SegmentKind.HUNK:
            between = segments[last + 1 : n]
            near = (
                last >= 0
                and all(other.kind is SegmentKind.EQUAL for other in between)
                and sum(len(other.before.split()) for other in between) <= WORDS_BETWEEN
            )
            if not near:
                if last >= 0:
                    yield first, last
                first = n
            last = n
    if last >= 0:
        yield first, last


def _tail(text: str) -> str:
    return text if len(text) <= CONTEXT_CHARACTERS else "…" + text[-CONTEXT_CHARACTERS:].partition(" ")[2]


def _head(text: str) -> str:
    return text if len(text) <= CONTEXT_CHARACTERS else text[:CONTEXT_CHARACTERS].rpartition(" ")[0] + "…"
