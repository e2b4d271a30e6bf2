"""A group: what has been run, and where new work is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import orjson

from errata_bench.cases.content import case_content, case_from_content
from errata_bench.cases.model import Case
from errata_bench.chat import Attempt
from errata_bench.document import Document
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.run_score import RunScore
from errata_bench.store.evidence import Evidence
from errata_bench.store.identity import KEY_COLUMNS, key_values
from errata_bench.store.imported import Imports
from errata_bench.store.judgments import Judgments
from errata_bench.store.merging import Merged, merge_file
from errata_bench.store.open import open_for_reading, open_for_writing, store_faults, writer_lock
from errata_bench.store.records import Failure, RunKey, RunRecord, RunStatus, Spend, StoredChunk
from errata_bench.store.rows import attempt_values, call_values, read_call, read_run, read_turn, turn_values
from errata_bench.store.upkeep import Upkeep
from errata_bench.store.values import storable_json, storable_text


class Group(Evidence):
    """The results of one group. Made by `read_group` or `write_group`.

    Every method raises `StoreError` when the file cannot be used.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @property
    def id(self) -> str:
        """The group's name."""
        return self.path.stem

    @property
    def change_counter(self) -> int:
        """A number that is another one as soon as anybody else has written into the file."""
        with store_faults(self.path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    @property
    def judgments(self) -> Judgments:
        """What judges said of fixes and of other edits."""
        return Judgments(self.path, self._connection, self._transaction)

    @property
    def imports(self) -> Imports:
        """Runs that were made elsewhere, of which there are figures alone."""
        return Imports(self.path, self._connection, self._transaction)

    @property
    def upkeep(self) -> Upkeep:
        """What changes a group other than by running: repricing, moving, pruning, merging, checking."""
        return Upkeep(self.path, self._connection, self._transaction)

    def runs(self) -> list[RunRecord]:
        """All runs, in the order in which they were begun; no document is read."""
        with store_faults(self.path):
            rows = self._connection.execute(
                """
                SELECT runs.*, cases.case_id, figures.content AS figures, imported_runs.figures AS imported,
                    (SELECT count(*) FROM chunks WHERE chunks.run_id = runs.id) AS chunks_done,
                    (SELECT count(*) FROM failures WHERE failures.run_id = runs.id) AS failures
                FROM runs JOIN cases USING (fingerprint) LEFT JOIN figures ON figures.run_id = runs.id
                LEFT JOIN imported_runs ON imported_runs.run_id = runs.id
                ORDER BY runs.id
                """
            ).fetchall()
            return [read_run(row) for row in rows]

    def case(self, fingerprint: str) -> Case | None:
        """The case of that fingerprint, as it was when it was run; None where it is not known, or by name alone."""
        with store_faults(self.path):
            row = self._connection.execute("SELECT content FROM cases WHERE fingerprint = ?", (fingerprint,)).fetchone()
            content = None if row is None else orjson.loads(row["content"])
            return None if content is None else case_from_content(content)

    def stored_chunks(self, run_id: int) -> list[StoredChunk]:
        """The finished chunks of a run, in order."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT chunk, completed, changed FROM chunks WHERE run_id = ? ORDER BY chunk", (run_id,)
            ).fetchall()
            return [StoredChunk(row["chunk"], bool(row["completed"]), orjson.loads(row["changed"])) for row in rows]

    def chunk_results(self, run_id: int, chunks: Sequence[Document]) -> list[ChunkResult]:
        """The finished chunks of a run with their turns; ``chunks`` are the documents it was split into."""
        calls: dict[tuple[int, int], list[CallRecord]] = {}
        turns: dict[int, list[Turn]] = {}
        with store_faults(self.path):
            for row in self._connection.execute(
                "SELECT * FROM calls WHERE run_id = ? ORDER BY chunk, turn, call", (run_id,)
            ):
                calls.setdefault((row["chunk"], row["turn"]), []).append(read_call(row))
            for row in self._connection.execute("SELECT * FROM turns WHERE run_id = ? ORDER BY chunk, turn", (run_id,)):
                of_turn = tuple(calls.get((row["chunk"], row["turn"]), ()))
                turns.setdefault(row["chunk"], []).append(read_turn(row, of_turn))
        results = []
        for stored in self.stored_chunks(run_id):
            document = chunks[stored.chunk]
            for paragraph_id, inner_html in stored.changed.items():
                document = document.with_inner_html(paragraph_id, inner_html)
            results.append(ChunkResult(document.paragraphs, tuple(turns.get(stored.chunk, ())), stored.completed))
        return results

    def verdicts(self, run_id: int) -> dict[str, str]:
        """The verdict on each issue of a finished run."""
        with store_faults(self.path):
            rows = self._connection.execute("SELECT issue_id, verdict FROM verdicts WHERE run_id = ?", (run_id,))
            return {row["issue_id"]: row["verdict"] for row in rows}

    def failures(self, run_id: int) -> list[Failure]:
        """What stopped a run, oldest first."""
        with store_faults(self.path):
            rows = self._connection.execute(
                "SELECT at, chunk, kind, http_status, message FROM failures WHERE run_id = ? ORDER BY id", (run_id,)
            ).fetchall()
        return [Failure(*row) for row in rows]

    def spend(self) -> Spend:
        """What all requests of this group have cost, failed ones included."""
        with store_faults(self.path):
            row = self._connection.execute(
                "SELECT coalesce(sum(cost_usd), 0) AS usd, count(*) AS requests,"
                " sum(CASE WHEN cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced FROM spend"
            ).fetchone()
        return Spend(row["usd"], row["requests"], row["unpriced"] or 0)

    def add_case(self, case: Case) -> None:
        """Keep a case's content; one that is there already stays."""
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO cases VALUES (?, ?, ?)",
                (case.fingerprint, case.id, orjson.dumps(case_content(case)).decode()),
            )

    def begin_run(self, key: RunKey, sample: int, chunk_count: int, at: float, version: str) -> int:
        """Begin a run, or take up again one that was interrupted or has failed; returns its id."""
        values = (*key_values(key), sample)
        matching = " AND ".join(f"{column} = ?" for column in (*KEY_COLUMNS, "sample"))
        with self._transaction():
            row = self._connection.execute(f"SELECT id FROM runs WHERE {matching}", values).fetchone()
            if row is not None:
                self._connection.execute("UPDATE runs SET status = 'running', ended_at = NULL WHERE id = ?", row)
                return int(row["id"])
            columns = (*KEY_COLUMNS, "sample", "status", "chunk_count", "started_at", "version")
            cursor = self._connection.execute(
                f"INSERT INTO runs ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                (*values, RunStatus.RUNNING, chunk_count, at, version),
            )
            return int(cursor.lastrowid or 0)

    def add_chunk(self, run_id: int, chunk: int, before: Document, result: ChunkResult, at: float) -> None:
        """Write a finished chunk with its turns and calls, all or nothing."""
        changed = {
            paragraph.id: paragraph.inner_html
            for paragraph in result.paragraphs
            if paragraph != before.get(paragraph.id)
        }
        with self._transaction():
            self._connection.execute(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
                (run_id, chunk, result.completed, storable_json(changed), at),
            )
            for number, turn in enumerate(result.turns, 1):
                self._connection.execute(
                    "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (run_id, chunk, number, *turn_values(turn)),
                )
                self._connection.executemany(
                    "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(run_id, chunk, number, n, *call_values(call)) for n, call in enumerate(turn.calls)],
                )

    def add_attempt(self, run_id: int | None, chunk: int | None, purpose: str, attempt: Attempt) -> None:
        """Write what one request cost; one that is about no chunk or no run alone has None for it."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO spend (run_id, chunk, purpose, at, duration, outcome, http_status, prompt_tokens,"
                " completion_tokens, reasoning_tokens, cached_prompt_tokens, cost_usd, message)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (run_id, chunk, purpose, *attempt_values(attempt)),
            )

    def fail_run(self, run_id: int, chunk: int, fault: EndpointFault, at: float) -> None:
        """End a run that cannot go on; its finished chunks stay."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO failures (run_id, at, chunk, kind, http_status, message) VALUES (?, ?, ?, ?, ?, ?)",
                (run_id, at, chunk, storable_text(fault.kind), fault.status, storable_text(fault.message)),
            )
            self._connection.execute("UPDATE runs SET status = 'failed', ended_at = ? WHERE id = ?", (at, run_id))

    def finish_run(
        self, run_id: int, score: RunScore, figures: RunFigures, at: float, adaptations: Iterable[str] = ()
    ) -> None:
        """End a run that is through: its verdicts, its figures, and what had to be changed in its requests."""
        with self._transaction():
            self._write_score(run_id, score, figures)
            self._connection.execute(
                "UPDATE runs SET status = 'succeeded', ended_at = ?, adaptations = ? WHERE id = ?",
                (at, storable_json(sorted(adaptations)), run_id),
            )

    def rescore_run(self, run_id: int, score: RunScore, figures: RunFigures) -> None:
        """Replace the verdicts and figures of a finished run."""
        with self._transaction():
            self._write_score(run_id, score, figures)

    def file_under_judge(self, run_ids: Iterable[int], judge: str) -> None:
        """File runs under a judge, all or none; where it has that sample already, as the next sample."""
        identity = [column for column in KEY_COLUMNS if column != "judge"]
        same = " AND ".join(f"other.{column} = runs.{column}" for column in identity)
        others = f"FROM runs AS other WHERE {same} AND other.judge = :judge AND other.id != runs.id"
        with self._transaction():
            for run_id in run_ids:
                self._connection.execute(
                    f"UPDATE runs SET judge = :judge, sample = CASE WHEN sample IN (SELECT sample {others})"
                    f" THEN 1 + (SELECT max(sample) {others}) ELSE sample END WHERE id = :id",
                    {"judge": judge, "id": run_id},
                )

    def _write_score(self, run_id: int, score: RunScore, figures: RunFigures) -> None:
        aligned = score.aligned or {}
        self._connection.execute("DELETE FROM verdicts WHERE run_id = ?", (run_id,))
        self._connection.executemany(
            "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?)",
            [
                (run_id, issue_id, issue.finding, issue.verdict, aligned.get(issue_id, ""))
                for issue_id, issue in score.issues.items()
            ],
        )
        self._connection.execute(
            "INSERT OR REPLACE INTO figures VALUES (?, ?)", (run_id, storable_json(asdict(figures)))
        )
        self._connection.execute("DELETE FROM restraint WHERE run_id = ?", (run_id,))
        if score.restraint is not None:
            units = {
                paragraph_id: [counts.issues, counts.hits, counts.wrong, counts.unneeded]
                for paragraph_id, counts in score.restraint.items()
                if counts.issues or counts.edits
            }
            self._connection.execute("INSERT INTO restraint VALUES (?, ?)", (run_id, storable_json(units)))

    def merge(self, source: Path) -> Merged:
        """Take in what another group's file holds and this one lacks, all or nothing; the other is only read."""
        return merge_file(self.path, self._connection, source)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._connection.in_transaction:  # part of a larger one
            yield
            return
        with store_faults(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


@contextmanager
def read_group(path: Path) -> Iterator[Group]:
    """Open a group to look at it; it may be written by another process meanwhile."""
    connection = open_for_reading(path)
    try:
        yield Group(path, connection)
    finally:
        connection.close()


@contextmanager
def write_group(path: Path) -> Iterator[Group]:
    """Open or make a group as its one writer."""
    with writer_lock(path):
        connection = open_for_writing(path)
        try:
            yield Group(path, connection)
        finally:
            with store_faults(path):
                connection.close()
