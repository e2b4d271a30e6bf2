from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from errata_bench.errors import InternalError, StoreError
from errata_bench.store import open as opening
from errata_bench.store.group import read_group, write_group
from errata_bench.store.open import RESERVED_IDS, group_ids, group_path, store_faults
from errata_bench.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from tests.support.builders import make_case
from tests.support.stored import add_chunk, begin, content

Use = Callable[[Path], object]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A group with two runs on a case of 30 chunks."""
    path = tmp_path / "results" / "group.sqlite"
    case = make_case(paragraphs=30)
    with write_group(path) as group:
        for sample in (1, 2):
            run_id = begin(group, case, sample)
            for index in range(len(case.document)):
                add_chunk(group, run_id, case, index)
    return path


def look(path: Path) -> int:
    with read_group(path) as group:
        return sum(len(group.stored_chunks(run.id)) for run in group.runs())


def write(path: Path) -> None:
    with write_group(path) as group:
        begin(group, make_case("another"))


USES = pytest.mark.parametrize("use", [look, write])


@pytest.mark.parametrize(
    "group_id",
    [
        "",
        ".",
        "..",
        "../up",
        "a/b",
        "/etc/passwd",
        "a\\b",
        ".hidden",
        "-rf",
        "a b",
        "a\n",
        "a\0b",
        "ä",
        "x" * 81,
        "~root",
        "$HOME",
        "a:b",
        "a?mode=memory",
        "%2e%2e",
    ],
)
def test_a_group_id_that_is_no_plain_name_is_refused(tmp_path: Path, group_id: str) -> None:
    with pytest.raises(StoreError) as refused:
        group_path(tmp_path, group_id)
    assert refused.value.mend is not None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("group_id", RESERVED_IDS)
def test_a_name_that_stands_for_published_figures_is_no_group_even_where_a_file_has_it(
    tmp_path: Path, group_id: str
) -> None:
    with pytest.raises(StoreError, match="published elsewhere") as refused:
        group_path(tmp_path, group_id)
    assert "name another group" in (refused.value.mend or "")
    assert f"view rankings {group_id}" in (refused.value.mend or "")
    write(tmp_path / f"{group_id}.sqlite")
    with pytest.raises(StoreError, match="published elsewhere") as refused:
        group_path(tmp_path, group_id)
    assert f"rename {tmp_path}" in (refused.value.mend or "")


@pytest.mark.parametrize("group_id", ["official-v1", "published-v1-mine", "a", "1", "A.b_c-d", "x" * 80, "a..b"])
def test_a_plain_name_is_a_file_in_the_folder(tmp_path: Path, group_id: str) -> None:
    path = group_path(tmp_path, group_id)
    assert path.parent == tmp_path
    write(path)
    assert group_ids(tmp_path) == [group_id]
    with read_group(path) as group:
        assert group.id == group_id


def test_a_folder_that_does_not_exist_has_no_groups_until_one_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "results"
    assert group_ids(folder) == []
    write(group_path(folder, "one"))
    assert group_ids(folder) == ["one"]


def test_a_missing_group_is_named_with_those_there_are_and_not_made(tmp_path: Path, stored: Path) -> None:
    with pytest.raises(StoreError, match="no group 'other'") as missing:
        look(stored.with_name("other.sqlite"))
    assert "group" in (missing.value.mend or "")
    assert group_ids(stored.parent) == ["group"]


@pytest.mark.parametrize("name", ["with space", "100%", "a?b", "a#b", "ünï", "a%20b", "it's"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / "group.sqlite"
    write(path)
    assert path.is_file()
    with read_group(path) as group:
        assert len(group.runs()) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [name]


def foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY)")
    connection.commit()
    connection.close()


def foreign_by_its_mark(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 7")
    connection.close()


def newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()


def text(path: Path) -> None:
    path.write_text("These are no results.\n" * 200)


def cut_off(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def head_overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 3000)


def pages_zeroed(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(bytes(path.stat().st_size - 4096))


def no_content(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE figures")
    connection.commit()
    connection.close()


@USES
@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (foreign, "another program"),
        (foreign_by_its_mark, "another program"),
        (newer, "newer version"),
        (text, "damaged or no results file"),
        (cut_off, "damaged"),
        (head_overwritten, "damaged"),
        (pages_zeroed, "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_is(stored: Path, harm: Use, message: str, use: Use) -> None:
    harm(stored)
    before = stored.read_bytes()
    with pytest.raises(StoreError, match=message) as error:
        use(stored)
    assert str(stored) in error.value.message
    assert error.value.mend
    assert "\n" not in error.value.message
    assert stored.read_bytes() == before


def test_a_file_of_ours_without_its_tables_is_named(stored: Path) -> None:
    no_content(stored)
    with pytest.raises(StoreError, match="no such table"):
        look(stored)


def test_damaged_content_of_a_run_is_named(stored: Path) -> None:
    connection = sqlite3.connect(stored)
    connection.execute("UPDATE chunks SET changed = '{cut off'")
    connection.execute("UPDATE cases SET content = ''")
    connection.commit()
    connection.close()
    with read_group(stored) as group:
        with pytest.raises(StoreError, match="damaged"):
            group.stored_chunks(1)
        with pytest.raises(StoreError, match="damaged"):
            group.case(make_case(paragraphs=30).fingerprint)


@USES
def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path, use: Use) -> None:
    path = tmp_path / "group.sqlite"
    path.mkdir()
    with pytest.raises(StoreError, match="group"):
        use(path)


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(StoreError, match="results"):
        write(tmp_path / "results" / "group.sqlite")


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


def killed_before_its_first_table(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


@pytest.mark.parametrize("make", [empty_file, killed_before_its_first_table])
def test_an_empty_file_reads_as_a_group_without_runs_and_stays_as_it_is(tmp_path: Path, make: Use) -> None:
    # A process that is killed as it makes the file leaves one like this; the next `run` has to go on from it.
    path = tmp_path / "group.sqlite"
    make(path)
    before = path.read_bytes()
    with read_group(path) as group:
        assert group.runs() == []
        assert group.spend().requests == 0
    assert path.read_bytes() == before
    write(path)
    with read_group(path) as group:
        assert len(group.runs()) == 1


@USES
def test_a_file_that_another_program_has_locked_is_named(
    stored: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_BUSY_SECONDS", 0.0)
    other = sqlite3.connect(stored, isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        before = stored.read_bytes()
        with pytest.raises(StoreError, match="locked by another program"):
            use(stored)
        assert stored.read_bytes() == before
        other.execute("ROLLBACK")
    finally:
        other.close()
    use(stored)


@contextmanager
def read_only(*paths: Path) -> Iterator[None]:
    """Take away the right to write, from root too."""
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    was_root = os.geteuid() == 0
    if was_root:
        os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        if was_root:
            os.setresuid(0, 0, 0)
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.fixture
def public(stored: Path) -> Iterator[Path]:
    """A copy of the group where every user can get at it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    path = folder / "group.sqlite"
    shutil.copyfile(stored, path)
    path.chmod(0o666)
    yield path
    shutil.rmtree(folder)


def test_a_read_only_folder_can_be_looked_at_and_not_written(public: Path) -> None:
    before = public.read_bytes()
    with read_only(public, public.parent):
        assert look(public) == 60
        with pytest.raises(StoreError, match="Permission denied"):
            write(public)
    assert public.read_bytes() == before
    assert [entry.name for entry in public.parent.iterdir()] == ["group.sqlite"]


def test_a_read_only_file_can_be_looked_at_and_not_written(public: Path) -> None:
    before = public.read_bytes()
    with read_only(public):
        assert look(public) == 60
        with pytest.raises(StoreError, match="read-only"), write_group(public):
            pytest.fail("it has to be known before any work is done")
    assert public.read_bytes() == before


def test_a_file_that_may_not_be_read_is_named(public: Path) -> None:
    public.parent.chmod(0o700)
    was_root = os.geteuid() == 0
    try:
        if was_root:
            os.setresuid(65534, 65534, 0)
        else:
            public.parent.chmod(0o000)
        with pytest.raises(StoreError, match="Permission denied"):
            look(public)
    finally:
        if was_root:
            os.setresuid(0, 0, 0)
        public.parent.chmod(0o777)


def test_a_damaged_tree_is_found_before_anything_is_written(stored: Path) -> None:
    sound = stored.read_bytes()
    # Pages of trees begin with their kind; overflow pages hold nothing by which SQLite could tell.
    trees = [start for start in range(4096, len(sound), 4096) if sound[start] in (2, 5, 10, 13)]
    assert len(trees) > 10
    for start in trees:
        harmed = sound[:start] + bytes(4096) + sound[start + 4096 :]
        stored.write_bytes(harmed)
        with pytest.raises(StoreError, match="damaged"), write_group(stored):
            pytest.fail(f"page {start // 4096 + 1} is not looked at")
        assert stored.read_bytes() == harmed


def test_opening_what_is_up_to_date_writes_nothing(stored: Path) -> None:
    before, changed = stored.read_bytes(), stored.stat().st_mtime_ns
    with write_group(stored):
        pass
    with read_group(stored) as group:
        group.runs()
    assert stored.read_bytes() == before
    assert stored.stat().st_mtime_ns == changed


def test_the_file_is_marked_as_ours(stored: Path) -> None:
    connection = sqlite3.connect(stored)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


NEXT = (
    """
    -- What somebody said of a run; with a semicolon in it.
    CREATE TABLE notes (run_id INTEGER PRIMARY KEY, note TEXT NOT NULL DEFAULT ';');
    ALTER TABLE runs ADD COLUMN cluster TEXT NOT NULL DEFAULT 'none';
    """,
)


def with_next_version(monkeypatch: pytest.MonkeyPatch, migration: tuple[str, ...]) -> None:
    monkeypatch.setattr(opening, "MIGRATIONS", MIGRATIONS + migration)
    monkeypatch.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION + len(migration))


@USES
def test_an_older_file_is_brought_up_to_date_whoever_opens_it(
    stored: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    with read_group(stored) as group:
        runs = group.runs()
        chunks = group.stored_chunks(1)
        spend = group.spend()
    with_next_version(monkeypatch, NEXT)
    use(stored)
    connection = sqlite3.connect(stored)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION + 1,)
    assert connection.execute("SELECT cluster FROM runs").fetchall()[:2] == [("none",), ("none",)]
    connection.close()
    with read_group(stored) as group:
        assert group.runs()[:2] == runs
        assert group.stored_chunks(1) == chunks
        assert group.spend() == spend
    # And what this version has made is newer than what the one before can read.
    monkeypatch.undo()
    with pytest.raises(StoreError, match="newer version"):
        look(stored)


@USES
def test_a_migration_that_fails_leaves_everything_as_it_was(
    stored: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, bytes_before = content(stored), stored.read_bytes()
    with_next_version(monkeypatch, (*NEXT, "ALTER TABLE nowhere ADD COLUMN x;"))
    with pytest.raises(StoreError, match="no such table: nowhere"):
        use(stored)
    monkeypatch.undo()
    assert stored.read_bytes() == bytes_before
    assert content(stored) == before


def test_a_new_file_gets_every_version_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_next_version(monkeypatch, NEXT)
    path = tmp_path / "group.sqlite"
    write(path)
    assert any("CREATE TABLE notes" in line for line in content(path))


def test_what_sqlite_refuses_of_a_sound_file_is_a_bug_and_no_damage(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="closed"), store_faults(tmp_path / "group.sqlite"):
        connection = sqlite3.connect(":memory:")
        connection.close()
        connection.execute("SELECT 1")


def test_a_fault_of_the_file_system_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No space left"), store_faults(tmp_path / "group.sqlite"):
        raise OSError(28, "No space left on device")
