"""Scoring stored runs again, one at a time, and keeping what that changed; no model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.results.aggregate import FIGURES, CaseRuns, mean_over_cases
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.run_score import RunScore
from errata_bench.store.evidence import StoredVerdict
from errata_bench.store.group import Group
from errata_bench.store.records import Measured, RunRecord
from errata_bench.variants import Variant

Scorer = Callable[[Group, int, Case, Sequence[Document]], tuple[RunScore, RunFigures]]
"""Scores a run of which every chunk is stored: `errata_bench.runs.scoring.score_stored_run`."""

Prepare = Callable[[RunRecord, Case, Sequence[Document]], None]
"""Is called before a run is scored, in the same transaction: may change what its verdicts rest on."""

Progress = Callable[[int, int], None]
"""Is told how many of how many runs are through."""

NO_VERDICT = "none"
"""Stands for the verdict on an issue that did not count, or does not any more."""


def no_progress(_done: int, _total: int) -> None:
    """A `Progress` that tells nobody."""


def no_preparation(_record: RunRecord, _case: Case, _chunks: Sequence[Document]) -> None:
    """A `Prepare` that changes nothing."""


@dataclass(slots=True)
class VariantChange:
    """What scoring again changed for a variant.

    ``changed_runs`` of ``runs`` have other verdicts or figures now. ``moves`` counts issues by the verdict before and
    after. Qualities are 0 to 1, None where there is none: the mean over cases of the mean over runs, before and after.
    """

    variant: Variant
    runs: int = 0
    changed_runs: int = 0
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    quality_before: float | None = None
    quality_after: float | None = None


class Rescorer:
    """Scores runs of a group again and writes what is another than before. A run is written in one transaction.

    ``without_documents`` counts runs that were made elsewhere, which stay as they are.
    """

    def __init__(self, group: Group, score: Scorer, prepare: Prepare = no_preparation) -> None:
        self.without_documents = 0
        self._group = group
        self._score = score
        self._prepare = prepare
        self._before = qualities(group.runs())
        self._cases: dict[str, Case | None] = {}
        self._chunks: dict[tuple[str, int], tuple[Document, ...]] = {}
        self._moves: dict[Variant, Counter[tuple[str, str]]] = {}
        self._scored: dict[Variant, set[int]] = {}
        self._changed: dict[Variant, set[int]] = {}

    def rescore(self, record: RunRecord) -> None:
        """Score a successful run again."""
        fingerprint = record.key.fingerprint
        if fingerprint not in self._cases:
            self._cases[fingerprint] = self._group.case(fingerprint)
        case = self._cases[fingerprint]
        if case is None or record.imported is not None:
            self.without_documents += 1
            return
        variant = record.key.variant
        self._scored.setdefault(variant, set()).add(record.id)
        chunks = self._split(case, record.key.settings.max_words)
        with self._group.upkeep.transaction():
            self._prepare(record, case, chunks)
            score, figures = self._score(self._group, record.id, case, chunks)
            before = {row.issue_id: row for row in self._group.run_verdicts(record.id)}
            after = _rows(record.id, score)
            if before == after and figures == record.figures:
                return
            self._group.rescore_run(record.id, score, figures)
        self._changed.setdefault(variant, set()).add(record.id)
        moves = self._moves.setdefault(variant, Counter())
        for issue_id in before.keys() | after.keys():
            old, new = before.get(issue_id), after.get(issue_id)
            move = (NO_VERDICT if old is None else old.verdict, NO_VERDICT if new is None else new.verdict)
            if move[0] != move[1]:
                moves[move] += 1

    def changes(self) -> tuple[VariantChange, ...]:
        """What has changed since this began, by variant in the order in which they were scored."""
        now = qualities(self._group.runs())
        return tuple(
            VariantChange(
                variant,
                len(runs),
                len(self._changed.get(variant, ())),
                self._moves.get(variant, Counter()),
                self._before.get(variant),
                now.get(variant),
            )
            for variant, runs in self._scored.items()
        )

    def _split(self, case: Case, max_words: int) -> tuple[Document, ...]:
        size = (case.fingerprint, max_words)
        if size not in self._chunks:
            self._chunks[size] = split_into_chunks(case.document, max_words)
        return self._chunks[size]


def _rows(run_id: int, score: RunScore) -> dict[str, StoredVerdict]:
    """The verdicts as they would be stored."""
    aligned = score.aligned or {}
    return {
        issue_id: StoredVerdict(
            run_id, issue_id, str(issue.finding), str(issue.verdict), str(aligned.get(issue_id, ""))
        )
        for issue_id, issue in score.issues.items()
    }


def qualities(records: Iterable[RunRecord]) -> Mapping[Variant, float | None]:
    """The quality of each variant, whatever settings its runs had: the mean over cases of the mean over runs."""
    runs: dict[Variant, dict[str, list[Measured]]] = {}
    for record in records:
        if record.measured is not None:
            runs.setdefault(record.key.variant, {}).setdefault(record.case_id, []).append(record.measured)
    return {
        variant: mean_over_cases(
            [CaseRuns(case_id, "", tuple(measured)) for case_id, measured in by_case.items()], FIGURES["quality"]
        )
        for variant, by_case in runs.items()
    }
