"""Rule ``v1``: whether an issue is fixed, decided by what its final paragraph contains (contract C7).

The rule of the published results. Its known errors are kept, because figures have to stay comparable.
"""

from __future__ import annotations

from enum import StrEnum

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.text import normalise, occurrences


class Finding(StrEnum):
    """What rule v1 finds in the final paragraph, before any judge."""

    EXACT = "exact"
    """The right text is there and the wrong one is gone."""
    CANDIDATE = "candidate"
    """Neither is there: perhaps another valid fix, which only a judge can tell."""
    NOT_ADDRESSED = "not_addressed"
    """The wrong text is still there."""


class Verdict(StrEnum):
    """What an issue counts as in the end."""

    FIXED = "fixed"
    FIXED_ALTERNATIVE = "fixed_alternative"
    """Fixed in another way than the canonical one, as a judge found."""
    BAD_FIX = "bad_fix"
    """Changed, and a judge found it wrong."""
    UNJUDGED = "unjudged"
    """Changed, and nobody has judged it: counts as a bad fix in rule v1 and is reported apart."""
    NOT_ADDRESSED = "not_addressed"

    @property
    def is_fixed(self) -> bool:
        """Whether it counts as fixed."""
        return self in (Verdict.FIXED, Verdict.FIXED_ALTERNATIVE)


def contains(paragraph_html: str, needle: str) -> bool:
    """Whether a paragraph contains a text, both normalised, over its HTML with its ``<p id>`` tag.

    A needle of ASCII letters, digits and apostrophes has to stand between other characters or ends.
    """
    return bool(occurrences(normalise(paragraph_html), normalise(needle)))


def find_verdict(issue: Issue, final: Paragraph | None) -> Finding:
    """What rule v1 finds for an issue in its final paragraph; a paragraph that is gone is an empty one."""
    html = "" if final is None else final.html
    if contains(html, issue.find):
        return Finding.NOT_ADDRESSED
    # An empty correction (a deletion) is there as soon as the wrong text is gone.
    if any(not text or contains(html, text) for text in (issue.replace, *issue.accepted)):
        return Finding.EXACT
    return Finding.CANDIDATE


def find_verdicts(case: Case, final: Document) -> dict[str, Finding]:
    """What rule v1 finds for every issue of a case that counts, by issue id."""
    return {issue.id: find_verdict(issue, final.get(issue.paragraph_id)) for issue in case.scored_issues}


def settle(finding: Finding, judged_valid: bool | None = None) -> Verdict:
    """The verdict on a finding; ``judged_valid`` is what a judge said of a candidate, None where none did."""
    if finding is Finding.EXACT:
        return Verdict.FIXED
    if finding is Finding.NOT_ADDRESSED:
        return Verdict.NOT_ADDRESSED
    if judged_valid is None:
        return Verdict.UNJUDGED
    return Verdict.FIXED_ALTERNATIVE if judged_valid else Verdict.BAD_FIX
