"""Which runs are the same: known by what their files call them, whichever file comes first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from errata_bench.errors import UserError
from errata_bench.results.imports.report_runs import ReportedRun
from errata_bench.store.imported import ImportedRun, KeptRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.imported_identity import IDENTITY_FIELD

_COUNTS = {"issues": "issues", "fixed": "fixed", "bad_fixes": "wrongly changed", "missed": "not addressed"}


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
        self._by_name: dict[tuple[object, ...], list[KeptRun]] = defaultdict(list)
        for run in kept:
            self._note(run)

    def attempt(self, run: ImportedRun, source: str) -> Placed:
        """Where an attempt of a results file belongs. Raises `UserError` where it contradicts a report."""
        if run.attempt.get(IDENTITY_FIELD) in self._own:
            return Placed(Place.OWN)
        if run.digest in self._by_digest:
            return Placed(Place.KNOWN, self._by_digest[run.digest])
        same = list(self._same(run))
        for known in same:
            if known.alone:
                about = f"{source}: the attempt {_named(run.attempt)} on {run.case_id}"
                _refuse_contradiction(about, run.figures, f"its report in {known.source}", known.figures)
                known.figures = _together(known.figures, run.figures)
                known.digest, known.attempt, known.source, known.alone = run.digest, run.attempt, source, False
                self._note(known)
                return Placed(Place.JOINS, known)
        if same:
            there = any(known.attempt == run.attempt for known in same)
            return Placed(Place.KNOWN if there else Place.DIFFERS, same[0])
        return Placed(Place.NEW, self._new(run, source))

    def report(self, reported: ReportedRun) -> Placed:
        """Where a report belongs. Raises `UserError` where it contradicts the attempt that it is of."""
        run, report = reported.run, reported.report
        same = list(self._same(run))
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
        for name in _names(run.attempt):
            of_name = self._by_name[run.case_id, run.variant, name]
            if run not in of_name:
                of_name.append(run)

    def _same(self, run: ImportedRun) -> Iterator[KeptRun]:
        """The runs that this one is by its names, of the same case and variant."""
        names = _names(run.attempt)
        found: dict[int, KeptRun] = {}
        for kind, name in names:
            for known in self._by_name.get((run.case_id, run.key.variant, (kind, name)), ()):
                # The name of a file tells only where nobody says what the run itself is called.
                by_file_alone = kind == "file" and _has_id(names) and _has_id(_names(known.attempt))
                if not by_file_alone and _may_be_same(known.attempt.get("runNumber"), run.attempt.get("runNumber")):
                    found[id(known)] = known
        yield from found.values()


def _names(attempt: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What an attempt calls its run: ids, and the name of its report's file, without its ending."""
    names = [("id", attempt.get("runId")), ("id", attempt.get(IDENTITY_FIELD))]
    for field in ("reportArtifact", "runArtifact"):
        stem = _stem(attempt.get(field))
        run_id, told, _ = stem.partition("--")
        names.append(("id", run_id if told else None))
        if field == "reportArtifact":
            names.append(("file", stem))
    return list(dict.fromkeys((kind, name) for kind, name in names if isinstance(name, str) and name))


def _stem(path: object) -> str:
    name = re.split(r"[\\/]", path)[-1] if isinstance(path, str) else ""
    return name.removesuffix(".json")


def _has_id(names: Iterable[tuple[str, str]]) -> bool:
    return any(kind == "id" for kind, _ in names)


def _may_be_same(one: object, other: object) -> bool:
    return one is None or other is None or one == other


def _named(attempt: Mapping[str, Any]) -> str:
    return next((name for _, name in _names(attempt)), "of an unnamed run")


def _together(of_report: ImportedFigures | None, of_attempt: ImportedFigures | None) -> ImportedFigures:
    """The figures of a run that both speak of: those of the attempt, which was published, and what it does not say."""
    assert of_report is not None and of_attempt is not None
    return ImportedFigures({**of_report.values, **of_attempt.values})


def _refuse_contradiction(
    about: str, said: ImportedFigures | None, other: str, other_said: ImportedFigures | None
) -> None:
    """Raise `UserError` if one of them failed, or if they count issues differently."""
    if said is None or other_said is None:
        problem = "one of them says that the run failed"
    else:
        for name, words in _COUNTS.items():
            here, there = said.values.get(name), other_said.values.get(name)
            if here is not None and there is not None and here != there:
                problem = f"{here:g} {words} here, {there:g} there"
                break
        else:
            return
    raise UserError(
        f"{about} contradicts {other}: {problem}", mend="give the results file and the reports of the same scoring"
    )
