"""The issues: all of them, hardest first, and each one by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.issues import IssueRow
from errata_bench.results.detail.selection import parent_of
from errata_bench.results.detail.tally import Outcomes
from errata_bench.views.web.contexts.common import PageMissing, Request
from errata_bench.views.web.data import Facts

KINDS = ("never", "sometimes", "always")


@dataclass(frozen=True, slots=True)
class ListedIssue:
    """An issue of the list. ``kind`` is one of `KINDS`, empty without runs; ``mine`` the chosen model's outcomes."""

    number: int
    row: IssueRow
    parent: str
    kind: str
    shown: bool
    mine: Outcomes | None


def issues(request: Request) -> dict[str, Any]:
    """What stands on the page of all issues."""
    facts = request.facts
    scope_case = request.one_of("case", facts.case_ids)
    category = request.one_of("category", facts.categories)
    kind = request.one_of("fixed", KINDS)
    model = request.one_of("model", facts.entries)
    search = request.text("q")
    entry = facts.entries[model] if model else None
    listed = []
    for number, row in ((facts.issue_numbers[row.fingerprint, row.issue_id], row) for row in facts.issues):
        parent = parent_of(row.category)
        text = f"{row.sentence.left}{row.sentence.wrong}{row.sentence.right} {row.right} {row.category} {row.case_id}"
        found_kind = kind_of(row)
        shown = (
            (not scope_case or row.case_id == scope_case)
            and (not category or category in (row.category, parent))
            and (not kind or kind == found_kind)
            and (not search or search.casefold() in text.casefold())
        )
        mine = row.solved_by.get(entry) if entry else None
        listed.append(ListedIssue(number, row, parent, found_kind, shown, mine))
    return {
        "issues": listed,
        "case": scope_case,
        "category": category,
        "kind": kind,
        "kinds": KINDS,
        "model": model,
        "search": search,
        "shown_count": sum(one.shown for one in listed),
        "models": [facts.labels[one] for one in facts.tally.entries],
    }


def kind_of(row: IssueRow) -> str:
    """Whether it is fixed never, sometimes or always; empty without runs."""
    if not row.outcomes.runs:
        return ""
    return "never" if row.never_fixed else "always" if row.always_fixed else "sometimes"


def issue_page(request: Request) -> dict[str, Any]:
    """What stands on the page of one issue. Raises `PageMissing`."""
    facts = request.facts
    row = facts.issue_by_number.get(request.number or 0)
    if row is None:
        raise PageMissing
    answers = []
    for answer in facts.answers(row):
        answers.append(
            {
                "pieces": answer.pieces,
                "verdict": answer.verdict,
                "judgment": answer.judgment,
                "count": answer.count,
                "runs": [{"label": facts.labels[entry], "ids": ids} for entry, ids in _by_rank(facts, answer.runs)],
            }
        )
    return {
        "row": row,
        "issue_number": request.number,
        "case_number": facts.case_numbers[row.fingerprint],
        "parent": parent_of(row.category),
        "kind": kind_of(row),
        "answers": answers,
        "by_model": [
            {"label": facts.labels[entry], "outcomes": row.solved_by[entry]}
            for entry in facts.tally.entries
            if entry in row.solved_by
        ],
        "neighbours": _neighbours(facts, request.number or 0),
    }


def _by_rank(facts: Facts, runs: Any) -> list[tuple[Entry, tuple[int, ...]]]:
    return [(entry, runs[entry]) for entry in facts.tally.entries if entry in runs]


def _neighbours(facts: Facts, number: int) -> dict[str, int | None]:
    """The issues before and after it, in the order of the documents."""
    there = facts.issue_by_number
    return {"before": number - 1 if number - 1 in there else None, "after": number + 1 if number + 1 in there else None}
