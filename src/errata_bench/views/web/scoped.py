"""Rankings over everything, over one case, and over one category, kept while they are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from errata_bench.results.aggregate import VariantSummary, ranked
from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.narrowing import Narrowed, narrow
from errata_bench.results.detail.selection import Selection, parent_of
from errata_bench.results.detail.tally import TalliedCase, Tally
from errata_bench.store.evidence import StoredVerdict
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord
from errata_bench.views.selection import selection_notes

if TYPE_CHECKING:
    from errata_bench.results.certainty import Entry as UnitsEntry
    from errata_bench.results.certainty import Units

_KEPT = 100
"""Rankings of cases and categories that are kept: those of a reader, and not of each case of a large group."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a ranking is made over: everything, one case, or one category (a parent or a full label)."""

    case: str = ""
    category: str = ""

    @property
    def selection(self) -> Selection:
        """The same for `results.detail`."""
        return Selection(cases=(self.case,) if self.case else (), categories=(self.category,) if self.category else ())

    @property
    def name(self) -> str:
        """A short text that no other scope has."""
        return f"case {self.case}" if self.case else f"category {self.category}" if self.category else ""


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Summaries, best first, and what has to be known of them where they are over less than all."""

    summaries: list[VariantSummary]
    notes: list[str]

    @property
    def quality_intervals(self) -> Mapping[Entry, Ends]:
        """The 95% interval of each entry's quality on these texts; an entry without one is left out."""
        return {
            Entry(one.variant, one.settings): Ends(one.intervals["quality"].low, one.intervals["quality"].high)
            for one in self.summaries
            if "quality" in one.intervals
        }


class Rankings:
    """The rankings of one group at one moment; ``records`` are its runs, ``tally`` is asked for once it is needed."""

    def __init__(self, group: Group, records: Sequence[RunRecord], tally: Callable[[], Tally]) -> None:
        self._group = group
        self._records = records
        self._tally = tally
        self._of = lru_cache(_KEPT)(self._make)

    def of(self, scope: Scope) -> Ranking:
        """The ranking over a scope, with intervals and places; in a category, what is about whole runs is None."""
        return self._of(scope) if scope.name else self._everything

    @cached_property
    def _everything(self) -> Ranking:
        return self._make(Scope())

    def _make(self, scope: Scope) -> Ranking:
        # Only the notes outlive it: a scope's records may be as many as the group's, and each category has its own.
        records = self._by_case[scope.case] if scope.case else self._records
        narrowed = narrow(records, scope.selection, lambda: self._tally_of(scope), self._verdicts_of)
        return Ranking(self._ranked(scope, narrowed), selection_notes(narrowed))

    def _ranked(self, scope: Scope, narrowed: Narrowed) -> list[VariantSummary]:
        from errata_bench.results.certainty import Metric, with_certainty

        summaries = ranked(narrowed.summaries)
        if all(record.figures is None for record in narrowed.records) and not self._group.imports.has_verdicts:
            return summaries
        units = self._units
        if scope.case:
            units = replace(units, entries=self._entries_by_case.get(scope.case, {}))
        # Within a case or a category nobody ranks by restraint, and each figure costs a bootstrap.
        metrics = (Metric.QUALITY,) if scope.name else tuple(Metric)
        return with_certainty(summaries, units, metrics=metrics, keep_issues=narrowed.kept_issues)

    def _tally_of(self, scope: Scope) -> Tally:
        def within(case: TalliedCase) -> TalliedCase:
            wanted = (one for one in case.issues if scope.category in (one.category, parent_of(one.category)))
            return replace(case, issues=tuple(wanted)) if scope.category else case

        tally = self._tally()
        return replace(tally, cases=tuple(within(case) for case in tally.cases if scope.case in ("", case.case_id)))

    @cached_property
    def _by_case(self) -> Mapping[str, Sequence[RunRecord]]:
        found: dict[str, list[RunRecord]] = defaultdict(list)
        for record in self._records:
            found[record.case_id].append(record)
        return found

    @cached_property
    def _units(self) -> Units:
        from errata_bench.results.certainty import read_units

        return read_units(self._group, self._records)

    @cached_property
    def _entries_by_case(self) -> Mapping[str, Mapping[UnitsEntry, Mapping[str, Sequence[int]]]]:
        found: dict[str, dict[UnitsEntry, dict[str, Sequence[int]]]] = defaultdict(dict)
        for entry, by_case in self._units.entries.items():
            for fingerprint, ids in by_case.items():
                found[self._units.case_ids[fingerprint]].setdefault(entry, {})[fingerprint] = ids
        return found

    def _verdicts_of(self, run_id: int) -> Sequence[StoredVerdict]:
        # Asked for runs on cases with issues alone; those of all these are among the units.
        return self._units.outcomes.get(run_id, ())
