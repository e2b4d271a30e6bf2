from __future__ import annotations

import unicodedata

from errata_bench.chat import Attempt
from errata_bench.errors import EndpointFault, Reach
from errata_bench.runs.engine import Outcome
from errata_bench.runs.plan import make_plan
from errata_bench.runs.progress import Progress
from errata_bench.variants import Variant
from errata_bench.views.outcome import outcome_lines
from tests.support.builders import make_case, make_settings

PLAN = make_plan([make_case()], [Variant("org/model", "low")], lambda _: make_settings(), 3, [])


def progress(*costs: float | None) -> Progress:
    made = Progress(PLAN, 0.0)
    for cost in costs:
        made.attempted(PLAN.todo[0], Attempt(0.0, 1.0, "ok", 200, cost_usd=cost))
    return made


def lines(outcome: Outcome, made: Progress | None, *, verbose: bool = False) -> str:
    return "\n".join(outcome_lines("group", outcome, made, verbose=verbose))


def test_where_all_was_stored_it_is_said_that_nothing_ran() -> None:
    text = lines(Outcome(), None)
    assert "All work is done" in text
    assert "view rankings group" in text
    assert "missing" not in text


def test_runs_and_spend_are_told() -> None:
    assert "2 runs done; spent $0.500." in lines(Outcome(succeeded=2), progress(0.25, 0.25))
    assert "1 run done; spent nothing." in lines(Outcome(succeeded=1), progress(0.0))


def test_what_nobody_knows_the_cost_of_is_told_beside_the_spend() -> None:
    assert "spent $0.250; 1 request of unknown cost." in lines(Outcome(succeeded=1), progress(0.25, None))
    unknown = lines(Outcome(failed=1), progress(None, None))
    assert "spent $0; 2 requests of unknown cost." in unknown
    assert "nothing" not in unknown


def test_failed_and_missing_runs_are_told_with_what_to_do() -> None:
    text = lines(Outcome(succeeded=1, failed=1, left=2), progress(0.25))
    assert "1 run done, 1 failed" in text
    assert "3 runs missing" in text
    assert "same command again" in text


def test_what_stopped_a_variant_is_told_with_the_mend() -> None:
    fault = EndpointFault("invalid_key", "Wrong key.", reach=Reach.ALL, status=401, mend="check ERRATA_BENCH_API_KEY")
    text = lines(Outcome(failed=1, fatal={"openrouter": fault}), progress())
    assert "Stopped openrouter: invalid_key (HTTP 401): Wrong key." in text
    assert "  check ERRATA_BENCH_API_KEY" in text


def test_a_bug_is_told_and_its_trace_on_demand() -> None:
    try:
        raise ZeroDivisionError("here \x1b]0;title\x07")
    except ZeroDivisionError as error:
        outcome = Outcome(failed=1, bugs=[error])
    assert "please report it" in lines(outcome, progress())
    assert "Traceback" not in lines(outcome, progress())
    verbose = lines(outcome, progress(), verbose=True)
    assert "Traceback" in verbose
    assert "ZeroDivisionError" in verbose
    assert "test_outcome.py" in verbose


def test_text_from_elsewhere_is_harmless() -> None:
    harm = "\x1b]0;title\x07\x9b31m\u202e"
    fault = EndpointFault(harm, harm, reach=Reach.VARIANT, mend=harm)
    bug = ValueError(harm)
    outcome = Outcome(failed=1, fatal={harm: fault}, bugs=[bug])
    text = lines(outcome, progress(), verbose=True)
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in ("Cc", "Cf")]
