"""Judging the fixes of runs: looked up first, asked only where nobody has, kept as soon as they are answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from errata_bench.cases.model import Case
from errata_bench.chat import AttemptSink, ChatModel
from errata_bench.document import Document
from errata_bench.endpoint.outage import OUTAGE_KINDS
from errata_bench.errors import EndpointFault, Reach
from errata_bench.scoring.judge.asking import JudgedParagraph, judge_paragraph
from errata_bench.scoring.judge.prompts import JUDGE_PROMPT_VERSION
from errata_bench.scoring.judge.questions import ParagraphQuestions, candidates, questions_about
from errata_bench.store.group import Group
from errata_bench.store.judgments import Judgment
from errata_bench.variants import Variant

JUDGE = "judge"
"""The purpose of a judge's request, in the ledger of spend."""

FAULTS_IN_A_ROW = 5
"""After so many transient faults in a row, each of them retried in vain, the judge is not asked any more."""

Stopping = Callable[[], bool]


def never() -> bool:
    """A `Stopping` that goes on."""
    return False


@dataclass
class JudgeDesk:
    """One judge for the fixes of a group's runs. Several runs may be judged at a time, each with one request.

    ``fault`` is set once asking makes no sense any more: no request of this judge can succeed, or `FAULTS_IN_A_ROW`
    paragraphs could not be asked. What is not judged then stays unjudged. Only what stops everything is raised, after
    what was answered is kept: an outage of the endpoint, and money that does not suffice.
    """

    group: Group
    judge: Variant
    model: ChatModel
    clock: Callable[[], float] = time.time
    fault: EndpointFault | None = None
    _at_work: dict[str, asyncio.Lock] = field(default_factory=dict)
    _faults_in_a_row: int = 0

    async def judge_run(
        self, run_id: int, case: Case, final: Document, on_attempt: AttemptSink, stopping: Stopping = never
    ) -> bool:
        """Judge what a run made of the issues that rule v1 cannot decide, paragraph by paragraph.

        False when it was stopped while there was still something to ask. Raises `StoreError`, the `EndpointFault` of an
        outage, and `SpendRefused`.
        """
        return await self.judge_issues(
            run_id, questions_about(case, final, candidates(case, final)), on_attempt, stopping
        )

    async def judge_issues(
        self,
        run_id: int | None,
        paragraphs: tuple[ParagraphQuestions, ...],
        on_attempt: AttemptSink,
        stopping: Stopping = never,
    ) -> bool:
        """Judge these questions; without a run, the answers are only kept.

        False when it was stopped while there was still something to ask.
        """
        for paragraph in paragraphs:
            # Runs that left a paragraph alike (the same variant at temperature 0) wait for the first one's answer.
            async with self._at_work.setdefault(paragraph.edit, asyncio.Lock()):
                keys = self.keys(paragraph)
                known = self.group.judgments.of(keys.values())
                missing = {issue_id for issue_id, key in keys.items() if key not in known}
                answered = None
                if missing and self.fault is None:
                    if stopping():
                        return False
                    answered = await judge_paragraph(self.model, paragraph.only(missing), on_attempt)
                    known |= self._keep(answered, keys)
                found = {issue_id: key for issue_id, key in keys.items() if key in known}
                if run_id is not None and found:
                    self.group.judgments.rest_on(run_id, found)
                if answered is not None:
                    self._take_note(answered)
        return True

    def keys(self, paragraph: ParagraphQuestions) -> dict[str, str]:
        """The keys of this judge's answers, by issue id."""
        return {
            question.issue.id: question.key(str(self.judge), JUDGE_PROMPT_VERSION) for question in paragraph.questions
        }

    def _keep(self, answered: JudgedParagraph, keys: dict[str, str]) -> dict[str, Judgment]:
        if not answered.verdicts:
            return {}
        shares = answered.use.shares(len(answered.verdicts))
        kept = {
            keys[issue_id]: Judgment(
                judge=str(self.judge),
                prompt_version=JUDGE_PROMPT_VERSION,
                valid=verdict.valid,
                conclusion=verdict.conclusion,
                reason=verdict.reason,
                use=share,
                at=self.clock(),
            )
            for (issue_id, verdict), share in zip(answered.verdicts.items(), shares, strict=True)
        }
        self.group.judgments.add(kept)
        return kept

    def _take_note(self, answered: JudgedParagraph) -> None:
        if answered.error is None:
            self._faults_in_a_row = 0
            return
        fault = answered.fault
        if fault is None or fault.kind in OUTAGE_KINDS:
            raise answered.error
        if fault.reach is Reach.RETRY:
            self._faults_in_a_row += 1
        if fault.reach in (Reach.VARIANT, Reach.ALL) or self._faults_in_a_row >= FAULTS_IN_A_ROW:
            self.fault = self.fault or fault
