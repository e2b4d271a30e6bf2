"""What two files say of the same imported run: by its attempt, by a report, or by both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from errata_bench.store.imported import KeptRun
from errata_bench.store.imported_names import NamedRuns, contradiction, together

_OTHER_REPORT = "its report says something else there"


class Step(StrEnum):
    """What is to be done with an imported run of the other file."""

    NEW = "new"
    """It is not here."""
    SAME = "same"
    """It is here, and nothing more is said of it there."""
    REPORT = "report"
    """It is here without a report, and its report is there."""
    ATTEMPT = "attempt"
    """It is here by its report alone, and its attempt is there."""
    DIFFERS = "differs"
    """It is here, and something else is said of it there."""


@dataclass(frozen=True, slots=True)
class Match:
    """What is to be done with an imported run, which one ``here`` it is, and how it differs.

    ``here`` has the digest, figures and report that it is to have from now on.
    """

    step: Step
    here: KeptRun | None = None
    difference: str = ""


class ImportedMatches:
    """Finds the imported runs of another file among those that are here, by the rules of an import.

    Nothing is written, but account is kept of what the runs here are said to become.
    """

    def __init__(self, here: Sequence[KeptRun], there: Sequence[KeptRun]) -> None:
        self._by_digest = {run.digest: run for run in here}
        self._names = NamedRuns(here)
        self._there = {run.digest for run in there}
        self._gone: set[int] = set()

    def forget(self, runs: Iterable[KeptRun]) -> None:
        """These runs are here no longer."""
        self._gone.update(map(id, runs))

    def of(self, there: KeptRun) -> Match:
        """What is to be done with a run of the other file; to be asked once for each."""
        known = self._by_digest.get(there.digest)
        if known is not None:
            return self._of_one_attempt(there, known)
        same = self._names.same(there.case_id, there.variant, there.attempt)
        same = [known for known in same if id(known) not in self._gone]
        if there.alone:
            return self._of_report(there, same)
        for known in same:
            if known.alone:
                return self._of_attempt(there, known)
        # What one file holds as two runs stays two, whatever they are called there.
        others = [known for known in same if known.digest not in self._there]
        if others:
            return Match(Step.DIFFERS, others[0], "its results file says something else there")
        return Match(Step.NEW)

    def _of_one_attempt(self, there: KeptRun, known: KeptRun) -> Match:
        if there.report is None or there.report == known.report:
            return Match(Step.SAME, known)
        return self._of_report(there, [known])

    def _of_report(self, there: KeptRun, same: Sequence[KeptRun]) -> Match:
        for known in same:
            if known.report == there.report:
                return Match(Step.SAME, known)
        for known in same:
            if known.report is None:
                if problem := contradiction(known.figures, there.figures):
                    return Match(Step.DIFFERS, known, f"its report there contradicts it: {problem}")
                assert known.figures is not None and there.figures is not None
                known.figures, known.report = together(there.figures, known.figures), there.report
                return Match(Step.REPORT, known)
        return Match(Step.DIFFERS, same[0], _OTHER_REPORT) if same else Match(Step.NEW)

    def _of_attempt(self, there: KeptRun, known: KeptRun) -> Match:
        if there.report not in (None, known.report):
            return Match(Step.DIFFERS, known, _OTHER_REPORT)
        if problem := contradiction(known.figures, there.figures):
            return Match(Step.DIFFERS, known, f"its attempt there contradicts its report: {problem}")
        assert known.figures is not None and there.figures is not None
        known.figures = together(known.figures, there.figures)
        known.digest, known.attempt, known.source, known.alone = there.digest, there.attempt, there.source, False
        self._names.note(known)
        return Match(Step.ATTEMPT, known)
