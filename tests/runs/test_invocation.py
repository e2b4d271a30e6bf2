from __future__ import annotations

import dataclasses
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import Reasoning
from errata_bench.endpoint.settings import Settings, load_settings
from errata_bench.errors import SettingsError, StoreError, UserError
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs import invocation
from errata_bench.runs.engine import RunObserver
from errata_bench.runs.invocation import (
    OFFLINE,
    RunOptions,
    expected_paragraphs,
    loop_settings,
    planned_work,
    run_group,
    run_settings,
    select_variants,
)
from errata_bench.runs.plan import Plan, PlannedRun
from errata_bench.store.group import read_group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.execution import Log
from tests.support.stored import content

MODEL = Variant("org/model", "low")
ORACLE, UNTOUCHED = Variant("baseline/oracle", None), Variant("baseline/untouched", None)
STARTER = (Variant("org/starter", "high"),)
LETTER, REPORT = make_case("letter"), make_case("report")
CHUNKED = RunOptions(samples=2, chunk_size=1)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests gets in, and only two baselines are installed."""
    for name in list(os.environ):
        if name.startswith("ERRATA_BENCH_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(invocation, "BASELINE_NAMES", ("baseline/untouched", "baseline/harper", "baseline/oracle"))
    monkeypatch.setattr(
        invocation, "unavailable_reason", lambda name: "not installed" if name == "baseline/harper" else None
    )


def settings(**given: Any) -> Settings:
    return load_settings(None, **given)


class Display(Log):
    """Keeps what it is told, and does something when a turn begins."""

    def __init__(self) -> None:
        super().__init__()
        self.plans: list[Plan] = []
        self.interrupts: list[bool] = []
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        self.remarks.append(text)

    @contextmanager
    def showing(self, plan: Plan) -> Iterator[RunObserver]:
        self.plans.append(plan)
        yield self

    def interrupted(self, at_once: bool) -> None:
        self.interrupts.append(at_once)


# Which variants


def test_the_variants_named_are_run_once_each_in_their_order() -> None:
    chosen = select_variants([MODEL, ORACLE, MODEL], settings(api_key="k"), lambda: STARTER)
    assert chosen.variants == (MODEL, ORACLE)
    assert chosen.remarks == ()


@pytest.mark.parametrize("baselines", [False, True])
def test_a_model_whose_id_ends_like_an_effort_is_remarked_on(baselines: bool) -> None:
    odd = Variant("org/model:extreme", "medium")
    chosen = select_variants([odd, odd], settings(api_key="k"), lambda: STARTER, baselines=baselines)
    assert chosen.variants[0] == odd
    assert [remark for remark in chosen.remarks if "'extreme' is no reasoning effort" in remark] == [chosen.remarks[0]]


def test_baselines_can_be_named_without_a_key() -> None:
    assert select_variants([ORACLE], settings(), lambda: STARTER).variants == (ORACLE,)


def test_a_model_without_a_key_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="no key for org/model:low") as refused:
        select_variants([MODEL, ORACLE], settings(), lambda: STARTER)
    assert "ERRATA_BENCH_API_KEY" in (refused.value.mend or "")


def test_a_baseline_that_is_not_installed_is_refused_when_it_is_named() -> None:
    with pytest.raises(UserError, match="baseline/harper cannot be run: not installed"):
        select_variants([Variant("baseline/harper", None)], settings(), lambda: STARTER)


def test_without_key_and_models_the_baselines_run_and_it_is_said() -> None:
    chosen = select_variants([], settings(), lambda: STARTER)
    assert chosen.variants == (UNTOUCHED, ORACLE)
    assert chosen.remarks == (
        "No key and no --models: running the offline baselines.",
        "baseline/harper is left out: not installed",
    )


def test_with_a_key_the_starter_list_runs_and_it_is_said() -> None:
    chosen = select_variants([], settings(api_key="k"), lambda: STARTER)
    assert chosen.variants == STARTER
    assert len(chosen.remarks) == 1


def test_the_default_model_comes_before_the_starter_list() -> None:
    chosen = select_variants([], settings(api_key="k", default_model="org/mine:high"), lambda: STARTER)
    assert chosen.variants == (Variant("org/mine", "high"),)


def test_an_endpoint_of_ones_own_needs_a_model() -> None:
    own = settings(api_provider="openai-compatible", api_base_url="http://localhost:1234/v1")
    with pytest.raises(SettingsError, match="no model is named") as refused:
        select_variants([], own, lambda: STARTER)
    assert refused.value.mend is not None
    assert select_variants([MODEL], own, lambda: STARTER).variants == (MODEL,)


def test_baselines_can_be_asked_for_beside_models() -> None:
    chosen = select_variants([MODEL], settings(api_key="k"), lambda: STARTER, baselines=True)
    assert chosen.variants == (MODEL, UNTOUCHED, ORACLE)
    assert select_variants([], settings(api_key="k"), lambda: STARTER, baselines=True).variants == (UNTOUCHED, ORACLE)


# What belongs to the identity of the work


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_size": 7},
        {"max_turns": 7},
        {"max_completion_tokens": 7},
        {"reasoning_exclude": True},
        {"reasoning_max_tokens": 7},
    ],
)
def test_options_that_change_the_work_are_part_of_its_identity(options: dict[str, Any]) -> None:
    key = settings(api_key="k")
    assert run_settings(MODEL, key, RunOptions(**options)) != run_settings(MODEL, key, RunOptions())


@pytest.mark.parametrize("options", [{"samples": 7}, {"concurrency": 7}, {"request_timeout": 7.0}])
def test_options_that_do_not_are_no_part_of_it(options: dict[str, Any]) -> None:
    key = settings(api_key="k")
    assert run_settings(MODEL, key, RunOptions(**options)) == run_settings(MODEL, key, RunOptions())


def test_endpoint_prompt_and_reasoning_mode_are_part_of_it() -> None:
    found = run_settings(MODEL, settings(api_key="k"), RunOptions())
    assert (found.endpoint, found.prompt_version, found.judge) == ("openrouter", PROMPT_VERSION, "")
    assert json.loads(found.reasoning) == {"mode": "passthrough"}
    assert run_settings(MODEL, settings(api_key="k", api_endpoint_label="mine"), RunOptions()).endpoint == "mine"
    assert run_settings(MODEL, settings(api_key="k", api_reasoning_mode="omit"), RunOptions()) != found
    assert run_settings(MODEL, settings(api_key="another"), RunOptions()) == found


def test_no_setting_of_an_endpoint_is_part_of_a_baselines_work() -> None:
    mine = settings(api_key="k", api_endpoint_label="mine", api_reasoning_mode="omit")
    found = run_settings(ORACLE, mine, RunOptions(max_completion_tokens=7, reasoning_exclude=True))
    assert found == run_settings(ORACLE, settings(), RunOptions())
    assert found.endpoint == OFFLINE


def test_the_loop_is_bounded_by_the_options() -> None:
    found = loop_settings(MODEL, RunOptions(max_turns=5, max_completion_tokens=6, reasoning_exclude=True))
    assert (found.max_turns_per_chunk, found.max_completion_tokens) == (5, 6)
    assert found.reasoning == Reasoning("low", True, None)


def test_the_oracle_knows_the_paragraphs_that_have_to_change_and_no_others() -> None:
    control = make_case("clean", issues=False)
    first = LETTER.expected.paragraphs[0]
    partly = dataclasses.replace(LETTER, expected=LETTER.document.with_inner_html("para01", first.inner_html))
    assert expected_paragraphs([partly, control]) == {
        ("para01", LETTER.document.paragraphs[0].inner_html): first.inner_html
    }


# Planning and running


def test_planning_for_a_group_that_does_not_exist_makes_nothing(tmp_path: Path) -> None:
    plan = planned_work(tmp_path / "results" / "group.sqlite", [LETTER], [ORACLE], settings(), CHUNKED)
    assert len(plan.todo) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_left_empty_is_planned_for_and_filled(path: Path) -> None:
    path.write_bytes(b"")
    assert len(planned_work(path, [LETTER], [ORACLE], settings(), CHUNKED).todo) == 2
    assert path.read_bytes() == b""


def test_a_damaged_group_is_no_empty_one(path: Path) -> None:
    path.write_text("no results")
    with pytest.raises(StoreError, match="damaged"):
        planned_work(path, [LETTER], [ORACLE], settings(), CHUNKED)


async def test_baselines_run_from_the_floor_to_the_ceiling(path: Path) -> None:
    display = Display()
    outcome = await run_group(path, [LETTER, REPORT], [UNTOUCHED, ORACLE], settings(), CHUNKED, display)
    assert (outcome.succeeded, outcome.failed, outcome.stopped) == (8, 0, False)
    with read_group(path) as group:
        for run in group.runs():
            assert run.figures is not None
            assert run.figures.quality == (1.0 if run.key.variant == ORACLE else 0.0)
            assert run.figures.unexpected_paragraphs == 0
            assert run.figures.cost_usd == 0.0
            assert run.key.settings.endpoint == OFFLINE
    assert [len(plan.todo) for plan in display.plans] == [8]


async def test_what_is_stored_is_not_run_again_and_the_file_not_touched(path: Path) -> None:
    await run_group(path, [LETTER], [ORACLE], settings(), CHUNKED, Display())
    before, display = content(path), Display()
    outcome = await run_group(path, [LETTER], [ORACLE], settings(), CHUNKED, display)
    assert (outcome.succeeded, outcome.left, display.plans) == (0, 0, [])
    assert content(path) == before


class Interrupting(Display):
    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def turn_started(self, run: PlannedRun, chunk: int, turn: int) -> None:
        for _ in range(self.times):
            os.kill(os.getpid(), signal.SIGINT)
        self.times = 0


@pytest.mark.parametrize(("times", "told"), [(1, [False]), (2, [False, True]), (3, [False, True, True])])
async def test_an_interrupt_stops_and_the_next_invocation_goes_on(path: Path, times: int, told: list[bool]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    options = dataclasses.replace(CHUNKED, samples=20, concurrency=1)
    display = Interrupting(times)
    outcome = await run_group(path, [LETTER], [ORACLE], settings(), options, display)
    assert outcome.stopped
    assert outcome.left > 0
    assert outcome.failed == 0
    assert display.interrupts == told
    assert signal.getsignal(signal.SIGINT) is handler
    outcome = await run_group(path, [LETTER], [ORACLE], settings(), options, Display())
    assert not outcome.stopped
    with read_group(path) as group:
        assert [run.status for run in group.runs()] == [RunStatus.SUCCEEDED] * 20
