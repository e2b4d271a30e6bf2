"""Everything that is said of one run: by rule v1, and by the alignment beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.errors import DatasetError
from errata_bench.scoring.aligned.markup import Hunk
from errata_bench.scoring.aligned.run import align_document
from errata_bench.scoring.aligned.verdicts import AlignedVerdict
from errata_bench.scoring.changes import changed_paragraphs, same_text
from errata_bench.scoring.restraint import Restraint, measure_paragraphs
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
    document is the expected one. ``aligned`` has the aligned verdicts by issue id, ``restraint`` the counts of edits
    by paragraph id; both are None for a case whose errors cannot be told apart by an alignment.
    """

    issues: Mapping[str, IssueScore]
    changed: tuple[str, ...]
    unexpected: tuple[str, ...]
    exact_match: bool
    tool_use: ToolUse
    aligned: Mapping[str, AlignedVerdict] | None = None
    restraint: Mapping[str, Restraint] | None = None

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
    case: Case,
    final: Document,
    calls: Iterable[EditCall],
    judged: Mapping[str, bool] | None = None,
    real_flaws: Set[Hunk] = frozenset(),
) -> RunScore:
    """Score a run's final document.

    ``judged`` says of candidate issues, by id, whether a judge found their fix valid; a candidate that is not in it
    stays unjudged. ``real_flaws`` are edits known to mend flaws that nobody planted; they do not count against the run.
    """
    opinions = judged or {}
    issues = {
        issue_id: IssueScore(finding, settle(finding, opinions.get(issue_id)))
        for issue_id, finding in find_verdicts(case, final).items()
    }
    changed = changed_paragraphs(case.document, final)
    expected = set(changed_paragraphs(case.document, case.expected))
    fixed = {issue_id for issue_id, score in issues.items() if score.verdict.is_fixed}
    aligned: Mapping[str, AlignedVerdict] | None = None
    restraint: Mapping[str, Restraint] | None = None
    try:
        alignment = align_document(case, final)
    except DatasetError:
        # Two errors in one word, say: rule v1 can be applied to such a case, the alignment cannot.
        pass
    else:
        aligned = alignment.verdicts
        restraint = measure_paragraphs(case, alignment, opinions, real_flaws)
    return RunScore(
        issues=issues,
        changed=changed,
        unexpected=tuple(paragraph_id for paragraph_id in changed if paragraph_id not in expected),
        exact_match=same_text(final, case.expected),
        tool_use=measure_tool_use(case, calls, fixed),
        aligned=aligned,
        restraint=restraint,
    )
