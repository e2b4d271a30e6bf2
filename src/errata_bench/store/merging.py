"""Taking the runs of another group's file into one; the other file is only read."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errata_bench.store.identity import KEY_COLUMNS
from errata_bench.store.lost_rows import lost_rows
from errata_bench.store.open import attached_uri, check_pages, open_for_reading, store_faults

_SAME_WORK = tuple(column for column in KEY_COLUMNS if column not in ("fingerprint", "judge"))
"""The columns that a run keeps for life: disqualified issues give it another case, rescoring another judge."""

_Row = dict[str, Any]


@dataclass(slots=True)
class Merged:
    """What came of taking in one file.

    ``added`` runs were new, of which ``renumbered`` got another sample number because theirs was taken by another run;
    ``updated`` were further on there than here; ``same`` are the same run in both. ``conflicts`` name runs that are in
    both and differ: they stay as they are here.
    """

    added: int = 0
    renumbered: int = 0
    updated: int = 0
    same: int = 0
    judgments: int = 0
    conflicts: list[str] = field(default_factory=list)


def merge_file(target: Path, connection: sqlite3.Connection, source: Path) -> Merged:
    """Take in what a file holds and the group lacks, in one transaction. Raises `StoreError`."""
    other = open_for_reading(source)  # refuses what is foreign or newer, and brings an older one up to date
    try:
        with store_faults(source):
            check_pages(other)
            _check_references(other)
    finally:
        other.close()
    with store_faults(target), _attached(connection, source), _references_taken_on_trust(connection):
        connection.execute("BEGIN IMMEDIATE")
        try:
            merged = _Merge(connection).run()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return merged


@contextmanager
def _attached(connection: sqlite3.Connection, source: Path) -> Iterator[None]:
    connection.execute("ATTACH DATABASE ? AS other", (attached_uri(source),))
    try:
        yield
    finally:
        connection.execute("DETACH DATABASE other")


def _check_references(connection: sqlite3.Connection) -> None:
    if lost := lost_rows(connection):
        raise sqlite3.DatabaseError(
            ", ".join(f"{count} rows of {table} belong to nothing" for table, count in lost.items())
        )


@contextmanager
def _references_taken_on_trust(connection: sqlite3.Connection) -> Iterator[None]:
    """Let SQLite not look up what each row belongs to: it is copied with it, out of a file that has been checked.

    To find the turn of a call it would read several messages whole: half the time of a large merge.
    """
    before = connection.execute("PRAGMA foreign_keys").fetchone()[0]
    connection.execute("PRAGMA foreign_keys = OFF")  # without effect within a transaction
    try:
        yield
    finally:
        connection.execute(f"PRAGMA foreign_keys = {before}")


class _Merge:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._merged = Merged()
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        self._columns = {table: self._columns_of(table) for table in tables}
        self._keys = {table: self._key_of(table) for table in tables}
        self._of_runs = [
            table for table in tables if "run_id" in self._columns[table] and table not in ("runs", "spend")
        ]
        self._by_content = [table for table in tables if table not in (*self._of_runs, "runs", "spend")]

    def run(self) -> Merged:
        for table in self._by_content:
            columns = ", ".join(self._columns[table])
            before = self._connection.total_changes
            self._connection.execute(
                f"INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM other.{table}"
            )
            if table.endswith("judgments"):
                self._merged.judgments += self._connection.total_changes - before
        self._connection.execute("CREATE TEMP TABLE added (there INTEGER PRIMARY KEY, here INTEGER NOT NULL)")
        here = {_identity(row): row for row in self._runs("main")}
        samples: dict[tuple[Any, ...], set[int]] = {}
        for row in here.values():
            samples.setdefault(_key(row), set()).add(row["sample"])
        for row in self._runs("other"):
            known = here.get(_identity(row))
            if known is None:
                self._add(row, samples.setdefault(_key(row), set()))
            elif _is_further(row, known):
                self._replace(row, known)
            elif (difference := self._difference(row, known)) is not None:
                self._merged.conflicts.append(f"{_named(known)}: {difference}; it stays as it is here")
            else:
                self._merged.same += 1
        self._fill_added()
        self._connection.execute("DROP TABLE temp.added")
        self._add_loose_spend()
        return self._merged

    def _columns_of(self, table: str) -> list[str]:
        rows = list(self._connection.execute(f"PRAGMA main.table_info({table})"))
        # A key that SQLite numbers itself is given anew.
        own_number = [row["name"] for row in rows if row["pk"] and row["name"] == "id"]
        return [row["name"] for row in rows if row["name"] not in own_number]

    def _key_of(self, table: str) -> list[str]:
        rows = self._connection.execute(f"PRAGMA main.table_info({table})")
        return [row["name"] for row in sorted(rows, key=lambda row: row["pk"]) if row["pk"]]

    def _runs(self, schema: str) -> list[_Row]:
        rows = self._connection.execute(
            f"""
            SELECT runs.*, cases.case_id, imported_runs.digest, figures.content AS figures,
                (SELECT count(*) FROM {schema}.chunks AS c WHERE c.run_id = runs.id) AS chunks_done,
                (SELECT count(*) FROM {schema}.failures AS f WHERE f.run_id = runs.id) AS failures
            FROM {schema}.runs JOIN {schema}.cases USING (fingerprint)
            LEFT JOIN {schema}.imported_runs ON imported_runs.run_id = runs.id
            LEFT JOIN {schema}.figures ON figures.run_id = runs.id
            ORDER BY runs.id
            """
        )
        return [dict(row) for row in rows]

    def _add(self, row: _Row, taken: set[int]) -> None:
        sample = row["sample"]
        if sample in taken:
            sample = max(taken) + 1
            self._merged.renumbered += 1
        taken.add(sample)
        columns = self._columns["runs"]
        values = {**row, "sample": sample}
        cursor = self._connection.execute(
            f"INSERT INTO main.runs ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [values[column] for column in columns],
        )
        self._connection.execute("INSERT INTO temp.added VALUES (?, ?)", (row["id"], cursor.lastrowid))
        self._merged.added += 1

    def _fill_added(self) -> None:
        """Copy all that hangs on the added runs, a table at a time: its rows stand together then, and are read so."""
        for table in (*self._of_runs, "spend"):
            columns = [column for column in self._columns[table] if column != "run_id"]
            values = ", ".join(["added.here", *(f"source.{column}" for column in columns)])
            order = ", ".join(["added.there", *(f"source.{column}" for column in self._keys[table])])
            self._connection.execute(
                f"INSERT INTO main.{table} ({', '.join(['run_id', *columns])}) SELECT {values}"
                f" FROM temp.added CROSS JOIN other.{table} AS source ON source.run_id = added.there ORDER BY {order}"
            )

    def _replace(self, row: _Row, known: _Row) -> None:
        for table in self._of_runs:
            self._connection.execute(f"DELETE FROM main.{table} WHERE run_id = ?", (known["id"],))
        self._connection.execute(
            "UPDATE main.runs SET status = ?, chunk_count = ?, ended_at = ?, version = ?, adaptations = ? WHERE id = ?",
            (row["status"], row["chunk_count"], row["ended_at"], row["version"], row["adaptations"], known["id"]),
        )
        self._copy_children(row["id"], known["id"])
        paid = self._connection.execute("SELECT * FROM main.spend WHERE run_id = ?", (known["id"],))
        self._copy_spend(row["id"], known["id"], Counter((one["chunk"], *_paid(dict(one))) for one in paid))
        self._merged.updated += 1

    def _copy_children(self, from_id: int, to_id: int | None) -> None:
        for table in self._of_runs:
            columns = [column for column in self._columns[table] if column != "run_id"]
            names = ", ".join(columns)
            self._connection.execute(
                f"INSERT INTO main.{table} (run_id, {names}) SELECT ?, {names} FROM other.{table} WHERE run_id = ?",
                (to_id, from_id),
            )

    def _copy_spend(self, from_id: int, to_id: int | None, paid: Counter[tuple[Any, ...]]) -> None:
        new = []
        there = self._connection.execute("SELECT * FROM other.spend WHERE run_id = ? ORDER BY id", (from_id,))
        for row in map(dict, there):
            if paid[row["chunk"], *_paid(row)]:
                paid[row["chunk"], *_paid(row)] -= 1
            else:
                new.append({**row, "run_id": to_id})
        self._insert_spend(new)

    def _add_loose_spend(self) -> None:
        """What was spent for no run, or for one that has been pruned: each request once, however often it is merged."""
        there = Counter(_paid(row) for row in self._loose_spend("main"))
        new = []
        for row in self._loose_spend("other"):
            if there[_paid(row)]:
                there[_paid(row)] -= 1
            else:
                new.append({**row, "run_id": None, "chunk": None})
        self._insert_spend(new)

    def _loose_spend(self, schema: str) -> list[_Row]:
        rows = self._connection.execute(
            f"SELECT * FROM {schema}.spend WHERE run_id IS NULL OR run_id NOT IN (SELECT id FROM {schema}.runs)"
        )
        return [dict(row) for row in rows]

    def _insert_spend(self, rows: Iterable[_Row]) -> None:
        columns = self._columns["spend"]
        self._connection.executemany(
            f"INSERT INTO main.spend ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [[row[column] for column in columns] for row in rows],
        )

    def _difference(self, row: _Row, known: _Row) -> str | None:
        """What tells two states of one run apart, where neither is just an earlier one of the other."""
        if _is_further(known, row):
            return None
        if self._chunk_ends("other", row["id"]) != self._chunk_ends("main", known["id"]):
            return "it went on in both files, with different texts"
        if row["fingerprint"] != known["fingerprint"]:
            return "its case has other issues there"
        if row["judge"] != known["judge"]:
            return f"its judge is {row['judge'] or 'none'} there and {known['judge'] or 'none'} here"
        if self._verdicts("other", row["id"]) != self._verdicts("main", known["id"]):
            return "its verdicts differ"
        return None if row["figures"] == known["figures"] else "its figures differ"

    def _chunk_ends(self, schema: str, run_id: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(
            f"SELECT chunk, ended_at FROM {schema}.chunks WHERE run_id = ? ORDER BY chunk", (run_id,)
        )
        return [tuple(row) for row in rows]

    def _verdicts(self, schema: str, run_id: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(
            f"SELECT issue_id, verdict FROM {schema}.verdicts WHERE run_id = ? ORDER BY issue_id", (run_id,)
        )
        return [tuple(row) for row in rows]


def _identity(row: _Row) -> tuple[Any, ...]:
    """What tells a run from all others, wherever its file has been."""
    if row["digest"] is not None:
        return (row["digest"],)
    return (*(row[column] for column in _SAME_WORK), row["case_id"], row["started_at"])


def _key(row: _Row) -> tuple[Any, ...]:
    return tuple(row[column] for column in KEY_COLUMNS)


def _is_further(row: _Row, known: _Row) -> bool:
    """Whether ``row`` is a later state of the run ``known``."""
    if known["status"] == "succeeded":
        return False
    if row["status"] == "succeeded":
        return True
    return (row["chunks_done"], row["failures"]) > (known["chunks_done"], known["failures"])


def _paid(row: _Row) -> tuple[Any, ...]:
    names = ("purpose", "at", "duration", "outcome", "prompt_tokens", "completion_tokens", "cost_usd")
    return tuple(row[name] for name in names)


def _named(row: _Row) -> str:
    effort = f":{row['effort']}" if row["effort"] else ""
    return f"{row['model']}{effort} on {row['case_id']}, sample {row['sample']}"
