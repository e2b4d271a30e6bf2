"""A ranking of a part of a group: some cases, some variants, issues of some categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from errata_bench.results.aggregate import VariantSummary, summarise_runs
from errata_bench.results.detail.selection import Selection, choose_cases, choose_variants
from errata_bench.results.detail.tally import Tally, tally_group
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.store.evidence import StoredVerdict
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord

ISSUE_FIGURES = frozenset({"quality", "aligned_quality", "bad_fix_rate", "missed_rate", "unjudged_rate"})
"""The figures that exist for some issues of a case; all others are about a run as a whole."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Summaries of a part of a group, in no particular order, and which part it is.

    ``issues`` counts the issues that are looked at, None where all are; ``kept_issues`` names them, by
    fingerprint. ``records`` are the runs that were summarised. Where categories are chosen, every figure but
    `ISSUE_FIGURES`, range and stability is None.
    """

    summaries: tuple[VariantSummary, ...]
    cases: tuple[str, ...]
    categories: tuple[str, ...]
    issues: int | None = None
    records: tuple[RunRecord, ...] = ()
    kept_issues: Mapping[str, Set[str]] | None = None


def summarise_selection(group: Group, selection: Selection) -> Narrowed:
    """Summarise what is selected of a group. Raises `UserError` when the selection names what is not there."""
    return narrow(group.runs(), selection, lambda: tally_group(group, selection), group.run_verdicts)


def narrow(
    records: Sequence[RunRecord],
    selection: Selection,
    tally_of: Callable[[], Tally],
    verdicts_of: Callable[[int], Iterable[StoredVerdict]],
) -> Narrowed:
    """`summarise_selection` for whoever keeps records, tallies and verdicts (by run) himself; asked for when needed."""
    variants = choose_variants(selection, (record.key.variant for record in records))
    case_ids = choose_cases(selection, (record.case_id for record in records))
    cases = tuple(sorted(case_ids)) if selection.cases else ()
    kept = [record for record in records if record.key.variant in variants and record.case_id in case_ids]
    if not selection.categories:
        return Narrowed(tuple(summarise_runs(kept)), cases, (), records=tuple(kept))
    tally = tally_of()
    issues = {case.fingerprint: {issue.issue_id for issue in case.issues} for case in tally.cases if case.issues}
    narrowed = [
        _on_issues(record, verdicts_of, issues[record.key.fingerprint])
        for record in kept
        if record.key.fingerprint in issues
    ]
    summaries = tuple(_about_issues(summary) for summary in summarise_runs(narrowed))
    categories = tuple(dict.fromkeys(issue.category for issue in tally.issues()))
    return Narrowed(
        summaries, cases, tuple(sorted(categories)), sum(map(len, issues.values())), tuple(narrowed), issues
    )


def best_variants(summaries: Sequence[VariantSummary]) -> list[VariantSummary]:
    """Of each model under the same settings the variant that comes first; order is kept."""
    seen = set()
    best = []
    for summary in summaries:
        # The options sent with an effort differ with it; what else differs makes another row of the same model.
        key = (summary.variant.model, replace(summary.settings, reasoning="", max_completion_tokens=0))
        if key not in seen:
            seen.add(key)
            best.append(summary)
    return best


def _on_issues(
    record: RunRecord, verdicts_of: Callable[[int], Iterable[StoredVerdict]], issue_ids: set[str]
) -> RunRecord:
    if record.figures is None:
        return replace(record, imported=None)  # nobody knows which issues it fixed
    found = [one for one in verdicts_of(record.id) if one.issue_id in issue_ids]
    verdicts = [one.verdict for one in found]
    aligned = [one.aligned_fixed for one in found if one.aligned_fixed is not None]
    unjudged = verdicts.count(Verdict.UNJUDGED)
    figures = replace(
        record.figures,
        issues=len(verdicts),
        fixed=verdicts.count(Verdict.FIXED) + verdicts.count(Verdict.FIXED_ALTERNATIVE),
        bad_fixes=verdicts.count(Verdict.BAD_FIX) + unjudged,
        unjudged=unjudged,
        missed=verdicts.count(Verdict.NOT_ADDRESSED),
        aligned_fixed=sum(aligned) if len(aligned) == len(found) else None,
        restraint=None,
    )
    return replace(record, figures=figures)


def _about_issues(summary: VariantSummary) -> VariantSummary:
    figures = {name: value if name in ISSUE_FIGURES else None for name, value in summary.figures.items()}
    return replace(summary, figures=figures, control_unexpected_paragraphs=None)
