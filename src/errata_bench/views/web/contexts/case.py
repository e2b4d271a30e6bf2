"""One case: its text with every planted error marked, and how much of it each model fixed."""

from __future__ import annotations

from typing import Any

from errata_bench.views.web.contexts.common import PageMissing, Request


def case_page(request: Request) -> dict[str, Any]:
    """What stands on the page of one case. Raises `PageMissing`."""
    facts = request.facts
    fingerprint = facts.case_by_number.get(request.number or 0)
    case = facts.case(fingerprint) if fingerprint else None
    if fingerprint is None:
        raise PageMissing
    if case is None:
        raise PageMissing("Of this case there are figures alone: its text is elsewhere.")
    marker = facts.marker(case)
    row = facts.rates.get(fingerprint)
    rates = {} if row is None else row.cells
    return {
        "case": case,
        "case_number": request.number,
        # What a run would have left that mended everything: the wrong text and the right one in place.
        "paragraphs": [marker.mark(one.id, _expected(case, one.id)) for one in case.document],
        "numbers": {issue.id: facts.issue_numbers.get((fingerprint, issue.id)) for issue in case.issues},
        "rates": [
            {"label": facts.labels[entry], "share": rates[entry].rate, "runs": rates[entry].runs}
            for entry in facts.by_case.entries
            if entry in rates and rates[entry].runs
        ],
    }


def _expected(case: Any, paragraph_id: str) -> str | None:
    paragraph = case.expected.get(paragraph_id)
    return None if paragraph is None else str(paragraph.inner_html)
