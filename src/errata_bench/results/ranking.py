"""A ranking as it is asked for: by which verdict, over what part of a group, and how sure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from errata_bench.results.aggregate import VariantSummary, ranked
from errata_bench.results.detail.narrowing import Narrowed, best_variants, summarise_selection
from errata_bench.results.detail.selection import EVERYTHING, Selection
from errata_bench.results.rules import Rule
from errata_bench.store.group import Group


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How to rank. ``new_texts`` asks how sure the figures are on texts nobody has seen, rather than on these.

    ``failures_as_zero`` ranks by quality with each failed attempt as a run that fixed nothing (rule v1).
    """

    rule: Rule = Rule.V1
    new_texts: bool = False
    failures_as_zero: bool = False
    intervals: bool = True
    best_variant_only: bool = False

    @property
    def by(self) -> str:
        """The figure that decides."""
        if self.failures_as_zero:
            return "quality_failures_as_zero"
        return "aligned_quality" if self.rule is Rule.ALIGNED else "quality"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Summaries, best first; which part of the group they are about; and what has to be said of them."""

    summaries: tuple[VariantSummary, ...]
    narrowed: Narrowed
    remarks: tuple[str, ...] = ()


def make_ranking(
    group: Group, selection: Selection = EVERYTHING, options: RankingOptions = RankingOptions()
) -> Ranking:
    """Rank a group, or a part of it. Raises `UserError` when the selection names what is not there."""
    narrowed = summarise_selection(group, selection)
    summaries = ranked(narrowed.summaries, options.by)
    if options.best_variant_only:
        summaries = best_variants(summaries)
    remarks: list[str] = []
    if options.intervals and (
        any(record.figures is not None for record in narrowed.records) or group.imports.has_verdicts
    ):
        summaries, remarks = _certain(group, narrowed, summaries, options)
    versions = Counter({record.key.fingerprint: record.case_id for record in narrowed.records}.values())
    remarks.extend(
        f"{case_id} is here in {count} versions, each of which counts as a case of its own."
        for case_id, count in sorted(versions.items())
        if count > 1
    )
    if options.by != "quality":
        remarks.insert(0, _RANKED_BY[options.by])
    return Ranking(tuple(summaries), narrowed, tuple(remarks))


_RANKED_BY = {
    "aligned_quality": "Ranked by the aligned verdict, not by rule v1: not comparable with published results.",
    "quality_failures_as_zero": "Ranked with each failed attempt as a run that fixed nothing.",
}


def _certain(
    group: Group, narrowed: Narrowed, summaries: list[VariantSummary], options: RankingOptions
) -> tuple[list[VariantSummary], list[str]]:
    # Imported here, because they load numpy.
    from errata_bench.results.certainty import Metric, disagreement, read_units, with_certainty
    from errata_bench.results.statistics.scores import Question

    question = Question.NEW_TEXTS if options.new_texts else Question.THESE_TEXTS
    units = read_units(group, narrowed.records)
    if not units.entries:
        return summaries, []
    summaries = with_certainty(
        summaries,
        units,
        question,
        ranked_by=Metric.ALIGNED_QUALITY if options.by == "aligned_quality" else Metric.QUALITY,
        keep_issues=narrowed.kept_issues,
    )
    remarks = [
        "±: 95% intervals for "
        + ("new texts of these kinds." if options.new_texts else "these texts, with other errors of these kinds.")
        + " What has a * cannot be told from the best."
    ]
    found = disagreement(units)
    if found.only_v1 or found.only_aligned:
        remarks.append(
            f"Rule v1 and the aligned verdict differ on {found.only_v1 + found.only_aligned} of {found.verdicts} "
            f"verdicts: {found.only_v1} fixed by rule v1 alone, {found.only_aligned} by the alignment alone."
        )
    return summaries, remarks
