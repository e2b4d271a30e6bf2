from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from errata_bench.chat import Attempt
from errata_bench.errors import EndpointFault, Reach
from errata_bench.runs.plan import Plan, make_plan
from errata_bench.variants import Variant
from errata_bench.views.progress import ProgressDisplay
from tests.support.builders import make_case, make_figures, make_settings

HARM = "\x1b]0;title\x07\u202e[bold]"
FAULT = EndpointFault("timed_out", f"No answer{HARM}", reach=Reach.RUN)


def plan(case_id: str = "letter") -> Plan:
    return make_plan([make_case(case_id)], [Variant("org/model", "low")], lambda _: make_settings(), 3, [])


def follow(display: ProgressDisplay, work: Plan) -> None:
    """One run succeeds, one fails, one is in flight."""
    first, second, third = work.todo
    with display.showing(work) as observer:
        for run in work.todo:
            observer.started(run)
            observer.turn_started(run, 1, 2)
            observer.attempted(run, Attempt(0.0, 1.0, "ok", 200, cost_usd=0.25))
        observer.succeeded(first, make_figures(3, 4))
        observer.failed(second, FAULT)
        observer.turn_started(third, 2, 1)


def terminal(file: io.StringIO, width: int = 120) -> Console:
    return Console(file=file, width=width, force_terminal=True, highlight=False, emoji=False, markup=False)


def test_where_there_is_no_terminal_each_run_that_ends_is_a_line() -> None:
    file = io.StringIO()
    display = ProgressDisplay(Console(file=file, width=100, markup=False, highlight=False))
    follow(display, plan())
    lines = file.getvalue().splitlines()
    assert lines[0] == "3 runs to do."
    assert lines[1] == "org/model:low on letter, sample 1: 3/4 fixed (1/3)"
    assert lines[2].startswith("org/model:low on letter, sample 2: failed: timed_out: No answer")
    assert len(lines) == 3
    assert display.progress is not None
    assert display.progress.spent_usd == 0.75


def test_on_a_terminal_a_table_shows_what_is_at_work() -> None:
    file = io.StringIO()
    display = ProgressDisplay(terminal(file))
    follow(display, plan())
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue())
    assert "org/model:low" in text
    assert "letter 3/3.1" in text
    assert "1/3" in text
    assert "0.750" in text
    assert "$0.750" in text
    # A success needs no line of its own there; a failure does.
    assert "sample 1: 3/4 fixed" not in text
    assert "sample 2: failed" in text


def test_verbose_tells_of_every_run_on_a_terminal_too() -> None:
    file = io.StringIO()
    follow(ProgressDisplay(terminal(file), verbose=True), plan())
    assert "sample 1: 3/4 fixed" in file.getvalue()


@pytest.mark.parametrize("on_terminal", [False, True])
def test_hostile_text_is_harmless_in_progress(on_terminal: bool) -> None:
    file = io.StringIO()
    console = terminal(file) if on_terminal else Console(file=file, width=120, markup=False)
    display = ProgressDisplay(console)
    display.remark(HARM)
    follow(display, plan(f"letter{HARM}"))
    text = file.getvalue()
    assert "\x1b]0" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[bold]" in text


def test_interrupts_are_acknowledged() -> None:
    file = io.StringIO()
    display = ProgressDisplay(Console(file=file, width=40))
    display.interrupted(False)
    display.interrupted(True)
    first, second = file.getvalue().splitlines()
    assert "Ctrl-C again" in first
    assert "now" in second
