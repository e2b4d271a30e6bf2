"""The recorded runs of the upstream project, as values of this one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case
from errata_bench.chat import Usage
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.scoring.tool_use import EditCall
from tests.support.builders import SHARED, shared

_CASES = ("jury-instructions", "the-call-of-the-wild-chapter-3")
_JUDGED = {"alternative_judge": True, "attempted_invalid": False}


@dataclass(frozen=True)
class GoldenRun:
    """One recorded run: what it did, and the official ``issues`` and ``summary``."""

    case: Case
    calls: tuple[EditCall, ...]
    chunks: tuple[ChunkResult, ...]
    final_paragraphs: Mapping[str, str]
    issues: Mapping[str, Mapping[str, Any]]
    summary: Mapping[str, Any]

    @property
    def judged(self) -> dict[str, bool]:
        """What the recorded judge said of the candidates, by issue."""
        return {
            issue_id: _JUDGED[issue["resolutionMethod"]]
            for issue_id, issue in self.issues.items()
            if issue["alternativeCandidate"]
        }


def golden_names() -> list[tuple[str, int]]:
    """Case and number of each recorded run; none where the recordings are absent."""
    present = (SHARED / "upstream").exists()
    return [(name, n) for name in _CASES for n in range(2)] if present else []


def golden_run(name: str, n: int) -> GoldenRun:
    """Read one recorded run."""
    content = json.loads(shared(f"upstream/golden-scores-{name}.json").read_text())["runs"][n]
    (case,) = load_cases([str(shared(f"upstream/datasets/v1/generated/{name}.json"))])
    executions = [execution for chunk in content["chunks"] for execution in chunk["toolExecutions"]]
    return GoldenRun(
        case=case,
        calls=tuple(EditCall(e["toolName"], e["arguments"], json.dumps(e["arguments"]), e["ok"]) for e in executions),
        chunks=tuple(_chunk(case, chunk) for chunk in content["chunks"]),
        final_paragraphs=content["finalParagraphs"],
        issues={issue["issueId"]: issue for issue in content["issues"]},
        summary=content["summary"],
    )


def final_document(run: GoldenRun) -> Document:
    """The document that the run left: its calls that were carried out, made again by hand."""
    texts = {paragraph.id: paragraph.inner_html for paragraph in run.case.document}
    for call in run.calls:
        paragraph_id = call.arguments.get("paragraphId", "")
        if call.ok and call.name == "find_and_replace":
            texts[paragraph_id] = texts[paragraph_id].replace(call.arguments["find"], call.arguments["replace"])
        elif call.ok and call.name == "replace_paragraph":
            texts[paragraph_id] = call.arguments["newParagraphHtml"].partition(">")[2].removesuffix("</p>")
    return Document(tuple(Paragraph(paragraph_id, text) for paragraph_id, text in texts.items()))


def _chunk(case: Case, content: Mapping[str, Any]) -> ChunkResult:
    turns = [
        Turn(
            message={"role": "assistant", "content": ""},
            calls=tuple(
                CallRecord(e["toolName"], e["arguments"], json.dumps(e["arguments"]), e["ok"], "", 1)
                for e in content["toolExecutions"]
                if e["turn"] == number
            ),
            usage=Usage(),
            cost_usd=None,
            duration_seconds=1.0,
            finish_reason=None,
        )
        for number in range(1, content["turns"] + 1)
    ]
    return ChunkResult(
        case.document.select(content["chunkParagraphIds"]).paragraphs, tuple(turns), content["decision"] == "stop"
    )
