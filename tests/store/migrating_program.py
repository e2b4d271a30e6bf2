"""A process that brings an older file up to date, for tests that need one. Arguments: what to do, the file, a number.

- ``die FILE N``: kills itself before the N-th SQL statement of the migration;
- ``fill FILE BYTES``: no file may grow beyond BYTES.
"""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sqlite3
import sys
from pathlib import Path

from errata_bench.errors import StoreError
from errata_bench.store import open as opening


def die(path: Path, number: int) -> None:
    statements = itertools.count(1)

    def on_statement(_: str) -> None:
        if next(statements) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    migrate = opening._migrate

    def watched(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA cache_size = 1")  # so that pages are in the log before the end
        connection.set_trace_callback(on_statement)
        migrate(connection)
        connection.set_trace_callback(None)

    opening._migrate = watched
    opening.open_for_writing(path).close()
    print(next(statements) - 1)


def fill(path: Path, limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    opening.open_for_reading(path).close()


if __name__ == "__main__":
    task, file, given = sys.argv[1:]
    try:
        {"die": die, "fill": fill}[task](Path(file), int(given))
    except StoreError as error:
        print(f"StoreError: {error.message} / {error.mend}", flush=True)
        sys.exit(3)
