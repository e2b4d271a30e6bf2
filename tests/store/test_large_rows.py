"""Tables with large values have a rowid, so that a search in their keys reads no values; older files are rebuilt."""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from errata_bench.chat import Usage
from errata_bench.document import Paragraph
from errata_bench.errors import EndpointFault, InternalError, Reach, StoreError
from errata_bench.proofreading.loop import Turn
from errata_bench.store import open as opening
from errata_bench.store.group import read_group, write_group
from errata_bench.store.lost_rows import lost_rows
from errata_bench.store.open import open_for_reading, open_for_writing
from errata_bench.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from tests.support.builders import make_case
from tests.support.models import fix_otherwise
from tests.support.stored import add_chunk, begin, chunk_result, chunks_of
from tests.support.upkeep import run

PROGRAM = Path(__file__).with_name("migrating_program.py")
BEFORE_ROWIDS = 5
CASE = make_case(paragraphs=4)
LARGE = Turn({"role": "assistant", "content": "x" * 20_000}, (), Usage(1, 2, 3, 4), 0.5, 1.5, "stop", {"odd": 2}, True)


@pytest.fixture
async def current(tmp_path: Path) -> Path:
    """A group of this version: finished, failed and unfinished runs, with gaps among their numbers, and large turns."""
    path = tmp_path / "current.sqlite"
    with write_group(path) as group:
        await run(group, fix_otherwise, samples=3)
        for sample in (11, 12, 13):
            run_id = begin(group, CASE, sample)
            for index in range(3):
                add_chunk(group, run_id, CASE, index)
            large = dataclasses.replace(
                chunk_result(CASE, 3), turns=(LARGE, LARGE), paragraphs=(Paragraph("para04", "y" * 9000),)
            )
            group.add_chunk(run_id, 3, CASE.document.select(["para04"]), large, 7.0)
        group.fail_run(run_id, 3, EndpointFault("timeout", "no answer", reach=Reach.RUN), 8.0)
        group.upkeep.remove([2, 8])
    return path


def as_of(version: int, path: Path, old: Path) -> Path:
    """The same content in a file as that version made it, as far as it had columns for it."""
    with closing(sqlite3.connect(old)) as connection:
        for script in MIGRATIONS[:version]:
            connection.executescript(script)
        connection.execute("ATTACH DATABASE ? AS current", (str(path),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM current.{table}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
    return old


@pytest.fixture
def old(current: Path, tmp_path: Path) -> Path:
    return as_of(BEFORE_ROWIDS, current, tmp_path / "old.sqlite")


def rows(path: Path, without: Iterable[tuple[str, str]] = ()) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, apart from some columns."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for table in tables:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            kept = ", ".join(name for name in names if (table, name) not in without)
            found[table] = sorted(connection.execute(f"SELECT {kept} FROM {table}").fetchall(), key=repr)
    return found


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def shape(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Columns, keys and references of the tables that are rebuilt and of the one that refers to them."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            f"{pragma} {table}": connection.execute(f"PRAGMA {pragma}({table})").fetchall()
            for table in ("chunks", "turns", "calls")
            for pragma in ("table_info", "foreign_key_list")
        }


@pytest.mark.parametrize("before", range(1, SCHEMA_VERSION))
def test_an_older_file_keeps_every_row(current: Path, tmp_path: Path, before: int) -> None:
    old = as_of(before, current, tmp_path / "old.sqlite")
    lacking = [
        (table, column)
        for known, table, column in ((3, "turns", "cost_reported"), (4, "verdicts", "aligned"))
        if before < known
    ]
    had = rows(old)
    assert len(had["turns"]) > 20 and len(had["calls"]) > 20
    with read_group(old) as group:
        for record in group.runs():
            assert group.stored_chunks(record.id)
    assert version(old) == SCHEMA_VERSION
    assert {table: rows(old, lacking)[table] for table in had} == had
    with closing(sqlite3.connect(old)) as connection:
        connection.row_factory = sqlite3.Row
        assert lost_rows(connection) == {}
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_keys_columns_and_references_are_those_they_were(old: Path) -> None:
    before = shape(old)
    with write_group(old):
        pass
    assert shape(old) == before


def test_a_row_that_belongs_to_nothing_is_not_lost_on_the_way(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("UPDATE turns SET run_id = 7777 WHERE run_id = 1")
        connection.commit()
    before = rows(old)
    with write_group(old) as group:
        assert group.upkeep.damage() != []
    assert rows(old) == before


def test_what_belongs_to_a_run_is_watched_and_goes_with_it(old: Path) -> None:
    with write_group(old) as group:
        with pytest.raises(InternalError, match="FOREIGN KEY"):
            add_chunk(group, 99, CASE, 0)
        with pytest.raises(InternalError, match="UNIQUE"):
            add_chunk(group, 7, CASE, 3)
        group.upkeep.remove([record.id for record in group.runs()])
    found = rows(old)
    assert (found["chunks"], found["turns"], found["calls"]) == ([], [], [])


def test_a_key_is_searched_without_the_values(old: Path) -> None:
    with closing(open_for_writing(old)) as connection:
        for table, condition in (
            ("chunks", "run_id = 1 AND chunk = 0"),
            ("turns", "run_id = 1 AND chunk = 0 AND turn = 1"),
        ):
            (step,) = connection.execute(f"EXPLAIN QUERY PLAN SELECT 1 FROM {table} WHERE {condition}")
            assert "USING COVERING INDEX" in step["detail"]


@pytest.fixture
def older(old: Path) -> Path:
    """A file of 12 MB from before."""
    with write_group(old) as group:
        for number in range(60):
            run_id = begin(group, make_case(f"case-{number}"))
            many = dataclasses.replace(chunk_result(CASE, 0), turns=(LARGE,) * 10)
            group.add_chunk(run_id, 0, CASE.document.select(["para01"]), many, 1.0)
    return as_of(BEFORE_ROWIDS, old, old.with_name("older.sqlite"))


def test_the_file_does_not_grow_by_what_is_moved(older: Path) -> None:
    size = older.stat().st_size
    assert size > 12_000_000
    with write_group(older):
        pass
    assert older.stat().st_size < size * 1.2


def test_the_log_of_a_migration_is_cut_back_at_the_next_commit(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_KEPT_LOG_BYTES", 100_000)
    log = older.with_name(f"{older.name}-wal")
    with write_group(older) as group:
        assert log.stat().st_size > 10_000_000
        begin(group, CASE, 77)
        assert log.stat().st_size <= 100_000


# The end of the disk, and of the process


def perform(task: str, path: Path, number: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), task, str(path), str(number)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kill_at_any_moment_leaves_a_file_that_is_migrated_next_time(old: Path, tmp_path: Path) -> None:
    before = rows(old)
    undisturbed = tmp_path / "undisturbed.sqlite"
    shutil.copy(old, undisturbed)
    statements = int(perform("die", undisturbed, 0).stdout)
    assert statements > 90
    for number in {*range(2, statements, 9), statements - 2, statements - 1, statements}:
        path = tmp_path / f"{number}.sqlite"
        shutil.copy(old, path)
        assert perform("die", path, number).returncode == -9
        assert version(path) == BEFORE_ROWIDS
        assert rows(path) == before
        open_for_reading(path).close()
        assert version(path) == SCHEMA_VERSION
        assert rows(path) == before


def test_a_disk_that_is_full_leaves_the_file_as_it_is_and_says_how_much_room_it_takes(old: Path) -> None:
    before = rows(old)
    found = perform("fill", old, old.stat().st_size // 2)
    assert found.returncode == 3, found.stderr
    assert "cannot be brought up to date" in found.stdout
    assert "left as it is" in found.stdout
    assert "MB), then run the same command again" in found.stdout
    assert version(old) == BEFORE_ROWIDS
    assert rows(old) == before
    with read_group(old) as group:
        assert chunks_of(group, 7, CASE)[1] == chunk_result(CASE, 1)
    assert version(old) == SCHEMA_VERSION


def test_a_file_that_is_locked_is_not_called_a_full_disk(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_BUSY_SECONDS", 0.0)
    with closing(sqlite3.connect(old, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")  # it can be read, and the migration cannot begin
        with pytest.raises(StoreError, match="locked by another program"):
            open_for_reading(old)
        other.execute("ROLLBACK")
    assert version(old) == BEFORE_ROWIDS
