"""The fixes in a group that only a judge can decide on, and what its judges said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.scoring.judge.prompts import JUDGE_PROMPT_VERSION
from errata_bench.scoring.judge.questions import ParagraphQuestions, candidates, questions_about
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus


@dataclass(frozen=True, slots=True)
class JudgedFix:
    """One distinct fix that a judge has decided on, in however many runs it was made.

    ``paragraph`` holds the one question. ``reason`` is the judge's. ``runs`` counts the runs that made it.
    """

    judge: str
    case_id: str
    paragraph: ParagraphQuestions
    valid: bool
    reason: str
    runs: int

    @property
    def issue_id(self) -> str:
        """The issue that it is a fix of."""
        return self.paragraph.questions[0].issue.id

    def key(self, judge: str) -> str:
        """Under which another judge's answer to the same question is kept."""
        return self.paragraph.questions[0].key(judge, JUDGE_PROMPT_VERSION)


@dataclass(frozen=True, slots=True)
class CandidateFixes:
    """The distinct fixes of a group that were judged, and how many fixes of runs nobody has judged."""

    judged: tuple[JudgedFix, ...]
    unjudged: int


def candidate_fixes(group: Group) -> CandidateFixes:
    """Read the fixes that rule v1 cannot decide from all successful runs; the same fix is there once for each judge.

    Runs of which no texts are stored are left out.
    """
    cases: dict[str, Case | None] = {}
    found: dict[tuple[str, str], JudgedFix] = {}
    runs: Counter[tuple[str, str]] = Counter()
    unjudged = 0
    for record in group.runs():
        if record.status is not RunStatus.SUCCEEDED or record.chunks_done < record.chunk_count:
            continue
        fingerprint = record.key.fingerprint
        if fingerprint not in cases:
            cases[fingerprint] = group.case(fingerprint)
        case = cases[fingerprint]
        if case is None:
            continue
        final = stored_document(group, record.id, case)
        judgments = group.judgments.of_run(record.id)
        for paragraph in questions_about(case, final, candidates(case, final)):
            for question in paragraph.questions:
                judgment = judgments.get(question.issue.id)
                if judgment is None:
                    unjudged += 1
                    continue
                # Under one name for all prompt versions: what the latest run rests on is the judge's opinion.
                key = judgment.judge, question.key(judgment.judge, "")
                runs[key] += 1
                found[key] = JudgedFix(
                    judge=judgment.judge,
                    case_id=case.id,
                    paragraph=paragraph.only({question.issue.id}),
                    valid=judgment.valid,
                    reason=judgment.reason,
                    runs=runs[key],
                )
    return CandidateFixes(tuple(found.values()), unjudged)


def stored_document(group: Group, run_id: int, case: Case) -> Document:
    """How a run left a document, as far as it has come."""
    document = case.document
    for stored in group.stored_chunks(run_id):
        for paragraph_id, inner_html in stored.changed.items():
            document = document.with_inner_html(paragraph_id, inner_html)
    return document


def questions_of(fixes: Iterable[JudgedFix]) -> tuple[ParagraphQuestions, ...]:
    """What a second judge has to be asked, paragraph by paragraph: each question once, those of one edit together."""
    by_edit: dict[str, ParagraphQuestions] = {}
    for fix in fixes:
        asked = by_edit.get(fix.paragraph.edit)
        known = () if asked is None else asked.questions
        new = [question for question in fix.paragraph.questions if question not in known]
        by_edit[fix.paragraph.edit] = ParagraphQuestions(
            fix.paragraph.paragraph_id, fix.paragraph.original, fix.paragraph.final, (*known, *new)
        )
    return tuple(by_edit.values())
