"""What has been planted so far, and whether one more error can join it.

A change is tried by building its paragraph as a case and looking at it as the checker of cases does, so that what is
taken here is not found fault with there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from errata_bench.cases.annotated import read_annotated
from errata_bench.cases.build import build_case
from errata_bench.cases.check import Finding, Limits
from errata_bench.cases.check.issues import issue_findings
from errata_bench.cases.classify import changed_tokens
from errata_bench.cases.header import Header, write_header
from errata_bench.cases.load import LoadedCase
from errata_bench.errors import DatasetError
from errata_bench.generation.markup import write_paragraph
from errata_bench.generation.proposals import Change, Fate, Refused
from errata_bench.generation.source import SourceParagraph, SourceText
from errata_bench.generation.windows import Spread
from errata_bench.text import without_tags

_LIMITS = Limits()
_NEW = "new"
_FATES = {
    "contained": Fate.CONTAINED,
    "unseen": Fate.CONTAINED,
    "invisible": Fate.INVISIBLE,
    "contradiction": Fate.CONTRADICTION,
    "overlapping": Fate.OVERLAPS,
    "touching": Fate.OVERLAPS,
}
"""What a finding of the checker means for a proposal."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A change that can be planted. ``dropped`` are further fixes that cannot be accepted beside it, with reasons."""

    change: Change
    dropped: tuple[tuple[str, str], ...] = ()


class Draft:
    """The errors planted so far in one text."""

    def __init__(self, source: SourceText, spread: Spread) -> None:
        self.source = source
        self.spread = spread
        self.changes: list[Change] = []
        self._here: dict[int, list[Change]] = {}
        self._equal: Counter[tuple[str, str]] = Counter()
        self._words_before = [0]
        for paragraph in source.paragraphs:
            self._words_before.append(self._words_before[-1] + paragraph.words)
        self._header = f"{write_header(Header('t', 'g', 'v', 'l', 'en', format=source.format))}---\n"

    def room(self, paragraph: SourceParagraph) -> int:
        """How many more errors a paragraph may have."""
        return self.spread.caps[paragraph.index] - len(self._here.get(paragraph.index, ()))

    def planted_in(self, paragraphs: Iterable[SourceParagraph]) -> tuple[Change, ...]:
        """What is planted in these paragraphs, in order."""
        found = [change for paragraph in paragraphs for change in self._here.get(paragraph.index, ())]
        return tuple(sorted(found, key=lambda change: (change.paragraph, change.start)))

    def check(self, change: Change) -> Checked | Refused:
        """Whether a change can join what is planted."""
        paragraph = self.source.paragraphs[change.paragraph]
        here = self._here.get(change.paragraph, [])
        for other in here:
            if change.start < other.end and other.start < change.end:
                return Refused(Fate.OVERLAPS, f"it meets the error planted at {other.wrong!r}; choose another place")
        if self.room(paragraph) <= 0:
            return Refused(Fate.CAP_REACHED, "this paragraph has its share of errors; choose another paragraph")
        if self._near(change) >= self.spread.most_near:
            return Refused(Fate.TOO_NEAR, "there are enough errors around this place; choose another")
        if self._equal[_words(change)] >= _LIMITS.most_equal_errors:
            return Refused(Fate.REPEATED, f"{change.wrong!r} for {change.right!r} is planted often enough")
        return self._build(paragraph, here, change)

    def add(self, change: Change) -> None:
        """Plant a change that has been checked."""
        self.changes.append(change)
        self._here.setdefault(change.paragraph, []).append(change)
        self._equal[_words(change)] += 1

    def _near(self, change: Change) -> int:
        """The most errors within any stretch of ``window_words`` words around a change, itself left out."""
        size = self.spread.window_words
        place = self._word(change)
        near = sorted(at for at in (self._word(other) for other in self.changes) if place - size < at < place + size)
        return max(
            (sum(start <= at < start + size for at in near) for start in (*near, place) if start <= place),
            default=0,
        )

    def _word(self, change: Change) -> int:
        text = without_tags(self.source.paragraphs[change.paragraph].text[: change.start])
        return self._words_before[change.paragraph] + len(text.split())

    def _build(self, paragraph: SourceParagraph, here: list[Change], change: Change) -> Checked | Refused:
        dropped: list[tuple[str, str]] = []
        while True:
            findings = self._findings(paragraph, here, change)
            if isinstance(findings, Refused):
                return findings
            bad = next((finding for finding in findings if finding.kind in _FATES), None)
            if bad is not None:
                return Refused(_FATES[bad.kind], bad.message)
            # Which of several further fixes is meant is not said: the last goes first.
            about = [finding for finding in findings if finding.issue == _NEW and finding.kind == "accepted"]
            if not about or not change.also:
                return Checked(change, tuple(dropped))
            dropped.append((change.also[-1], about[-1].message))
            change = replace(change, also=change.also[:-1])

    def _findings(self, paragraph: SourceParagraph, here: list[Change], change: Change) -> list[Finding] | Refused:
        text = self._header + write_paragraph(paragraph, [*here, change], {change: _NEW})
        try:
            if read_annotated(text, "draft").paragraphs[0].clean != paragraph.raw:
                return Refused(Fate.UNDOES_ITSELF, "taking the change back does not give the text as it was")
            built = build_case(text, "draft", "draft")
        except DatasetError as error:
            return Refused(Fate.UNMARKABLE, error.faults[0].problem)
        content = orjson.loads(built.files[built.json_name])
        return list(issue_findings(LoadedCase(built.case, Path("draft"), content), _LIMITS))


def _words(change: Change) -> tuple[str, str]:
    wrong, right = changed_tokens(change.wrong.casefold().split(), change.right.casefold().split())
    return " ".join(wrong), " ".join(right)
