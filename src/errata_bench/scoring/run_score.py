"""Everything rule v1 says of one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.scoring.changes import changed_paragraphs, comparable
from errata_bench.scoring.rule_v1 import Finding, Verdict, find_verdicts, settle
from errata_bench.scoring.tool_use import EditCall, ToolUse, measure_tool_use


@dataclass(frozen=True, slots=True)
class IssueScore:
    """What rule v1 found for one issue, and what it counts as."""

    finding: Finding
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RunScore:
    """The verdicts on a run's issues and the measures of its edits.

    ``unexpected`` are changed paragraphs that the corrections do not touch. ``exact_match`` says that the final
    document is the expected one.
    """

    issues: Mapping[str, IssueScore]
    changed: tuple[str, ...]
    unexpected: tuple[str, ...]
    exact_match: bool
    tool_use: ToolUse

    def count(self, *verdicts: Verdict) -> int:
        """How many issues have one of these verdicts."""
        return sum(score.verdict in verdicts for score in self.issues.values())

    @property
    def total(self) -> int:
        """The number of issues that count."""
        return len(self.issues)

    @property
    def fixed(self) -> int:
        """Issues that are fixed, in the canonical way or in another that a judge accepted."""
        return self.count(Verdict.FIXED, Verdict.FIXED_ALTERNATIVE)

    @property
    def bad_fixes(self) -> int:
        """Issues changed but not fixed: rejected by a judge, or never judged."""
        return self.count(Verdict.BAD_FIX, Verdict.UNJUDGED)

    @property
    def unjudged(self) -> int:
        """The bad fixes that no judge has seen."""
        return self.count(Verdict.UNJUDGED)

    @property
    def missed(self) -> int:
        """Issues whose wrong text is still there."""
        return self.count(Verdict.NOT_ADDRESSED)


def score_run(
    case: Case, final: Document, calls: Iterable[EditCall], judged: Mapping[str, bool] | None = None
) -> RunScore:
    """Score a run's final document.

    ``judged`` says of candidate issues, by id, whether a judge found their fix valid; a candidate that is not in it
    stays unjudged.
    """
    opinions = judged or {}
    issues = {
        issue_id: IssueScore(finding, settle(finding, opinions.get(issue_id)))
        for issue_id, finding in find_verdicts(case, final).items()
    }
    changed = changed_paragraphs(case.document, final)
    expected = set(changed_paragraphs(case.document, case.expected))
    fixed = {issue_id for issue_id, score in issues.items() if score.verdict.is_fixed}
    return RunScore(
        issues=issues,
        changed=changed,
        unexpected=tuple(paragraph_id for paragraph_id in changed if paragraph_id not in expected),
        exact_match=comparable(final.html) == comparable(case.expected.html),
        tool_use=measure_tool_use(case, calls, fixed),
    )
