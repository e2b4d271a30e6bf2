"""What a judge is asked about fixes: the candidates of a final document, by paragraph."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document
from errata_bench.scoring.rule_v1 import Finding, find_verdicts


@dataclass(frozen=True, slots=True)
class Question:
    """Whether one issue is validly fixed in the final paragraph. ``original`` and ``final`` are inner HTML."""

    issue: Issue
    original: str
    final: str

    def key(self, judge: str, prompt_version: str) -> str:
        """SHA-256, in hex, of all that decides about the answer; ids and names are no part of it.

        The same edit of the same error is the same question in whatever run, sample or case it turns up.
        """
        issue = self.issue
        asked = [issue.find, issue.replace, sorted(issue.accepted), issue.description, self.original, self.final]
        return hashlib.sha256(json.dumps([*asked, judge, prompt_version]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ParagraphQuestions:
    """The questions about one paragraph, at least one: they are asked together."""

    paragraph_id: str
    original: str
    final: str
    questions: tuple[Question, ...]

    @property
    def edit(self) -> str:
        """What tells this edit of this paragraph from others: the same for the same edit in any run."""
        return hashlib.sha256(json.dumps([self.original, self.final]).encode()).hexdigest()

    def only(self, issue_ids: Collection[str]) -> ParagraphQuestions:
        """The questions about these issues alone."""
        kept = tuple(question for question in self.questions if question.issue.id in issue_ids)
        return ParagraphQuestions(self.paragraph_id, self.original, self.final, kept)


def candidates(case: Case, final: Document) -> frozenset[str]:
    """The issues that rule v1 cannot decide: changed, but not into what was expected."""
    found = find_verdicts(case, final)
    return frozenset(issue_id for issue_id, finding in found.items() if finding is Finding.CANDIDATE)


def questions_about(case: Case, final: Document, issue_ids: Collection[str]) -> tuple[ParagraphQuestions, ...]:
    """The questions about these issues of a case, in document order; a paragraph that is gone is an empty one."""
    asked = []
    for paragraph in case.document:
        left = final.get(paragraph.id)
        text = "" if left is None else left.inner_html
        about = sorted(
            (issue for issue in case.issues if issue.paragraph_id == paragraph.id and issue.id in issue_ids),
            key=lambda issue: (issue.start, issue.id),
        )
        if about:
            questions = tuple(Question(issue, paragraph.inner_html, text) for issue in about)
            asked.append(ParagraphQuestions(paragraph.id, paragraph.inner_html, text, questions))
    return tuple(asked)
