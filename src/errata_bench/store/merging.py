"""Taking the runs of another group's file into one; the other file is only read."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errata_bench.store.identity import KEY_COLUMNS
from errata_bench.store.imported import KeptRun, kept_runs, stored_figures
from errata_bench.store.imported_identity import IDENTITY_FIELD, identity_of
from errata_bench.store.lost_rows import lost_rows
from errata_bench.store.merging_imported import ImportedMatches, Match, Step
from errata_bench.store.merging_own import OwnRuns
from errata_bench.store.merging_tables import AttachedTables
from errata_bench.store.open import attached_uri, check_pages, open_for_reading, store_faults

_Row = Mapping[str, Any]


@dataclass(slots=True)
class Merged:
    """What came of taking in one file.

    ``added`` runs were new, of which ``renumbered`` got another sample number because theirs was taken by another run;
    ``updated`` were further on there than here, or more of them was there; ``same`` are the same run in both, with
    nothing to add. ``conflicts`` name runs that are in both and differ: they stay as they are here.
    """

    added: int = 0
    renumbered: int = 0
    updated: int = 0
    same: int = 0
    judgments: int = 0
    conflicts: list[str] = field(default_factory=list)


def merge_file(target: Path, connection: sqlite3.Connection, source: Path) -> Merged:
    """Take in what a file holds and the group lacks, in one transaction. Raises `StoreError`."""
    other = open_for_reading(source)  # refuses what is foreign or newer, and brings an older one up to date
    try:
        with store_faults(source):
            check_pages(other)
            _check_references(other)
    finally:
        other.close()
    with store_faults(target), _attached(connection, source), _references_taken_on_trust(connection):
        connection.execute("BEGIN IMMEDIATE")
        try:
            merged = _Merge(connection).run()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return merged


@contextmanager
def _attached(connection: sqlite3.Connection, source: Path) -> Iterator[None]:
    connection.execute("ATTACH DATABASE ? AS other", (attached_uri(source),))
    try:
        yield
    finally:
        connection.execute("DETACH DATABASE other")


def _check_references(connection: sqlite3.Connection) -> None:
    if lost := lost_rows(connection):
        raise sqlite3.DatabaseError(
            ", ".join(f"{count} rows of {table} belong to nothing" for table, count in lost.items())
        )


@contextmanager
def _references_taken_on_trust(connection: sqlite3.Connection) -> Iterator[None]:
    """Let SQLite not look up what each row belongs to: it is copied with it, out of a file that has been checked.

    A row may be copied before what it belongs to: whole tables are, one after the other.
    """
    before = connection.execute("PRAGMA foreign_keys").fetchone()[0]
    connection.execute("PRAGMA foreign_keys = OFF")  # without effect within a transaction
    try:
        yield
    finally:
        connection.execute(f"PRAGMA foreign_keys = {before}")


class _Merge:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tables = AttachedTables(connection)
        self._merged = Merged()
        self._here: dict[int | None, _Row] = {}
        self._samples: dict[tuple[Any, ...], set[int]] = defaultdict(set)
        self._perhaps_unused: set[str] = set()

    def run(self) -> Merged:
        self._merged.judgments = self._tables.copy_contents()
        here, there = self._runs("main"), self._runs("other")
        self._here = {row["id"]: row for row in here}
        for row in here:
            self._samples[_key(row)].add(row["sample"])
        kept_here, kept_there = kept_runs(self._connection), kept_runs(self._connection, "other")
        copies: dict[str, list[KeptRun]] = defaultdict(list)
        for kept in kept_here:
            if isinstance(name := kept.attempt.get(IDENTITY_FIELD), str):
                copies[name].append(kept)
        told = any(IDENTITY_FIELD in run.attempt for run in (*kept_here, *kept_there))
        own_here = OwnRuns(here, self._tables.failures("main") if told else ())
        own_there = OwnRuns(there, self._tables.failures("other") if told else ())
        self._matches = ImportedMatches(kept_here, kept_there)
        imported = {run.run_id: run for run in kept_there}
        for row in there:
            if (run := imported.get(row["id"])) is None:
                identity = identity_of(row)
                copied = [copy for name in own_there.names[identity] for copy in copies[name]]
                self._take_own(row, own_here.by_identity.get(identity), copied)
                continue
            name = run.attempt.get(IDENTITY_FIELD)
            own = [found for found in (own_here.run_of(name), own_there.run_of(name)) if found is not None]
            if own:
                self._leave_copy(row, own)
            else:
                self._take_imported(row, self._matches.of(run))
        self._tables.fill_added()
        self._tables.add_loose_spend()
        self._tables.delete_unused_cases(self._perhaps_unused)
        return self._merged

    def _take_own(self, row: _Row, known: _Row | None, copies: Sequence[KeptRun]) -> None:
        """Take in a run that the other group has made; what stands for it here because its export was read goes."""
        if known is None:
            finished = [run for run in copies if run.figures is not None]
            if finished and row["status"] != "succeeded":
                self._perhaps_unused.add(row["fingerprint"])
                self._conflict(self._here[finished[0].run_id], "it succeeded by its export, and not there")
                return
            self._drop_copies(copies)
            self._add(row)
            if copies:
                self._merged.added -= 1
                self._merged.updated += 1
        elif _is_further(row, known):
            self._drop_copies(copies)
            self._replace(row, known)
        elif (difference := self._difference(row, known)) is not None:
            self._conflict(known, difference)
        else:
            self._merged.same += 1

    def _leave_copy(self, row: _Row, own: Sequence[_Row]) -> None:
        """Leave aside what was read out of the export of a run that is here, or comes with the same file."""
        self._perhaps_unused.add(row["fingerprint"])
        if row["status"] == "succeeded" and all(one["status"] != "succeeded" for one in own):
            self._conflict(own[0], "it succeeded by its export there")
        else:
            self._merged.same += 1

    def _take_imported(self, row: _Row, match: Match) -> None:
        if match.here is None:
            self._add(row)
            return
        known = self._here[match.here.run_id]
        match match.step:
            case Step.SAME:
                self._merged.same += 1
            case Step.DIFFERS:
                self._conflict(known, match.difference)
            case Step.REPORT:
                self._take_report(row["id"], match.here)
                self._merged.updated += 1
            case Step.ATTEMPT:
                self._take_attempt(row, known, match.here)
                self._merged.updated += 1

    def _conflict(self, known: _Row, difference: str) -> None:
        self._merged.conflicts.append(f"{_named(known)}: {difference}; it stays as it is here")

    def _runs(self, schema: str) -> list[_Row]:
        rows = self._connection.execute(
            f"""
            SELECT runs.*, cases.case_id, imported_runs.digest, figures.content AS figures,
                (SELECT count(*) FROM {schema}.chunks AS c WHERE c.run_id = runs.id) AS chunks_done,
                (SELECT count(*) FROM {schema}.failures AS f WHERE f.run_id = runs.id) AS failures
            FROM {schema}.runs JOIN {schema}.cases USING (fingerprint)
            LEFT JOIN {schema}.imported_runs ON imported_runs.run_id = runs.id
            LEFT JOIN {schema}.figures ON figures.run_id = runs.id
            ORDER BY runs.id
            """
        )
        return [dict(row) for row in rows]

    def _add(self, row: _Row) -> None:
        sample = self._free_sample(row)
        self._merged.renumbered += sample != row["sample"]
        self._tables.add_run({**row, "sample": sample})
        self._merged.added += 1

    def _free_sample(self, row: _Row) -> int:
        """Take the sample number that a run has, or the next one after all there are."""
        taken = self._samples[_key(row)]
        sample = row["sample"] if row["sample"] not in taken else max(taken) + 1
        taken.add(sample)
        return int(sample)

    def _replace(self, row: _Row, known: _Row) -> None:
        self._tables.delete_all_of(known["id"])
        self._connection.execute(
            "UPDATE main.runs SET status = ?, chunk_count = ?, ended_at = ?, version = ?, adaptations = ? WHERE id = ?",
            (row["status"], row["chunk_count"], row["ended_at"], row["version"], row["adaptations"], known["id"]),
        )
        self._tables.copy_all_of(row["id"], known["id"])
        self._tables.copy_spend(row["id"], known["id"])
        self._merged.updated += 1

    def _take_report(self, there_id: int, here: KeptRun) -> None:
        self._tables.copy_report(there_id, here.run_id)
        self._set_figures(here)

    def _take_attempt(self, row: _Row, known: _Row, here: KeptRun) -> None:
        """Put an attempt in place of what stood for it while there was its report alone."""
        self._samples[_key(known)].discard(known["sample"])
        columns = (*KEY_COLUMNS, "sample", "started_at", "ended_at", "version")
        values = {**row, "sample": self._free_sample(row)}
        self._connection.execute(
            f"UPDATE main.runs SET {', '.join(f'{column} = ?' for column in columns)} WHERE id = ?",
            (*(values[column] for column in columns), known["id"]),
        )
        self._connection.execute(
            "UPDATE main.imported_runs SET (digest, source, attempt) ="
            " (SELECT digest, source, attempt FROM other.imported_runs WHERE run_id = ?) WHERE run_id = ?",
            (row["id"], known["id"]),
        )
        self._connection.execute("UPDATE main.imported_reports SET alone = 0 WHERE run_id = ?", (known["id"],))
        self._set_figures(here)
        self._here[known["id"]] = {**known, **{column: values[column] for column in columns}}

    def _set_figures(self, here: KeptRun) -> None:
        self._connection.execute(
            "UPDATE main.imported_runs SET figures = ? WHERE run_id = ?", (stored_figures(here.figures), here.run_id)
        )

    def _drop_copies(self, copies: Sequence[KeptRun]) -> None:
        self._matches.forget(copies)
        for run in copies:
            assert run.run_id is not None
            row = self._here[run.run_id]
            self._samples[_key(row)].discard(row["sample"])
            self._perhaps_unused.add(row["fingerprint"])
            self._tables.delete_imported(run.run_id)

    def _difference(self, row: _Row, known: _Row) -> str | None:
        """What tells two states of one run apart, where neither is just an earlier one of the other."""
        if _is_further(known, row):
            return None
        if self._chunk_ends("other", row["id"]) != self._chunk_ends("main", known["id"]):
            return "it went on in both files, with different texts"
        if row["fingerprint"] != known["fingerprint"]:
            return "its case has other issues there"
        if row["judge"] != known["judge"]:
            return f"its judge is {row['judge'] or 'none'} there and {known['judge'] or 'none'} here"
        if self._verdicts("other", row["id"]) != self._verdicts("main", known["id"]):
            return "its verdicts differ"
        return None if row["figures"] == known["figures"] else "its figures differ"

    def _chunk_ends(self, schema: str, run_id: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(
            f"SELECT chunk, ended_at FROM {schema}.chunks WHERE run_id = ? ORDER BY chunk", (run_id,)
        )
        return [tuple(row) for row in rows]

    def _verdicts(self, schema: str, run_id: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(
            f"SELECT issue_id, verdict FROM {schema}.verdicts WHERE run_id = ? ORDER BY issue_id", (run_id,)
        )
        return [tuple(row) for row in rows]


def _key(row: _Row) -> tuple[Any, ...]:
    return tuple(row[column] for column in KEY_COLUMNS)


def _is_further(row: _Row, known: _Row) -> bool:
    """Whether ``row`` is a later state of the run ``known``."""
    if known["status"] == "succeeded":
        return False
    if row["status"] == "succeeded":
        return True
    return (row["chunks_done"], row["failures"]) > (known["chunks_done"], known["failures"])


def _named(row: _Row) -> str:
    effort = f":{row['effort']}" if row["effort"] else ""
    return f"{row['model']}{effort} on {row['case_id']}, sample {row['sample']}"
