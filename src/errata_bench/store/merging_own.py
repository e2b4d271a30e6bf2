"""The runs that a group has made itself, by what their imported copies call them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from errata_bench.store.imported_identity import failure_identity_of, identity_of


class OwnRuns:
    """The own runs of one of two files.

    ``by_identity`` are their rows; ``names`` are, for each identity, what the attempts of its export call themselves:
    the run, and each time it could not go on.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], failures: Iterable[sqlite3.Row]) -> None:
        self.by_identity: dict[str, Mapping[str, Any]] = {}
        self.names: dict[str, list[str]] = defaultdict(list)
        self._run_of: dict[str, str] = {}
        of_run: dict[int, list[sqlite3.Row]] = defaultdict(list)
        for failure in failures:
            of_run[failure["run_id"]].append(failure)
        for row in rows:
            if row["digest"] is not None:  # imported
                continue
            identity = identity_of(row)
            self.by_identity[identity] = row
            told = [failure_identity_of(identity, one["at"], one["kind"], one["message"]) for one in of_run[row["id"]]]
            self.names[identity] += [identity, *told]
            self._run_of.update(dict.fromkeys((identity, *told), identity))

    def run_of(self, name: object) -> Mapping[str, Any] | None:
        """The run whose exported attempt is called that."""
        identity = self._run_of.get(name) if isinstance(name, str) else None
        return None if identity is None else self.by_identity[identity]
