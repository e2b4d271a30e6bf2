"""Findings about single issues, and about issues beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from errata_bench.cases.check.limits import Limits
from errata_bench.cases.check.report import Finding
from errata_bench.cases.check.shape import contradictions
from errata_bench.cases.load import LoadedCase
from errata_bench.cases.model import Case, Issue
from errata_bench.cases.widen import contain_each_other, seen_by_rule_v1
from errata_bench.document import Paragraph
from errata_bench.taxonomy import find_category

_CORRECTION = "expectedCorrection"
_ACCEPTED = "acceptedCorrections"


def issue_findings(loaded: LoadedCase, limits: Limits) -> Iterator[Finding]:
    """Everything about the issues of a case that count."""
    case = loaded.case
    for issue in case.scored_issues:
        for kind, field, message in _of_issue(case, issue):
            yield Finding(kind, message, str(loaded.file), case.id, issue.id, field)
    for paragraph in case.document:
        here = [issue for issue in case.scored_issues if issue.paragraph_id == paragraph.id]
        for issue, kind, message in _of_neighbours(paragraph, here, limits):
            yield Finding(kind, message, str(loaded.file), case.id, issue.id, _CORRECTION)


def _of_issue(case: Case, issue: Issue) -> Iterator[tuple[str, str, str]]:
    """Kind, field and message of each finding."""
    if find_category(issue.category) is None:
        yield "unknown_category", "category", f"the taxonomy has no category {issue.category!r}"
    for problem in contradictions(issue):
        yield "contradiction", "category", problem
    if " ".join(issue.find.split()) == " ".join(issue.replace.split()):
        yield "invisible", _CORRECTION, "`find` and `replace` differ in the length of white space alone"
    if contain_each_other(issue.find, issue.replace):
        yield "contained", _CORRECTION, f"of {issue.find!r} and {issue.replace!r} one contains the other"
    elif not _is_seen(case, issue):
        yield "unseen", _CORRECTION, "rule v1 cannot tell the mended paragraph from the corrupted one; widen `find`"
    seen = {issue.find: "`find`", issue.replace: "`replace`"}
    for text in issue.accepted:
        if text in seen:
            yield "accepted", _ACCEPTED, f"{text!r} is the same as {seen[text]}"
        elif contain_each_other(issue.find, text):
            yield "accepted", _ACCEPTED, f"of `find` and {text!r} one contains the other, so that rule v1 cannot see it"
        elif _has_stray_spaces(case, issue, text):
            yield "accepted", _ACCEPTED, f"{text!r} leaves a space too many"
        seen.setdefault(text, "another accepted correction")


def _is_seen(case: Case, issue: Issue) -> bool:
    corrupted, clean = case.document.get(issue.paragraph_id), case.expected.get(issue.paragraph_id)
    assert corrupted is not None
    assert clean is not None
    return seen_by_rule_v1(issue.find, issue.replace, corrupted.html, clean.html)


def _has_stray_spaces(case: Case, issue: Issue, text: str) -> bool:
    paragraph = case.document.get(issue.paragraph_id)
    assert paragraph is not None
    before, after = paragraph.inner_html[: issue.start], paragraph.inner_html[issue.end :]
    mended = before + text + after
    usual = max(paragraph.inner_html.count("  "), (before + issue.replace + after).count("  "))
    return mended != mended.strip() or mended.count("  ") > usual


def _of_neighbours(paragraph: Paragraph, issues: list[Issue], limits: Limits) -> Iterator[tuple[Issue, str, str]]:
    for one, other in pairwise(sorted(issues, key=lambda issue: issue.start)):
        if other.start < one.end:
            yield other, "overlapping", f"its `find` overlaps that of issue {one.id}"
    for one, other in pairwise(sorted(issues, key=lambda issue: issue.core[:2])):
        words = _whole_words(paragraph.inner_html[one.core[1] : other.core[0]])
        if words < limits.least_words_between:
            yield other, "touching", f"between it and issue {one.id} there are {words} whole words"


def _whole_words(between: str) -> int:
    words = len(between.split())
    if words and not between[0].isspace():
        words -= 1
    if words and not between[-1].isspace():
        words -= 1
    return words
