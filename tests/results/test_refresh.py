from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from errata_bench.chat import ChatReply, ChatRequest, Usage
from errata_bench.results.refresh import Prices, refresh_group
from errata_bench.runs.scoring import score_stored_run
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.store.group import Group
from errata_bench.store.judgments import Judgment
from tests.support.models import fix_everything
from tests.support.stored import content
from tests.support.upkeep import CASES, run, table


def priced(cost: float | None, reported: bool | None) -> Any:
    """A model whose replies cost this, by their own word or by a price list."""

    def answer(request: ChatRequest) -> ChatReply:
        return dataclasses.replace(fix_everything(request), cost_usd=cost, cost_reported=reported)

    return answer


def a_dollar_a_token(model: str, usage: Usage) -> float | None:
    """100 + 20 tokens a turn."""
    if model != "org/alpha" or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return float(usage.prompt_tokens + usage.completion_tokens)


def costs(group: Group) -> list[float | None]:
    return [run.figures.candidate_cost_usd for run in group.runs() if run.figures is not None]


async def test_turns_without_a_cost_are_priced_and_figures_follow(group: Group) -> None:
    await run(group, priced(None, False))
    assert costs(group) == [None, None]
    report = refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token))
    assert (report.priced, report.repriced, report.kept, report.unpriced) == (5, 0, 0, 0)
    assert costs(group) == [360.0, 240.0]
    again = refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token))
    assert (again.priced, again.repriced, again.kept) == (0, 0, 0)


async def test_costs_of_an_older_price_list_are_reckoned_anew(group: Group) -> None:
    await run(group, priced(0.25, False))
    report = refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token))
    assert (report.priced, report.repriced) == (0, 5)
    assert costs(group) == [360.0, 240.0]


@pytest.mark.parametrize("reported", [True, None])
async def test_what_a_reply_reported_stays_unless_it_is_asked_for(group: Group, reported: bool | None) -> None:
    await run(group, priced(0.25, reported))
    report = refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token))
    assert (report.kept, costs(group)) == (5, [0.75, 0.5])
    refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token, reported_too=True))
    assert costs(group) == [360.0, 240.0]


async def test_the_ledger_of_what_was_paid_stays(group: Group) -> None:
    await run(group, priced(0.25, False))
    before = table(group.path, "SELECT * FROM spend")
    refresh_group(group, score_stored_run, CASES, Prices(a_dollar_a_token))
    assert table(group.path, "SELECT * FROM spend") == before


async def test_what_nobody_knows_the_price_of_stays_unknown(group: Group) -> None:
    await run(group, priced(None, False))
    before = content(group.path)
    report = refresh_group(group, score_stored_run, CASES, Prices(lambda _model, _usage: None))
    assert report.unpriced == 5
    assert content(group.path) == before


async def test_disqualified_issues_are_applied(group: Group) -> None:
    await run(group, fix_everything)
    letter = CASES[0]
    changed = dataclasses.replace(
        letter, issues=tuple(dataclasses.replace(i, disqualified=i.id == "issue-01") for i in letter.issues)
    )
    report = refresh_group(group, score_stored_run, [changed, CASES[1]], Prices())
    assert [change.case_id for change in report.cases] == ["letter"]
    assert group.runs()[0].key.fingerprint == changed.fingerprint


async def test_judgments_without_a_cost_are_priced(group: Group) -> None:
    await run(group)  # every fix differs from the expected one
    judgment = Judgment("org/judge:low", "j1", True, Conclusion.MENDED, "Fine.", JudgingUse(300, 30, None), 1.0)
    group.judgments.add({"key": judgment})
    group.judgments.rest_on(1, {"issue-01": "key"})
    score, figures = score_stored_run(group, 1, CASES[0], [CASES[0].document.select([p.id]) for p in CASES[0].document])
    group.rescore_run(1, score, figures)
    assert figures.judge_cost_usd is None

    def price(model: str, usage: Usage) -> float | None:
        return 0.5 if (model, usage) == ("org/judge", Usage(300, 30)) else None

    report = refresh_group(group, score_stored_run, CASES, Prices(price))
    assert report.judgments_priced == 1
    refreshed = group.runs()[0].figures
    assert refreshed is not None and refreshed.judge_cost_usd == 0.5
