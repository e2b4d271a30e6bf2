"""The one place that asks `results` for what stands on pages, and keeps it until the file changes.

Figures that are added to `results` get in here; contexts and templates take them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from errata_bench.cases.model import Case
from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.entries import Entry, entry_labels, entry_of
from errata_bench.results.detail.issues import IssueAnswer, IssueRow, answers_of, issues_of_tally
from errata_bench.results.detail.marking import MarkedParagraph, Marker
from errata_bench.results.detail.rates import RateRow, RateTable, case_table, category_table
from errata_bench.results.detail.run import RunDetail, detail_of
from errata_bench.results.detail.selection import provider_of
from errata_bench.results.detail.tally import Tally, tally_group
from errata_bench.results.overview import Overview, overview_of
from errata_bench.store.group import Group
from errata_bench.store.records import RunKey, RunRecord
from errata_bench.views.web.scoped import Ends, Rankings, Scope

T = TypeVar("T")

_KEPT_CASES = 64
"""Cases whose documents are kept: more than one reader looks at, and not all of a large group."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One entry's quality less another's, with its interval, and what a test says of it (None: cannot be told)."""

    estimate: float
    low: float
    high: float
    p_value: float
    smallest_difference: float | None
    cases: Mapping[str, tuple[float, float]]


class Facts:
    """Everything of a group at one moment; each part is made when it is first asked for."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._kept: dict[Hashable, Any] = {}
        self._markers: dict[str, Marker] = {}
        self._case = lru_cache(_KEPT_CASES)(group.case)

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])

    @cached_property
    def records(self) -> list[RunRecord]:
        """All runs, in the order in which they were begun."""
        return self.group.runs()

    @cached_property
    def by_id(self) -> Mapping[int, RunRecord]:
        """All runs by their number."""
        return {record.id: record for record in self.records}

    @cached_property
    def _by_key(self) -> Mapping[RunKey, Sequence[RunRecord]]:
        found: dict[RunKey, list[RunRecord]] = {}
        for record in self.records:
            found.setdefault(record.key, []).append(record)
        return found

    def repeats(self, record: RunRecord) -> Sequence[RunRecord]:
        """The runs of the same work, itself among them, in the order in which they were begun."""
        return self._by_key[record.key]

    @cached_property
    def labels(self) -> Mapping[Entry, str]:
        """A name for each entry, in the order in which they were begun."""
        return entry_labels(entry_of(record) for record in self.records)

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The entries by name."""
        return {label: entry for entry, label in self.labels.items()}

    @cached_property
    def overview(self) -> Overview:
        """What the group holds."""
        return overview_of(self.records, self.group.spend())

    @cached_property
    def tally(self) -> Tally:
        """All verdicts by issue and entry."""
        return tally_group(self.group)

    @cached_property
    def summaries(self) -> list[VariantSummary]:
        """The ranking of everything, best first."""
        return self.summaries_of(Scope())

    @cached_property
    def _rankings(self) -> Rankings:
        return Rankings(self.group, self.records, lambda: self.tally)

    def summaries_of(self, scope: Scope) -> list[VariantSummary]:
        """The ranking over a scope, with intervals and places; in a category, what is about whole runs is None."""
        return self._rankings.of(scope).summaries

    def scope_notes(self, scope: Scope) -> list[str]:
        """What has to be known of a ranking over less than all."""
        return self._rankings.of(scope).notes

    def quality_intervals(self, scope: Scope) -> Mapping[Entry, Ends]:
        """The 95% interval of each entry's quality on these texts; an entry without one is left out."""
        return self._rankings.of(scope).quality_intervals

    def difference(self, one: Entry, other: Entry) -> Difference | None:
        """One entry's quality less another's, on these texts; None where they have no case in common."""
        return self._once(("difference", one, other), lambda: self._difference(one, other))

    def _difference(self, one: Entry, other: Entry) -> Difference | None:
        from errata_bench.results.detail.intervals import entry_scores
        from errata_bench.results.statistics.compare import compare

        found = compare(entry_scores(self.tally, one), entry_scores(self.tally, other))
        if found is None:
            return None
        return Difference(
            found.difference.estimate,
            found.difference.low,
            found.difference.high,
            found.p_value,
            found.smallest_difference,
            {case.case_id: (case.one, case.other) for case in found.cases},
        )

    @cached_property
    def by_case(self) -> RateTable:
        """Fix rate by case and entry."""
        return case_table(self.tally)

    @cached_property
    def rates(self) -> Mapping[str, RateRow]:
        """The rows of `by_case` by fingerprint."""
        return {row.fingerprint: row for row in self.by_case.rows if row.fingerprint is not None}

    @cached_property
    def by_category(self) -> RateTable:
        """Fix rate by category and entry."""
        return category_table(self.tally)

    @cached_property
    def issues(self) -> list[IssueRow]:
        """All issues, hardest first."""
        return issues_of_tally(self.group, self.tally)

    @cached_property
    def issue_numbers(self) -> Mapping[tuple[str, str], int]:
        """A number for each issue, by fingerprint and id: from 1, in the order of the cases."""
        return {(one.fingerprint, one.issue_id): n for n, one in enumerate(self.tally.issues(), 1)}

    @cached_property
    def issue_by_number(self) -> Mapping[int, IssueRow]:
        """The issues by their number."""
        return {self.issue_numbers[one.fingerprint, one.issue_id]: one for one in self.issues}

    def answers(self, row: IssueRow) -> Sequence[IssueAnswer]:
        """What runs made of an issue, the commonest way first."""
        case = self.case(row.fingerprint)
        if case is None:
            return ()
        return answers_of(self.group, self.marker(case), self.by_id, row.issue_id)

    @cached_property
    def case_numbers(self) -> Mapping[str, int]:
        """A number for each case, by fingerprint: from 1, in the order in which they were first run."""
        prints = dict.fromkeys(record.key.fingerprint for record in self.records)
        return {fingerprint: n for n, fingerprint in enumerate(prints, 1)}

    @cached_property
    def case_by_number(self) -> Mapping[int, str]:
        """The fingerprints of the cases by their number."""
        return {n: fingerprint for fingerprint, n in self.case_numbers.items()}

    def case(self, fingerprint: str) -> Case | None:
        """A case with its document."""
        return self._case(fingerprint)

    def marker(self, case: Case) -> Marker:
        """What marks the paragraphs of a case: one for all its runs, so that what they share is aligned once.

        The last case's alone is kept: runs that are looked at one after the other are mostly of one case.
        """
        if case.fingerprint not in self._markers:
            self._markers = {case.fingerprint: Marker(case)}
        return self._markers[case.fingerprint]

    def run(self, run_id: int) -> RunDetail | None:
        """One run of `by_id`, wholly; None where its document is not in the group."""
        record = self.by_id[run_id]
        case = self.case(record.key.fingerprint)
        return None if case is None else detail_of(self.group, record, self.marker(case))

    def marked_paragraphs(self, run_id: int) -> Sequence[MarkedParagraph]:
        """The paragraphs with issues, as a run left them."""
        case = self.case(self.by_id[run_id].key.fingerprint)
        if case is None:
            return ()
        changed = self.group.changed_paragraphs(run_id)
        told = {one.issue_id: one.verdict for one in self.group.run_verdicts(run_id)}
        marker = self.marker(case)
        wanted = dict.fromkeys(issue.paragraph_id for issue in case.issues)
        return [marker.mark(one, changed.get(one), told) for one in wanted]

    def representatives(self) -> Mapping[tuple[Entry, str], int]:
        """The first successful run of each entry on each case (by fingerprint)."""
        found: dict[tuple[Entry, str], int] = {}
        for record in self.records:
            if record.figures is not None:
                found.setdefault((entry_of(record), record.key.fingerprint), record.id)
        return found

    @cached_property
    def providers(self) -> tuple[str, ...]:
        """The providers of the group's models, by name."""
        return tuple(sorted({provider_of(entry.variant) for entry in self.labels}))

    @cached_property
    def efforts(self) -> tuple[str, ...]:
        """The reasoning efforts of the group, weakest first."""
        from errata_bench.variants import EFFORTS

        there = {entry.variant.effort for entry in self.labels}
        return tuple(effort for effort in EFFORTS if effort in there)

    @cached_property
    def case_ids(self) -> tuple[str, ...]:
        """The cases by id."""
        return tuple(sorted({record.case_id for record in self.records}))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Parents, each followed by its children's full labels, in the taxonomy's order."""
        return tuple(name for row in self.by_category.rows for name in (row.name, *(one.name for one in row.children)))
