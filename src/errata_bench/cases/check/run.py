"""The whole check of files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from errata_bench.cases.check.complaints import (
    ParagraphChecker,
    collect_complaints,
    complaint_findings,
    record_complaints,
)
from errata_bench.cases.check.duplicates import duplicate_findings, equal_error_notes
from errata_bench.cases.check.issues import issue_findings
from errata_bench.cases.check.limits import Limits
from errata_bench.cases.check.report import Finding, Report, case_figures, count_categories
from errata_bench.cases.check.spread import category_findings, spread_findings
from errata_bench.cases.load import read_cases
from errata_bench.errors import DatasetFault

DEFAULT_LIMITS = Limits()


async def check_cases(
    paths: Iterable[str],
    *,
    checkers: Mapping[str, ParagraphChecker] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    record: bool = False,
) -> Report:
    """Check the cases of files and folders.

    What cannot be loaded is reported, the rest is checked all the same. ``checkers`` are offline checkers by name;
    without them the clean texts are not read. ``record`` writes their complaints beside the cases, to be given
    reasons. Raises `UserError` when there is nothing to read.
    """
    paths = list(paths)
    loaded = read_cases(paths)
    findings = [_as_finding(fault) for fault in loaded.faults]
    figures = [case_figures(case) for case in loaded.cases]
    for case, its_figures in zip(loaded.cases, figures, strict=True):
        findings += issue_findings(case, limits)
        findings += spread_findings(case, its_figures, limits)
    findings += duplicate_findings(loaded.cases, limits)
    notes = list(equal_error_notes(loaded.cases, limits))
    categories = count_categories(loaded.cases)
    findings += category_findings(categories, ", ".join(paths), limits)
    if checkers is not None:
        complaints = await collect_complaints(loaded.cases, checkers)
        if record:
            record_complaints(loaded.cases, complaints)
        of_texts, stale = complaint_findings(loaded.cases, complaints, checkers)
        findings += of_texts
        notes += stale
    return Report(tuple(findings), tuple(notes), tuple(figures), categories)


def _as_finding(fault: DatasetFault) -> Finding:
    return Finding("load", fault.problem, fault.file, fault.case, fault.issue, fault.field)
