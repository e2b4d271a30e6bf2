"""Each planted error: where it stands, what would be right, and who fixed it how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from errata_bench.errors import UserError
from errata_bench.results.detail.entries import Entry, entry_of
from errata_bench.results.detail.marking import Marker, Piece, Sentence, sentence_of
from errata_bench.results.detail.selection import EVERYTHING, Selection
from errata_bench.results.detail.tally import Outcomes, Tally, tally_group, total
from errata_bench.scoring.aligned.plain_text import plain_text
from errata_bench.scoring.rule_v1 import Finding
from errata_bench.store.group import Group
from errata_bench.store.judgments import Judgment
from errata_bench.store.records import RunRecord


@dataclass(frozen=True, slots=True)
class IssueRow:
    """One issue over all that is looked at. Texts are plain, without markup.

    ``rate`` is the mean over entries of the share of their runs that fixed it, 0 to 1. It, ``outcomes`` and the two
    flags leave the oracle and the untouched text out. ``solved_by`` has an entry only if it has a run on the case.
    """

    fingerprint: str
    case_id: str
    issue_id: str
    category: str
    severity: str | None
    paragraph_id: str
    description: str
    sentence: Sentence
    right: str
    accepted: tuple[str, ...]
    solved_by: Mapping[Entry, Outcomes]
    outcomes: Outcomes
    rate: float | None

    @property
    def entries(self) -> int:
        """Entries that count and have a run on its case."""
        return sum(not entry.is_yardstick for entry in self.solved_by)

    @property
    def fixed_by(self) -> int:
        """Of these, how many fixed it at least once."""
        return sum(not entry.is_yardstick and outcomes.solved > 0 for entry, outcomes in self.solved_by.items())

    @property
    def never_fixed(self) -> bool:
        """Whether there are runs and none has fixed it."""
        return self.outcomes.runs > 0 and self.outcomes.solved == 0

    @property
    def always_fixed(self) -> bool:
        """Whether there are runs and every one has fixed it."""
        return self.outcomes.runs > 0 and self.outcomes.solved == self.outcomes.runs


@dataclass(frozen=True, slots=True)
class IssueAnswer:
    """One way in which runs left an issue's place: the same final paragraph and the same verdict.

    ``pieces`` is its sentence as they left it. ``judgment`` is the judge's, where the verdict rests on one. ``runs``
    are run ids by entry.
    """

    pieces: tuple[Piece, ...]
    finding: str
    verdict: str
    judgment: Judgment | None
    runs: Mapping[Entry, tuple[int, ...]]

    @property
    def count(self) -> int:
        """How many runs gave it."""
        return sum(len(ids) for ids in self.runs.values())


def issue_rows(group: Group, selection: Selection = EVERYTHING) -> list[IssueRow]:
    """All issues, the hardest first; what nobody has tried comes last.

    Reads the documents one case at a time. Raises `UserError` when the selection names what is not there.
    """
    return issues_of_tally(group, tally_group(group, selection))


def issues_of_tally(group: Group, tally: Tally) -> list[IssueRow]:
    """`issue_rows` of a tally that is there already."""
    rows = []
    for tallied in tally.cases:
        case = group.case(tallied.fingerprint)
        issues = {} if case is None else {issue.id: issue for issue in case.issues}
        for stored in tallied.issues:
            if case is None or stored.issue_id not in issues:
                continue
            issue = issues[stored.issue_id]
            solved_by = {
                entry: outcomes for entry in tally.entries if (outcomes := tally.of(entry, stored)) is not None
            }
            counted = [outcomes for entry, outcomes in solved_by.items() if not entry.is_yardstick]
            rates = [outcomes.rate for outcomes in counted if outcomes.rate is not None]
            rows.append(
                IssueRow(
                    fingerprint=stored.fingerprint,
                    case_id=stored.case_id,
                    issue_id=stored.issue_id,
                    category=stored.category,
                    severity=stored.severity,
                    paragraph_id=stored.paragraph_id,
                    description=issue.description,
                    sentence=sentence_of(case, issue),
                    right=plain_text(issue.replace),
                    accepted=tuple(plain_text(text) for text in issue.accepted),
                    solved_by=solved_by,
                    outcomes=total(counted),
                    rate=fmean(rates) if rates else None,
                )
            )
    rows.sort(key=lambda row: (row.rate is None, row.rate or 0.0, row.case_id))
    return rows


def issue_answers(group: Group, fingerprint: str, issue_id: str) -> list[IssueAnswer]:
    """What runs made of one issue, the commonest way first; runs that gave no verdict are left out.

    Raises `UserError` when there is no such issue.
    """
    case = group.case(fingerprint)
    if case is None or all(issue.id != issue_id for issue in case.issues):
        raise UserError(f"the group has no issue {issue_id!r} of that case")
    records = {record.id: record for record in group.runs() if record.key.fingerprint == fingerprint}
    return answers_of(group, Marker(case), records, issue_id)


def answers_of(group: Group, marker: Marker, records: Mapping[int, RunRecord], issue_id: str) -> list[IssueAnswer]:
    """`issue_answers` where the records of the case's runs are there, by id; issues of a case share a marker."""
    issue = next(one for one in marker.case.issues if one.id == issue_id)
    answers: dict[tuple[str | None, str], dict[Entry, list[int]]] = {}
    findings: dict[tuple[str | None, str], str] = {}
    verdicts = {one.run_id: one for one in group.issue_verdicts(marker.case.fingerprint, issue_id)}
    for final in group.final_paragraphs(marker.case.fingerprint, issue.paragraph_id):
        verdict = verdicts.get(final.run_id)
        if verdict is None or final.run_id not in records:
            continue
        key = (final.inner_html, verdict.verdict)
        findings.setdefault(key, verdict.finding)
        answers.setdefault(key, {}).setdefault(entry_of(records[final.run_id]), []).append(final.run_id)
    found = []
    for (inner_html, word), runs in answers.items():
        first = next(iter(runs.values()))[0]
        finding = findings[inner_html, word]
        told = {one.issue_id: one.verdict for one in group.run_verdicts(first)}
        found.append(
            IssueAnswer(
                pieces=marker.mark(issue.paragraph_id, inner_html, told).around(issue_id),
                finding=finding,
                verdict=word,
                judgment=group.judgments.of_run(first).get(issue_id) if finding == Finding.CANDIDATE else None,
                runs={entry: tuple(numbers) for entry, numbers in runs.items()},
            )
        )
    found.sort(key=lambda answer: -answer.count)
    return found
