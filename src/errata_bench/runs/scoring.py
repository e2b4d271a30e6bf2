"""From a run's stored chunks to its verdicts and figures."""

from __future__ import annotations

from collections.abc import Sequence

from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError
from errata_bench.proofreading.loop import ChunkResult
from errata_bench.scoring.aligned.markup import Hunk
from errata_bench.scoring.figures import RunFigures, measure_run
from errata_bench.scoring.judge.comparing import COMPARING_PROMPT_VERSION
from errata_bench.scoring.judge.edits import EditClass, align_edits
from errata_bench.scoring.judge.use import total_use
from errata_bench.scoring.rule_v1 import Finding
from errata_bench.scoring.run_score import RunScore, score_run
from errata_bench.scoring.tool_use import EditCall
from errata_bench.store.group import Group


def final_document(chunks: Sequence[ChunkResult]) -> Document:
    """The whole document as the chunks left it."""
    paragraphs: list[Paragraph] = []
    for chunk in chunks:
        paragraphs.extend(chunk.paragraphs)
    return Document(tuple(paragraphs))


def edit_calls(chunks: Sequence[ChunkResult]) -> list[EditCall]:
    """All tool calls, in order of execution."""
    return [
        EditCall(call.name, call.arguments, call.raw_arguments, call.ok)
        for chunk in chunks
        for turn in chunk.turns
        for call in turn.calls
    ]


def score_stored_run(group: Group, run_id: int, case: Case, chunks: Sequence[Document]) -> tuple[RunScore, RunFigures]:
    """Score a run of which every chunk is stored; ``chunks`` are the documents it was split into.

    What a judge said of its fixes, and of its other edits, is taken from the group; nobody is asked.
    """
    results = group.chunk_results(run_id, chunks)
    final = final_document(results)
    judgments = group.judgments.of_run(run_id)
    opinions = {issue_id: judgment.valid for issue_id, judgment in judgments.items()}
    score = score_run(case, final, edit_calls(results), opinions, _real_flaws(group, case, final))
    # An issue that a judge was asked about under other dataset settings may need none now.
    judged = [
        judgments[issue_id].use
        for issue_id, issue in score.issues.items()
        if issue.finding is Finding.CANDIDATE and issue_id in judgments
    ]
    return score, measure_run(score, results, case.document.words, total_use(judged))


def _real_flaws(group: Group, case: Case, final: Document) -> frozenset[Hunk]:
    """The edits that mend real flaws of the text, as every judge that was asked about them says."""
    judges = group.judgments.edit_judges()
    if not judges:
        return frozenset()
    try:
        edits = align_edits(case, final)
    except DatasetError:
        return frozenset()
    keys = {edit: [edit.pair.key(judge, COMPARING_PROMPT_VERSION) for judge in judges] for edit in edits}
    judged = group.judgments.edits({key for of_edit in keys.values() for key in of_edit})
    flaws: set[Hunk] = set()
    for edit, of_edit in keys.items():
        classes = {judged[key].edit_class for key in of_edit if key in judged}
        if classes == {EditClass.REAL_FLAW_FIXED}:
            flaws.update(edit.hunks)
    return frozenset(flaws)
