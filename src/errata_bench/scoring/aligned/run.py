"""A whole document: the aligned verdicts on a run, its hunks, and its paragraphs in segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.scoring.aligned.cores import PreparedParagraph, prepare_case
from errata_bench.scoring.aligned.markup import Hunk, Segment, mark_up, unchanged
from errata_bench.scoring.aligned.path import find_path
from errata_bench.scoring.aligned.steps import CORRUPTED
from errata_bench.scoring.aligned.verdicts import AlignedVerdict, Ruling, rule


@dataclass(frozen=True, slots=True)
class AlignedIssue:
    """The verdict on one issue, and what stands at its place.

    ``before`` and ``after`` are the text at its core as the model got and left it (plain, folded); ``edited`` says
    that they differ. ``correction`` is the text of the correction that was made (0 the canonical one, then the
    accepted ones), None where none was. ``scored`` is false for a disqualified issue.
    """

    issue_id: str
    paragraph_id: str
    verdict: AlignedVerdict
    before: str
    after: str
    edited: bool
    correction: int | None
    scored: bool


@dataclass(frozen=True, slots=True)
class AlignedParagraph:
    """One paragraph, plain and folded, before and after.

    ``changed`` says that its tokens differ: white space counts only where an error of this paragraph is about it.
    """

    id: str
    before: str
    after: str
    changed: bool
    issue_ids: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class AlignedRun:
    """What the alignment says of one final document."""

    case_id: str
    issues: Mapping[str, AlignedIssue]
    """By issue id, in the case's order; disqualified issues included."""
    paragraphs: tuple[AlignedParagraph, ...]

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """All hunks, in document order."""
        return tuple(hunk for paragraph in self.paragraphs for hunk in paragraph.hunks)

    @property
    def verdicts(self) -> Mapping[str, AlignedVerdict]:
        """The verdicts on the issues that count, by id."""
        return {issue.issue_id: issue.verdict for issue in self.issues.values() if issue.scored}

    def count(self, *verdicts: AlignedVerdict) -> int:
        """How many issues that count have one of these verdicts."""
        return sum(verdict in verdicts for verdict in self.verdicts.values())


def align_document(case: Case, final: Document) -> AlignedRun:
    """Align a final document with its case, paragraph by paragraph (by id; one that is gone is an empty one).

    The errors of a case are located once and kept for its next runs. Raises `DatasetError` when the case cannot be
    aligned (see `cores.prepare_case`).
    """
    found: dict[str, AlignedIssue] = {}
    paragraphs = []
    for prepared in prepare_case(case):
        left = final.get(prepared.id)
        inner_html = "" if left is None else left.inner_html
        short = max(len(inner_html), len(prepared.inner_html)) <= _KEPT_CHARACTERS
        aligned, issues = (_kept_alignment if short else _align_paragraph)(prepared, inner_html)
        paragraphs.append(aligned)
        found.update((issue.issue_id, issue) for issue in issues)
    in_order = {issue.id: found[issue.id] for issue in case.issues}
    return AlignedRun(case.id, MappingProxyType(in_order), tuple(paragraphs))


def _align_paragraph(prepared: PreparedParagraph, inner_html: str) -> tuple[AlignedParagraph, tuple[AlignedIssue, ...]]:
    tokens = prepared.tokens if inner_html == prepared.inner_html else prepared.read(inner_html)
    if tokens == prepared.tokens:
        markup = unchanged(prepared)
        wrong = (prepared.tokens[core.start : core.end] for core in prepared.cores)
        rulings = [Ruling(AlignedVerdict.UNTOUCHED, CORRUPTED, text, text) for text in wrong]
    else:
        ruled = rule(prepared, find_path(prepared, tokens))
        rulings = ruled.rulings
        markup = mark_up(prepared, ruled.steps, rulings)
    paragraph = AlignedParagraph(
        id=prepared.id,
        before="".join(prepared.tokens),
        after="".join(tokens),
        changed=tokens != prepared.tokens,
        issue_ids=tuple(core.issue_id for core in prepared.cores),
        hunks=markup.hunks,
        segments=markup.segments,
    )
    issues = tuple(
        AlignedIssue(
            issue_id=core.issue_id,
            paragraph_id=prepared.id,
            verdict=ruling.verdict,
            before="".join(ruling.before),
            after="".join(ruling.after),
            edited=ruling.edited,
            correction=ruling.branch if ruling.verdict is AlignedVerdict.FIXED else None,
            scored=core.scored,
        )
        for core, ruling in zip(prepared.cores, rulings, strict=True)
    )
    return paragraph, issues


_kept_alignment = lru_cache(maxsize=2048)(_align_paragraph)
"""The same, kept: most paragraphs of most runs end untouched or mended, in the same few versions."""

_KEPT_CHARACTERS = 4_000
"""Longer paragraphs are not kept. An alignment takes ten times the room of its text: so all take 80 MB at most."""
