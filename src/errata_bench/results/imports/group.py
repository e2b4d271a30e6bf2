"""Putting what files say into a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from errata_bench.results.imports.artifact import Artifact
from errata_bench.results.imports.attempts import imported_runs
from errata_bench.results.imports.files import ImportFile
from errata_bench.results.imports.matching import Matcher, Place, Placed
from errata_bench.results.imports.report_runs import ReportedRun, reported_run
from errata_bench.results.imports.reports import Reports
from errata_bench.store.group import Group
from errata_bench.store.imported import ImportedRun
from errata_bench.store.imported_identity import IDENTITY_FIELD, failure_identity, run_identity


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What a file was and what came of it.

    It holds ``attempts`` attempts (or, where ``of_reports``, reports), of which ``failed`` failed. ``added`` were new,
    ``joined`` told more of a run that was there, ``differing`` told something else of one, and ``own`` were of runs
    that the group has made itself; all others were there already.
    """

    file: str
    attempts: int
    added: int
    failed: int
    variants: int
    cases: int
    of_reports: bool = False
    joined: int = 0
    differing: int = 0
    own: int = 0


def check_files(files: Sequence[ImportFile]) -> None:
    """Raise `UserError` if these files contradict each other; for before a group is made."""
    matcher = Matcher()
    for file in files:
        _place(matcher, file, 0.0, _leave)


def import_files(group: Group, files: Sequence[ImportFile], now: float, version: str) -> list[ImportReport]:
    """Keep what files say in a group, all or nothing; what was read in before is not read in again.

    ``now`` (seconds since 1970) dates what a file does not, ``version`` is that of this program. Raises `UserError`
    where a file contradicts another one or the group, and `StoreError`.
    """

    def keep(placed: Placed, what: ImportedRun | ReportedRun, source: str) -> None:
        kept = placed.run
        if kept is None or placed.place not in (Place.NEW, Place.JOINS):
            return
        run = what.run if isinstance(what, ReportedRun) else what
        if placed.place is Place.NEW:
            (kept.run_id,) = group.imports.add(source, [run], version)
        assert kept.run_id is not None
        if isinstance(what, ReportedRun):
            assert kept.figures is not None
            group.imports.add_report(kept.run_id, what.report, kept.figures, alone=kept.alone)
        elif placed.place is Place.JOINS:
            group.imports.complete(kept.run_id, source, run, kept.figures)

    with group.upkeep.transaction():
        kept = group.imports.kept()
        own = _own(group, {run.run_id for run in kept}) if any(map(_names_ours, files)) else set()
        matcher = Matcher(kept, own)
        return [_place(matcher, file, now, keep) for file in files]


def import_artifact(group: Group, artifact: Artifact, now: float, version: str) -> ImportReport:
    """Keep what one results artifact says, as `import_files` does."""
    (report,) = import_files(group, [artifact], now, version)
    return report


Keep = Callable[[Placed, ImportedRun | ReportedRun, str], None]


def _leave(placed: Placed, what: ImportedRun | ReportedRun, source: str) -> None:
    pass


def _place(matcher: Matcher, file: ImportFile, now: float, keep: Keep) -> ImportReport:
    places: Counter[Place] = Counter()
    runs: list[ImportedRun] = []
    if isinstance(file, Reports):
        for reported in (reported_run(file.name, report, now) for report in file.reports):
            placed = matcher.report(reported)
            keep(placed, reported, file.name)
            places[placed.place] += 1
            runs.append(reported.run)
    else:
        matcher.begin_file()
        runs = imported_runs(file, now)
        for run in runs:
            placed = matcher.attempt(run, file.name)
            keep(placed, run, file.name)
            places[placed.place] += 1
    return ImportReport(
        file=file.name,
        attempts=len(runs),
        added=places[Place.NEW],
        failed=sum(run.figures is None for run in runs),
        variants=len({run.key.variant for run in runs}),
        cases=len({run.case_id for run in runs}),
        of_reports=isinstance(file, Reports),
        joined=places[Place.JOINS],
        differing=places[Place.DIFFERS],
        own=places[Place.OWN],
    )


def _names_ours(file: ImportFile) -> bool:
    return isinstance(file, Artifact) and any(IDENTITY_FIELD in raw for _, raw in file.attempts)


def _own(group: Group, imported: set[int | None]) -> set[str]:
    """The identities of all that the group has made itself."""
    own = set()
    for record in group.runs():
        if record.id not in imported:
            own.add(run_identity(record))
            if record.failures:
                own.update(failure_identity(record, failure) for failure in group.failures(record.id))
    return own
