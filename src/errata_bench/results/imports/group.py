"""Putting what a results file says into a group."""

from __future__ import annotations

from dataclasses import dataclass

from errata_bench.results.imports.artifact import Artifact
from errata_bench.results.imports.attempts import imported_runs
from errata_bench.store.group import Group


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many attempts a file holds, how many of them were new, and how many of all failed."""

    file: str
    attempts: int
    added: int
    failed: int
    variants: int
    cases: int


def import_artifact(group: Group, artifact: Artifact, now: float, version: str) -> ImportReport:
    """Keep what a results artifact says in a group, all or nothing; what was read in before is not read in again.

    ``now`` (seconds since 1970) dates what the file does not, ``version`` is that of this program. Raises `StoreError`.
    """
    runs = imported_runs(artifact, now)
    added = group.imports.add(artifact.name, runs, version)
    return ImportReport(
        file=artifact.name,
        attempts=len(runs),
        added=added,
        failed=sum(run.figures is None for run in runs),
        variants=len({run.key.variant for run in runs}),
        cases=len({run.case_id for run in runs}),
    )
