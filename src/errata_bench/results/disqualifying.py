"""Disqualified issues of a dataset applied to stored cases, whose runs go with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from errata_bench.cases.model import Case
from errata_bench.results.rescorer import Rescorer
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that has other disqualified issues now, and how many runs are on it."""

    case_id: str
    disqualified: tuple[str, ...]
    counting_again: tuple[str, ...]
    runs: int


@dataclass(slots=True)
class Disqualified:
    """What came of it.

    ``other_texts`` are cases whose text or issues in the dataset are others than those that were run,
    ``not_in_dataset`` those that are not there: both stay as they are.
    """

    cases: list[CaseChange] = field(default_factory=list)
    other_texts: list[str] = field(default_factory=list)
    not_in_dataset: list[str] = field(default_factory=list)


def apply_disqualified(group: Group, rescorer: Rescorer, dataset: Iterable[Case]) -> Disqualified:
    """Disqualify in stored cases what is disqualified in the dataset, and let count again what is not.

    A case changes together with all its runs, which are scored again, in one transaction: its fingerprint is another
    then (C8), and runs of another fingerprint would be made again. Raises `StoreError`.
    """
    current_cases = {case.id: case for case in dataset}
    report = Disqualified()
    runs: dict[str, list[RunRecord]] = {}
    for record in group.runs():
        runs.setdefault(record.key.fingerprint, []).append(record)
    for fingerprint, records in runs.items():
        stored = group.case(fingerprint)
        if stored is None:
            continue  # made elsewhere
        current = current_cases.get(stored.id)
        if current is None:
            report.not_in_dataset.append(stored.id)
        elif with_disqualified(stored, ()).fingerprint != with_disqualified(current, ()).fingerprint:
            report.other_texts.append(stored.id)
        elif (change := _change(stored, current, len(records))) is not None:
            changed = with_disqualified(stored, {issue.id for issue in current.issues if issue.disqualified})
            with group.upkeep.transaction():
                group.upkeep.move_to(changed, [record.id for record in records])
                for record in records:
                    if record.status is RunStatus.SUCCEEDED:
                        key = replace(record.key, fingerprint=changed.fingerprint)
                        rescorer.rescore(replace(record, key=key))
            report.cases.append(change)
    return report


def with_disqualified(case: Case, issue_ids: Collection[str]) -> Case:
    """The case with these issues disqualified and no others."""
    issues = tuple(replace(issue, disqualified=issue.id in issue_ids) for issue in case.issues)
    return replace(case, issues=issues)


def _change(stored: Case, current: Case, runs: int) -> CaseChange | None:
    before = {issue.id for issue in stored.issues if issue.disqualified}
    after = {issue.id for issue in current.issues if issue.disqualified}
    if before == after:
        return None
    return CaseChange(stored.id, tuple(sorted(after - before)), tuple(sorted(before - after)), runs)
