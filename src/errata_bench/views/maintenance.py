"""What the upkeep of a group did or found, in lines and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from errata_bench.results.checking import Finding, Trouble
from errata_bench.results.disqualifying import Disqualified
from errata_bench.results.imports.group import ImportReport
from errata_bench.results.merge import MergedSource
from errata_bench.results.overview import Overview
from errata_bench.results.prune import Absent, Loss
from errata_bench.results.published import PUBLISHED_ELSEWHERE
from errata_bench.results.refresh import RefreshReport
from errata_bench.results.rescore import RescoreReport
from errata_bench.results.rescorer import NO_VERDICT, VariantChange
from errata_bench.runs.judging_anew import NewJudge
from errata_bench.store.upkeep import Pruned
from errata_bench.views.terminal import count, number, plain

_CONFLICTS_SHOWN = 20


def group_line(group_id: str, overview: Overview) -> str:
    """A group in one line."""
    failed = f", {overview.failed:,} failed" if overview.failed else ""
    running = f", {overview.running:,} unfinished" if overview.running else ""
    return (
        f"{plain(group_id)}: {count(overview.succeeded, 'run')}{failed}{running}; "
        f"{count(overview.variants, 'variant')}, {count(overview.cases, 'case')}"
    )


def published_line(published_id: str) -> str:
    """Results of others in one line."""
    return f"{published_id}: {PUBLISHED_ELSEWHERE} (errata-bench view rankings {published_id})"


def change_lines(variants: Sequence[VariantChange], *, dry_run: bool = False) -> Iterator[str]:
    """What rescoring changed, by variant; a variant that is as it was is only counted."""
    would = "would have" if dry_run else "have"
    changed = [variant for variant in variants if variant.changed_runs]
    for variant in changed:
        runs = count(variant.runs, "run")
        yield (
            f"{plain(str(variant.variant))}: {variant.changed_runs:,} of {runs} {would} other figures; "
            f"quality {number(variant.quality_before)} -> {number(variant.quality_after)}"
        )
        for (before, after), issues in sorted(variant.moves.items(), key=lambda move: (-move[1], move[0])):
            yield f"  {count(issues, 'issue')}: {_words(before)} -> {_words(after)}"
    total = sum(variant.runs for variant in variants)
    same = sum(variant.runs - variant.changed_runs for variant in variants)
    yield f"{count(total, 'run')} scored again, {same:,} unchanged."


def disqualified_lines(report: Disqualified) -> Iterator[str]:
    """Which cases have other disqualified issues now, and which could not be compared."""
    for case in report.cases:
        parts = [
            f"{what}: {', '.join(map(plain, ids))}"
            for what, ids in (("disqualified", case.disqualified), ("counting again", case.counting_again))
            if ids
        ]
        yield f"Case {plain(case.case_id)} ({count(case.runs, 'run')}): {'; '.join(parts)}"
    for ids, why in (
        (report.other_texts, "the dataset holds another text or other issues under this id; left as it is"),
        (report.not_in_dataset, "not in the dataset; left as it is"),
    ):
        for case_id in dict.fromkeys(ids):
            yield f"Case {plain(case_id)}: {why}"


def rescore_lines(report: RescoreReport, judge: NewJudge | None = None, *, dry_run: bool = False) -> Iterator[str]:
    """What scoring again changed."""
    yield from disqualified_lines(report.disqualified)
    yield from change_lines(report.variants, dry_run=dry_run)
    if report.without_documents:
        yield f"{count(report.without_documents, 'run')} imported: there are no texts here to be scored."
    if judge is not None:
        yield f"{count(judge.judged, 'run')} rest on {plain(str(judge.judge))} alone."
        if judge.left:
            why = "nobody was asked" if dry_run else "ask again with the same command"
            fixes = count(judge.unanswered, "fix", "fixes")
            yield f"{count(judge.left, 'run')} left as they were: {fixes} not judged by it ({why})."
        if judge.fault is not None:
            yield f"The judge was not asked any more: {plain(str(judge.fault))}"
    if dry_run:
        yield "Nothing was written."


def refresh_lines(report: RefreshReport, *, dry_run: bool = False) -> Iterator[str]:
    """What refreshing changed, and what it could not."""
    yield from disqualified_lines(report.disqualified)
    yield from change_lines(report.variants, dry_run=dry_run)
    yield (
        f"Costs: {count(report.priced, 'turn')} priced that had none, {report.repriced:,} priced anew, "
        f"{report.kept:,} kept as their replies reported them, {report.unpriced:,} without a known price."
    )
    if report.judgments_priced:
        yield f"{count(report.judgments_priced, 'judgment')} priced."
    if dry_run:
        yield "Nothing was written."


def absent_lines(absent: Sequence[Absent]) -> Iterator[str]:
    """Which names are not there, and which are."""
    for one in absent:
        there = f"there are: {plain(', '.join(one.known))}" if one.known else "it holds no runs"
        yield f"The group has no {one.what} {plain(one.name)!r} (names have to be whole here); {there}."


def loss_lines(losses: Sequence[Loss]) -> Iterator[str]:
    """What would go, by variant."""
    for loss in losses:
        parts = []
        if loss.runs:
            parts.append(f"{count(loss.runs, 'run')} ({loss.succeeded:,} successful, {count(loss.chunks, 'chunk')})")
        if loss.failures:
            parts.append(count(loss.failures, "recorded failure"))
        yield f"{plain(str(loss.variant))}: {' and '.join(parts)}"


def pruned_line(pruned: Pruned, backup: Path) -> str:
    """What has gone, and where the copy is."""
    return (
        f"Taken out: {count(pruned.runs, 'run')}, {count(pruned.failures, 'recorded failure')}, "
        f"{count(pruned.cases, 'case')}. The group as it was: {backup}"
    )


def merge_lines(target: str, sources: Sequence[MergedSource]) -> Iterator[str]:
    """What each source brought."""
    for source in sources:
        merged = source.merged
        if merged is None:
            yield f"{source.source}: the group {target} itself; nothing to do"
            continue
        renumbered = f" ({merged.renumbered:,} with another sample number)" if merged.renumbered else ""
        judgments = f", {count(merged.judgments, 'judgment')} new" if merged.judgments else ""
        yield (
            f"{source.source}: {count(merged.added, 'run')} added{renumbered}, {merged.updated:,} brought further, "
            f"{merged.same:,} there already, {count(len(merged.conflicts), 'conflict')}{judgments}"
        )
        for conflict in merged.conflicts[:_CONFLICTS_SHOWN]:
            yield f"  conflict: {plain(conflict)}"
        if len(merged.conflicts) > _CONFLICTS_SHOWN:
            yield f"  and {len(merged.conflicts) - _CONFLICTS_SHOWN:,} more"


def finding_lines(group_id: str, findings: Sequence[Finding]) -> Iterator[str]:
    """What a check found, by kind."""
    for trouble in Trouble:
        of_kind = [finding for finding in findings if finding.trouble is trouble]
        if of_kind:
            yield f"{trouble.value.capitalize()}:"
        for finding in of_kind:
            yield f"  {plain(finding.about)}: {plain(finding.text)}" if finding.about else f"  {plain(finding.text)}"
    yield f"{plain(group_id)}: {count(len(findings), 'finding')}" if findings else f"{plain(group_id)}: no findings"


def findings_json(group_id: str, findings: Sequence[Finding]) -> str:
    """The findings as JSON (ASCII), runs by their numbers."""
    return json.dumps({"group": group_id, "findings": [asdict(finding) for finding in findings]}, indent=2)


def import_line(group_id: str, report: ImportReport) -> str:
    """What was read in."""
    failed = f", {report.failed:,} of them failed" if report.failed else ""
    one = "report" if report.of_reports else "attempt"
    more = [
        (report.joined, "of runs that were there, which are known better now"),
        (report.own, "of runs that this group has made itself"),
        (report.differing, "of runs of which something else was read before, which stays"),
    ]
    return (
        f"{plain(report.file)}: {count(report.attempts, one)}{failed}, of {count(report.variants, 'variant')} on "
        f"{count(report.cases, 'case')}; {report.added:,} new in the group {plain(group_id)}"
        + "".join(f", {number:,} {what}" for number, what in more if number)
        + "."
    )


def _words(verdict: str) -> str:
    return verdict.replace("_", " ") if verdict != NO_VERDICT else "not counted"
