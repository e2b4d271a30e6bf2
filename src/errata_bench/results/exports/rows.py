"""Rows of exports, read from a group one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from errata_bench.results.exports.columns import Cell, run_row
from errata_bench.scoring.rule_v1 import Finding, Verdict
from errata_bench.store.evidence import StoredIssue
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord


def run_rows(group: Group) -> Iterator[dict[str, Cell]]:
    """One row a run, in the order in which they were begun."""
    for record in group.runs():
        yield run_row(record)


def issue_rows(group: Group) -> Iterator[dict[str, Cell]]:
    """One row an issue of each successful run of which there are verdicts, run by run."""
    records: dict[int, RunRecord] = {record.id: record for record in group.runs()}
    issues: dict[tuple[str, str], StoredIssue] = {
        (issue.fingerprint, issue.issue_id): issue for issue in group.stored_issues()
    }
    paragraphs = group.imports.paragraphs()
    reasons: dict[str, str] = {}
    reasons_of: int | None = None
    for verdict in group.all_verdicts():
        record = records.get(verdict.run_id)
        if record is None:
            continue  # begun after the runs were read
        if verdict.finding == Finding.CANDIDATE and reasons_of != verdict.run_id:
            reasons_of = verdict.run_id
            judged = group.judgments.of_run(verdict.run_id)
            reasons = {issue_id: judgment.reason for issue_id, judgment in judged.items()}
        issue = issues.get((record.key.fingerprint, verdict.issue_id))
        yield {
            "run": record.id,
            "model": str(record.key.variant),
            "case": record.case_id,
            "sample": record.sample,
            "issue": verdict.issue_id,
            "category": None if issue is None else issue.category,
            "severity": None if issue is None else issue.severity,
            "paragraph": paragraphs.get(record.id, {}).get(verdict.issue_id) if issue is None else issue.paragraph_id,
            "finding": verdict.finding,
            "verdict": verdict.verdict,
            "fixed": Verdict(verdict.verdict).is_fixed,
            "aligned": verdict.aligned or None,
            "judge_reason": reasons.get(verdict.issue_id) if verdict.finding == Finding.CANDIDATE else None,
        }
