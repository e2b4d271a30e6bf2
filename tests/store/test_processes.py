from __future__ import annotations

import dataclasses
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_bench.document import Paragraph
from errata_bench.errors import StoreError
from errata_bench.proofreading.loop import Turn
from errata_bench.store.group import Group, read_group, write_group
from tests.support.builders import make_case
from tests.support.stored import add_chunk, begin, chunk_result, chunks_of, content, only_run

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("writer_program.py")
CASE = make_case()


def start(task: str, path: Path, *more: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), task, str(path), *map(str, more)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def first_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    lines = [process.stdout.readline().strip() for _ in range(count)]
    assert all(lines), "the process ended too early"
    return lines


def rest(process: subprocess.Popen[str]) -> list[str]:
    """What else a process says until it ends; `Popen.communicate` would miss what is read already."""
    assert process.stdout is not None
    assert process.stdin is not None
    *lines, _unfinished = process.stdout.read().split("\n")  # the kill may have come within a line
    process.stdout.close()
    process.stdin.close()
    process.wait()
    return lines


def assert_whole(group: Group) -> list[tuple[int, int]]:
    """Every chunk that is there is there with all its turns and calls; returns run and chunk of each."""
    found: list[tuple[int, int]] = []
    for run in group.runs():
        stored = chunks_of(group, run.id, CASE)
        assert [chunk.chunk for chunk in group.stored_chunks(run.id)] == list(range(len(stored)))
        assert stored == [chunk_result(CASE, index) for index in range(len(stored))]
        found.extend((run.id, index) for index in range(len(stored)))
    return found


# Who may write, and who may look on


def test_a_second_process_cannot_write_until_the_first_is_done(path: Path) -> None:
    process = start("hold", path)
    try:
        first_lines(process, 1)
        before = content(path)
        with pytest.raises(StoreError, match=rf"another process \({process.pid}\)") as refused, write_group(path):
            pytest.fail("there are two writers")
        assert refused.value.mend is not None
        assert content(path) == before
        with read_group(path) as group:
            assert group.runs() == []
    finally:
        process.communicate()
    assert process.returncode == 0
    with write_group(path):
        pass


def test_this_process_cannot_write_twice_at_a_time_either(group: Group, path: Path) -> None:
    with pytest.raises(StoreError, match="another process"), write_group(path):
        pytest.fail("there are two writers")


def test_a_writer_that_was_killed_holds_up_nobody(path: Path) -> None:
    process = start("hold", path)
    first_lines(process, 1)
    process.kill()
    process.communicate()
    with write_group(path) as group:
        begin(group, CASE)


def test_groups_do_not_hold_up_each_other(tmp_path: Path) -> None:
    with write_group(tmp_path / "one.sqlite") as one, write_group(tmp_path / "two.sqlite") as two:
        begin(one, CASE)
        begin(two, CASE, sample=2)
    with read_group(tmp_path / "one.sqlite") as one, read_group(tmp_path / "two.sqlite") as two:
        assert (only_run(one).sample, only_run(two).sample) == (1, 2)


def test_a_reader_sees_each_chunk_while_the_writer_goes_on(group: Group, path: Path) -> None:
    with read_group(path) as reader:
        assert reader.runs() == []
        run_id = begin(group, CASE)
        for index in range(3):
            add_chunk(group, run_id, CASE, index)
            assert only_run(reader).chunks_done == index + 1
            assert reader.spend() == group.spend()
        assert assert_whole(reader) == [(run_id, 0), (run_id, 1), (run_id, 2)]


def test_a_reader_sees_nothing_of_a_transaction_that_is_open(group: Group, path: Path) -> None:
    run_id = begin(group, CASE)
    seen: list[int] = []
    with read_group(path) as reader:
        group._connection.set_trace_callback(lambda _: seen.append(only_run(reader).chunks_done))
        group.add_chunk(run_id, 0, CASE.document.select(["para01"]), chunk_result(CASE, 0), 1000.0)
        group._connection.set_trace_callback(None)
        assert len(seen) >= 7  # begin, chunk, two turns, two calls, commit
        assert set(seen) == {0}
        assert only_run(reader).chunks_done == 1


def test_a_reader_cannot_write(path: Path) -> None:
    with write_group(path) as group:
        begin(group, CASE)
    before = path.read_bytes()
    with read_group(path) as reader, pytest.raises(StoreError, match="read-only"):
        begin(reader, make_case("another"))
    assert path.read_bytes() == before


def test_another_program_that_works_on_our_file_is_named(group: Group, path: Path) -> None:
    group._connection.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        begin(group, CASE)
    other.execute("ROLLBACK")
    other.close()
    begin(group, CASE)


# The end of the disk, and of the process


def test_on_a_full_disk_all_that_was_finished_stays_and_work_can_go_on(group: Group, path: Path) -> None:
    run_id = begin(group, CASE)
    add_chunk(group, run_id, CASE, 0)
    before = content(path)
    pages = group._connection.execute("PRAGMA page_count").fetchone()[0]
    group._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = dataclasses.replace(chunk_result(CASE, 1), paragraphs=(Paragraph("para02", "x" * 100_000),))
    with pytest.raises(StoreError, match="the disk is full") as full:
        group.add_chunk(run_id, 1, CASE.document.select(["para02"]), large, 1000.0)
    assert full.value.mend is not None
    assert content(path) == before
    group._connection.execute("PRAGMA max_page_count = 1000000")
    add_chunk(group, run_id, CASE, 1)
    assert assert_whole(group) == [(run_id, 0), (run_id, 1)]


@pytest.mark.parametrize("limit", [175_000, 225_000, 400_000])
def test_where_the_disk_refuses_to_take_more_every_finished_chunk_stays(path: Path, limit: int) -> None:
    process = start("write", path, limit)
    output, _ = process.communicate()
    *committed, last = output.splitlines()
    assert process.returncode == 3
    assert last.startswith("StoreError: ")
    assert "disk" in last
    with read_group(path) as group:
        found = assert_whole(group)
    assert committed
    assert found[: len(committed)] == [tuple(map(int, line.split())) for line in committed]
    with write_group(path) as group:
        begin(group, CASE, sample=10_000)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 16, 31, 50])
def test_a_kill_at_any_moment_leaves_every_finished_chunk_whole(path: Path, count: int) -> None:
    process = start("write", path)
    committed = first_lines(process, count)
    process.kill()
    committed += rest(process)
    complete = [tuple(map(int, line.split())) for line in committed]
    with read_group(path) as group:
        found = assert_whole(group)
        spend = group.spend()
    # The last chunk may have been committed without being told of.
    assert found[: len(complete)] == complete
    assert len(found) - len(complete) in (0, 1)
    # Both of a chunk's requests are on disk before it is; those of a chunk that was not finished may be too.
    assert 2 * len(found) <= spend.requests <= 2 * len(found) + 2
    with write_group(path) as group:
        assert assert_whole(group) == found
        begin(group, CASE, sample=10_000)


# Two requests of three statements, then the chunk: begin, chunk, turn, call, turn, call, commit.
@pytest.mark.parametrize("statement", range(1, 14))
def test_a_kill_before_any_statement_of_a_chunk_leaves_the_chunk_before_and_the_spend(
    path: Path, statement: int
) -> None:
    process = start("die", path, statement)
    process.communicate()
    assert process.returncode == -9
    with write_group(path) as group:
        (run,) = group.runs()
        assert assert_whole(group) == [(run.id, 0)]
        assert group.spend().requests == 2 + (statement - 1) // 3 if statement < 7 else 4
        assert begin(group, CASE) == run.id
        add_chunk(group, run.id, CASE, 1)
        assert assert_whole(group) == [(run.id, 0), (run.id, 1)]


def test_a_process_that_is_not_killed_writes_the_chunk(path: Path) -> None:
    process = start("die", path, 14)
    process.communicate()
    assert process.returncode == 0
    with read_group(path) as group:
        assert assert_whole(group) == [(1, 0), (1, 1)]


def test_an_interrupt_in_the_middle_of_a_chunk_rolls_it_back(group: Group, path: Path) -> None:
    run_id = begin(group, CASE)
    before = content(path)

    class Interrupted(tuple[Turn, ...]):
        def __iter__(self) -> Iterator[Turn]:
            yield self[0]
            raise KeyboardInterrupt

    result = dataclasses.replace(chunk_result(CASE, 0), turns=Interrupted(chunk_result(CASE, 0).turns))
    with pytest.raises(KeyboardInterrupt):
        group.add_chunk(run_id, 0, CASE.document.select(["para01"]), result, 1000.0)
    assert content(path) == before
    add_chunk(group, run_id, CASE, 0)
