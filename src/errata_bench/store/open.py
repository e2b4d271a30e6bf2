"""Opening a group's file: new or old, for reading or for the one writer; never harming what is not ours."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from errata_bench.errors import InternalError, StoreError
from errata_bench.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION

_GROUP_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
RESERVED_IDS = ("published-v1",)
"""Names that stand for figures which ship with the program, and so for no group."""
_BUSY_SECONDS = 10.0
_KEPT_LOG_BYTES = 2**24


def group_path(results_dir: Path, group_id: str) -> Path:
    """The file of a group, which need not be there. Every id that a user names goes through here.

    Raises `StoreError` for an id that could be anything but a plain file name, and for one of `RESERVED_IDS`.
    """
    if not _GROUP_ID.fullmatch(group_id):
        raise StoreError(
            f"{group_id!r} cannot be a group id", mend="use letters, digits, dots, dashes and underscores, at most 80"
        )
    path = results_dir / f"{group_id}.sqlite"
    if group_id in RESERVED_IDS:
        raise StoreError(
            f"{group_id} stands for figures that were published elsewhere and ship with this program; "
            "no group can have that name",
            mend=f"{f'rename {path}' if path.exists() else 'name another group'}; the figures are shown by: "
            f"errata-bench view rankings {group_id}, or view web {group_id}",
        )
    return path


def group_ids(results_dir: Path) -> list[str]:
    """The groups that have a file in this folder."""
    if not results_dir.is_dir():
        return []
    return sorted(path.stem for path in results_dir.glob("*.sqlite") if path.is_file())


@contextmanager
def store_faults(path: Path) -> Iterator[None]:
    """Turn SQLite's and the file system's errors into a `StoreError` that names the file.

    What SQLite refuses although the file is sound is a bug of ours, and becomes an `InternalError`.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise StoreError(f"{path} is locked by another program", mend="try again when it is done") from error
        if "full" in text:
            raise StoreError(
                f"{path}: the disk is full; all that was finished is stored",
                mend="make room, then run the same command again: it goes on where it stopped",
            ) from error
        if "readonly" in text:
            raise _read_only(path) from error
        if "disk I/O" in text:
            raise StoreError(
                f"{path}: the disk failed or has no room left for it; all that was finished is stored",
                mend="see to the disk, then run the same command again: it goes on where it stopped",
            ) from error
        raise StoreError(f"{path} cannot be used: {text}") from error
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError) as error:
        raise InternalError(f"{path}: {error}") from error
    except (sqlite3.DatabaseError, orjson.JSONDecodeError) as error:
        raise StoreError(
            f"{path} is damaged or no results file: {error}",
            mend="it has been left as it is; restore it from a copy, or name another group",
        ) from error
    except OSError as error:
        raise _file_fault(path, error) from error


def _file_fault(path: Path, error: OSError) -> StoreError:
    if error.errno == errno.EROFS:
        return _read_only(path)
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return StoreError(f"{path.parent} is no folder", mend="name a folder with --results-dir")
    mend = None
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        mend = "make room, then run the same command again"
    elif error.errno in (errno.EACCES, errno.EPERM):
        mend = "change its permissions, or name another folder with --results-dir"
    return StoreError(f"{path} cannot be used: {error.strerror or error}", mend=mend)


def _read_only(path: Path) -> StoreError:
    return StoreError(
        f"{path} cannot be written: the file or its folder is read-only",
        mend="change its permissions, or name another folder with --results-dir",
    )


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an existing file read-only; an empty one reads as a group without runs. Raises `StoreError`."""
    with store_faults(path):
        if not path.is_file():
            known = group_ids(path.parent)
            raise StoreError(
                f"there is no group {path.stem!r} in {path.parent}",
                mend=f"groups there: {', '.join(known)}" if known else "make one with: errata-bench run",
            )
        connection = _connect(_reading_uri(path))
        try:
            version = _checked_version(connection, path)
            if version == 0:  # made by a process that was killed at once, or by nobody; left as it is
                connection.close()
                connection = _connect(":memory:")
                _migrate(connection)
                return connection
            if version < SCHEMA_VERSION:
                connection.close()
                _migrate_in_place(path)
                connection = _connect(_reading_uri(path))
        except BaseException:
            connection.close()
            raise
        return connection


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open or make a file for the one writer, who holds `writer_lock`. Raises `StoreError`."""
    with store_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists() and path.stat().st_size > 0
        if existed and not os.access(path, os.W_OK):  # SQLite would notice at the first run, when models are set up
            raise _read_only(path)
        connection = _connect(f"file:{_quoted(path)}?mode=rwc")
        try:
            if existed:
                _checked_version(connection, path)
                check_pages(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            # A commit survives the death of the process; only a power cut can take the last ones.
            connection.execute("PRAGMA synchronous = NORMAL")
            # A log that has grown with a migration or a merge is cut back when the next commit begins it anew.
            connection.execute(f"PRAGMA journal_size_limit = {_KEPT_LOG_BYTES}")
            with _room_needed_by_migration(path):
                _migrate(connection)
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the right to write a group; there is one writer at a time. Raises `StoreError` when it is taken."""
    with store_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(f".{path.stem}.lock")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        with store_faults(path):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
                raise StoreError(
                    f"group {path.stem!r} is being written by another process" + (f" ({holder})" if holder else ""),
                    mend="wait until it is done, or name another group with --group-id",
                ) from error
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


def attached_uri(path: Path) -> str:
    """The address under which a file can be attached to another one's connection, to be read."""
    return _reading_uri(path)


def _reading_uri(path: Path) -> str:
    # Where nothing can be written beside it, SQLite opens a WAL file only if told that nobody writes it.
    alone = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"file:{_quoted(path)}?mode=ro" + ("&immutable=1" if alone else "")


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    application_id = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application_id != APPLICATION_ID:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables or application_id:
            raise StoreError(
                f"{path} is a SQLite file of another program", mend="it has been left as it is; name another group"
            )
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer version (file {version}, this program {SCHEMA_VERSION})",
            mend="update errata-bench",
        )
    return version


def check_pages(connection: sqlite3.Connection) -> None:
    """Refuse a file whose pages do not hang together before anything is written into it."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(str(found).splitlines()[-1])


def _migrate_in_place(path: Path) -> None:
    with writer_lock(path):
        open_for_writing(path).close()


@contextmanager
def _room_needed_by_migration(path: Path) -> Iterator[None]:
    """Say of a disk that is full while a file is brought up to date what that means; `store_faults` thinks of a run."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "full" not in str(error) and "disk I/O" not in str(error):
            raise
        size = f"{path.stat().st_size / 1e6:,.0f} MB"
        raise StoreError(
            f"{path} was written by an older version and cannot be brought up to date: the disk is full or failed; "
            "it has been left as it is",
            mend=f"make room for about as much again beside it ({size}), then run the same command again",
        ) from error


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring a file up to date, all or nothing: what a kill leaves in the log, SQLite does not look at."""
    if int(connection.execute("PRAGMA user_version").fetchone()[0]) == SCHEMA_VERSION:
        return
    connection.execute("PRAGMA foreign_keys = OFF")  # see `MIGRATIONS`; without effect within a transaction
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version < SCHEMA_VERSION:
            for script in MIGRATIONS[version:]:
                for statement in _statements(script):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Split a script at its semicolons; `executescript` would commit on its own."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
