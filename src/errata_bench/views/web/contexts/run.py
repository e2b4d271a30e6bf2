"""One run: the document it left, its verdicts, its conversation, its trouble and its cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_bench.proofreading.loop import CallRecord
from errata_bench.results.detail.entries import entry_of
from errata_bench.results.detail.marking import MarkedParagraph
from errata_bench.results.detail.run import RunDetail
from errata_bench.scoring.aligned.plain_text import plain_text
from errata_bench.views.web.contexts.common import PageMissing, Request, settings_words
from errata_bench.views.web.data import Facts


@dataclass(frozen=True, slots=True)
class ShownParagraph:
    """A paragraph of a run. ``plain``: nothing was planted in it and nothing changed, so every run shares its text."""

    number: int
    marked: MarkedParagraph
    plain: bool


def run_page(request: Request) -> dict[str, Any]:
    """What stands on the page of one run. Raises `PageMissing`."""
    facts = request.facts
    number = request.number or 0
    if number not in facts.by_id:
        raise PageMissing
    run = facts.run(number)
    if run is None or run.record.imported is not None:
        raise PageMissing("This run was made elsewhere: there are figures of it, but no text and no conversation.")
    record = run.record
    fingerprint = record.key.fingerprint
    entry = entry_of(record)
    paragraphs = [
        ShownParagraph(number, marked, not marked.changed and not marked.issue_ids)
        for number, marked in enumerate(run.paragraphs, 1)
    ]
    return {
        "run": run,
        "record": record,
        "figures": record.figures,
        "label": facts.labels[entry],
        "case_number": facts.case_numbers[fingerprint],
        "settings": settings_words(record.key.settings),
        "paragraphs": paragraphs,
        "places": {shown.marked.id: shown.number for shown in paragraphs},
        "numbers": {one.issue.id: facts.issue_numbers.get((fingerprint, one.issue.id)) for one in run.issues},
        "edit_count": sum(one.marked.edits for one in paragraphs),
        "verdict_counts": _counts(run),
        "failed_attempts": [one for one in run.attempts if one.outcome != "ok"],
        "siblings": _siblings(facts, run),
        "call_rows": call_rows,
        "plain_text": plain_text,
    }


def _counts(run: RunDetail) -> Mapping[str, int]:
    counts = Counter(one.verdict for one in run.issues if one.verdict)
    order = ("fixed", "fixed_alternative", "bad_fix", "unjudged", "not_addressed")
    return {verdict: counts[verdict] for verdict in order if counts[verdict]}


def _siblings(facts: Facts, run: RunDetail) -> list[tuple[int, int]]:
    """The repeats of this run: sample and number of each."""
    return [(one.sample, one.id) for one in facts.repeats(run.record)]


def call_rows(call: CallRecord) -> list[tuple[str, str]]:
    """What a tool was given, name by name; what was sent, to the letter, where it could not be read."""
    if call.arguments:
        return [(name, str(value)) for name, value in call.arguments.items() if name != "paragraphId"]
    return [("sent", call.raw_arguments)] if call.raw_arguments not in ("", "{}") else []
