from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import ChatModel, ChatReply, ChatRequest
from errata_bench.endpoint.outage import OUTAGE
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach, StoreError
from errata_bench.runs.judging import JudgeDesk
from errata_bench.runs.rejudging import AskingLimits, GapReport, fill_gaps, judge_for, second_opinions
from errata_bench.scoring.judge.questions import candidates, questions_about
from errata_bench.store.group import Group, read_group
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.execution import execute, make_engine, plan_for
from tests.support.judging import accept_all, reject_all
from tests.support.models import FakeModel, fix_everything, fix_otherwise
from tests.support.stored import begin

JUDGE = Variant("org/judge", "low")
OTHER = Variant("org/other", "high")
VARIANT = Variant("org/model", "low")
CASE = make_case()


async def run(group: Group, judge: str = "", samples: int = 1, answer: Any = fix_otherwise) -> None:
    """Run without asking any judge; ``judge`` is the one that the runs are filed under."""
    todo = plan_for(group, [CASE], [VARIANT], samples, lambda _: make_settings(judge=judge))
    assert (await execute(make_engine(group, FakeModel(answer)), todo)).failed == 0


async def fill(
    group: Group,
    judge: ChatModel,
    *,
    named: Variant | None = None,
    default: Variant | None = None,
    models: Mapping[Variant, ChatModel] | None = None,
    concurrency: int = 30,
) -> GapReport:
    limits = AskingLimits(concurrency, clock=lambda: 5000.0)
    return await fill_gaps(group, judge_for(named, default), models or {JUDGE: judge, OTHER: judge}, limits)


def counts(group: Group) -> list[tuple[int, int]]:
    """Fixed and unjudged issues of each run."""
    return [(run.figures.fixed, run.figures.unjudged) for run in group.runs() if run.figures is not None]


def judges(group: Group) -> list[tuple[str, int]]:
    return [(run.key.settings.judge, run.sample) for run in group.runs()]


def refuse(fault: Exception) -> Any:
    def answer(_: ChatRequest) -> ChatReply:
        raise fault

    return answer


async def test_gaps_are_filled_and_the_runs_scored_anew(group: Group) -> None:
    await run(group, str(JUDGE), samples=2)
    assert counts(group) == [(0, 3), (0, 3)]
    judge = FakeModel(accept_all)
    report = await fill(group, judge)
    assert (report.runs, report.before, report.after, report.filed) == (2, 6, 0, 0)
    assert counts(group) == [(3, 0), (3, 0)]
    assert len(judge.requests) == 3
    figures = group.runs()[0].figures
    assert figures is not None
    assert figures.judge_cost_usd == pytest.approx(0.18)
    assert set(group.verdicts(1).values()) == {"fixed_alternative"}


async def test_a_second_time_there_is_nothing_to_ask(group: Group) -> None:
    await run(group, str(JUDGE))
    await fill(group, FakeModel(accept_all))
    judge = FakeModel(reject_all)
    report = await fill(group, judge)
    assert (report.runs, judge.requests) == (0, [])
    assert counts(group) == [(3, 0)]


async def test_runs_without_a_judge_are_filed_under_the_one_that_was_asked(group: Group) -> None:
    await run(group, samples=2)
    report = await fill(group, FakeModel(accept_all), named=JUDGE)
    assert report.filed == 2
    assert judges(group) == [(str(JUDGE), 1), (str(JUDGE), 2)]
    assert counts(group) == [(3, 0), (3, 0)]
    # So that the same work is not made again for that judge.
    assert plan_for(group, [CASE], [VARIANT], 2, lambda _: make_settings(judge=str(JUDGE))).todo == ()


async def test_runs_that_need_no_judge_are_filed_with_the_others(group: Group) -> None:
    await run(group, answer=fix_everything)
    begin(group, CASE, sample=2)
    judge = FakeModel(accept_all)
    report = await fill(group, judge, named=JUDGE)
    assert (report.runs, report.filed, judge.requests) == (0, 2, [])
    assert judges(group) == [(str(JUDGE), 1), (str(JUDGE), 2)]


async def test_runs_are_filed_as_further_samples_where_the_judge_has_runs(group: Group) -> None:
    await run(group, str(JUDGE), samples=2)
    await run(group, samples=2)
    await fill(group, FakeModel(accept_all), named=JUDGE)
    assert judges(group) == [(str(JUDGE), n) for n in (1, 2, 3, 4)]
    assert counts(group) == [(3, 0)] * 4


async def test_without_a_name_each_run_gets_its_own_judge_and_the_others_the_default(group: Group) -> None:
    await run(group, str(OTHER))
    await run(group)
    mine, theirs = FakeModel(reject_all), FakeModel(accept_all)
    await fill(group, mine, default=JUDGE, models={JUDGE: mine, OTHER: theirs})
    assert judges(group) == [(str(OTHER), 1), (str(JUDGE), 1)]
    assert counts(group) == [(3, 0), (0, 0)]


async def test_verdicts_of_two_judges_are_not_mixed(group: Group) -> None:
    await run(group, str(OTHER))
    judge = FakeModel(accept_all)
    report = await fill(group, judge, named=JUDGE)
    assert judge.requests == []
    assert report.left_alone == {str(OTHER): 1}
    assert counts(group) == [(0, 3)]


async def test_without_any_judge_gaps_are_left_and_counted(group: Group) -> None:
    await run(group)
    report = await fill(group, FakeModel(accept_all))
    assert report.left_alone == {"": 1}
    assert judges(group) == [("", 1)]


async def test_a_judge_that_says_nothing_leaves_runs_filed_as_they_were(group: Group) -> None:
    await run(group)
    fault = EndpointFault("unknown_model", "No.", reach=Reach.VARIANT)
    report = await fill(group, FakeModel(refuse(fault)), named=JUDGE)
    assert (report.before, report.after, report.filed) == (3, 3, 0)
    assert report.faults == {JUDGE: fault}
    assert judges(group) == [("", 1)]
    assert counts(group) == [(0, 3)]


@pytest.mark.parametrize("end", [SpendRefused(1.0, 0.1), EndpointFault(OUTAGE, "Gone.", reach=Reach.ALL)])
async def test_what_was_said_before_the_end_counts_and_the_rest_can_be_asked_later(
    group: Group, end: Exception
) -> None:
    await run(group, str(JUDGE))

    def once(request: ChatRequest) -> ChatReply:
        if len(judge.requests) > 1:
            raise end
        return accept_all(request)

    judge = FakeModel(once)
    report = await fill(group, judge, concurrency=1)
    assert (report.before, report.after) == (3, 2)
    assert len(judge.requests) == 2
    assert (report.refused is end) is isinstance(end, SpendRefused)
    assert (report.faults == {JUDGE: end}) is isinstance(end, EndpointFault)
    assert counts(group) == [(1, 2)]
    again = FakeModel(accept_all)
    assert (await fill(group, again)).after == 0
    assert len(again.requests) == 2


async def test_once_the_money_is_used_up_no_other_run_is_asked_about(group: Group) -> None:
    cases = [make_case(f"case-{n}") for n in range(4)]
    todo = plan_for(group, cases, [VARIANT], 1, lambda _: make_settings(judge=str(JUDGE)))
    await execute(make_engine(group, FakeModel(fix_otherwise)), todo)
    judge = FakeModel(refuse(SpendRefused(1.0, 0.1)))
    report = await fill(group, judge, concurrency=1)
    assert (report.before, report.after) == (12, 12)
    assert len(judge.requests) == 1


async def test_requests_are_written_to_the_ledger_as_the_judges(group: Group, path: Path) -> None:
    await run(group, str(JUDGE))
    await fill(group, FakeModel(accept_all))
    found = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = found.execute("SELECT run_id, chunk, cost_usd FROM spend WHERE purpose = 'judge'").fetchall()
    found.close()
    assert rows == [(1, None, 0.06)] * 3


async def test_no_more_requests_are_made_at_a_time_than_allowed(group: Group) -> None:
    await run(group, str(JUDGE), samples=6)
    at_work = most = 0

    async def slow(request: ChatRequest) -> ChatReply:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return accept_all(request)

    await fill(group, FakeModel(slow), concurrency=2)
    assert most <= 2
    assert counts(group) == [(3, 0)] * 6


async def test_a_store_that_fails_ends_it_with_its_own_error(group: Group, path: Path) -> None:
    await run(group, str(JUDGE))

    def full(_: ChatRequest) -> ChatReply:
        raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="full"):
        await fill(group, FakeModel(full))


async def test_a_second_opinion_changes_no_verdict(group: Group) -> None:
    await run(group, str(JUDGE))
    await fill(group, FakeModel(accept_all))
    final = CASE.document.with_inner_html("para01", "Here is some sentence of letter, number 1.")
    paragraphs = questions_about(CASE, final, candidates(CASE, final))
    desk = JudgeDesk(group, OTHER, FakeModel(reject_all), lambda: 5000.0)
    await second_opinions(desk, paragraphs, AskingLimits())
    (judgment,) = group.judgments.of(desk.keys(paragraphs[0]).values()).values()
    assert not judgment.valid
    assert counts(group) == [(3, 0)]
    assert group.judgments.of_run(1)["issue-01"].valid


async def test_a_reader_sees_the_same_figures(group: Group, path: Path) -> None:
    await run(group, str(JUDGE))
    await fill(group, FakeModel(accept_all))
    with read_group(path) as reader:
        assert counts(reader) == [(3, 0)]
