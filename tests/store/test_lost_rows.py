from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from errata_bench.store.lost_rows import lost_rows
from tests.support.models import fix_otherwise
from tests.support.upkeep import make_group


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[sqlite3.Connection]:
    path = await make_group(tmp_path / "group.sqlite", fix_otherwise, samples=2)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def test_in_a_sound_file_nothing_is_lost(connection: sqlite3.Connection) -> None:
    assert lost_rows(connection) == {}


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("UPDATE runs SET fingerprint = 'none' WHERE id = 1", "runs"),
        ("UPDATE chunks SET run_id = 77 WHERE run_id = 1", "chunks"),
        ("UPDATE turns SET chunk = chunk + 10 WHERE run_id = 1", "turns"),
        ("UPDATE calls SET turn = turn + 10 WHERE run_id = 2", "calls"),
        ("UPDATE verdicts SET run_id = 77 WHERE run_id = 1", "verdicts"),
        ("UPDATE figures SET run_id = 77 WHERE run_id = 1", "figures"),
        ("INSERT INTO judged_issues VALUES (1, 'issue-01', 'no such judgment')", "judged_issues"),
        ("INSERT INTO failures (run_id, at, chunk, kind, message) VALUES (77, 1, 0, 'timeout', '')", "failures"),
    ],
)
def test_rows_that_belong_to_nothing_are_counted_as_sqlite_counts_them(
    connection: sqlite3.Connection, sql: str, table: str
) -> None:
    connection.execute(sql)
    expected = [row["table"] for row in connection.execute("PRAGMA foreign_key_check")]
    found = lost_rows(connection)
    assert found == {name: expected.count(name) for name in sorted(set(expected))}
    assert found[table] > 0


def test_what_refers_to_nothing_on_purpose_is_not_lost(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE notes (run_id INTEGER REFERENCES runs (id), text TEXT)")
    connection.execute("INSERT INTO notes VALUES (NULL, 'of no run')")
    assert lost_rows(connection) == {}
    connection.execute("INSERT INTO notes VALUES (77, 'of a run that is not there')")
    assert lost_rows(connection) == {"notes": 1}
