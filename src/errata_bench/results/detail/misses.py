"""Issues that were altered but not accepted, with what stands there now and why a judge said no."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from errata_bench.results.detail.entries import Entry, entry_of
from errata_bench.results.detail.marking import Marker, Piece
from errata_bench.results.detail.selection import EVERYTHING, Selection
from errata_bench.results.detail.tally import tally_group
from errata_bench.scoring.aligned.plain_text import plain_text
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.store.evidence import StoredVerdict
from errata_bench.store.group import Group
from errata_bench.store.judgments import Judgment

ALTERED = (Verdict.BAD_FIX.value, Verdict.UNJUDGED.value)


@dataclass(frozen=True, slots=True)
class Miss:
    """One issue of one run that was changed and does not count as fixed.

    ``verdict`` is ``bad_fix`` or ``unjudged``; ``aligned`` what the alignment says of the place (None where the case
    cannot be aligned). ``wrong`` and ``right`` are the planted text and its correction, plain, ``pieces`` the
    sentence as the run left it. ``judgment`` is None where no judge has seen it.
    """

    run_id: int
    entry: Entry
    sample: int
    case_id: str
    fingerprint: str
    issue_id: str
    category: str
    verdict: str
    aligned: str | None
    wrong: str
    right: str
    description: str
    pieces: tuple[Piece, ...]
    judgment: Judgment | None


def misses(group: Group, selection: Selection = EVERYTHING) -> Iterator[Miss]:
    """All of them, case by case and run by run; one case's document is held at a time.

    Raises `UserError` when the selection names what is not there.
    """
    tally = tally_group(group, selection)
    entries = set(tally.entries)
    records = {record.id: record for record in group.runs() if entry_of(record) in entries}
    wanted = {(case.fingerprint, issue.issue_id): issue for case in tally.cases for issue in case.issues}
    by_case: dict[str, dict[int, list[StoredVerdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in group.all_verdicts():
        record = records.get(verdict.run_id)
        if verdict.verdict in ALTERED and record and (record.key.fingerprint, verdict.issue_id) in wanted:
            by_case[record.key.fingerprint][record.id].append(verdict)
    for tallied in tally.cases:
        found = by_case.get(tallied.fingerprint)
        case = group.case(tallied.fingerprint) if found else None
        if not found or case is None:
            continue
        marker = Marker(case)
        issues = {issue.id: issue for issue in case.issues}
        for run_id, verdicts in found.items():
            record = records[run_id]
            changed = group.changed_paragraphs(run_id)
            judgments = group.judgments.of_run(run_id)
            told = {one.issue_id: one.verdict for one in group.run_verdicts(run_id)}
            for one in sorted(verdicts, key=lambda verdict: list(issues).index(verdict.issue_id)):
                issue = issues[one.issue_id]
                marked = marker.mark(issue.paragraph_id, changed.get(issue.paragraph_id), told)
                aligned = [piece.aligned for piece in marked.pieces if piece.issue_id == issue.id and piece.aligned]
                yield Miss(
                    run_id=run_id,
                    entry=entry_of(record),
                    sample=record.sample,
                    case_id=tallied.case_id,
                    fingerprint=tallied.fingerprint,
                    issue_id=issue.id,
                    category=wanted[tallied.fingerprint, issue.id].category,
                    verdict=one.verdict,
                    aligned=aligned[0] if aligned else None,
                    wrong=plain_text(issue.find),
                    right=plain_text(issue.replace),
                    description=issue.description,
                    pieces=marked.around(issue.id),
                    judgment=judgments.get(issue.id),
                )
