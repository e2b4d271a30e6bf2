"""A process that writes a group, for tests that need one. Arguments: what to do, the file, and more.

- ``hold FILE``: opens the group, says ``ready``, and holds it until its input is closed;
- ``write FILE [BYTES]``: writes runs of chunks without end and says ``RUN CHUNK`` when each is committed; no file may
  grow beyond BYTES;
- ``die FILE N``: writes one chunk, and kills itself before the N-th SQL statement of the next one.
"""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sys
from pathlib import Path

from errata_bench.errors import StoreError
from errata_bench.store.group import write_group
from tests.support.builders import make_case
from tests.support.stored import add_chunk, begin


def hold(path: Path) -> None:
    with write_group(path):
        print("ready", flush=True)
        sys.stdin.read()


def write(path: Path, limit: int | None = None) -> None:
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    case = make_case()
    with write_group(path) as group:
        for sample in itertools.count(1):
            run_id = begin(group, case, sample)
            for index in range(len(case.document)):
                add_chunk(group, run_id, case, index)
                print(run_id, index, flush=True)


def die(path: Path, number: int) -> None:
    case = make_case()
    statements = itertools.count(1)

    def on_statement(_: str) -> None:
        if next(statements) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    with write_group(path) as group:
        run_id = begin(group, case)
        add_chunk(group, run_id, case, 0)
        group._connection.set_trace_callback(on_statement)
        add_chunk(group, run_id, case, 1)


if __name__ == "__main__":
    task, file, *more = sys.argv[1:]
    try:
        match task:
            case "hold":
                hold(Path(file))
            case "write":
                write(Path(file), *map(int, more))
            case "die":
                die(Path(file), *map(int, more))
    except StoreError as error:
        print(f"StoreError: {error.message} / {error.mend}", flush=True)
        sys.exit(3)
