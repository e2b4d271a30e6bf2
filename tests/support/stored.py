"""Ways to fill a group with runs and to say what is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, Usage
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.store.group import Group
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_settings

VARIANT = Variant("org/model", "low")


def key_of(case: Case, variant: Variant = VARIANT, **settings: Any) -> RunKey:
    """The identity of a run on a case."""
    return RunKey(make_settings(**settings), variant, case.fingerprint)


def begin(group: Group, case: Case, sample: int = 1, variant: Variant = VARIANT, **settings: Any) -> int:
    """Keep a case and begin a run on it, each paragraph a chunk."""
    group.add_case(case)
    return group.begin_run(key_of(case, variant, **settings), sample, len(case.document), 1000.0, "1.0")


def chunk_result(case: Case, index: int) -> ChunkResult:
    """A finished chunk of one paragraph: an edit in a first turn, the end in a second."""
    paragraph = case.expected.paragraphs[index]
    edit = CallRecord(
        "find_and_replace",
        {"paragraphId": paragraph.id, "find": "teh", "replace": "the"},
        '{"paragraphId": "…"}',
        True,
        "Done.",
        1,
    )
    end = CallRecord("proofreading_complete", {}, "{}", True, "This part is complete.", 0)
    turns = (
        Turn(
            {"role": "assistant", "content": None}, (edit,), Usage(100, 20, 5, 0), 0.25, 2.0, "tool_calls", {"odd": 1}
        ),
        Turn({"role": "assistant", "content": "Done."}, (end,), Usage(), None, 1.0, None),
    )
    return ChunkResult((paragraph,), turns, completed=True)


def add_chunk(group: Group, run_id: int, case: Case, index: int) -> None:
    """Write what a finished chunk costs, and the chunk."""
    for outcome, cost in (("ok", 0.25), ("ok", None)):
        group.add_attempt(run_id, index, "candidate", Attempt(1000.0, 2.0, outcome, 200, Usage(100, 20), cost))
    before = case.document.select([case.document.paragraphs[index].id])
    group.add_chunk(run_id, index, before, chunk_result(case, index), 1000.0)


def chunks_of(group: Group, run_id: int, case: Case) -> list[ChunkResult]:
    """The finished chunks of a run on a case, each paragraph a chunk."""
    return group.chunk_results(run_id, [case.document.select([paragraph.id]) for paragraph in case.document])


def only_run(group: Group) -> RunRecord:
    """The one run of a group that has one."""
    (record,) = group.runs()
    return record


def statuses(group: Group) -> list[RunStatus]:
    """How each run stands, in the order in which they were begun."""
    return [run.status for run in group.runs()]


def failure_count(group: Group) -> int:
    """How many failures are recorded."""
    return sum(len(group.failures(run.id)) for run in group.runs())


def content(path: Path) -> list[str]:
    """Everything a file holds, as SQL."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()
