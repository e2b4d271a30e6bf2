"""What a plan will take, reckoned from its texts; and whether that needs somebody's word."""

from __future__ import annotations

import dataclasses
import math

import orjson
import pytest

from errata_bench.endpoint.catalogue import Price
from errata_bench.errors import UserError
from errata_bench.proofreading.prompts import SYSTEM, user_prompt
from errata_bench.proofreading.tools import TOOLS
from errata_bench.runs.consent import CONSENT_USD, check_prices, must_ask
from errata_bench.runs.estimate import (
    CALL_TOKENS,
    JUDGED_SHARE,
    REASONING_TOKENS,
    Estimate,
    Line,
    Work,
    estimate_plan,
)
from errata_bench.runs.options import RunOptions
from errata_bench.runs.plan import Plan, make_plan
from errata_bench.store.records import RunKey, RunRecord, RunStatus
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_figures, make_settings

MODEL, FREE = Variant("org/model", "low"), Variant("org/free", "none")
JUDGE, ORACLE = Variant("org/judge", "low"), Variant("baseline/oracle", None)
LETTER, CONTROL = make_case("letter"), make_case("clean", issues=False)
PRICES = {"org/model": Price(0.001, 0.002, request=0.5), "org/free": Price(0.0, 0.0), "org/judge": Price(0.01, 0.01)}


def plan_of(*variants: Variant, cases: tuple[object, ...] = (LETTER,), samples: int = 1, stored: int = 0) -> Plan:
    records = []
    if stored:
        key = RunKey(make_settings(), MODEL, LETTER.fingerprint)
        records = [
            RunRecord(1, key, "letter", 1, RunStatus.FAILED, 3, stored, 1, 0.0, None, make_figures()),
        ]
    return make_plan(cases, variants, lambda _: make_settings(), samples, records)  # type: ignore[arg-type]


def estimated(plan: Plan, **options: object) -> Estimate:
    return estimate_plan(plan, RunOptions(**options), PRICES.get)  # type: ignore[arg-type]


def tokens(text: str) -> int:
    return math.ceil(len(text) / 4)


OVERHEAD = tokens(SYSTEM + orjson.dumps([[t.name, t.description, t.parameters] for t in TOOLS]).decode())
CHUNKS = plan_of(MODEL).todo[0].chunks
FIRST = [OVERHEAD + tokens(user_prompt(LETTER.instruction, chunk)) for chunk in CHUNKS]
SAID = tokens("teh" + "the") + 2 * CALL_TOKENS
"""The one correction of a chunk, and that it is complete."""


def test_a_run_is_reckoned_from_prompts_schemas_text_and_planted_errors() -> None:
    (line,) = estimated(plan_of(MODEL)).lines
    assert (line.variant, line.runs, line.expected.requests) == (MODEL, 1, 6)
    assert line.expected.prompt_tokens == sum(2 * first + SAID for first in FIRST)
    assert line.expected.completion_tokens == 3 * (SAID + CALL_TOKENS + 2 * REASONING_TOKENS["low"])
    cost = 6 * 0.5 + line.expected.prompt_tokens * 0.001 + line.expected.completion_tokens * 0.002
    assert line.expected.cost_usd == pytest.approx(cost)


def test_at_most_every_turn_is_taken_and_every_reply_is_as_long_as_may_be() -> None:
    (line,) = estimated(plan_of(MODEL), max_turns=3, max_completion_tokens=100).lines
    assert line.most.requests == 9
    assert line.most.completion_tokens == 900
    assert line.most.prompt_tokens == sum(3 * first + 100 + 200 for first in FIRST)
    assert line.expected.completion_tokens <= line.most.completion_tokens


def test_one_turn_is_one_turn() -> None:
    (line,) = estimated(plan_of(MODEL), max_turns=1).lines
    assert (line.expected.requests, line.most.requests) == (3, 3)


def test_what_is_stored_costs_nothing_again() -> None:
    whole, rest = (estimated(plan_of(MODEL, stored=stored)) for stored in (0, 2))
    assert whole.requests == 6
    assert rest.requests == 2
    assert rest.cost_usd < whole.cost_usd


def test_longer_texts_more_samples_and_more_effort_take_more() -> None:
    one = estimated(plan_of(MODEL)).lines[0].expected
    long = estimated(plan_of(MODEL, cases=(make_case("letter", 9),))).lines[0].expected
    assert long.prompt_tokens > one.prompt_tokens
    assert estimated(plan_of(MODEL, samples=3)).lines[0].expected.requests == 18
    high = estimated(plan_of(dataclasses.replace(MODEL, effort="high"))).lines[0].expected
    assert high.completion_tokens > one.completion_tokens


def test_baselines_are_free_and_unknown_prices_are_not_zero() -> None:
    estimate = estimated(plan_of(ORACLE, FREE, Variant("org/unknown", "low")))
    costs = {str(line.variant): line.expected.cost_usd for line in estimate.lines}
    assert costs == {"baseline/oracle": 0.0, "org/free:none": 0.0, "org/unknown:low": None}
    assert estimate.unpriced == (Variant("org/unknown", "low"),)
    assert estimate.requests == 12  # the baseline sends none


def test_the_judge_is_counted_for_a_share_of_the_errors_and_at_most_for_all() -> None:
    estimate = estimated(plan_of(MODEL, cases=(LETTER, CONTROL), samples=2), judge=JUDGE)
    judge = estimate.lines[-1]
    assert (judge.variant, judge.is_judge, judge.runs) == (JUDGE, True, 2)
    assert judge.expected.requests == pytest.approx(2 * 3 * JUDGED_SHARE)
    assert judge.most.requests == 6
    assert judge.most.cost_usd is not None
    assert 0 < (judge.expected.cost_usd or 0) < judge.most.cost_usd
    without = estimated(plan_of(MODEL, cases=(LETTER, CONTROL), samples=2))
    assert estimate.cost_usd == pytest.approx(without.cost_usd + (judge.expected.cost_usd or 0))


def test_a_plan_without_work_takes_nothing() -> None:
    estimate = estimated(make_plan([], [], lambda _: make_settings(), 3, []))
    assert (estimate.lines, estimate.cost_usd, estimate.most_usd) == ((), 0.0, 0.0)


# Consent


def costing(usd: float | None) -> Estimate:
    return Estimate((Line(MODEL, 1, Work(1, 1, 1, usd), Work(1, 1, 1, usd)),))


@pytest.mark.parametrize(
    ("usd", "options", "yes", "asked"),
    [
        (CONSENT_USD, RunOptions(), False, False),
        (CONSENT_USD + 0.01, RunOptions(), False, True),
        (100.0, RunOptions(), True, False),
        (100.0, RunOptions(max_cost=3.0), False, False),
        (None, RunOptions(), False, False),
    ],
)
def test_an_estimate_over_five_dollars_is_asked_about(
    usd: float | None, options: RunOptions, yes: bool, asked: bool
) -> None:
    assert must_ask(costing(usd), options, yes=yes, on_terminal=True) is asked
    if asked:
        with pytest.raises(UserError, match=r"estimate of \$5\.01") as refused:
            must_ask(costing(usd), options, yes=yes, on_terminal=False)
        assert "--max-cost" in (refused.value.mend or "")
    else:
        assert must_ask(costing(usd), options, yes=yes, on_terminal=False) is False


def test_under_a_cap_every_price_has_to_be_known() -> None:
    capped = RunOptions(max_cost=1.0)
    with pytest.raises(UserError, match="org/model") as refused:
        check_prices(costing(None), capped)
    assert "--allow-unpriced" in (refused.value.mend or "")
    check_prices(costing(None), dataclasses.replace(capped, allow_unpriced=True))
    check_prices(costing(None), RunOptions())
    check_prices(costing(0.5), capped)
