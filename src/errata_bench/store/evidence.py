"""Reading what lies behind the figures: issues, verdicts, final texts and requests; streamed, never a whole group."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import NamedTuple

import orjson

from errata_bench.chat import Usage
from errata_bench.scoring.aligned.verdicts import AlignedVerdict
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.store.open import store_faults


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case without its document; ``paragraphs`` is None where its name alone is known."""

    fingerprint: str
    case_id: str
    paragraphs: int | None


@dataclass(frozen=True, slots=True)
class StoredIssue:
    """An issue without its document: which case it belongs to and what kind of error it is.

    ``category`` is the full label where the case file has a classification, else the category as it stands there.
    """

    fingerprint: str
    case_id: str
    issue_id: str
    category: str
    paragraph_id: str
    severity: str | None
    disqualified: bool


_IS_FIXED = {verdict.value: verdict.is_fixed for verdict in Verdict}


class StoredVerdict(NamedTuple):
    """What rule v1 says of one issue of one successful run, and the aligned verdict ('' where there is none)."""

    run_id: int
    issue_id: str
    finding: str
    verdict: str
    aligned: str = ""

    @property
    def fixed(self) -> bool:
        """Whether rule v1 takes it for fixed."""
        return _IS_FIXED[self.verdict]

    @property
    def aligned_fixed(self) -> bool | None:
        """Whether it is fixed by the aligned verdict, or altered in a way that a judge accepted; None without one."""
        if not self.aligned:
            return None
        accepted = self.aligned == AlignedVerdict.ALTERED and self.verdict == Verdict.FIXED_ALTERNATIVE
        return accepted or self.aligned == AlignedVerdict.FIXED


class EditCounts(NamedTuple):
    """Counts of one paragraph of one run, as in `errata_bench.scoring.restraint.Restraint`."""

    issues: int
    hits: int
    wrong: int
    unneeded: int


class FinalParagraph(NamedTuple):
    """How a run left a paragraph: its inner HTML, or None where it was not changed."""

    run_id: int
    inner_html: str | None


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """One request of a run as it was paid for, failed ones included.

    ``at`` is in seconds since 1970 (UTC), ``duration`` in seconds; ``cost_usd`` is None where nobody knows.
    """

    chunk: int | None
    purpose: str
    at: float
    duration: float
    outcome: str
    status: int | None
    usage: Usage
    cost_usd: float | None
    message: str | None


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """What a run was made with: this program's version, and what had to be changed in its requests."""

    version: str
    adaptations: tuple[str, ...]


class Evidence:
    """The reading methods of a `Group` that go deeper than its list of runs. Each raises `StoreError`."""

    path: Path
    _connection: sqlite3.Connection

    def stored_cases(self) -> list[StoredCase]:
        """The cases of the group, by id; no document is read."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT fingerprint, case_id, json_array_length(content, '$.document') FROM cases"
                " ORDER BY case_id, fingerprint"
            )
            return [StoredCase(*row) for row in rows]

    def stored_issues(self) -> Iterator[StoredIssue]:
        """The issues of all cases, case by case in document order as far as the case has it; no document is read."""
        with store_faults(self.path):
            for row in self._connection.execute(
                """
                SELECT cases.fingerprint, cases.case_id,
                    json_extract(issue.value, '$.id'),
                    coalesce(json_extract(issue.value, '$.classification.label'),
                        json_extract(issue.value, '$.category')),
                    json_extract(issue.value, '$.paragraph_id'),
                    json_extract(issue.value, '$.classification.severity'),
                    json_extract(issue.value, '$.disqualified')
                FROM cases, json_each(cases.content, '$.issues') AS issue
                ORDER BY cases.case_id, cases.fingerprint, issue.key
                """
            ):
                fingerprint, case_id, issue_id, category, paragraph_id, severity, disqualified = row
                yield StoredIssue(fingerprint, case_id, issue_id, category, paragraph_id, severity, bool(disqualified))

    def all_verdicts(self) -> Iterator[StoredVerdict]:
        """The verdicts of all successful runs, run by run."""
        with store_faults(self.path):
            cursor = self._connection.cursor()
            cursor.row_factory = None
            for row in cursor.execute(
                "SELECT run_id, issue_id, finding, verdict, aligned FROM verdicts"
                " WHERE run_id IN (SELECT id FROM runs WHERE status = 'succeeded') ORDER BY run_id, issue_id"
            ):
                # The same few words in every row: kept once, they are a third of the memory of a ranking.
                yield StoredVerdict(row[0], intern(row[1]), intern(row[2]), intern(row[3]), intern(row[4]))

    def edited_paragraphs(self) -> Iterator[tuple[int, Mapping[str, EditCounts]]]:
        """For each successful run that could be aligned, its paragraphs with issues or edits, by id."""
        with store_faults(self.path):
            for run_id, content in self._connection.execute(
                "SELECT run_id, content FROM restraint"
                " WHERE run_id IN (SELECT id FROM runs WHERE status = 'succeeded') ORDER BY run_id"
            ):
                yield run_id, {name: EditCounts._make(counts) for name, counts in orjson.loads(content).items()}

    def run_verdicts(self, run_id: int) -> list[StoredVerdict]:
        """The verdicts of one run, with what was found before any judge."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT run_id, issue_id, finding, verdict, aligned FROM verdicts WHERE run_id = ? ORDER BY issue_id",
                (run_id,),
            )
            return [StoredVerdict(*row) for row in rows]

    def issue_verdicts(self, fingerprint: str, issue_id: str) -> list[StoredVerdict]:
        """The verdicts of all successful runs on one issue of a case."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT run_id, issue_id, finding, verdict FROM runs JOIN verdicts ON verdicts.run_id = runs.id"
                " WHERE fingerprint = ? AND status = 'succeeded' AND issue_id = ? ORDER BY run_id",
                (fingerprint, issue_id),
            )
            return [StoredVerdict(*row) for row in rows]

    def final_paragraphs(self, fingerprint: str, paragraph_id: str) -> Iterator[FinalParagraph]:
        """How each successful run on a case left one paragraph."""
        with store_faults(self.path):
            for row in self._connection.execute(
                """
                SELECT runs.id, (
                    SELECT changed.value FROM chunks, json_each(chunks.changed) AS changed
                    WHERE chunks.run_id = runs.id AND changed.key = ? LIMIT 1
                )
                FROM runs WHERE fingerprint = ? AND status = 'succeeded' ORDER BY runs.id
                """,
                (paragraph_id, fingerprint),
            ):
                yield FinalParagraph(row[0], row[1])

    def changed_paragraphs(self, run_id: int) -> dict[str, str]:
        """The paragraphs that a run has changed so far: inner HTML by id."""
        with store_faults(self.path):
            rows = self._connection.execute("SELECT changed FROM chunks WHERE run_id = ? ORDER BY chunk", (run_id,))
            changed: dict[str, str] = {}
            for row in rows:
                changed.update(orjson.loads(row[0]))
            return changed

    def run_origin(self, run_id: int) -> RunOrigin:
        """What a run was made with; the run has to exist."""
        with store_faults(self.path):
            row = self._connection.execute("SELECT version, adaptations FROM runs WHERE id = ?", (run_id,)).fetchone()
            return RunOrigin(row[0], tuple(orjson.loads(row[1])))

    def run_attempts(self, run_id: int) -> list[StoredAttempt]:
        """Every request made for a run, in order."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT chunk, purpose, at, duration, outcome, http_status, prompt_tokens, completion_tokens,"
                " reasoning_tokens, cached_prompt_tokens, cost_usd, message FROM spend WHERE run_id = ? ORDER BY id",
                (run_id,),
            )
            return [
                StoredAttempt(
                    chunk=row["chunk"],
                    purpose=row["purpose"],
                    at=row["at"],
                    duration=row["duration"],
                    outcome=row["outcome"],
                    status=row["http_status"],
                    usage=Usage(*tuple(row)[6:10]),
                    cost_usd=row["cost_usd"],
                    message=row["message"],
                )
                for row in rows
            ]
