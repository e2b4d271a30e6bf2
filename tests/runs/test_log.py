"""The log of an invocation by itself; `tests/end_to_end/test_run_log.py` follows a whole run."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata_bench.endpoint.events import Event, EventKind
from errata_bench.endpoint.redact import Redactor
from errata_bench.errors import UserError
from errata_bench.runs.log import LoggedRuns, Record, RunLog
from errata_bench.runs.plan import PlannedRun
from errata_bench.store.group import Group
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.execution import Log, plan_for

ONE = Variant("org/one", "low")
MOMENT = 1_750_000_000.25


def log_of(told: list[Record]) -> RunLog:
    return RunLog(Redactor(["hidden-secret"]), told.append, clock=lambda: MOMENT)


def lines(folder: Path) -> list[dict[str, Any]]:
    (path,) = (folder / "logs").iterdir()
    return [json.loads(line) for line in path.read_text().splitlines()]


def runs(group: Group, count: int) -> list[PlannedRun]:
    return list(plan_for(group, [make_case(f"case {n}") for n in range(count)], [ONE]).todo)


def test_a_record_has_a_moment_and_a_kind_and_is_told_as_it_is_written(tmp_path: Path) -> None:
    told: list[Record] = []
    log = log_of(told)
    with log.opened(tmp_path / "group.sqlite"):
        log.write("started", {"runs": 3})
        assert lines(tmp_path) == [{"at": "2025-06-15T15:06:40.250+00:00", "kind": "started", "runs": 3}]
    assert told == lines(tmp_path)


def test_every_text_in_a_record_is_redacted_however_deep(tmp_path: Path) -> None:
    told: list[Record] = []
    log = log_of(told)
    with log.opened(tmp_path / "group.sqlite"):
        log.write("x", {"a": "hidden-secret", "b": {"c": ["hidden-secret", ("hidden-secret",)], "d": 1}, "e": None})
        log.event(Event(EventKind.WAIT, {"fault": "key hidden-secret refused"}))
    assert "hidden-secret" not in str(told) + str(lines(tmp_path))
    assert lines(tmp_path)[0]["b"]["d"] == 1


@given(
    st.sampled_from(["k3y", "sk-abcdefgh1234", 'quo"ted-secret-1', "long-secret-value-0123456789", "geheim-ü-1234"]),
    st.text(alphabet='ab \n\t"\\:/?=&@é', max_size=6),
    st.text(alphabet='ab \n\t"\\:/?=&@é', max_size=6),
)
@example("k3y", "\n", "")
@example("sk-abcdefgh1234", "\n", "")
@example("secret", "https://user:pass", "@host")
def test_a_text_is_redacted_as_it_would_be_by_itself_whatever_stands_around_the_secret(
    secret: str, before: str, after: str
) -> None:
    redact = Redactor([secret])
    text = before + secret + after
    told: list[Record] = []
    log = RunLog(redact, told.append, clock=lambda: MOMENT)
    log.write("x", {"text": text, "more": [text, {"deep": text}]})
    assert told[0]["text"] == told[0]["more"][0] == told[0]["more"][1]["deep"] == redact(text)


def test_a_mapping_of_any_kind_is_written_as_an_object(tmp_path: Path) -> None:
    log = log_of([])
    with log.opened(tmp_path / "group.sqlite"):
        log.write("x", {"counts": MappingProxyType({"ok": 1})})
    assert lines(tmp_path)[0]["counts"] == {"ok": 1}


async def test_what_the_endpoint_tells_is_filed_under_the_run_in_whose_task_it_happens(
    group: Group, tmp_path: Path
) -> None:
    told: list[Record] = []
    log = log_of(told)
    observer = LoggedRuns(log, Log())
    both = asyncio.Barrier(2)

    async def work(run: PlannedRun) -> None:
        observer.started(run)
        await both.wait()
        observer.turn_started(run, 1, 2)
        await both.wait()
        log.event(Event(EventKind.WAIT, {"seconds": 1.0}))
        log.event(Event(EventKind.OUTAGE, {"fault": "gone"}))

    await asyncio.gather(*(work(run) for run in runs(group, 2)))
    waits = [record for record in told if record["kind"] == "wait"]
    assert {(record["case"], record["chunk"], record["turn"]) for record in waits} == {
        ("case 0", 2, 2),
        ("case 1", 2, 2),
    }
    # An outage is nobody's own.
    assert all("case" not in record for record in told if record["kind"] == "outage")


def test_a_log_that_cannot_be_begun_is_a_plain_message(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file, where a folder is needed")
    with pytest.raises(UserError, match="logs"), log_of([]).opened(tmp_path / "group.sqlite"):
        pytest.fail("it was begun")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")  # noqa: PTH110
def test_a_log_that_cannot_go_on_is_given_up_and_told_once(tmp_path: Path) -> None:
    told: list[Record] = []
    log = log_of(told)
    log._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115 (the log closes it)
    log.write("first", {})
    log.write("second", {})
    assert [record["kind"] for record in told] == ["log_lost", "first", "second"]
