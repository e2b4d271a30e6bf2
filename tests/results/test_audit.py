from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.proofreading.loop import LoopSettings
from errata_bench.results.audit import (
    Agreement,
    agreements,
    audit_of,
    kendall_tau,
    lenient_quality,
    reliance,
    second_opinion_needs,
    strict_quality,
)
from errata_bench.results.judging import JudgedFix, candidate_fixes, questions_of
from errata_bench.runs.engine import Engine
from errata_bench.runs.judging import JudgeDesk
from errata_bench.runs.rejudging import AskingLimits, second_opinions
from errata_bench.scoring.judge.questions import ParagraphQuestions, Question
from errata_bench.store.group import Group
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_figures, make_settings
from tests.support.execution import Log, execute, make_engine, plan_for
from tests.support.judging import accept_all, reject_all
from tests.support.models import FakeModel, fix_otherwise

ISSUE = make_case().issues[0]


def fix(n: int, valid: bool, judge: str = "org/a:low", runs: int = 1) -> JudgedFix:
    final = f"Fix number {n}."
    question = Question(ISSUE, "Here is teh sentence.", final)
    return JudgedFix(
        judge, "letter", ParagraphQuestions("p", question.original, final, (question,)), valid, "Why.", runs
    )


def compared(both: int, neither: int, first: int, second: int, unanswered: int = 0) -> Agreement:
    opinions = [(True, True)] * both + [(False, False)] * neither + [(True, False)] * first + [(False, True)] * second
    fixes = [fix(n, one) for n, (one, _) in enumerate(opinions)]
    answers = {fix.key("org/b:low"): (other, "Because.") for fix, (_, other) in zip(fixes, opinions, strict=True)}
    more = [fix(1000 + n, True) for n in range(unanswered)]
    (agreement,) = agreements([*fixes, *more], "org/b:low", answers)
    return agreement


def test_agreement_by_hand() -> None:
    """Cohen's own kind of table: 20 both valid, 15 both not, 5 and 10 apart of 50: kappa (0.7 − 0.5) / (1 − 0.5)."""
    agreement = compared(20, 15, 5, 10, unanswered=2)
    assert (agreement.both_valid, agreement.both_invalid) == (20, 15)
    assert (agreement.only_first_valid, agreement.only_second_valid) == (5, 10)
    assert (agreement.compared, agreement.unanswered) == (50, 2)
    assert agreement.raw == pytest.approx(0.7)
    # 25 of 50 and 30 of 50 valid: chance 0.5 × 0.6 + 0.5 × 0.4 = 0.5.
    assert agreement.kappa == pytest.approx(0.4)
    assert len(agreement.disagreements) == 15


@pytest.mark.parametrize(
    ("table", "kappa"),
    [((5, 5, 0, 0), 1.0), ((0, 0, 5, 5), -1.0), ((4, 4, 4, 4), 0.0), ((45, 15, 25, 15), 0.1304347826)],
)
def test_kappa_of_known_tables(table: tuple[int, int, int, int], kappa: float) -> None:
    assert compared(*table).kappa == pytest.approx(kappa)


def test_kappa_does_not_exist_where_both_always_say_the_same_thing() -> None:
    assert compared(7, 0, 0, 0).kappa is None
    assert compared(7, 0, 0, 0).raw == 1.0
    assert compared(0, 0, 0, 0, unanswered=1).raw is None


def test_each_judge_of_a_group_is_compared_by_itself_and_never_with_itself() -> None:
    fixes = [fix(1, True), fix(1, False, "org/c:low"), fix(2, True, "org/b:low")]
    answers = {one.key("org/b:low"): (True, "Because.") for one in fixes}
    found = agreements(fixes, "org/b:low", answers)
    assert [(one.first, one.compared, one.raw) for one in found] == [("org/a:low", 1, 1.0), ("org/c:low", 1, 0.0)]


def test_a_disagreement_holds_both_reasons() -> None:
    (one,) = compared(3, 3, 1, 0).disagreements
    assert (one.fix.valid, one.fix.reason, one.second_valid, one.second_reason) == (True, "Why.", False, "Because.")


def record(variant: str, *, case: str = "a", judge: str = "org/j:low", sample: int = 1, **figures: Any) -> RunRecord:
    key = RunKey(make_settings(judge=judge), Variant(variant, "low"), case)
    return RunRecord(1, key, case, sample, RunStatus.SUCCEEDED, 1, 1, 0, 0.0, 0.0, make_figures(**figures))


def test_quality_under_strict_and_lenient_judging_by_hand() -> None:
    """Of 20 issues 12 are fixed, 4 of these by the judge's word; 5 candidates were rejected or not judged; 3 missed."""
    run = make_figures(12, 20, fixed_alternative=4, bad_fixes=5, unjudged=2, missed=3)
    assert strict_quality(run) == 8 / 20
    assert lenient_quality(run) == 17 / 20
    assert strict_quality(make_figures(0, 0)) is lenient_quality(make_figures(0, 0)) is None


def test_standings_by_hand() -> None:
    records = [
        # 6 and 8 of 10 on one case, 2 of 4 on another: (0.7 + 0.5) / 2 = 0.6; strict (0.5 + 0.25) / 2 = 0.375.
        record("org/one", fixed=6, fixed_alternative=2, bad_fixes=4, missed=0),
        record("org/one", sample=2, fixed=8, fixed_alternative=2, bad_fixes=0, missed=2),
        record("org/one", case="b", fixed=2, issues=4, fixed_alternative=1, bad_fixes=2, unjudged=1, missed=0),
        # 0.5 and 0.5 without any judge's help.
        record("org/two", fixed=5, bad_fixes=0, missed=5),
        record("org/two", case="b", fixed=2, issues=4, bad_fixes=0, missed=2),
    ]
    found = reliance(records)
    one, two = found.standings
    assert (str(one.variant), str(two.variant)) == ("org/one:low", "org/two:low")
    assert one.quality == pytest.approx(0.6)
    assert one.strict == pytest.approx(0.375)
    assert one.lenient == pytest.approx(((1.0 + 0.8) / 2 + 1.0) / 2)
    assert one.judged_share == pytest.approx(0.225 / 0.6)
    assert one.unjudged == pytest.approx((0 + 0.25) / 2)
    assert (two.quality, two.strict, two.lenient, two.judged_share) == (0.5, 0.5, 0.5, 0.0)
    assert [(s.rank, s.strict_rank, s.lenient_rank) for s in found.standings] == [(1, 2, 1), (2, 1, 2)]
    assert (found.strict_tau, found.lenient_tau, found.largest_move) == (-1.0, 1.0, 1)


def test_equal_qualities_share_a_rank() -> None:
    found = reliance([record(name, fixed=n) for name, n in (("org/a", 5), ("org/b", 5), ("org/c", 4))])
    assert [s.rank for s in found.standings] == [1, 1, 3]


def test_a_variant_without_quality_has_no_standing() -> None:
    assert reliance([record("org/a", fixed=0, issues=0, missed=0)]).standings == ()
    assert reliance([]).largest_move == 0
    assert reliance([]).strict_tau is None


def test_a_quality_of_zero_rests_on_nobody() -> None:
    (standing,) = reliance([record("org/a", fixed=0)]).standings
    assert standing.judged_share is None


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),
        ([1, 1, 2, 3], [1, 2, 2, 3], 4 / 5),
        ([1, 1], [1, 2], None),
        ([1], [1], None),
    ],
)
def test_kendalls_tau_of_known_orders(one: list[float], other: list[float], tau: float | None) -> None:
    found = kendall_tau(one, other)
    assert found == (None if tau is None else pytest.approx(tau))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=8))
def test_kendalls_tau_is_symmetric_and_bounded(pairs: list[tuple[float, float]]) -> None:
    one, other = zip(*pairs, strict=True)
    tau = kendall_tau(one, other)
    assert tau == kendall_tau(other, one)
    assert tau is None or -1.0000001 <= tau <= 1.0000001


# What is read from a group

JUDGE = Variant("org/judge", "low")
CASE = make_case()


async def filled(group: Group, *, samples: int = 2) -> None:
    candidate = FakeModel(fix_otherwise)
    desk = JudgeDesk(group, JUDGE, FakeModel(accept_all))
    engine = Engine(group, lambda _: candidate, lambda _: LoopSettings(), Log(), judge=desk)
    todo = plan_for(group, [CASE], [Variant("org/m", "low")], samples, lambda _: make_settings(judge=str(JUDGE)))
    await execute(engine, todo)


async def test_the_same_fix_of_several_runs_is_read_once(group: Group) -> None:
    await filled(group, samples=3)
    found = candidate_fixes(group)
    assert [(one.issue_id, one.runs, one.valid, one.judge) for one in found.judged] == [
        (f"issue-0{n}", 3, True, str(JUDGE)) for n in (1, 2, 3)
    ]
    assert found.unjudged == 0


async def test_fixes_that_nobody_judged_are_counted_by_runs(group: Group) -> None:
    await execute(make_engine(group, FakeModel(fix_otherwise)), plan_for(group, [CASE], [Variant("org/m", "low")], 2))
    found = candidate_fixes(group)
    assert (found.judged, found.unjudged) == ((), 6)


async def test_an_audit_asks_a_second_judge_once_and_lists_where_it_disagrees(group: Group) -> None:
    await filled(group)
    other = Variant("org/other", "low")
    needs = second_opinion_needs(group, str(other))
    assert [len(paragraph.questions) for paragraph in needs] == [1, 1, 1]
    judge = FakeModel(reject_all)
    await second_opinions(JudgeDesk(group, other, judge), needs, AskingLimits())
    assert len(judge.requests) == 3
    assert second_opinion_needs(group, str(other)) == ()
    audit = audit_of(group, str(other))
    (agreement,) = audit.agreements
    assert (agreement.compared, agreement.raw, agreement.kappa) == (3, 0.0, 0.0)
    assert len(agreement.disagreements) == 3
    assert (audit.distinct_fixes, audit.unjudged) == (3, 0)
    (standing,) = audit.reliance.standings
    assert (standing.quality, standing.strict, standing.judged_share) == (1.0, 0.0, 1.0)


async def test_a_judge_needs_no_second_opinion_of_itself(group: Group) -> None:
    await filled(group)
    assert second_opinion_needs(group, str(JUDGE)) == ()
    assert audit_of(group, str(JUDGE)).agreements == ()


async def test_questions_about_one_edit_go_together(group: Group) -> None:
    other = dataclasses.replace(ISSUE, id="other", find="teh2")
    question = Question(other, "Here is teh sentence.", "Fix number 1.")
    same_edit = JudgedFix(
        "org/a:low", "letter", ParagraphQuestions("p", question.original, question.final, (question,)), True, "", 1
    )
    (asked,) = questions_of([fix(1, True), same_edit, fix(1, False, "org/c:low")])
    assert [one.issue.id for one in asked.questions] == [ISSUE.id, "other"]
