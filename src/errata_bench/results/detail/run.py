"""One run, wholly: its text in pieces, its verdicts, its chunks and turns, its trouble and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document
from errata_bench.errors import UserError
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import ChunkResult, Turn
from errata_bench.results.detail.marking import MarkedParagraph, Marker, PieceKind
from errata_bench.results.detail.selection import EVERYTHING, Selection, choose_cases, choose_variants, full_label
from errata_bench.scoring.restraint import Restraint
from errata_bench.store.evidence import RunOrigin, StoredAttempt
from errata_bench.store.group import Group
from errata_bench.store.judgments import Judgment
from errata_bench.store.records import Failure, RunRecord


@dataclass(frozen=True, slots=True)
class IssueVerdict:
    """What became of one issue in one run.

    ``finding`` and ``verdict`` are rule v1's (None until the run has succeeded, and for a disqualified issue).
    ``aligned`` is what the alignment says, ``after`` the text at the error's place as the run left it (both None where
    the case cannot be aligned).
    """

    issue: Issue
    category: str
    finding: str | None
    verdict: str | None
    aligned: str | None
    after: str | None
    judgment: Judgment | None


@dataclass(frozen=True, slots=True)
class ChunkDetail:
    """One chunk, from 0: its paragraphs and its turns. One that is not ``done`` has no turns yet."""

    chunk: int
    paragraph_ids: tuple[str, ...]
    done: bool
    completed: bool
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class RunDetail:
    """Everything that is known of one run; of one that has not ended, as far as it has come.

    ``restraint`` counts what was changed besides the errors, as the run was scored; None until it has succeeded and
    where the case cannot be aligned.
    """

    record: RunRecord
    case: Case
    origin: RunOrigin
    paragraphs: tuple[MarkedParagraph, ...]
    issues: tuple[IssueVerdict, ...]
    chunks: tuple[ChunkDetail, ...]
    failures: tuple[Failure, ...]
    attempts: tuple[StoredAttempt, ...]
    restraint: Restraint | None

    @property
    def oddities(self) -> Mapping[str, int]:
        """What had to be repaired or refused in replies, by kind."""
        counts: dict[str, int] = {}
        for chunk in self.chunks:
            for turn in chunk.turns:
                for kind, count in turn.oddities.items():
                    counts[kind] = counts.get(kind, 0) + count
        return counts

    @property
    def spent_usd(self) -> float:
        """US dollars that its requests have cost as far as it is known, the failed and the judge's included."""
        return sum(attempt.cost_usd or 0.0 for attempt in self.attempts)

    @property
    def unpriced_attempts(self) -> int:
        """Requests of which nobody knows the price."""
        return sum(attempt.cost_usd is None for attempt in self.attempts)


def run_list(group: Group, selection: Selection = EVERYTHING) -> list[RunRecord]:
    """The runs of a group, by variant, case and sample. Raises `UserError` for a selection that fits nothing."""
    records = group.runs()
    variants = choose_variants(selection, (record.key.variant for record in records))
    cases = choose_cases(selection, (record.case_id for record in records))
    kept = [record for record in records if record.key.variant in variants and record.case_id in cases]
    return sorted(kept, key=lambda one: (str(one.key.variant), one.case_id, one.sample, one.id))


def run_detail(group: Group, run_id: int) -> RunDetail:
    """One run. Raises `UserError` when there is none of that number."""
    records = group.runs()
    record = next((one for one in records if one.id == run_id), None)
    if record is None:
        numbers = f"they are {records[0].id} to {records[-1].id}" if records else "it has none"
        raise UserError(f"the group has no run {run_id}", mend=f"{numbers}; errata-bench view runs lists them")
    case = group.case(record.key.fingerprint)
    if case is None:
        raise UserError(f"of run {run_id} there are figures alone, no document: it was made elsewhere")
    return detail_of(group, record, Marker(case))


def detail_of(group: Group, record: RunRecord, marker: Marker) -> RunDetail:
    """`run_detail` of a record that is there already; runs on the same case share a marker."""
    run_id, case = record.id, marker.case
    parts = split_into_chunks(case.document, record.key.settings.max_words)
    results = group.chunk_results(run_id, parts)
    changed = group.changed_paragraphs(run_id)
    verdicts = {one.issue_id: one for one in group.run_verdicts(run_id)}
    told = {issue_id: one.verdict for issue_id, one in verdicts.items()}
    paragraphs = tuple(marker.mark(one.id, changed.get(one.id), told) for one in case.document)
    places = {
        piece.issue_id: piece
        for paragraph in paragraphs
        for piece in paragraph.pieces
        if piece.issue_id and piece.kind is PieceKind.ISSUE
    }
    judgments = group.judgments.of_run(run_id)
    issues = []
    for issue in case.issues:
        place, verdict = places.get(issue.id), verdicts.get(issue.id)
        issues.append(
            IssueVerdict(
                issue=issue,
                category=full_label(issue.classification.label if issue.classification else issue.category),
                finding=verdict.finding if verdict else None,
                verdict=verdict.verdict if verdict else None,
                aligned=place.aligned if place else None,
                after=place.after if place else None,
                judgment=judgments.get(issue.id),
            )
        )
    return RunDetail(
        record=record,
        case=case,
        origin=group.run_origin(run_id),
        paragraphs=paragraphs,
        issues=tuple(issues),
        chunks=_chunks(group, run_id, parts, results),
        failures=tuple(group.failures(run_id)),
        attempts=tuple(group.run_attempts(run_id)),
        restraint=None if record.figures is None else record.figures.restraint,
    )


def _chunks(
    group: Group, run_id: int, parts: tuple[Document, ...], results: list[ChunkResult]
) -> tuple[ChunkDetail, ...]:
    done = {stored.chunk: result for stored, result in zip(group.stored_chunks(run_id), results, strict=True)}
    found = []
    for number, part in enumerate(parts):
        result = done.get(number)
        ids = tuple(paragraph.id for paragraph in part)
        completed = result is not None and result.completed
        found.append(ChunkDetail(number, ids, result is not None, completed, result.turns if result else ()))
    return tuple(found)
