"""From a run's stored chunks to its verdicts and figures."""

from __future__ import annotations

from collections.abc import Sequence

from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.loop import ChunkResult
from errata_bench.scoring.figures import RunFigures, measure_run
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
    """Score a run of which every chunk is stored; ``chunks`` are the documents it was split into."""
    results = group.chunk_results(run_id, chunks)
    score = score_run(case, final_document(results), edit_calls(results))
    return score, measure_run(score, results, case.document.words)
