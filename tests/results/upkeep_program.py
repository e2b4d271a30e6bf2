"""A process that keeps a group, for tests in which it is killed. Arguments: what to do, the file, N, and more.

It kills itself before the N-th SQL statement that its work makes; with an N beyond them it ends by itself.

- ``rescore FILE N``: scores all runs again, with one issue of the letter disqualified;
- ``refresh FILE N``: the same, and prices every turn anew;
- ``prune FILE N``: takes out the runs on the memo;
- ``merge FILE N SOURCE``: takes in another group.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from errata_bench.results.disqualifying import with_disqualified
from errata_bench.results.prune import Filter, backup_path, prune, select
from errata_bench.results.refresh import Prices, refresh_group
from errata_bench.results.rescore import rescore_group
from errata_bench.runs.scoring import score_stored_run
from errata_bench.store.group import Group, write_group
from tests.support.upkeep import CASES

DATASET = (with_disqualified(CASES[0], {"issue-02"}), CASES[1])


def keep(group: Group, what: str, more: list[str]) -> None:
    if what == "rescore":
        rescore_group(group, score_stored_run, DATASET)
    elif what == "refresh":
        refresh_group(group, score_stored_run, DATASET, Prices(lambda _model, _usage: 7.0, reported_too=True))
    elif what == "prune":
        prune(group, select(group.runs(), Filter(cases=("memo",))), backup_path(group.path, 0.0))
    else:
        group.merge(Path(more[0]))


def main(what: str, path: Path, limit: int, more: list[str]) -> None:
    statements = 0

    def count(_: str) -> None:
        nonlocal statements
        statements += 1
        if statements == limit:
            os.kill(os.getpid(), signal.SIGKILL)

    with write_group(path) as group:
        connection: sqlite3.Connection = vars(group)["_connection"]
        connection.set_trace_callback(count)
        keep(group, what, more)
        connection.set_trace_callback(None)
    print(statements)


if __name__ == "__main__":
    arguments: list[Any] = sys.argv[1:]
    main(arguments[0], Path(arguments[1]), int(arguments[2]), arguments[3:])
