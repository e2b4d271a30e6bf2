"""Runs that were made elsewhere: their figures were read in, and there is no document, turn or verdict of them here."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from errata_bench.store.identity import key_values
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.open import store_faults
from errata_bench.store.records import RunKey
from errata_bench.store.values import storable_json, storable_text

NO_DOCUMENT = "null"
"""The content of a case of which only the name is known."""


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A run that was made elsewhere, to be kept.

    ``digest`` tells it from all others, so that reading the same file twice changes nothing. ``figures`` are None for
    an attempt that failed, and ``error`` then says why. ``attempt`` is what the file said, paths reduced to names.
    """

    digest: str
    key: RunKey
    case_id: str
    sample: int
    at: float
    figures: ImportedFigures | None
    error: str | None
    attempt: Mapping[str, Any]


class Imports:
    """The imported runs of a group; `errata_bench.store.group.Group.imports` has them."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        transaction: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._path = path
        self._connection = connection
        self._transaction = transaction

    def known(self, digests: Collection[str]) -> set[str]:
        """Those of these digests under which a run is kept."""
        with store_faults(self._path):
            there = {row[0] for row in self._connection.execute("SELECT digest FROM imported_runs")}
        return there & set(digests)

    def add(self, source: str, runs: Collection[ImportedRun], version: str) -> int:
        """Keep runs that are not kept yet, all or nothing; returns how many were new.

        A sample number that is taken becomes the next free one. ``source`` names the file they were read from.
        """
        known = self.known([run.digest for run in runs])
        new = [run for run in runs if run.digest not in known]
        with self._transaction():
            taken = self._samples()
            for run in new:
                samples = taken.setdefault(key_values(run.key), set())
                sample = run.sample if run.sample not in samples else max(samples) + 1
                samples.add(sample)
                self._add(source, run, sample, version)
        return len(new)

    def sources(self) -> dict[str, int]:
        """How many runs were read from each file."""
        with store_faults(self._path):
            rows = self._connection.execute(
                "SELECT source, count(*) FROM imported_runs GROUP BY source ORDER BY source"
            )
            return {row[0]: row[1] for row in rows}

    def attempts(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """What the files said of each imported run: run id and attempt."""
        with store_faults(self._path):
            for row in self._connection.execute("SELECT run_id, attempt FROM imported_runs ORDER BY run_id"):
                yield row[0], orjson.loads(row[1])

    def _samples(self) -> dict[tuple[Any, ...], set[int]]:
        taken: dict[tuple[Any, ...], set[int]] = {}
        columns = (
            "endpoint, model, effort, fingerprint, max_words, max_turns, prompt_version, judge,"
            " max_completion_tokens, reasoning"
        )
        for row in self._connection.execute(f"SELECT {columns}, sample FROM runs"):
            *identity, sample = tuple(row)
            taken.setdefault(tuple(identity), set()).add(sample)
        return taken

    def _add(self, source: str, run: ImportedRun, sample: int, version: str) -> None:
        execute = self._connection.execute
        execute("INSERT OR IGNORE INTO cases VALUES (?, ?, ?)", (run.key.fingerprint, run.case_id, NO_DOCUMENT))
        status = "failed" if run.figures is None else "succeeded"
        cursor = execute(
            "INSERT INTO runs (endpoint, model, effort, fingerprint, max_words, max_turns, prompt_version, judge,"
            " max_completion_tokens, reasoning, sample, status, chunk_count, started_at, ended_at, version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
            (*key_values(run.key), sample, status, run.at, run.at, version),
        )
        run_id = cursor.lastrowid
        if run.figures is None:
            execute(
                "INSERT INTO failures (run_id, at, chunk, kind, message) VALUES (?, ?, 0, 'failed_elsewhere', ?)",
                (run_id, run.at, storable_text(run.error or "")),
            )
        execute(
            "INSERT INTO imported_runs VALUES (?, ?, ?, ?, ?)",
            (
                run_id,
                run.digest,
                storable_text(source),
                None if run.figures is None else storable_json(dict(run.figures.values)),
                storable_json(run.attempt),
            ),
        )
