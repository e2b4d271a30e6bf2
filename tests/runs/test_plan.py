from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.model import Case
from errata_bench.runs.plan import Plan, make_plan
from errata_bench.store.records import RunKey, RunRecord, RunSettings, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_figures, make_settings

ONE, TWO = Variant("org/one", "low"), Variant("org/two", "high")
LETTER, REPORT = make_case("letter"), make_case("report", 5)


def plan(
    records: Iterable[RunRecord] = (),
    samples: int = 2,
    cases: tuple[Case, ...] = (LETTER, REPORT),
    variants: tuple[Variant, ...] = (ONE, TWO),
    **settings: Any,
) -> Plan:
    return make_plan(cases, variants, lambda _: make_settings(**settings), samples, records)


def record(
    case: Case,
    sample: int,
    status: RunStatus = RunStatus.SUCCEEDED,
    *,
    variant: Variant = ONE,
    chunks_done: int = 3,
    settings: RunSettings | None = None,
) -> RunRecord:
    key = RunKey(settings or make_settings(), variant, case.fingerprint)
    figures = make_figures() if status is RunStatus.SUCCEEDED else None
    return RunRecord(1, key, case.id, sample, status, len(case.document), chunks_done, 0, 0.0, None, figures)


def todo(found: Plan) -> list[str]:
    return [str(run) for run in found.todo]


def test_an_empty_group_lacks_every_sample_of_each_variant_on_each_case() -> None:
    found = plan()
    assert todo(found) == [
        "org/one:low on letter, sample 1",
        "org/two:high on letter, sample 1",
        "org/one:low on report, sample 1",
        "org/two:high on report, sample 1",
        "org/one:low on letter, sample 2",
        "org/two:high on letter, sample 2",
        "org/one:low on report, sample 2",
        "org/two:high on report, sample 2",
    ]
    assert found.done == ()
    assert (found.total, found.resumed) == (8, 0)


def test_a_run_has_its_case_in_chunks() -> None:
    (run,) = plan(samples=1, cases=(REPORT,), variants=(ONE,)).todo
    assert [[paragraph.id for paragraph in chunk] for chunk in run.chunks] == [[f"para{n:02}"] for n in range(1, 6)]
    (run,) = plan(samples=1, cases=(REPORT,), variants=(ONE,), max_words=0).todo
    assert run.chunks == (REPORT.document,)


def test_what_has_succeeded_is_never_planned_again() -> None:
    stored = [record(LETTER, 1), record(LETTER, 2)]
    found = plan(stored, cases=(LETTER,), variants=(ONE,))
    assert found.todo == ()
    assert found.done == tuple(stored)


def test_more_samples_add_to_those_that_are_stored() -> None:
    found = plan([record(LETTER, 1), record(LETTER, 2)], samples=4, cases=(LETTER,), variants=(ONE,))
    assert todo(found) == ["org/one:low on letter, sample 3", "org/one:low on letter, sample 4"]
    assert found.total == 4


def test_fewer_samples_than_are_stored_ask_for_nothing() -> None:
    found = plan([record(LETTER, 1), record(LETTER, 2)], samples=1, cases=(LETTER,), variants=(ONE,))
    assert (found.todo, len(found.done)) == ((), 1)


def test_a_gap_is_filled() -> None:
    found = plan([record(LETTER, 2)], samples=2, cases=(LETTER,), variants=(ONE,))
    assert todo(found) == ["org/one:low on letter, sample 1"]


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.FAILED])
def test_an_interrupted_or_failed_run_is_taken_up_where_it_stopped(status: RunStatus) -> None:
    found = plan([record(LETTER, 1, status, chunks_done=2)], samples=1, cases=(LETTER,), variants=(ONE,))
    (run,) = found.todo
    assert run.chunks_done == 2
    assert found.resumed == 1


@pytest.mark.parametrize(
    "other",
    [
        {"endpoint": "elsewhere"},
        {"max_words": 2},
        {"max_turns": 4},
        {"prompt_version": "prompt-2"},
        {"judge": "org/judge:low"},
        {"max_completion_tokens": 1},
        {"reasoning": '{"exclude":true}'},
    ],
)
def test_every_setting_belongs_to_the_identity_of_the_work(other: dict[str, Any]) -> None:
    found = plan([record(LETTER, 1)], samples=1, cases=(LETTER,), variants=(ONE,), **other)
    assert len(found.todo) == 1


def test_variant_and_effort_and_the_content_of_the_case_belong_to_it() -> None:
    stored = [record(LETTER, 1)]
    assert len(plan(stored, samples=1, cases=(LETTER,), variants=(Variant("org/one", "high"),)).todo) == 1
    dropped = dataclasses.replace(LETTER.issues[0], disqualified=True)
    changed = dataclasses.replace(LETTER, issues=(dropped, *LETTER.issues[1:]))
    assert len(plan(stored, samples=1, cases=(changed,), variants=(ONE,)).todo) == 1


def test_the_name_of_a_case_does_not() -> None:
    renamed = dataclasses.replace(LETTER, id="renamed", source_name="elsewhere.txt")
    assert plan([record(LETTER, 1)], samples=1, cases=(renamed,), variants=(ONE,)).todo == ()


def test_settings_may_differ_from_variant_to_variant() -> None:
    found = make_plan(
        (LETTER,),
        (ONE, TWO),
        lambda variant: make_settings(max_words=0 if variant == TWO else 1),
        1,
        [record(LETTER, 1)],
    )
    (run,) = found.todo
    assert (run.variant, len(run.chunks)) == (TWO, 1)


def test_the_same_work_named_twice_is_done_once() -> None:
    again = dataclasses.replace(LETTER, id="letter-again")
    assert len(plan(samples=1, cases=(LETTER, again), variants=(ONE, ONE)).todo) == 1
    assert plan([record(LETTER, 1)], samples=1, cases=(LETTER, again), variants=(ONE, ONE)).total == 1


@pytest.mark.parametrize(
    ("cases", "variants", "samples"), [((), (ONE,), 2), ((LETTER,), (), 2), ((LETTER,), (ONE,), 0)]
)
def test_where_nothing_is_asked_for_nothing_is_planned(
    cases: tuple[Case, ...], variants: tuple[Variant, ...], samples: int
) -> None:
    assert plan(cases=cases, variants=variants, samples=samples).total == 0


@given(
    st.integers(1, 5),
    st.dictionaries(
        st.tuples(st.sampled_from([LETTER, REPORT]), st.sampled_from([ONE, TWO]), st.integers(1, 6)),
        st.sampled_from(RunStatus),
    ),
)
def test_a_plan_fills_up_to_the_samples_and_repeats_nothing(
    samples: int, stored: dict[tuple[Case, Variant, int], RunStatus]
) -> None:
    records = [record(case, sample, status, variant=variant) for (case, variant, sample), status in stored.items()]
    found = plan(records, samples)
    work = [(run.key, run.sample) for run in found.todo] + [(run.key, run.sample) for run in found.done]
    assert len(work) == len(set(work)) == found.total == 4 * samples
    assert all(run.status is RunStatus.SUCCEEDED for run in found.done)
    done = {(run.key, run.sample) for run in records if run.status is RunStatus.SUCCEEDED}
    assert not done & {(run.key, run.sample) for run in found.todo}
