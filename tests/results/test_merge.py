from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from errata_bench.chat import Attempt
from errata_bench.errors import EndpointFault, InternalError, Reach, StoreError
from errata_bench.results.imports.artifact import Artifact, AttemptShape
from errata_bench.results.imports.group import import_artifact
from errata_bench.results.merge import merge_groups
from errata_bench.store.group import read_group, write_group
from errata_bench.store.merging import Merged
from tests.support.builders import make_case
from tests.support.models import fix_everything, fix_otherwise
from tests.support.stored import add_chunk, begin, chunk_result, chunks_of, content
from tests.support.upkeep import ALPHA, BETA, CASES, change, make_group, table, verdicts


def merge(target: Path, *sources: Path) -> Merged:
    (only,) = merge_groups(target, sources)
    assert only.merged is not None
    return only.merged


def samples(path: Path) -> list[tuple[str, str, int]]:
    with read_group(path) as group:
        return [(str(run.key.variant), run.case_id, run.sample) for run in group.runs()]


@pytest.fixture
async def here(tmp_path: Path) -> Path:
    return await make_group(tmp_path / "here.sqlite", fix_everything)


@pytest.fixture
def copy(here: Path) -> Path:
    copy = here.with_name("copy.sqlite")
    with read_group(here) as group:
        group.upkeep.copy_to(copy)
    return copy


async def test_runs_of_other_variants_are_added_with_everything_that_belongs_to_them(
    here: Path, tmp_path: Path
) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, variants=[BETA], begun=50)
    merged = merge(here, there)
    assert (merged.added, merged.renumbered, merged.updated, merged.same, merged.conflicts) == (2, 0, 0, 0, [])
    with read_group(here) as group, read_group(there) as other:
        assert [run.key.variant for run in group.runs()] == [ALPHA, ALPHA, BETA, BETA]
        assert verdicts(group)[2:] == verdicts(other)
        for run, original in zip(group.runs()[2:], other.runs(), strict=True):
            case = next(case for case in CASES if case.id == run.case_id)
            chunks = [case.document.select([p.id]) for p in case.document]
            assert group.chunk_results(run.id, chunks) == other.chunk_results(original.id, chunks)
            assert group.run_attempts(run.id) == other.run_attempts(original.id)
            assert run.figures == original.figures
        assert group.spend().requests == 10
        assert group.upkeep.damage() == []


async def test_repeats_made_elsewhere_become_the_next_samples(here: Path, tmp_path: Path) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, begun=50)
    merged = merge(here, there)
    assert (merged.added, merged.renumbered) == (2, 2)
    assert samples(here)[2:] == [("org/alpha:low", "letter", 2), ("org/alpha:low", "memo", 2)]


async def test_merging_twice_changes_nothing_more(here: Path, tmp_path: Path) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, begun=50)
    with write_group(there) as group:
        group.add_attempt(None, None, "judge", Attempt(1.0, 2.0, "ok", 200, cost_usd=0.5))
    merge(here, there)
    before = content(here)
    assert merge(here, there) == Merged(same=2)
    assert content(here) == before


def test_a_group_merged_with_itself_stays_as_it_is(here: Path) -> None:
    before = here.read_bytes()
    (only,) = merge_groups(here, [here])
    assert only.merged is None
    assert here.read_bytes() == before


async def test_a_group_merged_with_its_copy_stays_as_it_is(here: Path, copy: Path) -> None:
    before = content(here)
    assert merge(here, copy) == Merged(same=2)
    assert content(here) == before


async def test_a_target_that_is_not_there_is_made(here: Path, tmp_path: Path) -> None:
    merged = merge(tmp_path / "new.sqlite", here)
    assert merged.added == 2
    assert samples(tmp_path / "new.sqlite") == samples(here)


async def test_sources_are_only_read(here: Path, tmp_path: Path) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, begun=50)
    before = there.read_bytes()
    merge(here, there)
    assert there.read_bytes() == before


async def test_a_run_that_is_further_on_in_one_file_is_brought_further_in_the_other(tmp_path: Path) -> None:
    case = make_case()
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    with write_group(here) as group:
        add_chunk(group, begin(group, case), case, 0)
    shutil.copy(here, there)
    with write_group(there) as group:
        add_chunk(group, 1, case, 1)
    merged = merge(here, there)
    assert (merged.added, merged.updated) == (0, 1)
    with read_group(here) as group:
        assert [run.chunks_done for run in group.runs()] == [2]
        assert len(group.run_attempts(1)) == 4
    assert merge(there, here) == Merged(same=1)  # and backwards there is nothing to do
    with read_group(there) as group:
        assert [run.chunks_done for run in group.runs()] == [2]


async def test_a_run_that_went_on_differently_is_a_conflict_and_stays(tmp_path: Path) -> None:
    case = make_case()
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    with write_group(here) as group:
        add_chunk(group, begin(group, case), case, 0)
    shutil.copy(here, there)
    for path in (here, there):
        with write_group(path) as group:
            add_chunk(group, 1, case, 1)
    change(there, "UPDATE chunks SET ended_at = 2000 WHERE chunk = 1")
    before = content(here)
    merged = merge(here, there)
    assert merged.conflicts == [
        "org/model:low on letter, sample 1: it went on in both files, with different texts; it stays as it is here"
    ]
    assert content(here) == before


@pytest.mark.parametrize(
    ("sql", "difference"),
    [
        ("UPDATE runs SET judge = 'org/judge:low' WHERE id = 1", "its judge is org/judge:low there and none here"),
        ("UPDATE verdicts SET verdict = 'bad_fix' WHERE run_id = 1", "its verdicts differ"),
        (
            "UPDATE figures SET content = json_set(content, '$.candidate_cost_usd', 7.0) WHERE run_id = 1",
            "its figures differ",
        ),
    ],
)
async def test_a_run_that_was_scored_differently_is_a_conflict_and_stays(
    here: Path, copy: Path, sql: str, difference: str
) -> None:
    change(copy, sql)
    before = content(here)
    merged = merge(here, copy)
    assert merged.conflicts == [f"org/alpha:low on letter, sample 1: {difference}; it stays as it is here"]
    assert (merged.same, content(here)) == (1, before)


async def test_damaged_newer_and_foreign_sources_are_named_and_nothing_is_written(here: Path, tmp_path: Path) -> None:
    damaged, newer, foreign = (tmp_path / f"{name}.sqlite" for name in ("damaged", "newer", "foreign"))
    shutil.copy(here, damaged)
    size = damaged.stat().st_size
    with damaged.open("r+b") as stream:
        stream.seek(size // 2)
        stream.write(b"\xff" * 8192)
    shutil.copy(here, newer)
    change(newer, "PRAGMA user_version = 999")
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE birds (name TEXT)")
    for source, words in ((damaged, "damaged"), (newer, "newer version"), (foreign, "another program")):
        before, unharmed = content(here), source.read_bytes()
        with pytest.raises(StoreError, match=words):
            merge_groups(here, [source])
        assert content(here) == before
        assert source.read_bytes() == unharmed


async def test_a_source_with_rows_that_belong_to_nothing_is_refused_and_nothing_is_written(
    here: Path, tmp_path: Path
) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, begun=50)
    change(there, "UPDATE calls SET turn = 77 WHERE run_id = 1 AND chunk = 0 AND turn = 1")
    before = content(here)
    with pytest.raises(StoreError, match=r"there\.sqlite is damaged.*: 2 rows of calls belong to nothing"):
        merge_groups(here, [there])
    assert content(here) == before


async def test_what_a_row_belongs_to_is_watched_again_after_a_merge(here: Path, tmp_path: Path) -> None:
    there = await make_group(tmp_path / "there.sqlite", fix_otherwise, begun=50)
    case = make_case("letter")
    with write_group(here) as group:
        group.merge(there)
        with pytest.raises(InternalError, match="FOREIGN KEY"):
            group.add_chunk(99, 0, case.document, chunk_result(case, 0), 1.0)


async def test_runs_that_are_added_and_runs_that_are_brought_further_keep_apart(tmp_path: Path) -> None:
    case, fault = make_case(), EndpointFault("timeout", "no answer", reach=Reach.RUN)
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    with write_group(here) as group:
        add_chunk(group, begin(group, case), case, 0)
    shutil.copy(here, there)
    with write_group(there) as group:
        second, third = begin(group, case, 2), begin(group, case, 3)
        add_chunk(group, 1, case, 1)
        for at, run_id in enumerate((third, second, third)):
            group.fail_run(run_id, at, fault, 1000.0 + at)
        add_chunk(group, third, case, 2)
    change(there, "UPDATE runs SET started_at = started_at + id")
    change(here, "UPDATE runs SET started_at = started_at + id")
    with write_group(here) as group:
        begin(group, make_case("other"))  # takes the number that one of the runs has there
    merged = merge(here, there)
    assert (merged.added, merged.updated) == (2, 1)
    with read_group(here) as group, read_group(there) as other:
        found = {run.sample: run.id for run in group.runs() if run.case_id == case.id}
        assert found == {1: 1, 2: 3, 3: 4}
        for original in other.runs():
            run_id = found[original.sample]
            assert chunks_of(group, run_id, case) == chunks_of(other, original.id, case)
            assert group.failures(run_id) == other.failures(original.id)
            assert group.run_attempts(run_id) == other.run_attempts(original.id)
        assert group.upkeep.damage() == []


async def test_money_that_belongs_to_no_run_is_taken_in_once(here: Path, copy: Path) -> None:
    with write_group(copy) as group:
        for _ in range(2):  # two requests that are alike to the letter are two
            group.add_attempt(None, None, "judge", Attempt(1.0, 2.0, "ok", 200, cost_usd=0.5))
    merge(here, copy)
    merge(here, copy)
    assert table(here, "SELECT count(*) FROM spend WHERE run_id IS NULL") == [(2,)]


def test_runs_that_were_imported_in_both_files_stay_once(tmp_path: Path) -> None:
    failed = {"datasetName": "letter", "model": "org/model:low", "succeeded": False, "error": "no"}
    good = {**failed, "succeeded": True, "error": None, "correctedIssues": 1, "totalIssues": 2}
    for name, attempts, now in (("here", [failed, good], 5.0), ("there", [failed, failed, good], 6.0)):
        shapes = tuple((AttemptShape.model_validate(attempt), attempt) for attempt in attempts)
        with write_group(tmp_path / f"{name}.sqlite") as group:
            import_artifact(group, Artifact("file.json", None, shapes), now, "1")
    merged = merge(tmp_path / "here.sqlite", tmp_path / "there.sqlite")
    assert (merged.added, merged.same, merged.conflicts) == (1, 2, [])
    with read_group(tmp_path / "here.sqlite") as group:
        assert [run.imported is not None for run in group.runs()] == [False, True, False]
        assert len(list(group.imports.attempts())) == 3
