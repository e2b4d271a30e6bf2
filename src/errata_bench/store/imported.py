"""Runs that were made elsewhere: figures, and verdicts where a report was read; no document and no turn of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from errata_bench.store.identity import KEY_COLUMNS, key_values
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.open import store_faults
from errata_bench.store.records import RunKey
from errata_bench.store.values import storable_json, storable_text
from errata_bench.variants import Variant

NO_DOCUMENT = "null"
"""The content of a case of which only the name is known."""


@dataclass(frozen=True, slots=True)
class ImportedVerdict:
    """What became of one issue, in the words of rule v1, and its paragraph, where that is known."""

    finding: str
    verdict: str
    paragraph_id: str | None


@dataclass(frozen=True, slots=True)
class ImportedReport:
    """What a report says of a run: a verdict on each issue, by its id.

    ``digest`` tells it from other reports of the same run, ``source`` names the file.
    """

    digest: str
    source: str
    verdicts: Mapping[str, ImportedVerdict]


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


@dataclass(slots=True)
class KeptRun:
    """An imported run as it stands: ``run_id`` is None while it is nowhere yet.

    ``report`` is the digest of the report that was read for it. ``alone``: there is a report of it and nothing else.
    """

    run_id: int | None
    digest: str
    case_id: str
    variant: Variant
    figures: ImportedFigures | None
    attempt: Mapping[str, Any]
    source: str
    report: str | None = None
    alone: bool = False


def kept_runs(connection: sqlite3.Connection, schema: str = "main") -> list[KeptRun]:
    """The imported runs of a file, in the order in which they were read; ``schema`` is SQLite's name of the file."""
    rows = connection.execute(
        f"""
        SELECT imported_runs.*, runs.model, runs.effort, cases.case_id, imported_reports.digest AS report,
            imported_reports.alone
        FROM {schema}.imported_runs JOIN {schema}.runs ON runs.id = imported_runs.run_id
        JOIN {schema}.cases USING (fingerprint)
        LEFT JOIN {schema}.imported_reports ON imported_reports.run_id = runs.id ORDER BY runs.id
        """
    )
    return [
        KeptRun(
            run_id=row["run_id"],
            digest=row["digest"],
            case_id=row["case_id"],
            variant=Variant(row["model"], row["effort"] or None),
            figures=None if row["figures"] is None else ImportedFigures(orjson.loads(row["figures"])),
            attempt=orjson.loads(row["attempt"]),
            source=row["source"],
            report=row["report"],
            alone=bool(row["alone"]),
        )
        for row in rows
    ]


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

    def kept(self) -> list[KeptRun]:
        """All imported runs, in the order in which they were read."""
        with store_faults(self._path):
            return kept_runs(self._connection)

    def add(self, source: str, runs: Iterable[ImportedRun], version: str) -> list[int]:
        """Keep runs that are not kept yet, all or nothing; returns their ids.

        A sample number that is taken becomes the next free one. ``source`` names the file they were read from,
        ``version`` is of this program.
        """
        with self._transaction():
            return [self._add(source, run, version) for run in runs]

    def add_report(self, run_id: int, report: ImportedReport, figures: ImportedFigures, *, alone: bool) -> None:
        """Keep what a report says of a run, which has these ``figures`` from now on; ``alone`` as in `KeptRun`."""
        paragraphs = {
            issue_id: one.paragraph_id for issue_id, one in report.verdicts.items() if one.paragraph_id is not None
        }
        with self._transaction():
            self._connection.execute(
                "INSERT INTO imported_reports VALUES (?, ?, ?, ?, ?)",
                (run_id, report.digest, storable_text(report.source), alone, storable_json(paragraphs)),
            )
            self._connection.executemany(
                "INSERT INTO verdicts (run_id, issue_id, finding, verdict) VALUES (?, ?, ?, ?)",
                [(run_id, issue_id, one.finding, one.verdict) for issue_id, one in report.verdicts.items()],
            )
            self._connection.execute(
                "UPDATE imported_runs SET figures = ? WHERE run_id = ?", (stored_figures(figures), run_id)
            )

    def complete(self, run_id: int, source: str, run: ImportedRun, figures: ImportedFigures | None) -> None:
        """Put what a results file says of a run in place of what stood for it while there was its report alone.

        It has these ``figures`` from now on.
        """
        columns = " = ?, ".join((*KEY_COLUMNS, "sample", "started_at", "ended_at")) + " = ?"
        with self._transaction():
            execute = self._connection.execute
            execute(
                f"UPDATE runs SET {columns} WHERE id = ?",
                (*key_values(run.key), self._free_sample(run, run_id), run.at, run.at, run_id),
            )
            execute(
                "UPDATE imported_runs SET digest = ?, source = ?, figures = ?, attempt = ? WHERE run_id = ?",
                (run.digest, storable_text(source), stored_figures(figures), storable_json(run.attempt), run_id),
            )
            execute("UPDATE imported_reports SET alone = 0 WHERE run_id = ?", (run_id,))

    @property
    def has_verdicts(self) -> bool:
        """Whether a report was read of any run."""
        with store_faults(self._path):
            return self._connection.execute("SELECT 1 FROM imported_reports LIMIT 1").fetchone() is not None

    def paragraphs(self) -> dict[int, dict[str, str]]:
        """The paragraph of each issue, as far as reports name it: run id to issue id to paragraph id."""
        with store_faults(self._path):
            rows = self._connection.execute("SELECT run_id, paragraphs FROM imported_reports")
            return {row[0]: orjson.loads(row[1]) for row in rows}

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

    def _add(self, source: str, run: ImportedRun, version: str) -> int:
        execute = self._connection.execute
        execute("INSERT OR IGNORE INTO cases VALUES (?, ?, ?)", (run.key.fingerprint, run.case_id, NO_DOCUMENT))
        status = "failed" if run.figures is None else "succeeded"
        columns = ", ".join((*KEY_COLUMNS, "sample, status, chunk_count, started_at, ended_at, version"))
        values = (*key_values(run.key), self._free_sample(run), status, 0, run.at, run.at, version)
        cursor = execute(f"INSERT INTO runs ({columns}) VALUES ({', '.join('?' * len(values))})", values)
        run_id = int(cursor.lastrowid or 0)
        if run.figures is None:
            execute(
                "INSERT INTO failures (run_id, at, chunk, kind, message) VALUES (?, ?, 0, 'failed_elsewhere', ?)",
                (run_id, run.at, storable_text(run.error or "")),
            )
        execute(
            "INSERT INTO imported_runs VALUES (?, ?, ?, ?, ?)",
            (run_id, run.digest, storable_text(source), stored_figures(run.figures), storable_json(run.attempt)),
        )
        return run_id

    def _free_sample(self, run: ImportedRun, run_id: int | None = None) -> int:
        """The sample number that it wants, or the next one after all there are; ``run_id`` is itself."""
        matching = " AND ".join(f"{column} = ?" for column in KEY_COLUMNS)
        rows = self._connection.execute(
            f"SELECT sample FROM runs WHERE {matching} AND id IS NOT ?", (*key_values(run.key), run_id)
        )
        taken = {row[0] for row in rows}
        return run.sample if run.sample not in taken else max(taken) + 1


def stored_figures(figures: ImportedFigures | None) -> str | None:
    """The column ``figures`` of an imported run."""
    return None if figures is None else storable_json(dict(figures.values))
