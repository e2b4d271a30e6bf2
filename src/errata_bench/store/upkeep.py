"""What changes a group other than by running: other versions of cases, prices, pruning; and looking for damage."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import orjson

from errata_bench.cases.content import case_content
from errata_bench.cases.model import Case
from errata_bench.chat import Usage
from errata_bench.store.identity import KEY_COLUMNS
from errata_bench.store.lost_rows import lost_rows
from errata_bench.store.open import open_for_reading, store_faults


class TurnCost(NamedTuple):
    """What a turn used and cost; ``reported`` says that the reply itself told the cost (None: not recorded)."""

    run_id: int
    chunk: int
    turn: int
    usage: Usage
    cost_usd: float | None
    reported: bool | None


class JudgmentCost(NamedTuple):
    """What a judgment used, of which nobody knows the cost. ``table`` is where it is kept."""

    table: str
    key: str
    judge: str
    usage: Usage


@contextmanager
def rehearsal(path: Path) -> Iterator[Path]:
    """A copy of a group's file to try something on; it is gone afterwards. Raises `StoreError`."""
    with TemporaryDirectory(prefix="errata-bench-") as folder:
        copy = Path(folder) / path.name
        with store_faults(path), closing(open_for_reading(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        yield copy


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken out: rows by table."""

    runs: int
    failures: int
    cases: int


class Upkeep:
    """The upkeep of a group; `errata_bench.store.group.Group.upkeep` has it. Each method raises `StoreError`."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        transaction: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._path = path
        self._connection = connection
        self._transaction = transaction

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written in this context is written, or none of it."""
        return self._transaction()

    def copy_to(self, target: Path) -> None:
        """Write a copy of the file as it is now, whole or not at all; a writer at work does not disturb it."""
        part = target.with_name(f"{target.name}.part")
        with store_faults(target):
            part.unlink(missing_ok=True)
            try:
                with closing(sqlite3.connect(part)) as copy:
                    self._connection.backup(copy, pages=-1)
                    # A copy is one file, which can be moved and sent about.
                    copy.execute("PRAGMA journal_mode = DELETE")
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    def damage(self) -> list[str]:
        """What does not hang together in the file, in words; reads all of it."""
        with store_faults(self._path):
            found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check")]
            lost = lost_rows(self._connection)
        found = [line for line in found if line != "ok"]
        found += [f"{count} rows of {table} belong to nothing" for table, count in lost.items()]
        return found

    # Cases

    def move_to(self, case: Case, run_ids: Collection[int]) -> None:
        """Let runs be on another version of their case; where a sample number is taken, they get the next free one."""
        identity = [column for column in KEY_COLUMNS if column != "fingerprint"]
        same = " AND ".join(f"other.{column} = runs.{column}" for column in identity)
        others = f"FROM runs AS other WHERE {same} AND other.fingerprint = :fingerprint AND other.id != runs.id"
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO cases VALUES (?, ?, ?)",
                (case.fingerprint, case.id, orjson.dumps(case_content(case)).decode()),
            )
            for run_id in run_ids:
                self._connection.execute(
                    f"UPDATE runs SET fingerprint = :fingerprint, sample = CASE WHEN sample IN (SELECT sample {others})"
                    f" THEN 1 + (SELECT max(sample) {others}) ELSE sample END WHERE id = :id",
                    {"fingerprint": case.fingerprint, "id": run_id},
                )
            self._drop_unused_cases()

    def _drop_unused_cases(self) -> int:
        return self._connection.execute(
            "DELETE FROM cases WHERE fingerprint NOT IN (SELECT fingerprint FROM runs)"
        ).rowcount

    def rest_on_alone(self, run_id: int, keys: Mapping[str, str]) -> None:
        """Let a run's issues rest on these judgments and no others: keys by issue id."""
        with self._transaction():
            self._connection.execute("DELETE FROM judged_issues WHERE run_id = ?", (run_id,))
            self._connection.executemany(
                "INSERT INTO judged_issues VALUES (?, ?, ?)",
                [(run_id, issue_id, key) for issue_id, key in keys.items()],
            )

    # Costs

    def turn_costs(self, run_id: int) -> list[TurnCost]:
        """What each turn of a run used and cost."""
        with store_faults(self._path):
            rows = self._connection.execute(
                "SELECT chunk, turn, prompt_tokens, completion_tokens, reasoning_tokens, cached_prompt_tokens,"
                " cost_usd, cost_reported FROM turns WHERE run_id = ? ORDER BY chunk, turn",
                (run_id,),
            )
            return [
                TurnCost(run_id, row[0], row[1], Usage(*row[2:6]), row[6], None if row[7] is None else bool(row[7]))
                for row in map(tuple, rows)
            ]

    def reprice(self, costs: Collection[TurnCost]) -> None:
        """Set what these turns cost; the ledger of what was really paid stays."""
        with self._transaction():
            self._connection.executemany(
                "UPDATE turns SET cost_usd = ?, cost_reported = ? WHERE run_id = ? AND chunk = ? AND turn = ?",
                [(cost.cost_usd, cost.reported, cost.run_id, cost.chunk, cost.turn) for cost in costs],
            )

    def unpriced_judgments(self) -> list[JudgmentCost]:
        """The judgments whose cost nobody knows although their tokens were counted."""
        found = []
        with store_faults(self._path):
            for table in ("judgments", "edit_judgments"):
                for row in self._connection.execute(
                    f"SELECT key, judge, prompt_tokens, completion_tokens FROM {table}"
                    " WHERE cost_usd IS NULL AND prompt_tokens IS NOT NULL AND completion_tokens IS NOT NULL"
                ):
                    found.append(JudgmentCost(table, row[0], row[1], Usage(row[2], row[3])))
        return found

    def price_judgment(self, judgment: JudgmentCost, cost_usd: float) -> None:
        """Set what a judgment cost."""
        assert judgment.table in ("judgments", "edit_judgments")
        with self._transaction():
            self._connection.execute(
                f"UPDATE {judgment.table} SET cost_usd = ? WHERE key = ?", (cost_usd, judgment.key)
            )

    # Pruning

    def remove(self, run_ids: Collection[int], failures_of: Collection[int] = ()) -> Pruned:
        """Take out runs with all that hangs on them, and the failures of others, all or nothing.

        Cases that no run is on any more go too. What requests cost stays in the ledger, under no run.
        """
        runs = [(run_id,) for run_id in run_ids]
        with self._transaction():
            # Ids are given again, and the money of a removed run must not be another's.
            self._connection.executemany("UPDATE spend SET run_id = NULL, chunk = NULL WHERE run_id = ?", runs)
            failures = 0
            for run_id in (*run_ids, *failures_of):
                failures += self._connection.execute("DELETE FROM failures WHERE run_id = ?", (run_id,)).rowcount
            self._connection.executemany("DELETE FROM runs WHERE id = ?", runs)
            cases = self._drop_unused_cases()
        return Pruned(len(runs), failures, cases)

    # Looking closer

    def digests(self, run_ids: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """For each run, a number of bytes that is the same for runs that answered the same in every turn."""
        with store_faults(self._path):
            for run_id in run_ids:
                digest = hashlib.sha256()
                for row in self._connection.execute(
                    "SELECT chunk, turn, message, prompt_tokens, completion_tokens, duration FROM turns"
                    " WHERE run_id = ? ORDER BY chunk, turn",
                    (run_id,),
                ):
                    digest.update(repr(tuple(row)).encode())
                yield run_id, digest.digest()

    def incomplete(self) -> list[tuple[int, str]]:
        """Successful runs that lack something a successful run has: run id, and what it lacks."""
        with store_faults(self._path):
            rows = self._connection.execute(
                """
                SELECT runs.id, CASE
                    WHEN NOT EXISTS (SELECT 1 FROM figures WHERE figures.run_id = runs.id) THEN 'its figures'
                    ELSE 'chunks' END
                FROM runs
                WHERE status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM imported_runs WHERE run_id = runs.id) AND (
                    NOT EXISTS (SELECT 1 FROM figures WHERE figures.run_id = runs.id)
                    OR chunk_count != (SELECT count(*) FROM chunks WHERE chunks.run_id = runs.id))
                ORDER BY runs.id
                """
            )
            return [(row[0], row[1]) for row in rows]
