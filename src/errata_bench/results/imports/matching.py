"""Which runs are the same: known by what their files call them, whichever file comes first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from errata_bench.errors import UserError
from errata_bench.results.imports.report_runs import ReportedRun
from errata_bench.store.imported import ImportedRun, KeptRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.imported_identity import IDENTITY_FIELD
from errata_bench.store.imported_names import NamedRuns, contradiction, names_of, together


class Place(StrEnum):
    """What is to be done with something that was read."""

    NEW = "new"
    """It becomes a run of its own."""
    JOINS = "joins"
    """It belongs to a run that is there, which is said more of now."""
    KNOWN = "known"
    """It is there already."""
    DIFFERS = "differs"
    """Its run is there, and something else was said of it, which stays."""
    OWN = "own"
    """It is a run that the group has made itself."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where something belongs; there is no run for what is `Place.OWN`."""

    place: Place
    run: KeptRun | None = None


class Matcher:
    """Finds the run that an attempt or a report is about, and keeps account of what is added.

    ``kept`` are the runs that are there; ``own`` are identities of runs that the group has made itself.
    """

    def __init__(self, kept: Iterable[KeptRun] = (), own: Collection[str] = ()) -> None:
        self._own = own
        self._by_digest: dict[str, KeptRun] = {}
        self._named = NamedRuns()
        self._of_this_file: set[int] = set()
        for run in kept:
            self._note(run)

    def begin_file(self) -> None:
        """What comes next is another results file: what one file tells as two attempts are two."""
        self._of_this_file.clear()

    def attempt(self, run: ImportedRun, source: str) -> Placed:
        """Where an attempt of a results file belongs. Raises `UserError` where it contradicts a report."""
        name = run.attempt.get(IDENTITY_FIELD)
        if isinstance(name, str) and name in self._own:
            return Placed(Place.OWN)
        if run.digest in self._by_digest:
            return Placed(Place.KNOWN, self._by_digest[run.digest])
        same = [known for known in self._same(run) if known.alone or self._may_be_one(known, run)]
        for known in same:
            if known.alone:
                about = f"{source}: the attempt {_named(run.attempt)} on {run.case_id}"
                _refuse_contradiction(about, run.figures, f"its report in {known.source}", known.figures)
                known.figures = _together(known.figures, run.figures)
                known.digest, known.attempt, known.source, known.alone = run.digest, run.attempt, source, False
                self._note(known)
                self._of_this_file.add(id(known))
                return Placed(Place.JOINS, known)
        if same:
            there = any(known.attempt == run.attempt for known in same)
            return Placed(Place.KNOWN if there else Place.DIFFERS, same[0])
        known = self._new(run, source)
        self._of_this_file.add(id(known))
        return Placed(Place.NEW, known)

    def _may_be_one(self, known: KeptRun, run: ImportedRun) -> bool:
        """Whether two attempts of one name can be one: not where one of them failed, nor others in one file.

        A run that was tried again after a failure may have kept its name.
        """
        if known.figures is None or run.figures is None:
            return False
        return id(known) not in self._of_this_file or known.attempt == run.attempt

    def report(self, reported: ReportedRun) -> Placed:
        """Where a report belongs. Raises `UserError` where it contradicts the attempt that it is of."""
        run, report = reported.run, reported.report
        same = self._same(run)
        for known in same:
            if known.report == report.digest:
                return Placed(Place.KNOWN, known)
        for known in same:
            if known.report is None:
                _refuse_contradiction(reported.about, run.figures, f"its attempt in {known.source}", known.figures)
                known.figures = _together(run.figures, known.figures)
                known.report = report.digest
                return Placed(Place.JOINS, known)
        if same:
            return Placed(Place.DIFFERS, same[0])
        known = self._new(run, report.source)
        known.report, known.alone = report.digest, True
        return Placed(Place.NEW, known)

    def _new(self, run: ImportedRun, source: str) -> KeptRun:
        known = KeptRun(None, run.digest, run.case_id, run.key.variant, run.figures, run.attempt, source)
        self._note(known)
        return known

    def _note(self, run: KeptRun) -> None:
        self._by_digest[run.digest] = run
        self._named.note(run)

    def _same(self, run: ImportedRun) -> list[KeptRun]:
        return self._named.same(run.case_id, run.key.variant, run.attempt)


def _named(attempt: Mapping[str, Any]) -> str:
    return next((name for _, name in names_of(attempt)), "of an unnamed run")


def _together(of_report: ImportedFigures | None, of_attempt: ImportedFigures | None) -> ImportedFigures:
    assert of_report is not None and of_attempt is not None
    return together(of_report, of_attempt)


def _refuse_contradiction(
    about: str, said: ImportedFigures | None, other: str, other_said: ImportedFigures | None
) -> None:
    """Raise `UserError` if one of them failed, or if they count issues differently."""
    if problem := contradiction(said, other_said):
        raise UserError(
            f"{about} contradicts {other}: {problem}", mend="give the results file and the reports of the same scoring"
        )
