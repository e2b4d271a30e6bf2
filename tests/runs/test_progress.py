from __future__ import annotations

import dataclasses
from typing import Any

from errata_bench.cases.model import Case
from errata_bench.chat import Attempt
from errata_bench.errors import EndpointFault, Reach
from errata_bench.runs.plan import Plan, PlannedRun, make_plan
from errata_bench.runs.progress import Progress
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_figures, make_settings

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
LETTER, REPORT = make_case("letter"), make_case("report")
FAULT = EndpointFault("timed_out", "No answer.", reach=Reach.RUN)


def planned(*records: RunRecord, cases: tuple[Case, ...] = (LETTER, REPORT), samples: int = 1) -> Plan:
    return make_plan(cases, (ONE, TWO), lambda _: make_settings(), samples, records)


def stored(case: Case, fixed: int = 1, status: RunStatus = RunStatus.SUCCEEDED, **fields: Any) -> RunRecord:
    key = RunKey(make_settings(), ONE, case.fingerprint)
    figures = make_figures(fixed, 2) if status is RunStatus.SUCCEEDED else None
    record = RunRecord(1, key, case.id, 1, status, 3, 0, 0, 0.0, None, figures)
    return dataclasses.replace(record, **fields)


def run_of(plan: Plan, case: Case, variant: Variant = ONE, sample: int = 1) -> PlannedRun:
    (run,) = (run for run in plan.todo if (run.case, run.variant, run.sample) == (case, variant, sample))
    return run


def test_what_is_stored_counts_as_done_from_the_beginning() -> None:
    progress = Progress(planned(stored(LETTER)), 0.0)
    assert (progress.total, progress.already_done, progress.runs_done) == (4, 1, 1)
    assert (progress.variants[ONE].total, progress.variants[ONE].done, progress.variants[ONE].quality) == (2, 1, 0.5)
    assert (progress.variants[TWO].total, progress.variants[TWO].done, progress.variants[TWO].quality) == (2, 0, None)


def test_a_run_is_in_flight_from_its_beginning_to_its_end() -> None:
    plan = planned()
    progress = Progress(plan, 0.0)
    first, second, third = plan.todo[:3]
    for run in (first, second, third):
        progress.started(run)
    assert progress.runs_in_flight == 3
    assert progress.variants[ONE].in_flight == {first: (1, 0), third: (1, 0)}
    progress.turn_started(first, 2, 3)
    assert progress.variants[ONE].in_flight[first] == (3, 3)
    progress.succeeded(first, make_figures(1, 2))
    progress.failed(second, FAULT)
    progress.left(third)
    assert (progress.runs_in_flight, progress.runs_done, progress.runs_failed) == (0, 1, 1)


def test_a_resumed_run_is_in_flight_at_the_chunk_it_goes_on_with() -> None:
    plan = planned(stored(LETTER, status=RunStatus.FAILED, chunks_done=1))
    progress = Progress(plan, 0.0)
    run = run_of(plan, LETTER)
    progress.started(run)
    assert progress.variants[ONE].in_flight[run] == (2, 0)


def test_a_run_that_only_has_to_be_scored_is_at_no_chunk_beyond_its_last() -> None:
    plan = planned(stored(LETTER, status=RunStatus.RUNNING, chunks_done=3))
    progress = Progress(plan, 0.0)
    run = run_of(plan, LETTER)
    progress.started(run)
    assert progress.variants[ONE].in_flight[run] == (3, 0)


def test_quality_is_the_mean_over_cases_of_the_mean_over_their_runs() -> None:
    plan = planned(stored(LETTER, 2), samples=2)
    progress = Progress(plan, 0.0)
    progress.succeeded(run_of(plan, LETTER, sample=2), make_figures(0, 2))
    progress.succeeded(run_of(plan, REPORT), make_figures(2, 2))
    assert progress.variants[ONE].quality == (0.5 + 1.0) / 2


def test_a_case_that_was_renamed_since_counts_as_one() -> None:
    plan = planned(stored(LETTER, 2, case_id="old-name"), samples=2)
    progress = Progress(plan, 0.0)
    progress.succeeded(run_of(plan, LETTER, sample=2), make_figures(0, 2))
    progress.succeeded(run_of(plan, REPORT), make_figures(2, 2))
    assert progress.variants[ONE].quality == (0.5 + 1.0) / 2


def test_a_control_is_done_and_has_no_quality() -> None:
    plan = planned()
    lines: list[tuple[str, bool]] = []
    progress = Progress(plan, 0.0, lambda line, failed: lines.append((line, failed)))
    progress.succeeded(run_of(plan, LETTER), make_figures(0, 0))
    assert (progress.variants[ONE].done, progress.variants[ONE].quality) == (1, None)
    assert lines == [("org/one:low on letter, sample 1: control (1/4)", False)]


def test_spend_is_what_is_known_and_says_how_many_requests_are_not() -> None:
    plan = planned()
    progress = Progress(plan, 0.0)
    one, two = plan.todo[:2]
    progress.attempted(one, Attempt(0.0, 1.0, "ok", 200, cost_usd=0.5))
    progress.attempted(one, Attempt(0.0, 1.0, "timed_out"))
    progress.attempted(two, Attempt(0.0, 1.0, "ok", 200, cost_usd=0.25))
    progress.attempted(two, Attempt(0.0, 1.0, "ok", 200, cost_usd=0.0))
    assert (progress.spent_usd, progress.unpriced) == (0.75, 1)
    assert (progress.variants[ONE].spent_usd, progress.variants[ONE].unpriced, progress.variants[ONE].faults) == (
        0.5,
        1,
        1,
    )


def test_the_time_left_comes_from_the_pace_of_this_invocation() -> None:
    plan = planned(stored(LETTER))
    progress = Progress(plan, 100.0)
    assert progress.seconds_left(160.0) is None
    progress.succeeded(plan.todo[0], make_figures(1, 2))
    assert progress.seconds_left(160.0) == 120.0
    progress.failed(plan.todo[1], FAULT)
    assert progress.seconds_left(180.0) == 40.0
    progress.succeeded(plan.todo[2], make_figures(1, 2))
    assert progress.seconds_left(200.0) == 0.0


def test_each_run_that_ends_is_told_with_the_count_so_far() -> None:
    plan = planned(stored(LETTER))
    lines: list[tuple[str, bool]] = []
    progress = Progress(plan, 0.0, lambda line, failed: lines.append((line, failed)))
    progress.succeeded(run_of(plan, REPORT), make_figures(1, 2))
    progress.failed(run_of(plan, LETTER, TWO), FAULT)
    progress.left(run_of(plan, REPORT, TWO))
    assert lines == [
        ("org/one:low on report, sample 1: 1/2 fixed (2/4)", False),
        ("org/two:high on letter, sample 1: failed: timed_out: No answer.", True),
    ]
