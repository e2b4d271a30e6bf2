from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from errata_bench.chat import ChatModel, ChatReply, ChatRequest
from errata_bench.endpoint.outage import OUTAGE
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.runs.engine import Engine, Outcome
from errata_bench.runs.judging import FAULTS_IN_A_ROW, JudgeDesk
from errata_bench.runs.plan import Plan
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.judge.questions import ParagraphQuestions, Question
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.doubles import complete
from tests.support.execution import Gate, Log, execute, plan_for
from tests.support.judging import accept_all, answer, reject_all, verdict
from tests.support.models import FakeModel, fix_everything, fix_otherwise, paid, paragraph_ids

JUDGE = Variant("org/judge", "low")
CASE = make_case()
VARIANT = Variant("org/model", "low")


def judged_engine(
    group: Group,
    judge: ChatModel,
    model: ChatModel | None = None,
    *,
    concurrency: int = 30,
    log: Log | None = None,
    variant: Variant = JUDGE,
) -> Engine:
    candidate = model or FakeModel(fix_otherwise)
    return Engine(
        group,
        lambda _: candidate,
        lambda _: LoopSettings(),
        log or Log(),
        judge=JudgeDesk(group, variant, judge, lambda: 5000.0),
        concurrency=concurrency,
        clock=lambda: 5000.0,
    )


def plan(group: Group, samples: int = 1, variants: tuple[Variant, ...] = (VARIANT,), judge: str = str(JUDGE)) -> Plan:
    return plan_for(group, [CASE], variants, samples, lambda _: make_settings(judge=judge))


async def judged(group: Group, judge: ChatModel, samples: int = 1, model: ChatModel | None = None) -> Outcome:
    return await execute(judged_engine(group, judge, model), plan(group, samples))


def figures(group: Group) -> list[RunFigures]:
    found = [run.figures for run in group.runs()]
    assert all(one is not None for one in found)
    return [one for one in found if one is not None]


def ledger(path: Path) -> Counter[tuple[str, str]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return Counter(connection.execute("SELECT purpose, outcome FROM spend").fetchall())
    finally:
        connection.close()


def fault(kind: str = "overloaded", reach: Reach = Reach.RETRY) -> EndpointFault:
    return EndpointFault(kind, "No.", reach=reach, mend="Do something.")


async def test_fixes_that_differ_are_judged_after_the_last_chunk_and_count_as_fixed(group: Group, path: Path) -> None:
    judge = FakeModel(accept_all)
    outcome = await judged(group, judge)
    assert (outcome.succeeded, outcome.unjudged, outcome.judge_fault) == (1, 0, None)
    (run,) = figures(group)
    assert (run.fixed, run.fixed_alternative, run.bad_fixes, run.unjudged) == (3, 3, 0, 0)
    assert set(group.verdicts(1).values()) == {"fixed_alternative"}
    assert len(judge.requests) == 3  # one for each paragraph
    assert ledger(path) == {("candidate", "ok"): 3, ("judge", "ok"): 3}


async def test_a_rejected_fix_is_a_bad_one_and_not_unjudged(group: Group) -> None:
    await judged(group, FakeModel(reject_all))
    (run,) = figures(group)
    assert (run.fixed, run.bad_fixes, run.unjudged) == (0, 3, 0)
    assert set(group.verdicts(1).values()) == {"bad_fix"}


async def test_judging_is_paid_for_apart_from_the_candidate(group: Group) -> None:
    await judged(group, FakeModel(accept_all))
    (run,) = figures(group)
    assert run.candidate_cost_usd == pytest.approx(3 * 0.25)
    assert run.judge_cost_usd == pytest.approx(3 * 0.06)
    assert run.cost_usd == pytest.approx(3 * 0.31)
    assert (run.prompt_tokens, run.judge_prompt_tokens) == (300, 900)
    assert (run.completion_tokens, run.judge_completion_tokens) == (60, 90)
    assert run.duration_seconds == 3 * 2.0
    assert group.spend().usd == pytest.approx(3 * 0.31)


async def test_what_is_fixed_as_expected_or_not_at_all_is_not_asked_about(group: Group) -> None:
    def fix_some(request: ChatRequest) -> ChatReply:
        return fix_everything(request) if paragraph_ids(request) != ["para02"] else paid(complete())

    judge = FakeModel(accept_all)
    await judged(group, judge, model=FakeModel(fix_some))
    assert judge.requests == []
    (run,) = figures(group)
    assert (run.fixed, run.missed, run.judge_cost_usd) == (2, 1, 0.0)


async def test_the_same_edit_is_paid_for_once_however_many_runs_make_it_at_a_time(group: Group, path: Path) -> None:
    gate = Gate()

    async def hold(request: ChatRequest) -> ChatReply:
        await gate.hold()
        return accept_all(request)

    judge = FakeModel(hold)
    engine = judged_engine(group, judge)
    working = asyncio.create_task(execute(engine, plan(group, samples=4)))
    for _ in range(3):
        await gate.reached(1)
        gate.let_through()
    assert (await working).succeeded == 4
    assert gate.most == 1
    assert len(judge.requests) == 3
    assert [run.fixed_alternative for run in figures(group)] == [3, 3, 3, 3]
    # Every run's figures hold what its judging takes, whichever run paid for it.
    assert {run.judge_cost_usd for run in figures(group)} == {figures(group)[0].judge_cost_usd}
    assert figures(group)[0].judge_cost_usd == pytest.approx(0.18)
    assert ledger(path)["judge", "ok"] == 3


async def test_a_later_run_of_another_variant_is_judged_from_what_is_kept(group: Group) -> None:
    await judged(group, FakeModel(accept_all))
    judge = FakeModel(reject_all)
    other = Variant("org/other", "low")
    await execute(judged_engine(group, judge), plan(group, variants=(other,)))
    assert judge.requests == []
    assert figures(group)[1].fixed == 3


async def test_another_judge_is_asked_anew(group: Group) -> None:
    await judged(group, FakeModel(accept_all))
    judge = FakeModel(reject_all)
    engine = judged_engine(group, judge, variant=Variant("org/stricter", "low"))
    await execute(engine, plan(group, judge="org/stricter:low"))
    assert len(judge.requests) == 3
    assert [run.fixed for run in figures(group)] == [3, 0]


async def test_a_run_that_wants_no_judge_is_not_judged(group: Group) -> None:
    judge = FakeModel(accept_all)
    outcome = await execute(judged_engine(group, judge), plan(group, judge=""))
    assert judge.requests == []
    assert figures(group)[0].unjudged == 3
    assert outcome.unjudged == 0  # nobody was to judge them


async def test_what_a_judge_says_nothing_usable_about_is_unjudged_and_counted(group: Group) -> None:
    def lie_about_the_second(request: ChatRequest) -> ChatReply:
        if "number 2" in str(request.messages):
            return answer(verdict("E1"), verdict("E2"))
        return accept_all(request)

    judge = FakeModel(lie_about_the_second)
    outcome = await judged(group, judge)
    assert (outcome.succeeded, outcome.unjudged) == (1, 1)
    (run,) = figures(group)
    assert (run.fixed, run.bad_fixes, run.unjudged) == (2, 1, 1)
    assert group.verdicts(1)["issue-02"] == "unjudged"
    assert len(judge.requests) == 1 + 3 + 1


@pytest.mark.parametrize("reach", [Reach.VARIANT, Reach.ALL])
async def test_a_fatal_fault_of_the_judge_ends_judging_and_fails_no_run(group: Group, path: Path, reach: Reach) -> None:
    judge = FakeModel(lambda _: _raise(fault("unknown_model", reach)))
    outcome = await execute(judged_engine(group, judge, concurrency=1), plan(group, samples=3))
    assert (outcome.succeeded, outcome.failed, outcome.fatal) == (3, 0, {})
    assert outcome.judge_fault is not None
    assert outcome.judge_fault.kind == "unknown_model"
    assert outcome.unjudged == 9
    assert len(judge.requests) == 1
    assert ledger(path)["judge", "unknown_model"] == 1


async def test_a_judge_that_is_always_busy_is_given_up_after_some_paragraphs(group: Group) -> None:
    judge = FakeModel(lambda _: _raise(fault()))
    outcome = await execute(judged_engine(group, judge, concurrency=1), plan(group, samples=4))
    assert outcome.succeeded == 4
    assert outcome.judge_fault is not None
    assert len(judge.requests) == FAULTS_IN_A_ROW
    assert outcome.unjudged == 12


async def test_a_judge_that_answers_now_and_then_is_not_given_up(group: Group) -> None:
    turns = iter(range(100))

    def every_third(request: ChatRequest) -> ChatReply:
        return accept_all(request) if next(turns) % 3 == 2 else _raise(fault("timeout"))

    outcome = await execute(judged_engine(group, FakeModel(every_third), concurrency=1), plan(group, samples=3))
    assert outcome.judge_fault is None
    # The first run asks about three paragraphs, and each of the others anew about the two that are missing.
    assert [run.unjudged for run in figures(group)] == [2, 2, 1]


async def test_a_paragraph_that_a_judge_refuses_leaves_only_that_unjudged(group: Group) -> None:
    def refuse_the_first(request: ChatRequest) -> ChatReply:
        if "number 1" in str(request.messages):
            raise fault("content_filter", Reach.RUN)
        return accept_all(request)

    outcome = await judged(group, FakeModel(refuse_the_first))
    assert outcome.judge_fault is None
    (run,) = figures(group)
    assert (run.fixed, run.unjudged) == (2, 1)


async def test_a_run_killed_between_its_chunks_and_judging_is_resumed_with_judging_only(group: Group) -> None:
    killed = asyncio.Event()

    async def die(_: ChatRequest) -> ChatReply:
        killed.set()
        await asyncio.Event().wait()
        raise AssertionError

    working = asyncio.create_task(judged_engine(group, FakeModel(die)).execute(plan(group)))
    async with asyncio.timeout(60):
        await killed.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    (record,) = group.runs()
    assert (record.status, record.chunks_done) == (RunStatus.RUNNING, 3)

    candidate, judge = FakeModel(fix_otherwise), FakeModel(accept_all)
    outcome = await judged(group, judge, model=candidate)
    assert outcome.succeeded == 1
    assert candidate.requests == []
    assert len(judge.requests) == 3
    assert figures(group)[0].fixed == 3


@pytest.mark.parametrize("answered", [1, 2])
async def test_what_was_judged_before_an_interrupt_is_not_asked_again(group: Group, answered: int) -> None:
    log = Log()
    engines: list[Engine] = []

    def stop_after_some(request: ChatRequest) -> ChatReply:
        if len(judge.requests) == answered:
            engines[0].stop()
        return accept_all(request)

    judge = FakeModel(stop_after_some)
    engines.append(judged_engine(group, judge, log=log))
    outcome = await execute(engines[0], plan(group))
    assert (outcome.succeeded, outcome.left, outcome.stopped) == (0, 1, True)
    assert log.named("left") == [f"{VARIANT} on letter, sample 1"]
    assert len(judge.requests) == answered

    again = FakeModel(accept_all)
    assert (await judged(group, again)).succeeded == 1
    assert len(again.requests) == 3 - answered


async def test_requests_of_candidates_and_judge_together_keep_to_the_limit(group: Group) -> None:
    at_work = most = 0

    async def count(request: ChatRequest, reply: ChatReply) -> ChatReply:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return reply

    candidate = FakeModel(lambda request: count(request, fix_otherwise(request)))
    judge = FakeModel(lambda request: count(request, accept_all(request)))
    cases = [make_case(f"case-{n}") for n in range(8)]
    todo = plan_for(group, cases, [VARIANT], 1, lambda _: make_settings(judge=str(JUDGE)))
    assert (await execute(judged_engine(group, judge, candidate, concurrency=3), todo)).succeeded == 8
    assert most == 3


async def test_an_outage_while_judging_leaves_the_run_to_be_taken_up_again(group: Group) -> None:
    judge = FakeModel(lambda _: _raise(fault(OUTAGE, Reach.ALL)))
    outcome = await judged(group, judge)
    assert (outcome.succeeded, outcome.failed, outcome.left) == (0, 0, 1)
    (record,) = group.runs()
    assert (record.status, record.failures, record.chunks_done) == (RunStatus.RUNNING, 0, 3)


async def test_money_that_does_not_suffice_for_a_judge_leaves_the_run_and_keeps_what_was_said(group: Group) -> None:
    def poor(request: ChatRequest) -> ChatReply:
        if len(judge.requests) == 3:
            raise SpendRefused(1.0, 0.5)
        return accept_all(request)

    judge = FakeModel(poor)
    outcome = await judged(group, judge)
    assert list(outcome.unaffordable) == [str(VARIANT)]
    assert group.runs()[0].status is RunStatus.RUNNING
    again = FakeModel(accept_all)
    await judged(group, again)
    assert len(again.requests) == 1


async def test_verdicts_given_before_a_repair_that_cannot_be_had_are_kept(group: Group) -> None:
    questions = tuple(
        Question(dataclasses.replace(CASE.issues[0], id=name, find=name), "teh", "some") for name in ("one", "other")
    )
    paragraph = ParagraphQuestions("para01", "teh", "some", questions)

    def contradict_then_fail(request: ChatRequest) -> ChatReply:
        if len(model.requests) == 1:
            return answer(verdict("E1"), verdict("E2", True, conclusion="removed"))
        raise SpendRefused(1.0, 0.5)

    model = FakeModel(contradict_then_fail)
    desk = JudgeDesk(group, JUDGE, model)
    with pytest.raises(SpendRefused):
        await desk.judge_issues(None, (paragraph,), lambda _: None)
    assert len(group.judgments.of(desk.keys(paragraph).values())) == 1


def _raise(error: EndpointFault) -> ChatReply:
    raise error
