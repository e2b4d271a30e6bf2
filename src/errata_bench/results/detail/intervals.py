"""How sure the quality of each entry is. Needs numpy."""

from __future__ import annotations

from collections.abc import Mapping

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.tally import Tally
from errata_bench.results.statistics.intervals import Interval, intervals
from errata_bench.results.statistics.scores import Question, VariantScores, issue_scores


def quality_intervals(tally: Tally, question: Question = Question.THESE_TEXTS) -> Mapping[Entry, Interval]:
    """The interval of each entry's quality; an entry without one is left out."""
    found = intervals([entry_scores(tally, entry) for entry in tally.entries], question)
    return {entry: one for entry, one in zip(tally.entries, found, strict=True) if one is not None}


def entry_scores(tally: Tally, entry: Entry) -> VariantScores:
    """An entry's score on every issue: the share of its runs that fixed it, 0 to 1."""
    cases = {}
    for case in tally.cases:
        rates = {
            issue_id: rate
            for issue_id, outcomes in tally.of_case(entry, case).items()
            if (rate := outcomes.rate) is not None
        }
        if rates:
            cases[case.fingerprint] = rates
    return issue_scores(str(entry.variant), cases)
