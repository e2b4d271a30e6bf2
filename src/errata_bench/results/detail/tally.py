"""Verdicts counted by issue and entry: what every table below a ranking is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from statistics import fmean

from errata_bench.results.detail.entries import Entry, entry_of
from errata_bench.results.detail.selection import (
    EVERYTHING,
    Selection,
    choose_cases,
    choose_categories,
    choose_variants,
    full_label,
)
from errata_bench.store.evidence import StoredIssue
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus


@dataclass(slots=True)
class Outcomes:
    """How often an issue got each verdict, over the successful runs of one entry, or of many."""

    fixed: int = 0
    fixed_alternative: int = 0
    bad_fix: int = 0
    unjudged: int = 0
    not_addressed: int = 0

    def add(self, verdict: str) -> None:
        """Count one run's verdict."""
        setattr(self, verdict, getattr(self, verdict) + 1)

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(
            self.fixed + other.fixed,
            self.fixed_alternative + other.fixed_alternative,
            self.bad_fix + other.bad_fix,
            self.unjudged + other.unjudged,
            self.not_addressed + other.not_addressed,
        )

    @property
    def runs(self) -> int:
        """Runs that have a verdict."""
        return self.fixed + self.fixed_alternative + self.bad_fix + self.unjudged + self.not_addressed

    @property
    def solved(self) -> int:
        """Runs in which it is fixed, in the canonical way or in another."""
        return self.fixed + self.fixed_alternative

    @property
    def rate(self) -> float | None:
        """Runs in which it is fixed of all, 0 to 1; None without a run."""
        runs = self.runs
        return self.solved / runs if runs else None


@dataclass(frozen=True, slots=True)
class TalliedCase:
    """A case, its scored issues that are looked at, in the case's order, and how many it has in all.

    Of a case that is not ``known`` nothing is there but the figures of runs that were made elsewhere.
    """

    fingerprint: str
    case_id: str
    issues: tuple[StoredIssue, ...]
    scored_issues: int
    known: bool = True

    @property
    def is_control(self) -> bool:
        """Whether it has no issue that counts at all."""
        return self.known and self.scored_issues == 0


@dataclass(frozen=True, slots=True)
class Tally:
    """The verdicts of a group, narrowed to a selection.

    ``entries`` come best first by `quality`, those without one last. ``runs`` counts successful runs of an entry on a
    case. ``outcomes`` has no key where an entry has no successful run on the case of an issue. ``imported`` has the
    qualities of runs that were made elsewhere, of which there are no verdicts; none where categories are chosen.
    """

    entries: tuple[Entry, ...]
    cases: tuple[TalliedCase, ...]
    runs: Mapping[tuple[Entry, str], int]
    outcomes: Mapping[tuple[Entry, str], Mapping[str, Outcomes]]
    """By entry and fingerprint, then by issue id."""
    imported: Mapping[tuple[Entry, str], tuple[float, ...]] = field(default_factory=dict)

    def of(self, entry: Entry, issue: StoredIssue) -> Outcomes | None:
        """What an entry made of an issue; None without a successful run on its case."""
        return self.outcomes.get((entry, issue.fingerprint), _NOTHING).get(issue.issue_id)

    def of_case(
        self, entry: Entry, case: TalliedCase, categories: frozenset[str] | None = None
    ) -> Mapping[str, Outcomes]:
        """What an entry made of a case's issues, by id, of all or of these categories; none without a successful run.

        Quicker than asking for issue after issue.
        """
        found = self.outcomes.get((entry, case.fingerprint), _NOTHING)
        return {
            issue.issue_id: found[issue.issue_id]
            for issue in case.issues
            if issue.issue_id in found and (categories is None or issue.category in categories)
        }

    def case_rate(self, entry: Entry, case: TalliedCase, categories: frozenset[str] | None = None) -> float | None:
        """The share of a case's issues that an entry fixes, mean over its runs, 0 to 1.

        ``categories`` narrows the issues down. None where there is no such issue or no successful run.
        """
        found = self.of_case(entry, case, categories).values()
        rates = [rate for outcomes in found if (rate := outcomes.rate) is not None]
        elsewhere = self.imported.get((entry, case.fingerprint), ()) if categories is None else ()
        if not rates:
            return fmean(elsewhere) if elsewhere else None
        here = self.runs.get((entry, case.fingerprint), 0) - len(elsewhere)
        return (fmean(rates) * here + sum(elsewhere)) / (here + len(elsewhere)) if elsewhere else fmean(rates)

    def quality(self, entry: Entry, categories: frozenset[str] | None = None) -> float | None:
        """The mean of `case_rate` over the cases that have one: the quality of the ranking (C7)."""
        rates = [rate for case in self.cases if (rate := self.case_rate(entry, case, categories)) is not None]
        return fmean(rates) if rates else None

    def issues(self) -> Iterator[StoredIssue]:
        """All issues that are looked at."""
        for case in self.cases:
            yield from case.issues


_NOTHING: Mapping[str, Outcomes] = {}


def tally_group(group: Group, selection: Selection = EVERYTHING) -> Tally:
    """Count the verdicts of a group. Raises `UserError` when the selection names what is not there."""
    records = group.runs()
    variants = choose_variants(selection, (record.key.variant for record in records))
    case_ids = choose_cases(selection, (record.case_id for record in records))
    cases = _cases(group, selection, case_ids, {record.key.fingerprint for record in records})
    kept = [record for record in records if record.key.variant in variants and record.case_id in case_ids]
    entries = tuple(dict.fromkeys(entry_of(record) for record in kept))
    runs: dict[tuple[Entry, str], int] = {}
    imported: dict[tuple[Entry, str], tuple[float, ...]] = {}
    outcomes: dict[tuple[Entry, str], dict[str, Outcomes]] = {}
    by_run: dict[int, tuple[dict[str, Outcomes], Set[str]]] = {}
    wanted = {case.fingerprint: {issue.issue_id for issue in case.issues} for case in cases}
    for record in kept:
        if record.status is RunStatus.SUCCEEDED:
            at = (entry_of(record), record.key.fingerprint)
            by_run[record.id] = (outcomes.setdefault(at, {}), wanted.get(record.key.fingerprint, frozenset()))
            runs[at] = runs.get(at, 0) + 1
            quality = None if record.imported is None else record.imported.quality
            if record.figures is None and quality is not None and not selection.categories:
                imported[at] = (*imported.get(at, ()), quality)
    for verdict in group.all_verdicts():
        if (at_run := by_run.get(verdict.run_id)) is not None:
            found, looked_at = at_run
            if verdict.issue_id in looked_at:
                found.setdefault(verdict.issue_id, Outcomes()).add(verdict.verdict)
    unordered = Tally(entries, cases, runs, outcomes, imported)
    return replace(unordered, entries=_best_first(unordered))


def _cases(group: Group, selection: Selection, case_ids: set[str], fingerprints: set[str]) -> tuple[TalliedCase, ...]:
    scored: dict[str, list[StoredIssue]] = {}
    for issue in group.stored_issues():
        if not issue.disqualified and issue.fingerprint in fingerprints:
            scored.setdefault(issue.fingerprint, []).append(replace(issue, category=full_label(issue.category)))
    categories = choose_categories(selection, (issue.category for issues in scored.values() for issue in issues))
    cases = []
    for case in group.stored_cases():
        if case.case_id in case_ids and case.fingerprint in fingerprints:
            issues = scored.get(case.fingerprint, [])
            looked_at = tuple(issue for issue in issues if issue.category in categories)
            cases.append(
                TalliedCase(case.fingerprint, case.case_id, looked_at, len(issues), case.paragraphs is not None)
            )
    return tuple(cases)


def _best_first(tally: Tally) -> tuple[Entry, ...]:
    def key(entry: Entry) -> tuple[float, str]:
        quality = tally.quality(entry)
        return (1.0 if quality is None else -quality, str(entry.variant))

    return tuple(sorted(tally.entries, key=key))


def total(outcomes: Iterable[Outcomes]) -> Outcomes:
    """The sum of outcomes."""
    return sum(outcomes, Outcomes())
