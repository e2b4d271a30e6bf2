"""Whether many loops at a time keep the endpoint as busy as it can be: an endpoint that takes a second to answer.

    python -m benchmarks.concurrency [--loops 30 300 1000] [--chunks 10] [--words 200]

Every loop is a run of so many chunks, each of three turns, a tool call a reply. All begin at once, so the ideal is one
chain of requests: seconds of latency times chunks times turns. What is above it is the harness: at a thousand loops it
has a millisecond for each request, on one core.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.driving import drive, settings_for, variants
from benchmarks.endpoint import Manner, running
from benchmarks.invented import case
from benchmarks.measure import Row, show_targets
from errata_bench.runs.invocation import RunOptions

_LATENCY, _TURNS, _MODELS = 1.0, 3, 50
_ALLOWED = {30: 0.03, 300: 0.05, 1000: 0.10}


def row(loops: int, chunks: int, words: int, url: str, folder: Path) -> Row:
    made = case(words * chunks, 2 * chunks, paragraph_words=words // 4)
    models = variants(min(loops, _MODELS))
    options = RunOptions(samples=loops // len(models), chunk_size=words, concurrency=loops, max_turns=_TURNS)
    taken = drive(folder / f"{loops}.sqlite", [made], models, settings_for(url), options)
    if taken.requests != loops * chunks * _TURNS:
        raise RuntimeError(f"{taken.requests} requests are not {_TURNS} a chunk")
    ideal = _LATENCY * _TURNS * chunks
    over = taken.wall / ideal - 1
    shown = f"{taken.wall:.2f} s of {ideal:.0f} s: +{100 * over:.1f}%, {1000 * taken.cpu_per_request:.2f} ms a request"
    allowed = _ALLOWED.get(loops)
    return Row(f"{loops} loops", shown, over, allowed, "" if allowed is None else f"at most +{100 * allowed:.0f}%")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", type=int, nargs="+", default=[30, 300, 1000])
    parser.add_argument("--chunks", type=int, default=20)
    parser.add_argument("--words", type=int, default=200, help="words of a chunk")
    given = parser.parse_args()
    with running(Manner(latency=_LATENCY, calls=1, turns=_TURNS)) as url, tempfile.TemporaryDirectory() as folder:
        rows = [row(loops, given.chunks, given.words, url, Path(folder)) for loops in given.loops]
    show_targets(f"Wall time over the ideal: {_LATENCY:g} s latency, {given.words}-word chunks", rows)


if __name__ == "__main__":
    main()
