"""The tool calls of four recorded runs give the same answers and the same text here."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.load import load_cases
from errata_bench.chat import ChatReply, ToolCall
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import LoopSettings, proofread_chunk
from tests.support.doubles import ScriptedModel, calling, saying, tool_call

RUNS = [
    ("jury-instructions", "2026-04-06T21-32-45-225Z"),
    ("jury-instructions", "2026-04-06T21-27-39-497Z"),
    ("the-call-of-the-wild-chapter-3", "2026-04-07T00-25-02-855Z"),
    ("the-call-of-the-wild-chapter-3", "2026-04-07T02-53-21-586Z"),
]


def replies(chunk: dict[str, Any]) -> list[ChatReply]:
    """The replies of the model in a recorded chunk."""
    by_turn: dict[int, list[ToolCall]] = defaultdict(list)
    for execution in chunk["toolExecutions"]:
        by_turn[execution["turn"]].append(tool_call(execution["toolName"], execution["arguments"]))
    turns = range(1, chunk["turns"] + 1)
    return [calling(*by_turn[turn]) if by_turn[turn] else saying("…") for turn in turns]


@pytest.mark.parametrize(("case_id", "run_id"), RUNS)
async def test_recorded_run_is_reproduced(upstream: Path, case_id: str, run_id: str) -> None:
    golden = json.loads((upstream / f"golden-scores-{case_id}.json").read_text("utf-8"))
    (run,) = [run for run in golden["runs"] if run["runId"] == run_id]
    (case,) = load_cases([str(upstream / f"datasets/v1/generated/{case_id}.json")])
    chunks = split_into_chunks(case.document, run["maxWordsPerChunk"])
    assert [[p.id for p in chunk] for chunk in chunks] == [chunk["chunkParagraphIds"] for chunk in run["chunks"]]
    settings = LoopSettings(max_turns_per_chunk=run["maxTurnsPerChunk"])
    final: list[Paragraph] = []
    made = 0
    for chunk, recorded in zip(chunks, run["chunks"], strict=True):
        model = ScriptedModel(replies(recorded))
        result = await proofread_chunk(model, chunk, case.instruction, settings)
        assert len(model.requests) == recorded["turns"]
        assert result.completed == (recorded["decision"] == "stop")
        calls = [call for turn in result.turns for call in turn.calls]
        assert [call.ok for call in calls] == [execution["ok"] for execution in recorded["toolExecutions"]]
        made += len(calls)
        final.extend(result.paragraphs)
    assert made == sum(len(chunk["toolExecutions"]) for chunk in run["chunks"]) > 0
    document = Document(tuple(final))
    for paragraph_id, html in run["finalParagraphs"].items():
        paragraph = document.get(paragraph_id)
        assert paragraph is not None
        assert paragraph.html == html
    changed = [p.id for p, before in zip(document, case.document, strict=True) if p != before]
    assert changed == run["summary"]["actualChangedParagraphIds"]
