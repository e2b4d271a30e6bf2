from __future__ import annotations

from collections.abc import Callable

from errata_bench.chat import ChatModel, ChatReply, ChatRequest
from errata_bench.results.rescore import RescoreReport, rescore_group
from errata_bench.runs.judging import JudgeDesk
from errata_bench.runs.judging_anew import NewJudge
from errata_bench.runs.rejudging import AskingLimits, fill_gaps, judge_for, second_opinions
from errata_bench.runs.scoring import score_stored_run
from errata_bench.store.group import Group
from errata_bench.variants import Variant
from tests.support.judging import accept_all, answer, asked, reject_all, verdict
from tests.support.models import FakeModel
from tests.support.upkeep import run, verdicts

FIRST = Variant("org/first", "low")
SECOND = Variant("org/second", "low")


async def judge_first(group: Group, model: ChatModel) -> None:
    await fill_gaps(group, judge_for(FIRST, None), {FIRST: model}, AskingLimits())


async def take_over(group: Group, judge: Callable[[ChatRequest], ChatReply] | None) -> tuple[NewJudge, RescoreReport]:
    """Ask the second judge for what it has not judged, and let verdicts rest on it."""
    new = NewJudge(group, SECOND)
    if judge is not None:
        await second_opinions(JudgeDesk(group, SECOND, FakeModel(judge)), new.missing(), AskingLimits())
    report = rescore_group(group, score_stored_run, prepare=new.take_over)
    new.take_over_unfinished()
    return new, report


def judges(group: Group) -> set[str]:
    return {record.key.settings.judge for record in group.runs()}


async def test_all_verdicts_rest_on_the_new_judge(group: Group) -> None:
    await run(group)
    await judge_first(group, FakeModel(accept_all))
    assert verdicts(group) == [["fixed_alternative"] * 3, ["fixed_alternative"] * 2]
    new, report = await take_over(group, reject_all)
    assert (new.judged, new.left, new.unanswered) == (2, 0, 0)
    assert dict(report.variants[0].moves) == {("fixed_alternative", "bad_fix"): 5}
    assert (report.variants[0].quality_before, report.variants[0].quality_after) == (1.0, 0.0)
    assert judges(group) == {str(SECOND)}
    assert {judgment.judge for judgment in group.judgments.of_run(1).values()} == {str(SECOND)}


async def test_what_a_judge_has_judged_before_is_not_asked_again(group: Group) -> None:
    await run(group)
    await judge_first(group, FakeModel(accept_all))
    await take_over(group, reject_all)
    assert NewJudge(group, SECOND).missing() == ()
    assert NewJudge(group, FIRST).missing() == ()


async def test_runs_that_left_a_paragraph_alike_are_asked_about_once(group: Group) -> None:
    await run(group, samples=3)
    assert len(NewJudge(group, SECOND).missing()) == 5


async def test_a_run_that_the_judge_has_not_wholly_judged_stays_with_its_old_one(group: Group) -> None:
    await run(group)
    await judge_first(group, FakeModel(accept_all))

    def only_of_the_memo(request: ChatRequest) -> ChatReply:
        if "letter" in str(request.messages[1]["content"]):
            return answer()
        return answer(*(verdict(name, False) for name in asked(request)))

    new, _ = await take_over(group, only_of_the_memo)
    assert (new.judged, new.left, new.unanswered) == (1, 1, 3)
    assert verdicts(group) == [["fixed_alternative"] * 3, ["bad_fix"] * 2]
    assert [record.key.settings.judge for record in group.runs()] == [str(FIRST), str(SECOND)]


async def test_without_asking_only_what_is_known_is_used(group: Group) -> None:
    await run(group)
    await judge_first(group, FakeModel(accept_all))
    new, report = await take_over(group, None)
    assert (new.judged, new.left, report.changed_runs) == (0, 2, 0)
    assert judges(group) == {str(FIRST)}


async def test_unfinished_runs_go_with_the_others(group: Group) -> None:
    await run(group)
    group.begin_run(group.runs()[0].key, 2, 3, 1.0, "1")
    await take_over(group, accept_all)
    assert judges(group) == {str(SECOND)}
