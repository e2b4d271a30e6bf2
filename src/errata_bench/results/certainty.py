"""How sure the figures of a group are: intervals, places, and comparisons of two variants (SCORING section 4).

Takes the units from a group — issues for quality, paragraphs for edits — and hands them to `results.statistics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from statistics import fmean

from errata_bench.errors import UserError
from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.statistics.compare import Comparison, compare_all
from errata_bench.results.statistics.intervals import Interval, intervals
from errata_bench.results.statistics.ranks import Ranked, rank
from errata_bench.results.statistics.scores import (
    F05,
    RATE,
    SHARE,
    CaseScores,
    Question,
    Scale,
    Unit,
    VariantScores,
    only_units,
)
from errata_bench.store.evidence import EditCounts, StoredVerdict
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunSettings
from errata_bench.variants import Variant

Entry = tuple[Variant, RunSettings]
"""A line of a ranking: a variant under one set of settings."""


class Metric(StrEnum):
    """A figure that has an interval, and in which variants can be compared."""

    QUALITY = "quality"
    """Fixed issues of all, by rule v1."""
    ALIGNED_QUALITY = "aligned_quality"
    """Fixed issues of all, by the aligned verdict."""
    UNNEEDED = "unneeded_per_1000_words"
    """Edits away from all errors, for 1,000 words: less is better."""
    F05 = "f05"
    """F0.5 of all edits."""

    @property
    def scale(self) -> Scale:
        """What values it can have."""
        return {Metric.UNNEEDED: RATE, Metric.F05: F05}.get(self, SHARE)

    @property
    def less_is_better(self) -> bool:
        """Whether a small value is a good one."""
        return self is Metric.UNNEEDED

    @property
    def is_about_issues(self) -> bool:
        """Whether its units are issues, which belong to categories, rather than paragraphs."""
        return self in _FIXED


def parse_metric(name: str) -> Metric:
    """The metric of that name. Raises `UserError`."""
    try:
        return Metric(name.replace("-", "_"))
    except ValueError:
        raise UserError(f"there is no metric {name!r}", mend=f"there are: {', '.join(Metric)}") from None


_FIXED: Mapping[Metric, Callable[[StoredVerdict], bool | None]] = {
    Metric.QUALITY: lambda one: one.fixed,
    Metric.ALIGNED_QUALITY: lambda one: one.aligned_fixed,
}


@dataclass(frozen=True)
class Units:
    """The units of a group's successful runs of cases with issues, ready for any metric."""

    entries: Mapping[Entry, Mapping[str, Sequence[int]]]
    """Entry to fingerprint to run ids."""
    case_ids: Mapping[str, str]
    outcomes: Mapping[int, Sequence[StoredVerdict]]
    edits: Mapping[int, Mapping[str, EditCounts]]
    words: Mapping[str, Mapping[str, int]]
    """Fingerprint to paragraph id to its words."""

    def scores(self, entry: Entry, metric: Metric) -> VariantScores:
        """The units of one line of the ranking."""
        cases = []
        for fingerprint, runs in self.entries[entry].items():
            if (fixed := _FIXED.get(metric)) is not None:
                units = self._issues(runs, fixed)
            else:
                units = self._paragraphs(fingerprint, runs, metric)
            if units:
                cases.append(CaseScores(fingerprint, units))
        return VariantScores(str(entry[0]), tuple(cases))

    def _issues(self, runs: Sequence[int], value: Callable[[StoredVerdict], bool | None]) -> dict[str, Unit]:
        values: dict[str, list[float]] = defaultdict(list)
        for run in runs:
            for outcome in self.outcomes.get(run, ()):
                if (one := value(outcome)) is not None:
                    values[outcome.issue_id].append(float(one))
        return {issue_id: Unit(fmean(found)) for issue_id, found in values.items()}

    def _paragraphs(self, fingerprint: str, runs: Sequence[int], metric: Metric) -> dict[str, Unit]:
        counted = [self.edits[run] for run in runs if run in self.edits]
        if not counted:
            return {}
        edited: dict[str, list[EditCounts]] = defaultdict(list)  # few of many paragraphs are
        for edits in counted:
            for paragraph_id, counts in edits.items():
                edited[paragraph_id].append(counts)
        words = self.words[fingerprint]
        if metric is Metric.UNNEEDED:
            unneeded = {paragraph_id: sum(one.unneeded for one in counts) for paragraph_id, counts in edited.items()}
            return {
                paragraph_id: Unit(1_000 * unneeded.get(paragraph_id, 0) / len(counted), count)
                for paragraph_id, count in words.items()
            }
        done = {paragraph_id: _f05_unit(counts) for paragraph_id, counts in edited.items()}
        return {paragraph_id: done.get(paragraph_id, _NO_EDITS) for paragraph_id in words}


_NO_EDITS = Unit(0.0, 0.0)


def _f05_unit(counts: Sequence[EditCounts]) -> Unit:
    """What a paragraph adds above and below the line of F0.5."""
    hits, edits = sum(one.hits for one in counts), sum(one.hits + one.wrong + one.unneeded for one in counts)
    return Unit(1.25 * hits, edits + 0.25 * sum(one.issues for one in counts))


def read_units(group: Group, records: Iterable[RunRecord], *, edits: bool = True) -> Units:
    """Read the units behind these runs; those of edits only where they are wanted.

    A line of the ranking with imported runs of which nobody knows the verdicts has no units: those of its other runs
    would not be about the figure that stands there.
    """
    entries: dict[Entry, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    case_ids: dict[str, str] = {}
    measured = [record for record in records if record.measured is not None and not record.measured.is_control]
    wanted = {record.id for record in measured}
    outcomes: dict[int, list[StoredVerdict]] = defaultdict(list)
    for outcome in group.all_verdicts():
        if outcome.run_id in wanted:
            outcomes[outcome.run_id].append(outcome)
    unknown = {
        (record.key.variant, record.key.settings)
        for record in measured
        if record.figures is None and record.id not in outcomes
    }
    for record in measured:
        entry = (record.key.variant, record.key.settings)
        if entry not in unknown:
            entries[entry][record.key.fingerprint].append(record.id)
            case_ids[record.key.fingerprint] = record.case_id
    counts = {run_id: found for run_id, found in group.edited_paragraphs() if run_id in wanted} if edits else {}
    words: dict[str, dict[str, int]] = {}
    for fingerprint in case_ids if edits else ():
        case = group.case(fingerprint)
        words[fingerprint] = {} if case is None else {paragraph.id: paragraph.words for paragraph in case.document}
    return Units(entries, case_ids, outcomes, counts, words)


def with_certainty(
    summaries: Sequence[VariantSummary],
    units: Units,
    question: Question = Question.THESE_TEXTS,
    *,
    ranked_by: Metric = Metric.QUALITY,
    metrics: Sequence[Metric] = tuple(Metric),
    keep_issues: Mapping[str, Set[str]] | None = None,
) -> list[VariantSummary]:
    """The summaries with intervals, places, and whether they can be told from the best one.

    ``keep_issues`` (fingerprint to issue ids) restricts the metrics of issues to some of them; the others have no
    interval then. Summaries without runs of their own stay as they are.
    """
    known = [summary for summary in summaries if (summary.variant, summary.settings) in units.entries]
    found: dict[Entry, dict[str, Interval]] = defaultdict(dict)
    places: dict[Entry, Ranked] = {}
    for metric in metrics:
        if keep_issues is not None and not metric.is_about_issues:
            continue
        scores = []
        for n, summary in enumerate(known):
            one = units.scores((summary.variant, summary.settings), metric)
            if keep_issues is not None:
                one = only_units(one, keep_issues)
            # Two lines may be of one variant under different settings: the place in the list tells them apart.
            scores.append(replace(one, name=str(n)))
        for summary, interval in zip(known, intervals(scores, question, metric.scale), strict=True):
            if interval is not None:
                found[summary.variant, summary.settings][metric] = interval
        if metric is ranked_by:
            for one_place in rank(scores, question, metric.scale, less_is_better=metric.less_is_better):
                summary = known[int(one_place.name)]
                places[summary.variant, summary.settings] = one_place
    return [
        replace(
            summary,
            intervals=found.get((summary.variant, summary.settings), {}),
            place=places.get((summary.variant, summary.settings)),
        )
        for summary in summaries
    ]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often both verdicts were given for a variant, and how often they differ on whether an issue is fixed.

    ``only_v1`` and ``only_aligned`` count the verdicts by which only one of them takes an issue for fixed.
    """

    verdicts: int = 0
    only_v1: int = 0
    only_aligned: int = 0

    @property
    def share(self) -> float | None:
        """Verdicts that differ, of all, 0 to 1."""
        return (self.only_v1 + self.only_aligned) / self.verdicts if self.verdicts else None


def disagreement(units: Units) -> Disagreement:
    """How often rule v1 and the alignment differ in these runs."""
    verdicts = only_v1 = only_aligned = 0
    for outcomes in units.outcomes.values():
        for outcome in outcomes:
            if outcome.aligned_fixed is not None:
                verdicts += 1
                only_v1 += outcome.fixed and not outcome.aligned_fixed
                only_aligned += outcome.aligned_fixed and not outcome.fixed
    return Disagreement(verdicts, only_v1, only_aligned)


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """Two lines of a ranking compared, overall and by category; None where they have nothing in common."""

    one: Entry
    other: Entry
    overall: Comparison | None
    categories: Mapping[str, Comparison | None]


def compare_variants(
    units: Units,
    entries: Sequence[Entry],
    metric: Metric = Metric.QUALITY,
    question: Question = Question.THESE_TEXTS,
    *,
    categories: Mapping[str, Mapping[str, Set[str]]] | None = None,
) -> list[VariantComparison]:
    """Compare each pair of these lines, with Holm's correction over all pairs.

    ``categories`` maps a category to its issues (fingerprint to issue ids); they are compared for metrics of issues.
    Within a category the correction is over the pairs as well, not over categories: those are for looking, not for
    claims.
    """
    scores = {entry: units.scores(entry, metric) for entry in entries}
    pairs = list(combinations(entries, 2))
    overall = compare_all([(scores[one], scores[other]) for one, other in pairs], question, metric.scale)
    parts: dict[str, list[Comparison | None]] = {}
    for name, keep in (categories or {}).items() if metric.is_about_issues else ():
        restricted = {entry: only_units(one, keep) for entry, one in scores.items()}
        parts[name] = compare_all(
            [(restricted[one], restricted[other]) for one, other in pairs], question, metric.scale
        )
    return [
        VariantComparison(one, other, overall[n], {name: found[n] for name, found in parts.items()})
        for n, (one, other) in enumerate(pairs)
    ]
