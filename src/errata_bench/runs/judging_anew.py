"""Another judge for stored runs: every fix that rule v1 cannot decide is judged by it, and the runs become its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from errata_bench.cases.model import Case
from errata_bench.chat import AttemptSink, ChatReply, ChatRequest, ignore_attempt
from errata_bench.document import Document
from errata_bench.errors import EndpointFault, ErrataBenchError, Reach
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.runs.judging import JudgeDesk
from errata_bench.runs.rejudging import JudgePlace, ask_second_judge
from errata_bench.runs.scoring import final_document
from errata_bench.scoring.judge.questions import ParagraphQuestions, candidates, questions_about
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.variants import Variant


class _Nobody:
    """Stands for a judge that is not to be asked."""

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:  # noqa: ARG002
        raise EndpointFault("not_asked", "the judge is not to be asked", reach=Reach.VARIANT)


@dataclass
class NewJudge:
    """Lets verdicts rest on one judge alone.

    ``judged`` runs are this judge's now. ``left`` runs stay as they were, with ``unanswered`` fixes that it has not
    judged: one judge's verdicts are not mixed with another's. ``fault`` is why it was not asked any more.
    """

    group: Group
    judge: Variant
    judged: int = 0
    left: int = 0
    unanswered: int = 0
    fault: ErrataBenchError | None = None
    _desk: JudgeDesk = field(init=False)

    def __post_init__(self) -> None:
        self._desk = JudgeDesk(self.group, self.judge, _Nobody())

    def missing(self) -> tuple[ParagraphQuestions, ...]:
        """What this judge has not judged yet of finished runs; the same edit of the same paragraph once."""
        edits: dict[tuple[str, tuple[str, ...]], ParagraphQuestions] = {}
        for questions in self._finished():
            for paragraph in questions:
                if self._missing([paragraph]):
                    edits.setdefault((paragraph.edit, tuple(self._desk.keys(paragraph).values())), paragraph)
        return tuple(edits.values())

    async def ask(self, place: JudgePlace) -> None:
        """Ask for what is missing; answers are kept, and no verdict rests on them before `take_over`.

        The endpoint is opened only where there is something to ask.
        """
        if missing := self.missing():
            self.fault = await ask_second_judge(self.group, self.judge, missing, place)

    def take_over(self, record: RunRecord, case: Case, chunks: Sequence[Document]) -> None:
        """Let a run's verdicts rest on this judge, if it has judged all its fixes; to be called before it is scored."""
        questions = self._questions(record, case, chunks)
        missing = self._missing(questions)
        if missing:
            self.left += 1
            self.unanswered += missing
            return
        keys = {issue_id: key for paragraph in questions for issue_id, key in self._desk.keys(paragraph).items()}
        with self.group.upkeep.transaction():
            self.group.upkeep.rest_on_alone(record.id, keys)
            self.group.file_under_judge([record.id], str(self.judge))
        self.judged += 1

    def take_over_unfinished(self) -> None:
        """File runs that are not through under this judge too, unless some of the others had to be left."""
        if not self.left:
            begun = [run for run in self.group.runs() if run.status is not RunStatus.SUCCEEDED and run.chunk_count]
            self.group.file_under_judge([run.id for run in begun], str(self.judge))

    def _finished(self) -> Iterator[tuple[ParagraphQuestions, ...]]:
        cases: dict[str, Case | None] = {}
        chunks: dict[tuple[str, int], tuple[Document, ...]] = {}
        for record in self.group.runs():
            if record.status is not RunStatus.SUCCEEDED or record.imported is not None:
                continue
            size = (record.key.fingerprint, record.key.settings.max_words)
            if size[0] not in cases:
                cases[size[0]] = self.group.case(size[0])
            if (case := cases[size[0]]) is not None:
                if size not in chunks:
                    chunks[size] = split_into_chunks(case.document, size[1])
                yield self._questions(record, case, chunks[size])

    def _questions(self, record: RunRecord, case: Case, chunks: Sequence[Document]) -> tuple[ParagraphQuestions, ...]:
        final = final_document(self.group.chunk_results(record.id, chunks))
        return questions_about(case, final, candidates(case, final))

    def _missing(self, questions: Sequence[ParagraphQuestions]) -> int:
        keys = [key for paragraph in questions for key in self._desk.keys(paragraph).values()]
        known = self.group.judgments.of(set(keys))
        return sum(key not in known for key in keys)
