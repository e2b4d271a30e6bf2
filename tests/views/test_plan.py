from __future__ import annotations

import io

from rich.console import Console

from errata_bench.runs.plan import make_plan
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from errata_bench.views.plan import print_plan
from tests.support.builders import make_case, make_figures, make_settings

ONE, TWO = Variant("org/one", "low"), Variant("org/[bold]two\x1b[31m", "high")
LETTER = make_case("letter")


def record(sample: int, status: RunStatus, chunks_done: int) -> RunRecord:
    key = RunKey(make_settings(), ONE, LETTER.fingerprint)
    return RunRecord(1, key, "letter", sample, status, 3, chunks_done, 0, 0.0, None, make_figures())


def shown(*records: RunRecord) -> list[str]:
    file = io.StringIO()
    plan = make_plan([LETTER], [ONE, TWO], lambda _: make_settings(), 3, records)
    print_plan(Console(file=file, width=100, highlight=False, markup=False), "group", plan)
    return file.getvalue().splitlines()


def test_runs_and_chunks_to_do_and_runs_stored_are_told_by_variant() -> None:
    lines = shown(record(1, RunStatus.SUCCEEDED, 3), record(2, RunStatus.FAILED, 2))
    (one,) = (line.split() for line in lines if "org/one" in line)
    assert one == ["org/one:low", "2", "4", "1"]
    assert any("5 runs to do, 1 of them taken up again, 1 stored, 1 case." in line for line in lines)
    assert any("Nothing was run or written." in line for line in lines)


def test_a_hostile_name_is_harmless_in_a_plan() -> None:
    (two,) = (line for line in shown() if "two" in line)
    assert "org/[bold]two�[31m:high" in two


def test_a_plan_without_work_says_so() -> None:
    file = io.StringIO()
    print_plan(Console(file=file, width=100), "group", make_plan([], [], lambda _: make_settings(), 3, []))
    assert "0 runs to do, 0 stored, 0 cases" in file.getvalue()
