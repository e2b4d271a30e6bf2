"""Rows that belong to nothing: a file in which SQLite's foreign keys do not hold."""

from __future__ import annotations

import sqlite3
from collections import defaultdict


def lost_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows of each table refer to rows that are not there; tables without such rows are left out.

    ``PRAGMA foreign_key_check`` alone looks every row up, and for each step of the search in ``turns`` SQLite reads a
    whole message: tables in which nothing is lost are recognised by comparing keys in their order instead.
    """
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: sum(1 for _ in connection.execute(f"PRAGMA foreign_key_check({table})"))
        for table in sorted(tables)
        if _refers_to_nothing(connection, table)
    }


def _refers_to_nothing(connection: sqlite3.Connection, table: str) -> bool:
    references: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in connection.execute(f"PRAGMA foreign_key_list({table})"):
        references[row["id"]].append(row)
    for columns in references.values():
        own = ", ".join(row["from"] for row in columns)
        others = ", ".join(row["to"] for row in columns)
        known = " AND ".join(f"{row['from']} IS NOT NULL" for row in columns)
        lost = connection.execute(
            f"SELECT {own} FROM {table} WHERE {known} EXCEPT SELECT {others} FROM {columns[0]['table']} LIMIT 1"
        ).fetchone()
        if lost is not None:
            return True
    return False
