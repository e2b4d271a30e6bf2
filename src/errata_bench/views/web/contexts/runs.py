"""The list of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errata_bench.results.detail.entries import entry_of
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.views.web.contexts.common import Request


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run of the list."""

    record: RunRecord
    label: str
    shown: bool


def runs(request: Request) -> dict[str, Any]:
    """What stands on the page of all runs."""
    facts = request.facts
    case = request.one_of("case", facts.case_ids)
    model = request.one_of("model", facts.entries)
    status = request.one_of("status", [one.value for one in RunStatus])
    places = {entry: n for n, entry in enumerate(facts.tally.entries)}
    listed = []
    for record in facts.records:
        label = facts.labels[entry_of(record)]
        shown = (
            (not case or record.case_id == case)
            and (not model or label == model)
            and (not status or record.status == status)
        )
        listed.append(ListedRun(record, label, shown))
    listed.sort(key=lambda one: (places[entry_of(one.record)], one.record.case_id, one.record.sample, one.record.id))
    return {
        # A page that can ask again need not carry what it does not show.
        "runs": listed if request.static or not (case or model or status) else [one for one in listed if one.shown],
        "case": case,
        "model": model,
        "status": status,
        "statuses": [one.value for one in RunStatus],
        "models": [facts.labels[one] for one in facts.tally.entries],
        "shown_count": sum(one.shown for one in listed),
    }
