from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from errata_bench.chat import ChatModel, ChatReply, ChatRequest
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.runs.edit_judging import EditDesk
from errata_bench.runs.judging import FAULTS_IN_A_ROW
from errata_bench.runs.rejudging import AskingLimits
from errata_bench.scoring.judge.comparing import COMPARING_PROMPT_VERSION
from errata_bench.scoring.judge.edits import EditClass, EditPair
from errata_bench.store.group import Group
from errata_bench.variants import Variant
from tests.support.doubles import saying
from tests.support.judging import find_errors
from tests.support.models import FakeModel

JUDGE = Variant("org/judge", "low")
PAIRS = [EditPair(f"Sentence {n} ", "goed", "went", " home.") for n in range(8)]


def desk(group: Group, model: ChatModel) -> EditDesk:
    return EditDesk(group, JUDGE, model, lambda: 5000.0)


def classes(group: Group) -> list[EditClass]:
    keys = [pair.key(str(JUDGE), COMPARING_PROMPT_VERSION) for pair in PAIRS]
    kept = group.judgments.edits(keys)
    return [kept[key].edit_class for key in keys if key in kept]


def refuse(fault: Exception) -> Any:
    def answer(_: ChatRequest) -> ChatReply:
        raise fault

    return answer


async def test_each_distinct_pair_is_asked_about_in_both_orders_and_kept(group: Group, path: Path) -> None:
    judge = FakeModel(find_errors(lambda text: text == "goed"))
    await desk(group, judge).judge_pairs([*PAIRS, *PAIRS], AskingLimits(3))
    assert classes(group) == [EditClass.REAL_FLAW_FIXED] * 8
    assert len(judge.requests) == 16
    found = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert found.execute("SELECT DISTINCT purpose, run_id, count(*) FROM spend").fetchall() == [("judge", None, 16)]
    found.close()


async def test_what_is_kept_is_not_asked_again(group: Group) -> None:
    await desk(group, FakeModel(find_errors(lambda text: text == "goed"))).judge_pairs(PAIRS[:5], AskingLimits())
    judge = FakeModel(find_errors(lambda text: text == "went"))
    await desk(group, judge).judge_pairs(PAIRS, AskingLimits())
    assert len(judge.requests) == 6
    assert classes(group) == [EditClass.REAL_FLAW_FIXED] * 5 + [EditClass.HARMFUL] * 3


async def test_an_unusable_answer_leaves_a_pair_without_a_class(group: Group) -> None:
    await desk(group, FakeModel(lambda _: saying("Both are fine."))).judge_pairs(PAIRS[:1], AskingLimits())
    assert classes(group) == []


@pytest.mark.parametrize(
    ("fault", "asked"),
    [
        (EndpointFault("unknown_model", "No.", reach=Reach.VARIANT), 1),
        (EndpointFault("overloaded", "Busy.", reach=Reach.RETRY), FAULTS_IN_A_ROW),
        (EndpointFault("content_filter", "No.", reach=Reach.RUN), 8),
    ],
)
async def test_a_judge_that_cannot_be_asked_is_given_up(group: Group, fault: EndpointFault, asked: int) -> None:
    judge = FakeModel(refuse(fault))
    asking = desk(group, judge)
    await asking.judge_pairs(PAIRS, AskingLimits(1))
    assert len(judge.requests) == asked
    assert (asking.fault is fault) is (fault.reach is not Reach.RUN)


async def test_money_that_does_not_suffice_ends_it(group: Group) -> None:
    with pytest.raises(SpendRefused):
        await desk(group, FakeModel(refuse(SpendRefused(1.0, 0.0)))).judge_pairs(PAIRS, AskingLimits(1))
