from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from errata_bench.errors import InternalError
from errata_bench.scoring.judge.edits import EditClass
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.scoring.run_score import score_run
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.judgments import EditJudgment, Judgment
from errata_bench.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from tests.support.builders import make_case, make_figures
from tests.support.stored import add_chunk, begin

CASE = make_case()
VALID = Judgment("org/judge:low", "v1", True, Conclusion.MENDED, "It is right.", JudgingUse(10, 5, 0.25), 1000.0)
INVALID = Judgment("org/judge:low", "v1", False, Conclusion.NEW_ERROR, "It is not.", JudgingUse(None, None, None), 1.0)
EDIT = EditJudgment("org/judge:low", "v1", EditClass.HARMLESS, False, "Taste.", JudgingUse(10, 5, 0.25), 1000.0)


def test_judgments_are_read_back_by_their_keys(group: Group) -> None:
    group.judgments.add({"one": VALID, "two": INVALID})
    assert group.judgments.of(["two", "one", "three"]) == {"one": VALID, "two": INVALID}
    assert group.judgments.of([]) == {}


def test_what_is_kept_under_a_key_stays(group: Group) -> None:
    group.judgments.add({"one": VALID})
    group.judgments.add({"one": INVALID})
    assert group.judgments.of(["one"]) == {"one": VALID}


def test_any_number_of_keys_may_be_asked_for(group: Group) -> None:
    keys = [f"key-{n}" for n in range(1203)]
    group.judgments.add(dict.fromkeys(keys, VALID))
    assert len(group.judgments.of(keys)) == 1203


def test_a_runs_issues_rest_on_judgments(group: Group) -> None:
    one, other = begin(group, CASE), begin(group, CASE, sample=2)
    group.judgments.add({"a": VALID, "b": INVALID})
    group.judgments.rest_on(one, {"issue-01": "a", "issue-02": "b"})
    group.judgments.rest_on(other, {"issue-01": "a"})
    assert group.judgments.of_run(one) == {"issue-01": VALID, "issue-02": INVALID}
    assert group.judgments.of_run(other) == {"issue-01": VALID}
    group.judgments.rest_on(one, {"issue-01": "b"})
    assert group.judgments.of_run(one)["issue-01"] == INVALID


def test_nothing_rests_on_a_judgment_that_is_not_kept(group: Group) -> None:
    run_id = begin(group, CASE)
    with pytest.raises(InternalError):
        group.judgments.rest_on(run_id, {"issue-01": "nowhere"})
    assert group.judgments.of_run(run_id) == {}


def test_edits_are_kept_apart_from_fixes(group: Group) -> None:
    group.judgments.add_edit("one", EDIT)
    group.judgments.add_edit("one", EditJudgment("x", "y", EditClass.HARMFUL, True, "", JudgingUse(), 0.0))
    assert group.judgments.edits(["one", "two"]) == {"one": EDIT}
    assert group.judgments.of(["one"]) == {}


def test_a_reason_is_kept_to_the_letter_as_far_as_it_can_be_stored(group: Group) -> None:
    reason = "NUL \0, \x1b[31m, \u202e and half a \ud800 pair"
    group.judgments.add({"one": Judgment("j", "v", True, Conclusion.MENDED, reason, JudgingUse(10**30, 1, 0.0), 0.0)})
    kept = group.judgments.of(["one"])["one"]
    assert kept.reason == reason.replace("\ud800", "\ufffd")
    assert kept.use == JudgingUse(None, 1, 0.0)


def test_a_reader_sees_judgments_of_a_writer(group: Group, path: Path) -> None:
    group.judgments.add({"one": VALID})
    with read_group(path) as reader:
        assert reader.judgments.of(["one"]) == {"one": VALID}


def test_a_run_is_scored_anew_without_touching_when_it_ended(group: Group) -> None:
    run_id = begin(group, CASE)
    for index in range(3):
        add_chunk(group, run_id, CASE, index)
    score = score_run(CASE, CASE.expected, [])
    group.finish_run(run_id, score, make_figures(3, 3), 2000.0, ["no_temperature"])
    before = group.runs()[0]
    untouched = score_run(CASE, CASE.document, [])
    group.rescore_run(run_id, untouched, make_figures(0, 3))
    after = group.runs()[0]
    assert after.figures == make_figures(0, 3)
    assert (after.ended_at, after.status, after.key) == (before.ended_at, before.status, before.key)
    assert set(group.verdicts(run_id).values()) == {"not_addressed"}


def test_runs_are_filed_under_a_judge_as_they_are(group: Group) -> None:
    ids = [begin(group, CASE, sample=sample) for sample in (1, 2)]
    group.file_under_judge(ids, "org/judge:low")
    assert [(run.id, run.sample, run.key.settings.judge) for run in group.runs()] == [
        (ids[0], 1, "org/judge:low"),
        (ids[1], 2, "org/judge:low"),
    ]


def test_runs_are_filed_as_further_samples_where_a_judge_has_theirs(group: Group) -> None:
    with_judge = [begin(group, CASE, sample=sample, judge="org/judge:low") for sample in (1, 2)]
    without = [begin(group, CASE, sample=sample) for sample in (1, 2, 3, 7)]
    other_case = begin(group, make_case("other"))
    group.file_under_judge([*without, other_case], "org/judge:low")
    samples = {run.id: run.sample for run in group.runs()}
    assert [samples[run_id] for run_id in with_judge] == [1, 2]
    assert [samples[run_id] for run_id in without] == [3, 4, 5, 7]
    assert samples[other_case] == 1
    assert {run.key.settings.judge for run in group.runs()} == {"org/judge:low"}


def test_a_file_of_the_first_version_gets_the_tables_and_keeps_its_runs(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(MIGRATIONS[0])
    connection.execute("INSERT INTO cases VALUES ('f', 'old', '{}')")
    connection.execute(
        "INSERT INTO runs (id, endpoint, model, effort, fingerprint, max_words, max_turns, prompt_version, judge,"
        " max_completion_tokens, reasoning, sample, status, chunk_count, started_at, version)"
        " VALUES (1, 'e', 'org/m', 'low', 'f', 0, 3, 'p', '', 8192, '{}', 1, 'succeeded', 1, 0, '0.1')"
    )
    connection.execute(
        "INSERT INTO figures VALUES (1, ?)",
        (
            '{"issues": 2, "fixed": 1, "bad_fixes": 1, "unjudged": 1, "missed": 0, "words": 9, "changed_paragraphs": 1,'
            ' "unexpected_paragraphs": 0, "exact_match": false, "benchmark_calls": 1, "benchmark_chars": 9,'
            ' "off_target_calls": 0, "off_target_chars": 0, "benchmark_rewrite_chars": 0, "chunks": 1,'
            ' "completed_chunks": 1, "turns": 1, "duration_seconds": 1.0, "prompt_tokens": 1, "completion_tokens": 1,'
            ' "reasoning_tokens": 0, "cached_prompt_tokens": 0, "candidate_cost_usd": 0.1, "judge_cost_usd": 0.0,'
            ' "oddities": {}}',
        ),
    )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    with read_group(path) as group:
        (run,) = group.runs()
        assert run.figures is not None
        assert (run.figures.unjudged, run.figures.fixed_alternative, run.figures.judge_prompt_tokens) == (1, 0, 0)
        assert group.judgments.of(["x"]) == {}
    with write_group(path) as group:
        group.judgments.add({"x": VALID})
        group.judgments.rest_on(1, {"i": "x"})
        assert group.judgments.of_run(1) == {"i": VALID}
    found = sqlite3.connect(path)
    assert found.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    found.close()
