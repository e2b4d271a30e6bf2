"""How long the commit of a finished chunk takes, in a new file and with 10,000 runs in it.

    python -m benchmarks.commits [--runs 10000]

A chunk of 2,000 words with three turns of ten calls, as the harness writes it: its documents, turns and calls in one
transaction. Beside it what is written for each request.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from itertools import count, islice
from pathlib import Path

from benchmarks.invented import case
from benchmarks.measure import Row, Spread, once, show_targets
from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, Usage
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.store.group import Group, write_group
from errata_bench.store.records import RunKey, RunSettings
from errata_bench.variants import Variant

_WORDS, _ISSUES, _CALLS, _TURNS = 2000, 30, 10, 3
_MEASURED = 300


def result(made: Case) -> ChunkResult:
    """What a model that mends everything leaves of a chunk, ten calls a turn."""
    usage = Usage(3000, 400, 100, 0)
    turns = []
    for turn in range(_TURNS):
        calls = tuple(
            CallRecord(
                "find_and_replace",
                {"paragraphId": issue.paragraph_id, "find": issue.find, "replace": issue.replace},
                '{"paragraphId":"…","find":"…","replace":"…"}',
                True,
                "Done.",
                1,
            )
            for issue in made.issues[turn * _CALLS : (turn + 1) * _CALLS]
        )
        message = {"role": "assistant", "content": None, "reasoning": "I read each sentence again. " * 40}
        turns.append(Turn(message, calls, usage, 0.01, 5.0, "tool_calls"))
    return ChunkResult(made.expected.paragraphs, tuple(turns), True)


def begin(group: Group, made: Case, number: int) -> int:
    settings = RunSettings("benchmark", _WORDS, _TURNS, "prompt-1", "", 8192)
    return group.begin_run(
        RunKey(settings, Variant(f"bench/model-{number % 50}", "low"), made.fingerprint),
        number // 50 + 1,
        1,
        1000.0,
        "1",
    )


def fill(group: Group, made: Case, done: ChunkResult, numbers: Iterable[int]) -> None:
    for number in numbers:
        group.add_chunk(begin(group, made, number), 0, made.document, done, 1000.0)


def measure(group: Group, made: Case, done: ChunkResult, numbers: Iterable[int]) -> tuple[Spread, Spread]:
    """Seconds of the commit of a chunk, and of that of a request."""
    chunks, requests = [], []
    attempt = Attempt(1000.0, 5.0, "ok", 200, Usage(3000, 400, 100, 0), 0.01)
    for number in numbers:
        run_id = begin(group, made, number)
        requests.append(once(lambda: group.add_attempt(run_id, 0, "candidate", attempt)))  # noqa: B023
        chunks.append(once(lambda: group.add_chunk(run_id, 0, made.document, done, 1000.0)))  # noqa: B023
    return Spread(tuple(chunks)), Spread(tuple(requests))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    given = parser.parse_args()
    made = case(_WORDS, _ISSUES)
    done = result(made)
    rows = []
    numbers = count()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "commits.sqlite")
        with write_group(path) as group:
            group.add_case(made)
            for runs in (0, given.runs):
                fill(group, made, done, islice(numbers, runs))
                chunk, request = measure(group, made, done, islice(numbers, _MEASURED))
                size = path.stat().st_size / 1e6
                where = f"{runs:,} runs in the file ({size:,.0f} MB)" if runs else "a new file"
                rows.append(Row(f"chunk, {where}", chunk.shown("ms", 1000), chunk.median, 0.003, "at most 3 ms"))
                rows.append(Row(f"request, {where}", request.shown("ms", 1000)))
    show_targets("Commits", rows)


if __name__ == "__main__":
    main()
