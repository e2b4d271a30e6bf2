from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest

from errata_bench.chat import Attempt, Usage
from errata_bench.document import Paragraph
from errata_bench.errors import EndpointFault, InternalError, Reach
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.scoring.run_score import score_run
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.records import RunRecord, RunStatus, Spend, StoredChunk
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_figures
from tests.support.stored import add_chunk, begin, chunk_result, chunks_of, content, key_of, only_run

CASE = make_case()
FAULT = EndpointFault("rate_limited", "Slow down.", reach=Reach.RUN, status=429)
AWKWARD = 'NUL \0, astral 😀, mark e\u0301, right-to-left \u202e, U+2028 \u2028, escape \x1b[31m, quote ", \\u0000'


# What is written is read back


def test_a_run_is_read_back_as_it_was_begun(group: Group) -> None:
    run_id = begin(group, CASE, sample=2, variant=Variant("org/model:free", "high"), judge="org/judge:low")
    record = only_run(group)
    assert record == RunRecord(
        id=run_id,
        key=key_of(CASE, Variant("org/model:free", "high"), judge="org/judge:low"),
        case_id="letter",
        sample=2,
        status=RunStatus.RUNNING,
        chunk_count=3,
        chunks_done=0,
        failures=0,
        started_at=1000.0,
        ended_at=None,
        figures=None,
    )


def test_a_baseline_has_no_effort(group: Group) -> None:
    begin(group, CASE, variant=Variant("baseline/oracle", None))
    assert only_run(group).key.variant == Variant("baseline/oracle", None)


def test_a_chunk_is_read_back_with_its_turns_and_calls(group: Group) -> None:
    run_id = begin(group, CASE)
    for index in range(3):
        add_chunk(group, run_id, CASE, index)
    assert chunks_of(group, run_id, CASE) == [chunk_result(CASE, index) for index in range(3)]
    assert group.stored_chunks(run_id)[1] == StoredChunk(1, True, {"para02": CASE.expected.paragraphs[1].inner_html})
    assert only_run(group).chunks_done == 3


def test_a_chunk_without_any_turn_or_change_is_one_too(group: Group) -> None:
    run_id = begin(group, CASE)
    before = CASE.document.select(["para01"])
    group.add_chunk(run_id, 0, before, ChunkResult(before.paragraphs, (), completed=False), 1000.0)
    assert group.stored_chunks(run_id) == [StoredChunk(0, False, {})]
    assert chunks_of(group, run_id, CASE) == [ChunkResult(before.paragraphs, (), completed=False)]


def test_a_case_is_read_back_whole(group: Group) -> None:
    begin(group, CASE)
    found = group.case(CASE.fingerprint)
    assert found == CASE
    assert found is not None
    assert found.fingerprint == CASE.fingerprint
    assert group.case("unknown") is None


def test_a_finished_run_has_its_verdicts_and_figures(group: Group) -> None:
    run_id = begin(group, CASE)
    score = score_run(CASE, CASE.expected.with_inner_html("para02", "Something else."), ())
    figures = make_figures(2, 3, candidate_cost_usd=None, oddities={"empty": 2})
    group.finish_run(run_id, score, figures, 2000.0, {"no_temperature", "flat_schema"})
    record = only_run(group)
    assert (record.status, record.ended_at, record.figures) == (RunStatus.SUCCEEDED, 2000.0, figures)
    assert group.verdicts(run_id) == {"issue-01": "fixed", "issue-02": "unjudged", "issue-03": "fixed"}


def test_finishing_again_replaces_verdicts_and_figures(group: Group) -> None:
    run_id = begin(group, CASE)
    group.finish_run(run_id, score_run(CASE, CASE.document, ()), make_figures(0, 3), 2000.0)
    group.finish_run(run_id, score_run(CASE, CASE.expected, ()), make_figures(3, 3), 3000.0)
    assert only_run(group).figures == make_figures(3, 3)
    assert set(group.verdicts(run_id).values()) == {"fixed"}


def test_a_failed_run_keeps_its_chunks_and_says_why(group: Group) -> None:
    run_id = begin(group, CASE)
    add_chunk(group, run_id, CASE, 0)
    group.fail_run(run_id, 1, FAULT, 2000.0)
    record = only_run(group)
    assert (record.status, record.failures, record.chunks_done, record.ended_at) == (RunStatus.FAILED, 1, 1, 2000.0)
    (failure,) = group.failures(run_id)
    assert (failure.kind, failure.status, failure.chunk, failure.message) == ("rate_limited", 429, 1, "Slow down.")


def test_a_run_is_taken_up_again_under_its_id(group: Group) -> None:
    run_id = begin(group, CASE)
    add_chunk(group, run_id, CASE, 0)
    group.fail_run(run_id, 1, FAULT, 2000.0)
    assert begin(group, CASE) == run_id
    record = only_run(group)
    assert (record.status, record.failures, record.chunks_done, record.ended_at) == (RunStatus.RUNNING, 1, 1, None)


def test_everything_in_the_identity_makes_another_run(group: Group) -> None:
    begin(group, CASE)
    begin(group, CASE, sample=2)
    begin(group, make_case("another"))
    begin(group, CASE, variant=Variant("org/model", "high"))
    begin(group, CASE, variant=Variant("org/model", None))
    begin(group, CASE, variant=Variant("org/other", "low"))
    for other in (
        {"endpoint": "elsewhere"},
        {"max_words": 2},
        {"max_turns": 4},
        {"prompt_version": "prompt-2"},
        {"judge": "org/judge:low"},
        {"max_completion_tokens": 1},
        {"reasoning": '{"exclude":true}'},
    ):
        run_id = begin(group, CASE, **other)
        assert begin(group, CASE, **other) == run_id
    assert [record.id for record in group.runs()] == list(range(1, 14))
    assert len({(record.key, record.sample) for record in group.runs()}) == 13


def test_a_chunk_is_written_once_and_whole_or_not_at_all(group: Group, path: Path) -> None:
    run_id = begin(group, CASE)
    add_chunk(group, run_id, CASE, 0)
    before = content(path)
    with pytest.raises(InternalError, match="UNIQUE"):
        group.add_chunk(run_id, 0, CASE.document.select(["para01"]), chunk_result(CASE, 0), 1000.0)
    broken = chunk_result(CASE, 1)
    turn = dataclasses.replace(broken.turns[1], duration_seconds=float("nan"))  # NULL to SQLite, which refuses it
    with pytest.raises(InternalError, match="NOT NULL"):
        group.add_chunk(
            run_id, 1, CASE.document.select(["para02"]), dataclasses.replace(broken, turns=(broken.turns[0], turn)), 0.0
        )
    assert content(path) == before


# Spend


def test_spend_adds_up_with_failed_and_unpriced_requests(group: Group) -> None:
    assert group.spend() == Spend(0.0, 0, 0)
    run_id = begin(group, CASE)
    for attempt in (
        Attempt(1.0, 1.0, "ok", 200, Usage(100, 10), 0.5),
        Attempt(2.0, 1.0, "timed_out", None, Usage(), 0.25, "No answer."),
        Attempt(3.0, 1.0, "rate_limited", 429),
    ):
        group.add_attempt(run_id, 0, "candidate", attempt)
    assert group.spend() == Spend(0.75, 3, 1)


def test_spend_survives_whatever_becomes_of_its_run(path: Path) -> None:
    with write_group(path) as group:
        run_id = begin(group, CASE)
        group.add_attempt(run_id, 0, "candidate", Attempt(1.0, 1.0, "ok", 200, Usage(), 0.5))
        group.fail_run(run_id, 0, FAULT, 2000.0)
    with write_group(path) as group:
        begin(group, CASE)
        assert group.spend() == Spend(0.5, 1, 0)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("DELETE FROM runs")
    connection.commit()
    assert connection.execute("SELECT count(*) FROM failures").fetchone() == (0,)
    connection.close()
    with read_group(path) as group:
        assert group.spend() == Spend(0.5, 1, 0)


# Text of models


def chunk_of(text: str) -> ChunkResult:
    call = CallRecord(text, {"find": text, text: "x"}, text, False, text, 0)
    turn = Turn({"role": "assistant", "content": text, "parts": [{text: text}]}, (call,), Usage(), None, 1.0, text)
    return ChunkResult((Paragraph("para01", text),), (turn,), completed=False)


def test_odd_text_is_kept_to_the_letter(group: Group) -> None:
    run_id = begin(group, CASE)
    result = chunk_of(AWKWARD)
    group.add_chunk(run_id, 0, CASE.document.select(["para01"]), result, 1000.0)
    group.fail_run(run_id, 0, EndpointFault("odd", AWKWARD, reach=Reach.RUN), 1000.0)
    assert chunks_of(group, run_id, CASE) == [result]
    assert group.failures(run_id)[0].message == AWKWARD


def test_half_a_character_pair_is_replaced_and_loses_nothing_else(group: Group) -> None:
    run_id = begin(group, CASE)
    group.add_chunk(run_id, 0, CASE.document.select(["para01"]), chunk_of("a\ud800b 😀\udc00"), 1000.0)
    group.add_attempt(run_id, 0, "candidate", Attempt(1.0, 1.0, "a\ud800b", None, message="a\ud800b"))
    group.fail_run(run_id, 0, EndpointFault("a\ud800b", "a\ud800b", reach=Reach.RUN), 1000.0)
    assert chunks_of(group, run_id, CASE) == [chunk_of("a\ufffdb 😀\ufffd")]
    assert (group.failures(run_id)[0].kind, group.failures(run_id)[0].message) == ("a\ufffdb", "a\ufffdb")


def test_absurd_numbers_of_a_server_lose_nothing_else(group: Group) -> None:
    run_id = begin(group, CASE)
    usage = Usage(10**300, 20, -(10**30), 2**63 - 1)
    turn = Turn({"role": "assistant", "details": [10**30, 1.5, None, True]}, (), usage, None, 1.0, None)
    group.add_attempt(run_id, 0, "candidate", Attempt(1.0, 1.0, "ok", 200, usage, 0.5))
    group.add_chunk(run_id, 0, CASE.document.select(["para01"]), ChunkResult((), (turn,), True), 1000.0)
    (found,) = chunks_of(group, run_id, CASE)
    assert found.turns[0].usage == Usage(None, 20, None, 2**63 - 1)
    assert found.turns[0].message == {"role": "assistant", "details": [str(10**30), 1.5, None, True]}
