from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.results.overview import overview_of
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.records import RunKey, RunRecord, RunStatus, Spend
from errata_bench.variants import Variant
from tests.support.builders import make_figures, make_settings

NOTHING = Spend(0.0, 0, 0)
LOW, HIGH, OTHER = Variant("org/one", "low"), Variant("org/one", "high"), Variant("org/two", "low")
ORACLE = Variant("baseline/oracle", None)


def record(
    variant: Variant = LOW,
    case: str = "letter",
    status: RunStatus = RunStatus.SUCCEEDED,
    *,
    sample: int = 1,
    failures: int = 0,
    started_at: float = 10.0,
    ended_at: float | None = 20.0,
    imported: bool = False,
    **settings: object,
) -> RunRecord:
    done = status is RunStatus.SUCCEEDED
    return RunRecord(
        id=0,
        key=RunKey(make_settings(**settings), variant, f"print of {case}"),
        case_id=case,
        sample=sample,
        status=status,
        chunk_count=1,
        chunks_done=int(done),
        failures=failures,
        started_at=started_at,
        ended_at=ended_at,
        figures=make_figures() if done and not imported else None,
        imported=ImportedFigures({"issues": 2, "fixed": 1}) if done and imported else None,
    )


def test_an_empty_group_holds_nothing_and_has_no_dates() -> None:
    found = overview_of([], Spend(0.5, 3, 1))
    assert (found.models, found.variants, found.cases, found.runs, found.cells, found.whole_cells) == (0,) * 6
    assert (found.first_at, found.last_at, found.settings) == (None, None, ())
    assert found.spend == Spend(0.5, 3, 1)


def test_models_are_counted_once_whatever_their_efforts() -> None:
    found = overview_of([record(LOW), record(HIGH), record(OTHER), record(OTHER, "memo")], NOTHING)
    assert (found.models, found.variants, found.cases, found.runs) == (2, 3, 2, 4)


def test_runs_are_counted_by_how_they_stand_and_failures_apart() -> None:
    found = overview_of(
        [
            record(failures=2),
            record(sample=2, status=RunStatus.FAILED, failures=1),
            record(sample=3, status=RunStatus.RUNNING, ended_at=None),
            record(sample=4),
        ],
        NOTHING,
    )
    assert (found.runs, found.succeeded, found.failed, found.running, found.failures) == (4, 2, 1, 1, 3)


def test_the_dates_span_all_runs_also_one_that_has_not_ended() -> None:
    running = record(status=RunStatus.RUNNING, started_at=99.0, ended_at=None)
    found = overview_of([record(started_at=5.0, ended_at=50.0), running], NOTHING)
    assert (found.first_at, found.last_at) == (5.0, 99.0)


def test_a_cell_is_whole_as_soon_as_one_run_has_succeeded() -> None:
    found = overview_of(
        [
            record(LOW),
            record(LOW, sample=2),
            record(LOW, "memo", RunStatus.FAILED),
            record(OTHER, "memo"),
        ],
        NOTHING,
    )
    assert (found.cells, found.whole_cells) == (4, 2)


def test_a_variant_under_other_settings_has_cells_of_its_own() -> None:
    found = overview_of([record(), record(max_words=500)], NOTHING)
    assert (found.variants, found.cells, found.whole_cells) == (1, 2, 2)


def test_the_commonest_settings_come_first() -> None:
    rare, usual = make_settings(max_words=500), make_settings()
    found = overview_of([record(max_words=500), record(), record(sample=2)], NOTHING)
    assert found.settings == (usual, rare)


def test_settings_of_baselines_are_told_only_where_there_is_nothing_else() -> None:
    offline = record(ORACLE, endpoint="offline")
    assert overview_of([offline, offline, record()], NOTHING).settings == (make_settings(),)
    assert overview_of([offline], NOTHING).settings == (make_settings(endpoint="offline"),)


def test_runs_that_were_made_elsewhere_count_as_any_others() -> None:
    found = overview_of([record(imported=True), record(OTHER, "memo")], NOTHING)
    assert (found.runs, found.succeeded, found.whole_cells) == (2, 2, 2)


RECORDS = st.builds(
    record,
    variant=st.sampled_from([LOW, HIGH, OTHER, ORACLE]),
    case=st.sampled_from(["letter", "memo", "control"]),
    status=st.sampled_from(RunStatus),
    failures=st.integers(0, 3),
    imported=st.booleans(),
    max_words=st.sampled_from([0, 500]),
)


@given(records=st.lists(RECORDS, min_size=1, max_size=12))
def test_the_parts_add_up(records: list[RunRecord]) -> None:
    found = overview_of(records, NOTHING)
    assert found.succeeded + found.failed + found.running == found.runs == len(records)
    assert 1 <= found.models <= found.variants <= found.runs
    assert found.whole_cells <= min(found.cells, found.succeeded)
    assert (found.whole_cells == 0) == (found.succeeded == 0)
    assert len(set(found.settings)) == len(found.settings) >= 1


@pytest.mark.parametrize("turn", [1, -1])
def test_the_order_of_the_runs_does_not_matter(turn: int) -> None:
    records = [record(), record(OTHER, "memo", max_words=500), record(LOW, "memo", max_words=500)][::turn]
    found = overview_of(records, NOTHING)
    assert (found.cells, found.whole_cells, found.settings[0].max_words) == (6, 3, 500)
