"""Two models side by side."""

from __future__ import annotations

from typing import Any

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.issues import IssueRow
from errata_bench.views.web.contexts.common import Request
from errata_bench.views.web.data import Difference, Facts

MOST_PAIRS = 300
"""Pairs whose difference is written into a static site; each takes some 50 ms."""


def compare(request: Request) -> dict[str, Any]:
    """What stands on the page of the comparison."""
    facts = request.facts
    models = [facts.labels[entry] for entry in facts.tally.entries]
    one = request.one_of("a", models) or (models[0] if models else "")
    other = request.one_of("b", models) or next((name for name in models if name != one), one)
    context: dict[str, Any] = {"models": models, "a": one, "b": other, "difference": None, "only": [], "cases": []}
    if request.static:
        return context | {"pairs": _pairs(facts)}
    if one == other:
        return context | {"pairs": None}
    first, second = facts.entries[one], facts.entries[other]
    runs = facts.representatives()
    difference = facts.difference(first, second)
    return context | {
        "pairs": None,
        "difference": difference,
        "cases": _cases(facts, difference),
        "only": [
            {"title": one, "rows": _only(facts, first, second, runs), "side": "a"},
            {"title": other, "rows": _only(facts, second, first, runs), "side": "b"},
        ],
    }


def _cases(facts: Facts, difference: Difference | None) -> list[dict[str, Any]]:
    if difference is None:
        return []
    names = {record.key.fingerprint: record.case_id for record in facts.records}
    return [
        {"name": names[fingerprint], "number": facts.case_numbers[fingerprint], "a": one, "b": other}
        for fingerprint, (one, other) in difference.cases.items()
    ]


def _only(facts: Facts, winner: Entry, loser: Entry, runs: Any) -> list[dict[str, Any]]:
    """The issues that one fixed at least once and the other never, those fixed most often first."""
    rows = []
    for row in facts.issues:
        won, lost = row.solved_by.get(winner), row.solved_by.get(loser)
        if won is not None and lost is not None and won.solved and not lost.solved:
            rows.append(
                {
                    "row": row,
                    "number": facts.issue_numbers[row.fingerprint, row.issue_id],
                    "solved": won.solved,
                    "runs": won.runs,
                    "run_winner": runs.get((winner, row.fingerprint)),
                    "run_loser": runs.get((loser, row.fingerprint)),
                }
            )
    rows.sort(key=lambda one: -one["solved"] / one["runs"])
    return rows


def _pairs(facts: Facts) -> dict[str, Any]:
    """Differences for pages that cannot ask: neighbours in the ranking, and the best against the others."""
    entries = [
        entry
        for entry in facts.tally.entries
        if any(facts.tally.runs.get((entry, case.fingerprint)) for case in facts.tally.cases)
    ]
    wanted = [(n, n + 1) for n in range(len(entries) - 1)]
    wanted += [(n, m) for n in range(len(entries)) for m in range(n + 2, len(entries))]
    found = {}
    for n, m in wanted[:MOST_PAIRS]:
        difference = facts.difference(entries[n], entries[m])
        if difference is not None:
            found[f"{facts.labels[entries[n]]}\n{facts.labels[entries[m]]}"] = [
                round(value, 5) for value in (difference.estimate, difference.low, difference.high, difference.p_value)
            ]
    return found


def matrix(facts: Facts) -> dict[str, Any]:
    """Every issue by every model, for pages that cannot ask: runs that fixed it, and runs."""
    entries = facts.tally.entries
    runs = facts.representatives()
    return {
        "models": [facts.labels[entry] for entry in entries],
        "issues": [_matrix_row(facts, row, entries) for row in facts.issues],
        "rates": [
            [
                row.name,
                facts.case_numbers[row.fingerprint or ""],
                [None if (rate := row.cells[entry].rate) is None else round(rate, 4) for entry in entries],
            ]
            for row in facts.by_case.rows
            if not row.is_control
        ],
        "cases": {
            facts.case_numbers[fingerprint]: [runs.get((entry, fingerprint), 0) for entry in entries]
            for fingerprint in facts.case_numbers
        },
    }


def _matrix_row(facts: Facts, row: IssueRow, entries: tuple[Entry, ...]) -> list[Any]:
    sentence = row.sentence
    counts = []
    for entry in entries:
        outcomes = row.solved_by.get(entry)
        counts.append(0 if outcomes is None else [outcomes.solved, outcomes.runs])
    return [
        facts.issue_numbers[row.fingerprint, row.issue_id],
        facts.case_numbers[row.fingerprint],
        row.case_id,
        row.category,
        [sentence.left, sentence.wrong, row.right, sentence.right],
        counts,
    ]
