"""Rows of one file that go into another: ``other`` is attached to the connection whose ``main`` is written."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_Row = Mapping[str, Any]


class AttachedTables:
    """The tables of both files, which have the same ones, and ways to copy rows; within a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
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
        connection.execute("CREATE TEMP TABLE added (there INTEGER PRIMARY KEY, here INTEGER NOT NULL)")

    def copy_contents(self) -> int:
        """Copy what is known by its content and belongs to no run, where it is not there; how many were judgments."""
        judgments = 0
        for table in self._by_content:
            columns = ", ".join(self._columns[table])
            before = self._connection.total_changes
            self._connection.execute(
                f"INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM other.{table}"
            )
            if table.endswith("judgments"):
                judgments += self._connection.total_changes - before
        return judgments

    def add_run(self, row: _Row) -> None:
        """Copy the row of a run; `fill_added` copies the rest."""
        columns = self._columns["runs"]
        cursor = self._connection.execute(
            f"INSERT INTO main.runs ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [row[column] for column in columns],
        )
        self._connection.execute("INSERT INTO temp.added VALUES (?, ?)", (row["id"], cursor.lastrowid))

    def copy_report(self, from_id: int, to_id: int | None) -> None:
        """Copy the report of an imported run, whose attempt is there, and its verdicts."""
        self._copy_children("imported_reports", from_id, to_id)
        self._connection.execute("UPDATE main.imported_reports SET alone = 0 WHERE run_id = ?", (to_id,))
        self._copy_children("verdicts", from_id, to_id)

    def copy_all_of(self, from_id: int, to_id: int) -> None:
        """Copy all that hangs on a run, what it cost apart."""
        for table in self._of_runs:
            self._copy_children(table, from_id, to_id)

    def delete_all_of(self, run_id: int) -> None:
        """Delete all that hangs on a run, what it cost apart."""
        for table in self._of_runs:
            self._connection.execute(f"DELETE FROM main.{table} WHERE run_id = ?", (run_id,))

    def delete_imported(self, run_id: int) -> None:
        """Delete an imported run, which has cost nothing here, with all that hangs on it."""
        self.delete_all_of(run_id)
        self._connection.execute("DELETE FROM main.runs WHERE id = ?", (run_id,))

    def delete_unused_cases(self, fingerprints: Iterable[str]) -> None:
        """Of these cases, delete those that no run is on."""
        self._connection.executemany(
            "DELETE FROM main.cases WHERE fingerprint = ? AND NOT EXISTS"
            " (SELECT 1 FROM main.runs WHERE runs.fingerprint = cases.fingerprint)",
            [(fingerprint,) for fingerprint in fingerprints],
        )

    def failures(self, schema: str) -> list[sqlite3.Row]:
        """Each time that a run could not go on, in ``main`` or ``other``."""
        return self._connection.execute(f"SELECT run_id, at, kind, message FROM {schema}.failures").fetchall()

    def fill_added(self) -> None:
        """Copy all that hangs on the added runs, a table at a time: its rows stand together then, and are read so."""
        for table in (*self._of_runs, "spend"):
            columns = [column for column in self._columns[table] if column != "run_id"]
            values = ", ".join(["added.here", *(f"source.{column}" for column in columns)])
            order = ", ".join(["added.there", *(f"source.{column}" for column in self._keys[table])])
            self._connection.execute(
                f"INSERT INTO main.{table} ({', '.join(['run_id', *columns])}) SELECT {values}"
                f" FROM temp.added CROSS JOIN other.{table} AS source ON source.run_id = added.there ORDER BY {order}"
            )
        self._connection.execute("DROP TABLE temp.added")

    def copy_spend(self, from_id: int, to_id: int) -> None:
        """Copy the requests of a run that are not there yet."""
        known = self._connection.execute("SELECT * FROM main.spend WHERE run_id = ?", (to_id,))
        paid = Counter((row["chunk"], *_paid(row)) for row in known)
        new = []
        there = self._connection.execute("SELECT * FROM other.spend WHERE run_id = ? ORDER BY id", (from_id,))
        for row in map(dict, there):
            if paid[row["chunk"], *_paid(row)]:
                paid[row["chunk"], *_paid(row)] -= 1
            else:
                new.append({**row, "run_id": to_id})
        self._insert_spend(new)

    def add_loose_spend(self) -> None:
        """What was spent for no run, or for one that has been pruned: each request once, however often it is merged."""
        there = Counter(_paid(row) for row in self._loose_spend("main"))
        new = []
        for row in self._loose_spend("other"):
            if there[_paid(row)]:
                there[_paid(row)] -= 1
            else:
                new.append({**row, "run_id": None, "chunk": None})
        self._insert_spend(new)

    def _loose_spend(self, schema: str) -> list[dict[str, Any]]:
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

    def _columns_of(self, table: str) -> list[str]:
        rows = list(self._connection.execute(f"PRAGMA main.table_info({table})"))
        # A key that SQLite numbers itself is given anew.
        own_number = [row["name"] for row in rows if row["pk"] and row["name"] == "id"]
        return [row["name"] for row in rows if row["name"] not in own_number]

    def _key_of(self, table: str) -> list[str]:
        rows = self._connection.execute(f"PRAGMA main.table_info({table})")
        return [row["name"] for row in sorted(rows, key=lambda row: row["pk"]) if row["pk"]]

    def _copy_children(self, table: str, from_id: int, to_id: int | None) -> None:
        columns = [column for column in self._columns[table] if column != "run_id"]
        names = ", ".join(columns)
        self._connection.execute(
            f"INSERT INTO main.{table} (run_id, {names}) SELECT ?, {names} FROM other.{table} WHERE run_id = ?",
            (to_id, from_id),
        )


def _paid(row: _Row | sqlite3.Row) -> tuple[Any, ...]:
    names = ("purpose", "at", "duration", "outcome", "prompt_tokens", "completion_tokens", "cost_usd")
    return tuple(row[name] for name in names)
