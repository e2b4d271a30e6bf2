"""How an invocation of ``run`` ended, and what to do next."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from errata_bench.runs.engine import Outcome
from errata_bench.runs.progress import Progress
from errata_bench.views.terminal import count, dollars, plain


def outcome_lines(
    group_id: str, outcome: Outcome, progress: Progress | None, *, verbose: bool = False, has_key: bool = True
) -> Iterator[str]:
    """Lines for the end of a run: what happened, and what can be done next."""
    yield ""
    if progress is None:
        yield f"All work is done: every run is stored in the group {group_id}, and nothing was run again."
    else:
        spent = "nothing" if progress.spent_usd == 0 and not progress.unpriced else dollars(progress.spent_usd)
        unpriced = f" and {count(progress.unpriced, 'request')} without a known price" if progress.unpriced else ""
        failed = f", {outcome.failed} failed" if outcome.failed else ""
        yield f"{count(outcome.succeeded, 'run')} done{failed}; spent {spent}{unpriced}."
    for what, fault in outcome.fatal.items():
        yield f"Stopped {plain(what)}: {plain(str(fault))}"
        if fault.mend is not None:
            yield f"  {plain(fault.mend)}"
    if outcome.bugs:
        yield f"{count(len(outcome.bugs), 'run')} failed by a fault of this program; please report it."
        if verbose:
            trace = "".join(traceback.format_exception(outcome.bugs[0]))
            yield from (plain(line) for line in trace.split("\n"))
    if outcome.failed or outcome.left:
        missing = count(outcome.failed + outcome.left, "run")
        yield f"{missing} missing. The same command again goes on where this stopped."
    yield f"See it again:     errata-bench view rankings {group_id} --explain"
    if not has_key:
        yield "Language models:  put ERRATA_BENCH_API_KEY=… (of OpenRouter) into .env, then: errata-bench run"
        yield "Your own server:  errata-bench run --models MODEL, with ERRATA_BENCH_API_PROVIDER=openai-compatible and"
        yield "                  ERRATA_BENCH_API_BASE_URL=http://… in .env; .env.example has all settings"
