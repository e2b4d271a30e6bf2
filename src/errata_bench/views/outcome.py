"""How an invocation of ``run`` ended, and what to do next."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterator
from pathlib import Path

from errata_bench.runs.engine import Outcome
from errata_bench.runs.progress import Progress
from errata_bench.views.terminal import count, dollars, plain, spent_words


def outcome_lines(
    group_id: str,
    outcome: Outcome,
    progress: Progress | None,
    *,
    verbose: bool = False,
    has_key: bool = True,
    results_dir: Path | None = None,
) -> Iterator[str]:
    """Lines for the end of a run: what happened, and what can be done next.

    ``results_dir`` is the folder of results where another one than usual was named.
    """
    yield ""
    if progress is None:
        yield f"All work is done: every run is stored in the group {group_id}, and nothing was run again."
    else:
        spent = spent_words(progress.spent_usd, progress.unpriced)
        failed = f", {outcome.failed} failed" if outcome.failed else ""
        yield f"{count(outcome.succeeded, 'run')} done{failed}; spent {spent}."
    for what, fault in outcome.fatal.items():
        yield f"Stopped {plain(what)}: {plain(str(fault))}"
        if fault.mend is not None:
            yield f"  {plain(fault.mend)}"
    yield from _money_lines(outcome)
    if outcome.judge_fault is not None:
        yield f"The judge was not asked any more: {plain(str(outcome.judge_fault))}"
        if outcome.judge_fault.mend is not None:
            yield f"  {plain(outcome.judge_fault.mend)}"
    if outcome.unjudged:
        yield f"{count(outcome.unjudged, 'fix', 'fixes')} unjudged. Later: errata-bench results judge {group_id}"
    if outcome.bugs:
        yield f"{count(len(outcome.bugs), 'run')} failed by a fault of this program; please report it."
        if verbose:
            trace = "".join(traceback.format_exception(outcome.bugs[0]))
            yield from (plain(line) for line in trace.split("\n"))
    if outcome.failed or outcome.left:
        missing = count(outcome.failed + outcome.left, "run")
        yield f"{missing} missing. The same command again goes on where this stopped."
    where = "" if results_dir is None else f" --results-dir {plain(shlex.quote(str(results_dir)))}"
    yield f"See it again:     errata-bench view rankings {group_id} --explain{where}"
    if not has_key:
        yield "Language models:  put ERRATA_BENCH_API_KEY=… (of OpenRouter) into .env, then: errata-bench run"
        yield "Your own server:  errata-bench run --models MODEL, with ERRATA_BENCH_API_PROVIDER=openai-compatible and"
        yield "                  ERRATA_BENCH_API_BASE_URL=http://… in .env; .env.example has all settings"


def _money_lines(outcome: Outcome) -> Iterator[str]:
    """What the cap on spending did not allow."""
    if not outcome.unaffordable or outcome.budget is None:
        return
    budget = outcome.budget
    unknown = ""
    if budget.unknown_requests:
        requests = count(budget.unknown_requests, "request")
        unknown = f", of which {dollars(budget.unknown_usd)} stands for {requests} whose cost nobody knows"
    yield f"The cap of {dollars(budget.cap_usd)} is reached: {dollars(budget.spent_usd)} spent{unknown}."
    for variant, refused in outcome.unaffordable.items():
        yield f"  {plain(variant)}: its next request may cost {dollars(refused.needed_usd)}"
