from __future__ import annotations

import dataclasses

from errata_bench.cases.model import Case
from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.results.edits import edit_report, group_edits, real_flaw_hunks
from errata_bench.runs.edit_judging import EditDesk
from errata_bench.runs.rejudging import AskingLimits
from errata_bench.scoring.aligned.run import align_document
from errata_bench.scoring.judge.edits import EditClass
from errata_bench.scoring.restraint import measure_restraint
from errata_bench.store.group import Group
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.doubles import complete, find_and_replace
from tests.support.execution import execute, make_engine, plan_for
from tests.support.judging import comparison, find_errors
from tests.support.models import FakeModel, fix_everything, paid, paragraph_ids

JUDGE = Variant("org/judge", "low")
CASE = make_case()
CAREFUL, MEDDLING = Variant("org/careful", "low"), Variant("org/meddling", "low")


def meddle(request: ChatRequest) -> ChatReply:
    """Fixes what was planted, and writes "There" for "Here" and "no" for "number"."""
    edits = (("teh", "the"), ("Here", "There"), ("number", "no"))
    calls = [find_and_replace(name, find, put) for name in paragraph_ids(request) for find, put in edits]
    return paid(*calls, complete())


async def ran(group: Group, case: Case = CASE, samples: int = 2) -> None:
    for variant, answer in ((CAREFUL, fix_everything), (MEDDLING, meddle)):
        done = await execute(make_engine(group, FakeModel(answer)), plan_for(group, [case], [variant], samples))
        assert done.succeeded == samples


def wrong(text: str) -> bool:
    return any(word in text.split() for word in ("Here", "no", "teh"))


async def test_edits_are_counted_by_variant_and_class(group: Group) -> None:
    await ran(group)
    found = group_edits(group, baselines=False)
    # Two edits in each of three paragraphs, in two runs; those of the careful model are none.
    assert {edit.variant for edit in found.edits} == {MEDDLING}
    assert len(found.edits) == 12
    assert len(found.gold) == 3

    desk = EditDesk(group, JUDGE, FakeModel(find_errors(wrong)))
    pairs = [edit.edit.pair for edit in found.edits] + [gold.pair for gold in found.gold]
    await desk.judge_pairs(pairs, AskingLimits())
    report = edit_report(group, found, str(JUDGE))
    assert report.classes == {MEDDLING: {EditClass.REAL_FLAW_FIXED: 6, EditClass.HARMFUL: 6}}
    assert not any(report.unjudged.values())
    assert (report.compared, report.disagreed, report.disagreement_rate) == (6, 0, 0.0)
    assert (report.gold_judged, report.gold_right, report.gold_accuracy) == (3, 3, 1.0)
    assert [(flaw.before, flaw.after, flaw.runs) for flaw in report.real_flaws] == [("Here", "There", 2)] * 3


async def test_what_is_not_judged_yet_is_counted_as_that(group: Group) -> None:
    await ran(group)
    report = edit_report(group, group_edits(group, baselines=False), str(JUDGE))
    assert report.unjudged == {MEDDLING: 12}
    assert report.classes == {MEDDLING: {}}
    assert report.disagreement_rate is report.gold_accuracy is None


async def test_a_judge_that_prefers_a_place_is_found_out(group: Group) -> None:
    await ran(group)
    found = group_edits(group, baselines=False)
    desk = EditDesk(group, JUDGE, FakeModel(lambda _: comparison("1")))
    await desk.judge_pairs([edit.edit.pair for edit in found.edits], AskingLimits())
    report = edit_report(group, found, str(JUDGE))
    assert report.classes == {MEDDLING: {EditClass.PREFERENTIAL: 12}}
    assert report.disagreement_rate == 1.0


async def test_real_flaws_are_not_counted_against_the_model(group: Group) -> None:
    await ran(group, samples=1)
    found = group_edits(group, baselines=False)
    desk = EditDesk(group, JUDGE, FakeModel(find_errors(wrong)))
    await desk.judge_pairs([edit.edit.pair for edit in found.edits], AskingLimits())
    judged = group.judgments.edits([edit.key(str(JUDGE)) for edit in found.edits])
    hunks = real_flaw_hunks(found.edits, judged, str(JUDGE))
    final = CASE.expected
    for paragraph in final:
        text = paragraph.inner_html.replace("Here", "There").replace("number", "no")
        final = final.with_inner_html(paragraph.id, text)
    run = align_document(CASE, final)
    assert measure_restraint(CASE, run).unneeded == 6
    assert measure_restraint(CASE, run, real_flaws=hunks).unneeded == 3


async def test_baselines_are_left_out_unless_they_are_wanted(group: Group) -> None:
    spelling = Variant("baseline/spelling", None)
    await execute(make_engine(group, FakeModel(meddle)), plan_for(group, [CASE], [spelling], 1))
    assert group_edits(group, baselines=False).edits == ()
    assert len(group_edits(group, baselines=True).edits) == 6


async def test_a_control_has_edits_and_no_gold(group: Group) -> None:
    await ran(group, make_case("control", issues=False), samples=1)
    found = group_edits(group, baselines=False)
    assert found.edits
    assert found.gold == ()


async def test_a_case_that_cannot_be_aligned_is_named(group: Group) -> None:
    broken = dataclasses.replace(CASE, expected=CASE.document)
    await ran(group, broken, samples=1)
    found = group_edits(group, baselines=False)
    assert (found.edits, found.left_out) == ((), ("letter",))
