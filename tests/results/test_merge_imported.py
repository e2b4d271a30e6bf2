"""Merges of groups that hold runs which were made elsewhere, and of groups that hold each other's exports."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.errors import EndpointFault, Reach
from errata_bench.results.imports.files import ImportFile
from errata_bench.results.imports.group import import_files
from errata_bench.results.merge import merge_groups
from errata_bench.store.group import read_group, write_group
from errata_bench.store.imported_identity import run_identity
from errata_bench.store.merging import Merged
from tests.results.imports.test_group import MANY, exported, own_runs, reports, results, state
from tests.support.builders import make_case
from tests.support.models import fix_everything
from tests.support.reports import attempt, report
from tests.support.stored import add_chunk, begin, content, only_run
from tests.support.upkeep import ALPHA, change, make_group, run, table

OTHERWISE = ("exact", "not_addressed", "attempted_invalid", "alternative_judge")


def group_of(path: Path, *files: ImportFile) -> Path:
    with write_group(path) as group:
        for file in files:
            import_files(group, [file], 5.0, "1.0")
    return path


def merge(target: Path, source: Path) -> Merged:
    (only,) = merge_groups(target, [source])
    assert only.merged is not None
    with read_group(target) as group:
        assert group.upkeep.damage() == []
    return only.merged


def counts(merged: Merged) -> tuple[int, int, int, int]:
    return merged.added, merged.updated, merged.same, len(merged.conflicts)


def state_of(path: Path) -> list[Any]:
    with read_group(path) as group:
        return state(group)


ATTEMPT, REPORT = results(attempt(totalDurationMs=30_000)), reports(report())


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ([ATTEMPT], [REPORT], (0, 1, 0, 0)),
        ([REPORT], [ATTEMPT], (0, 1, 0, 0)),
        ([REPORT], [ATTEMPT, REPORT], (0, 1, 0, 0)),
        ([ATTEMPT], [ATTEMPT, REPORT], (0, 1, 0, 0)),
        ([ATTEMPT, REPORT], [ATTEMPT], (0, 0, 1, 0)),
        ([ATTEMPT, REPORT], [REPORT], (0, 0, 1, 0)),
        ([ATTEMPT, REPORT], [REPORT, ATTEMPT], (0, 0, 1, 0)),
    ],
)
def test_a_run_is_one_whichever_file_knows_its_attempt_and_which_its_report(
    tmp_path: Path, here: list[ImportFile], there: list[ImportFile], expected: tuple[int, int, int, int]
) -> None:
    target, source = group_of(tmp_path / "here.sqlite", *here), group_of(tmp_path / "there.sqlite", *there)
    assert counts(merge(target, source)) == expected
    assert state_of(target) == state_of(group_of(tmp_path / "both.sqlite", ATTEMPT, REPORT))
    with read_group(target) as group:
        assert [len(group.verdicts(record.id)) for record in group.runs()] == [4]
        assert group.imports.kept()[0].source == "results.json"
    before = content(target)
    assert counts(merge(target, source)) == (0, 0, 1, 0)
    assert content(target) == before


@given(
    order=st.permutations(MANY),
    parts=st.lists(st.sampled_from(("here", "there", "both")), min_size=len(MANY), max_size=len(MANY)),
)
def test_files_read_apart_and_merged_are_as_files_read_together(order: Sequence[ImportFile], parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        placed = list(zip(order, parts, strict=True))
        here = group_of(Path(folder, "here.sqlite"), *(file for file, part in placed if part != "there"))
        there = group_of(Path(folder, "there.sqlite"), *(file for file, part in placed if part != "here"))
        whole = group_of(Path(folder, "whole.sqlite"), *order)
        assert merge(here, there).conflicts == []
        assert named(here) == named(whole)
        before = content(here)
        assert counts(merge(here, there))[:2] == (0, 0)
        assert content(here) == before


def named(path: Path) -> list[Any]:
    """The state, apart from by what name a run was known that no results file has named."""
    return [(*run[:9], {**run[9], "reportArtifact": None}) for run in state_of(path)]


def test_a_run_that_gets_its_attempt_takes_the_next_sample_where_its_own_is_taken(tmp_path: Path) -> None:
    other = results(attempt("another"))
    here = group_of(tmp_path / "here.sqlite", REPORT, other)
    there = group_of(tmp_path / "there.sqlite", ATTEMPT)
    assert counts(merge(here, there)) == (0, 1, 0, 0)
    assert sorted(one[2] for one in state_of(here)) == [1, 2]
    assert merge(tmp_path / "new.sqlite", here).renumbered == 0


@pytest.mark.parametrize(
    ("here", "there", "difference"),
    [
        ([ATTEMPT, REPORT], [ATTEMPT, reports(report(methods=OTHERWISE))], "its report says something else there"),
        ([ATTEMPT, REPORT], [reports(report(methods=OTHERWISE))], "its report says something else there"),
        ([REPORT], [reports(report(methods=OTHERWISE))], "its report says something else there"),
        ([REPORT], [ATTEMPT, reports(report(methods=OTHERWISE))], "its report says something else there"),
        ([ATTEMPT], [results(attempt(totalCostUsd=9.0))], "its results file says something else there"),
        ([ATTEMPT], [reports(report(methods=["exact"] * 4))], "contradicts it: 2 fixed here, 4 there"),
        ([REPORT], [results(attempt(correctedIssues=3))], "contradicts its report: 2 fixed here, 3 there"),
        ([REPORT], [results(attempt(succeeded=False, error="no"))], "one of them says that the run failed"),
    ],
)
def test_a_run_of_which_the_files_say_different_things_is_a_conflict_and_stays(
    tmp_path: Path, here: list[ImportFile], there: list[ImportFile], difference: str
) -> None:
    target, source = group_of(tmp_path / "here.sqlite", *here), group_of(tmp_path / "there.sqlite", *there)
    before = content(target)
    merged = merge(target, source)
    assert counts(merged) == (0, 0, 0, 1)
    assert merged.conflicts[0].startswith("org/model:low on letter, sample 1: ")
    assert difference in merged.conflicts[0]
    assert content(target) == before


def test_runs_that_one_file_holds_apart_stay_apart_whatever_they_are_called(tmp_path: Path) -> None:
    two = group_of(tmp_path / "two.sqlite", ATTEMPT, results(attempt("another", totalCostUsd=9.0)))
    change(two, "UPDATE imported_runs SET attempt = json_set(attempt, '$.runId', 'same')")
    one = tmp_path / "one.sqlite"
    with read_group(two) as group:
        group.upkeep.copy_to(one)
    with write_group(one) as group:
        group.upkeep.remove([2])
    assert counts(merge(one, two)) == (1, 0, 1, 0)
    assert counts(merge(one, two)) == (0, 0, 2, 0)
    assert counts(merge(tmp_path / "new.sqlite", two)) == (2, 0, 0, 0)


def test_a_run_that_gets_its_attempt_keeps_its_sample_number(tmp_path: Path) -> None:
    here = group_of(tmp_path / "here.sqlite", REPORT)
    there = group_of(tmp_path / "there.sqlite", results(attempt(apiEndpointLabel=None)))
    assert counts(merge(here, there)) == (0, 1, 0, 0)
    assert [one[2] for one in state_of(here)] == [1]


# Groups and their own exports


def fault(_: object) -> Any:
    raise EndpointFault("server_error", "no", reach=Reach.RUN)


def another_fault(_: object) -> Any:
    raise EndpointFault("server_error", "still no", reach=Reach.RUN)


async def with_export(path: Path, copied: Path) -> None:
    """A group with successes and failures, and another one into which its export was read."""
    with write_group(path) as group:
        await own_runs(group)
        group_of(copied, exported(group))


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return tmp_path / "real.sqlite"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return tmp_path / "copied.sqlite"


def runs_of(path: Path) -> list[Any]:
    """All runs and what hangs on them, whatever their numbers are."""
    with read_group(path) as group:
        imported = {kept.run_id for kept in group.imports.kept()}
        return sorted(
            (
                (
                    str(record.key),
                    record.case_id,
                    record.sample,
                    record.status,
                    record.figures,
                    record.id in imported,
                    group.stored_chunks(record.id),
                    group.verdicts(record.id),
                    group.failures(record.id),
                )
                for record in group.runs()
            ),
            key=repr,
        )


async def test_a_groups_own_runs_are_not_taken_in_again_out_of_their_export(real: Path, copied: Path) -> None:
    await with_export(real, copied)
    before = content(real)
    assert counts(merge(real, copied)) == (0, 0, 10, 0)
    assert content(real) == before


async def test_the_real_runs_take_the_place_of_what_was_read_out_of_their_export(
    real: Path, copied: Path, tmp_path: Path
) -> None:
    await with_export(real, copied)
    group_of(copied, ATTEMPT)
    assert counts(merge(copied, real)) == (0, 8, 0, 0)
    expected = group_of(tmp_path / "expected.sqlite", ATTEMPT)
    merge(expected, real)
    assert runs_of(copied) == runs_of(expected)
    assert table(copied, "SELECT fingerprint FROM cases ORDER BY 1") == table(
        expected, "SELECT fingerprint FROM cases ORDER BY 1"
    )
    with read_group(copied) as one, read_group(real) as other:
        assert one.spend() == other.spend()
    before = content(copied)
    assert counts(merge(copied, real)) == (0, 0, 8, 0)
    assert content(copied) == before


async def test_runs_under_another_judge_since_are_still_known_in_either_direction(real: Path, copied: Path) -> None:
    await with_export(real, copied)
    with write_group(real) as group:
        group.file_under_judge([record.id for record in group.runs()], "org/judge:low")
    before = content(real)
    assert counts(merge(real, copied)) == (0, 0, 10, 0)
    assert content(real) == before
    assert counts(merge(copied, real)) == (0, 8, 0, 0)


async def test_copies_in_both_files_stay_one(real: Path, copied: Path, tmp_path: Path) -> None:
    await with_export(real, copied)
    again = tmp_path / "again.sqlite"
    with read_group(copied) as group:
        group_of(again, exported(group))
    before = content(copied)
    assert counts(merge(copied, again)) == (0, 0, 10, 0)
    assert content(copied) == before


async def test_a_run_that_went_on_takes_its_copies_along(real: Path, copied: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.sqlite"
    with write_group(real) as group:
        await run(group, fault, variants=[ALPHA])
        group_of(copied, exported(group))
        await run(group, fault, variants=[ALPHA])
        group.upkeep.copy_to(earlier)
        await run(group, fix_everything, variants=[ALPHA])
    assert counts(merge(copied, earlier)) == (0, 2, 0, 0)
    assert counts(merge(copied, real)) == (0, 2, 0, 0)
    assert runs_of(copied) == runs_of(real)


async def test_copies_of_failures_that_a_run_had_not_had_go_when_it_is_brought_further(
    real: Path, copied: Path, tmp_path: Path
) -> None:
    with write_group(real) as group:
        await run(group, fault, variants=[ALPHA])
        group.upkeep.copy_to(copied)
        await run(group, another_fault, variants=[ALPHA])
        later = group_of(tmp_path / "later.sqlite", exported(group))
    assert counts(merge(copied, later)) == (2, 0, 2, 0)
    assert counts(merge(copied, real)) == (0, 2, 0, 0)
    assert runs_of(copied) == runs_of(real)


async def test_sample_numbers_of_copies_that_have_gone_are_free(real: Path, copied: Path) -> None:
    with write_group(real) as group:
        await run(group, fix_everything, variants=[ALPHA], samples=2)
        file = exported(group)
    others = [{**raw, "errataBenchRun": None, "totalCostUsd": 9.0} for _, raw in file.attempts]
    group_of(real, results(*others))
    group_of(copied, file)
    merged = merge(copied, real)
    assert (merged.added, merged.renumbered, merged.updated) == (4, 0, 4)
    assert runs_of(copied) == runs_of(real)


async def test_a_copy_that_has_gone_is_not_taken_for_another_run(real: Path, copied: Path) -> None:
    with write_group(real) as group:
        await run(group, fault, variants=[ALPHA], cases=[make_case()])
        file = exported(group)
        name = file.attempts[0][1]["errataBenchRun"]
        like = results(attempt(None, model="org/alpha:low", baseModel="org/alpha", runId=name))
    group_of(real, like)
    group_of(copied, file)
    assert counts(merge(copied, real)) == (1, 1, 0, 0)
    assert runs_of(copied) == runs_of(real)


def finished_copy_of_an_unfinished_run(real: Path, copied: Path) -> None:
    case = make_case()
    with write_group(real) as group:
        add_chunk(group, begin(group, case), case, 0)
        identity = run_identity(only_run(group))
    group_of(copied, results(attempt(errataBenchRun=identity)))


def test_a_success_is_not_given_for_the_beginning_of_the_same_run(real: Path, copied: Path) -> None:
    finished_copy_of_an_unfinished_run(real, copied)
    for target, source, words in (
        (real, copied, "it succeeded by its export there"),
        (copied, real, "it succeeded by its export, and not there"),
    ):
        before = content(target)
        merged = merge(target, source)
        assert counts(merged) == (0, 0, 0, 1)
        assert merged.conflicts[0].endswith(f"{words}; it stays as it is here")
        assert content(target) == before


async def test_of_a_file_that_holds_a_run_and_its_copy_the_run_is_taken(real: Path, copied: Path) -> None:
    await with_export(real, copied)
    with read_group(copied) as group:
        names = {kept.digest: kept.attempt["errataBenchRun"] for kept in group.imports.kept()}
    change(copied, "UPDATE imported_runs SET attempt = json_remove(attempt, '$.errataBenchRun')")
    merge(real, copied)
    for digest, name in names.items():
        change(
            real,
            f"UPDATE imported_runs SET attempt = json_set(attempt, '$.errataBenchRun', '{name}')"
            f" WHERE digest = '{digest}'",
        )
    new = real.with_name("new.sqlite")
    assert counts(merge(new, real)) == (8, 0, 10, 0)
    assert not any(one[5] for one in runs_of(new))
    assert table(new, "SELECT count(*) FROM cases WHERE fingerprint LIKE 'imported:%'") == [(0,)]


async def test_runs_made_apart_are_not_taken_for_each_others_copies(tmp_path: Path) -> None:
    one = await make_group(tmp_path / "one.sqlite", fix_everything, variants=[ALPHA])
    two = await make_group(tmp_path / "two.sqlite", fix_everything, variants=[ALPHA], begun=50)
    with read_group(one) as group:
        copy = group_of(tmp_path / "copy.sqlite", exported(group))
    assert counts(merge(two, copy)) == (2, 0, 0, 0)


@pytest.mark.parametrize("name", ["7", "null", '["x"]', '{"x": 1}'])
def test_a_name_of_another_kind_in_that_field_is_of_no_run_of_ours(tmp_path: Path, name: str) -> None:
    here = group_of(tmp_path / "here.sqlite", ATTEMPT)
    there = group_of(tmp_path / "there.sqlite", results(attempt("another")))
    for path in (here, there):
        change(path, f"UPDATE imported_runs SET attempt = json_set(attempt, '$.errataBenchRun', json('{name}'))")
    with write_group(there) as group:
        begin(group, make_case())
    assert counts(merge(here, there)) == (2, 0, 0, 0)
