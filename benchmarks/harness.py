"""What the harness itself costs: CPU for each model request, beside the same loop as an ``inspect_ai`` task.

    python -m benchmarks.harness [--inspect PYTHON] [--rounds 5]

A 2,000-word chunk, three turns, ten tool calls in each reply, a server without latency in another process. The figure
holds all that an invocation of ``run`` does from planning to the last commit: requests, tool calls, store, log and
scoring. ``PYTHON`` is an interpreter that has ``inspect_ai`` and ``openai``; without it there is no comparison.
Rounds of both take turns, so that a busy machine is busy for both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.driving import Driven, drive, settings_for, variants
from benchmarks.endpoint import Manner, running
from benchmarks.invented import case
from benchmarks.measure import Row, Spread, show_targets
from errata_bench.cases.model import Case
from errata_bench.proofreading.prompts import SYSTEM, user_prompt
from errata_bench.proofreading.tools import TOOLS
from errata_bench.runs.invocation import RunOptions

_WORDS, _ISSUES, _TURNS, _CONCURRENCY = 2000, 15, 3, 30


def ours(url: str, made: Case, folder: Path, round_number: int, samples: int) -> Driven:
    options = RunOptions(samples=samples, concurrency=_CONCURRENCY, max_turns=_TURNS)
    return drive(folder / f"round-{round_number}.sqlite", [made], variants(1), settings_for(url), options)


def theirs(python: str, url: str, made: Case, samples: int) -> float:
    """Seconds of CPU for each request of the ``inspect_ai`` task."""
    asked = {
        "base_url": url,
        "system": SYSTEM,
        "user": user_prompt(made.instruction, made.document),
        "paragraphs": {paragraph.id: paragraph.inner_html for paragraph in made.document},
        "tools": [asdict(tool) for tool in TOOLS],
        "turns": _TURNS,
        "samples": samples,
        "concurrency": _CONCURRENCY,
    }
    task = [python, str(Path(__file__).with_name("inspect_task.py"))]
    done = subprocess.run(task, input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the inspect_ai task failed:\n{done.stderr[-2000:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    return float(told["cpu"]) / int(told["requests"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inspect", metavar="PYTHON", help="an interpreter with inspect_ai and openai")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=150, help="runs a round, of three requests each")
    given = parser.parse_args()
    made = case(_WORDS, _ISSUES)
    own: list[float] = []
    other: list[float] = []
    with running(Manner(turns=_TURNS)) as url, tempfile.TemporaryDirectory() as folder:
        ours(url, made, Path(folder), 0, 10)  # imports and caches
        for number in range(1, given.rounds + 1):
            own.append(ours(url, made, Path(folder), number, given.samples).cpu_per_request)
            if given.inspect:
                other.append(theirs(given.inspect, url, made, 10))
    mine = Spread(tuple(own))
    rows = [Row("ours, all included", mine.shown("ms", 1000), mine.median, 0.003, "at most 3 ms")]
    if other:
        inspect = Spread(tuple(other))
        ratio = Spread(tuple(their / our for their, our in zip(other, own, strict=True)))
        rows.append(Row("the same loop as an inspect_ai task", inspect.shown("ms", 1000)))
        rows.append(
            Row("inspect_ai by ours, round by round", ratio.shown("×"), ratio.median, 20, "at least 20 ×", True)
        )
    show_targets("CPU for each model request: 2,000-word chunk, ten tool calls a reply", rows)


if __name__ == "__main__":
    main()
