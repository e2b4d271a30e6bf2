"""Rows that belong to nothing: a file in which SQLite's foreign keys do not hold."""

from __future__ import annotations

import sqlite3
from collections import Counter


def lost_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows of each table refer to rows that are not there; tables without such rows are left out."""
    found = Counter(row[0] for row in connection.execute("PRAGMA foreign_key_check"))
    return dict(sorted(found.items()))
