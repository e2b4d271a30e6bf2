"""Runs and planted errors in M2, the format of the field's own scorers (ERRANT, MaxMatch).

One block a paragraph: an ``S`` line with the tokens of the corrupted text, an ``A`` line for each edit. Words and
punctuation are tokens, white space is none: what changes white space alone cannot be said in M2 and is left out, of
the planted errors as of a run's edits. Reference and hypotheses of a case have the same ``S`` lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph
from errata_bench.results.one_paragraph import paragraph_case
from errata_bench.scoring.aligned.cores import Core, PreparedParagraph, prepare_case
from errata_bench.scoring.aligned.markup import Segment
from errata_bench.scoring.aligned.run import AlignedParagraph, AlignedRun, align_document
from errata_bench.scoring.aligned.tokens import is_space, tokenise

OTHER = "OTHER"
"""The type of an edit away from all errors."""
_VERSIONS = 10_000
"""So many edited paragraphs of a case are kept as they are written, text and block."""


@dataclass(frozen=True, slots=True)
class M2Edit:
    """Tokens ``start`` to ``end`` of the ``S`` line become ``correction``.

    An insertion starts where it ends; a deletion has an empty correction.
    """

    start: int
    end: int
    type: str
    correction: str
    annotator: int = 0

    def __str__(self) -> str:
        return f"A {self.start} {self.end}|||{self.type}|||{self.correction}|||REQUIRED|||-NONE-|||{self.annotator}"


def no_edit(annotator: int = 0) -> M2Edit:
    """What stands for an annotator who changed nothing."""
    return M2Edit(-1, -1, "noop", "-NONE-", annotator)


@dataclass(frozen=True, slots=True)
class M2Paragraph:
    """One block: the tokens and the edits, by annotator and place."""

    tokens: tuple[str, ...]
    edits: tuple[M2Edit, ...]

    def __str__(self) -> str:
        return "\n".join([" ".join(["S", *self.tokens]), *map(str, self.edits)])


def format_m2(paragraphs: Iterable[M2Paragraph]) -> str:
    """The text of an M2 file: blocks parted by a blank line, the last one followed by one, too."""
    return "".join(f"{paragraph}\n\n" for paragraph in paragraphs)


def reference_m2(case: Case) -> list[M2Paragraph]:
    """The planted errors that count, paragraphs in order.

    Annotator 0 makes the canonical corrections. Where issues of a paragraph accept others, annotator n makes the n-th
    accepted one of each (the canonical one of issues that have fewer); a scorer takes the annotator that fits best.
    Raises `DatasetError` when the case cannot be aligned.
    """
    types = _types(case)
    return [_reference(paragraph, types) for paragraph in prepare_case(case)]


def run_m2(case: Case, run: AlignedRun) -> list[M2Paragraph]:
    """A run's edits, paragraphs in order.

    One edit for each core whose text was changed, one for each hunk. Edits at disqualified errors are left out, as
    these errors are of the reference. Scorers compare texts and know no judge: a repair that a judge accepted counts
    there as wrong.
    """
    types = _types(case)
    return [_hypothesis(paragraph, run, types) for paragraph in run.paragraphs]


class Hypotheses:
    """The M2 files of the runs of one case.

    Each version of a paragraph is aligned by itself and once, however many runs left it so: `text` is
    ``format_m2(run_m2(case, align_document(case, final)))`` in a fraction of the time. Raises `DatasetError` when the
    case cannot be aligned.
    """

    def __init__(self, case: Case) -> None:
        self._parts = {paragraph.id: paragraph_case(case, paragraph) for paragraph in case.document}
        self._edited = lru_cache(maxsize=_VERSIONS)(self._block)
        self._untouched = {paragraph.id: self._block(paragraph.id, paragraph.inner_html) for paragraph in case.document}

    def text(self, changed: Mapping[str, str]) -> str:
        """The file of a run that left these paragraphs, inner HTML by id, other than they were."""
        return "".join(
            self._edited(paragraph_id, changed[paragraph_id]) if paragraph_id in changed else block
            for paragraph_id, block in self._untouched.items()
        )

    def _block(self, paragraph_id: str, inner_html: str) -> str:
        part = self._parts[paragraph_id]
        final = Document((Paragraph(paragraph_id, inner_html),))
        return format_m2(run_m2(part, align_document(part, final)))


def _types(case: Case) -> dict[str, str]:
    """The category of each issue as an M2 type, which holds neither space nor ``|``."""
    return {issue.id: "_".join(issue.category.upper().replace("|", "/").split()) or OTHER for issue in case.issues}


def _words(text: str) -> tuple[str, ...]:
    return tuple([token for token in tokenise(text) if not token.isspace()])


def _edit(start: int, before: Sequence[str], after: Sequence[str], kind: str, annotator: int = 0) -> M2Edit | None:
    """One edit; None where it changes white space alone. Its type begins as ERRANT's: Missing, Unnecessary, Replace."""
    if tuple(before) == tuple(after):
        return None
    operation = "M" if not before else "R" if after else "U"
    return M2Edit(start, start + len(before), f"{operation}:{kind}", " ".join(after), annotator)


def _reference(paragraph: PreparedParagraph, types: Mapping[str, str]) -> M2Paragraph:
    cores = [core for core in paragraph.cores if core.scored]
    edits: list[M2Edit] = []
    for annotator in range(max((len(core.branches) for core in cores), default=1)):
        made = [edit for core in cores if (edit := _correction(paragraph, core, annotator, types)) is not None]
        edits += made or [no_edit(annotator)]
    return M2Paragraph(_words("".join(paragraph.tokens)), tuple(edits))


def _correction(paragraph: PreparedParagraph, core: Core, annotator: int, types: Mapping[str, str]) -> M2Edit | None:
    branch = core.branches[annotator] if annotator < len(core.branches) else core.branches[0]
    start = sum(not is_space(token) for token in paragraph.tokens[: core.start])
    before = [token for token in paragraph.tokens[core.start : core.end] if not is_space(token)]
    after = [token for token in branch if not is_space(token)]
    return _edit(start, before, after, types[core.issue_id], annotator)


def _hypothesis(paragraph: AlignedParagraph, run: AlignedRun, types: Mapping[str, str]) -> M2Paragraph:
    edits = []
    at = 0
    for segment in paragraph.segments:
        before = _words(segment.before)
        if (kind := _kind(segment, run, types)) is not None:
            edit = _edit(at, before, _words(segment.after), kind)
            edits += [] if edit is None else [edit]
        at += len(before)
    return M2Paragraph(_words(paragraph.before), tuple(edits or [no_edit()]))


def _kind(segment: Segment, run: AlignedRun, types: Mapping[str, str]) -> str | None:
    if segment.hunk is not None:
        return OTHER
    if segment.issue_id is not None and run.issues[segment.issue_id].scored:
        return types[segment.issue_id]
    return None
