"""How long commands take on a large group, and on a results file of the size of the published one.

Run by hand: ``python benchmarks/large_group.py [RUNS] [WORDS]`` (default 10,000 runs of documents of 3,000 words,
about 2 GB with their turns). Prints seconds, and the most memory where a command took more than all before it.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from errata_bench.cases.model import Case, Issue
from errata_bench.chat import Attempt, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.runs.scoring import score_stored_run
from errata_bench.store.group import Group, write_group
from errata_bench.store.records import RunKey, RunSettings
from errata_bench.variants import Variant

_CASES = 11
_SAMPLES = 3
_ISSUES = 44
_TURNS = 3
_CHUNK = 2000

COMMANDS = {
    "view rankings": ["view", "rankings", "large"],
    "view datasets": ["view", "datasets", "large"],
    "results check": ["results", "check", "large"],
    "results rescore": ["results", "rescore", "large"],
    "results refresh": ["results", "refresh", "large"],
    "export csv": ["results", "export", "large", "out-csv", "-f", "csv"],
    "export parquet": ["results", "export", "large", "out-parquet", "-f", "parquet"],
    "export json": ["results", "export", "large", "out-json", "-f", "json"],
    "export jsonl": ["results", "export", "large", "out-jsonl", "-f", "jsonl"],
    "export upstream-json": ["results", "export", "large", "out-upstream", "-f", "upstream-json"],
    "export m2": ["results", "export", "large", "out-m2", "-f", "m2"],
    "merge into a new group": ["results", "merge", "copy", "large"],
    "merge again": ["results", "merge", "copy", "large"],
    "prune one variant": ["results", "prune", "copy", "--model", "org/model-1", "--yes"],
}


def make_case(number: int, words: int) -> Case:
    rng = random.Random(number)
    right, wrong, issues = [], [], []
    for n in range(max(_ISSUES, words // 70)):
        text = [rng.choice(("the", "river", "stood", "still", "while", "night", "came", "slowly")) for _ in range(70)]
        text[35] = f"word{n}"
        right.append(Paragraph(f"p{n:05}", " ".join(text)))
        if n < _ISSUES:
            text[35] = f"wrod{n}"
        wrong.append(Paragraph(f"p{n:05}", " ".join(text)))
        if n < _ISSUES:
            start = wrong[-1].inner_html.index(f"wrod{n}")
            issues.append(Issue(f"issue-{n:02}", "spelling", f"p{n:05}", f"wrod{n}", f"word{n}", start))
    return Case(f"case-{number:02}", "Correct it.", Document(tuple(wrong)), Document(tuple(right)), tuple(issues))


def add_run(group: Group, case: Case, chunks: tuple[Document, ...], variant: Variant, sample: int) -> None:
    rng = random.Random(f"{variant} {case.id} {sample}")
    settings = RunSettings("bench.example/v1", _CHUNK, _TURNS, "prompt-1", "", 8192)
    run_id = group.begin_run(RunKey(settings, variant, case.fingerprint), sample, len(chunks), 1000.0 + sample, "1")
    for number, chunk in enumerate(chunks):
        turns, after = [], []
        for paragraph in chunk:
            expected = case.expected.get(paragraph.id)
            after.append(expected if expected is not None and rng.random() < 0.8 else paragraph)
        thought = "I read on and look for what is wrong in each sentence. " * 420
        for turn in range(_TURNS):
            edits = list(zip(chunk, after, strict=True))[turn::_TURNS]
            calls = tuple(
                CallRecord(
                    "find_and_replace",
                    {"paragraphId": old.id, "find": old.inner_html[180:220], "replace": new.inner_html[180:220]},
                    json.dumps({"paragraphId": old.id, "find": "…", "replace": "…"}),
                    True,
                    "Done.",
                    1,
                )
                for old, new in edits
                if old != new
            )
            message = {"role": "assistant", "content": None, "reasoning": thought}
            usage = Usage(4000, 900 + rng.randrange(200), 500, 0)
            turns.append(Turn(message, calls, usage, 0.01, 5.0 + rng.random(), "tool_calls", {}, True))
            group.add_attempt(run_id, number, "candidate", Attempt(1000.0, 5.0, "ok", 200, usage, 0.01))
        group.add_chunk(run_id, number, chunk, ChunkResult(tuple(after), tuple(turns), True), 1000.0 + number)
    score, figures = score_stored_run(group, run_id, case, chunks)
    group.finish_run(run_id, score, figures, 2000.0)


def make_group(path: Path, runs: int, words: int) -> None:
    cases = [make_case(number, words) for number in range(_CASES)]
    chunks = [split_into_chunks(case.document, _CHUNK) for case in cases]
    with write_group(path) as group:
        for case in cases:
            group.add_case(case)
        for number in range(runs):
            variant_number, within = divmod(number, _CASES * _SAMPLES)
            which, sample = divmod(within, _SAMPLES)
            variant = Variant(f"org/model-{variant_number}", "low")
            add_run(group, cases[which], chunks[which], variant, sample + 1)


def make_artifact(path: Path) -> None:
    """A results file with 51 variants on 11 cases, 3 runs each."""
    rng = random.Random(1)
    attempts = []
    for model in range(51):
        for case in range(11):
            for number in range(1, 4):
                fixed, cost = rng.randrange(20, 45), 0.2 + rng.random()
                attempts.append(
                    {
                        "datasetName": f"case-{case}",
                        "datasetPath": f"/home/someone/datasets/case-{case}.json",
                        "model": f"org/model-{model}:low",
                        "baseModel": f"org/model-{model}",
                        "reasoningEffort": "low",
                        "apiEndpointLabel": "openrouter",
                        "maxWordsPerChunk": 2000,
                        "maxTurnsPerChunk": 3,
                        "runNumber": number,
                        "succeeded": True,
                        "error": None,
                        "correctedIssues": fixed,
                        "attemptedButInvalidIssues": 0,
                        "notAddressedIssues": 44 - fixed,
                        "totalIssues": 44,
                        "totalOutputTokens": rng.randrange(10_000, 60_000),
                        "totalDurationMs": rng.randrange(100_000, 500_000),
                        "averageTurnsPerChunk": 2.5,
                        "candidateCostUsd": cost,
                        "judgeCostUsd": 0.04,
                        "totalCostUsd": cost + 0.04,
                    }
                )
    path.write_text(json.dumps({"version": "v1", "groupId": "published-size", "attempts": attempts}))


def measure(name: str, arguments: list[str], folder: Path) -> None:
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = subprocess.run(
        [sys.executable, "-m", "errata_bench", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    memory = f"{peak / 1024:6.0f} MB" if peak > before else f"< {peak / 1024:.0f} MB"
    print(f"{name:28} {seconds:7.1f} s  {memory}  exit {done.returncode}", flush=True)
    if done.returncode not in (0, 1):
        print(done.stderr[-2000:])


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    words = int(sys.argv[2]) if len(sys.argv) > 2 else 3_000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        artifact = folder / "published-size.json"
        make_artifact(artifact)
        measure("import 51 x 11 x 3", ["results", "import", str(artifact), "-g", "published-size"], folder)
        measure("rank 51 x 11 x 3", ["view", "rankings", "published-size"], folder)
        started = time.perf_counter()
        path = folder / "results" / "large.sqlite"
        make_group(path, runs, words)
        made = time.perf_counter() - started
        print(f"a group of {runs:,} runs, {path.stat().st_size / 1e9:.2f} GB, made in {made:.0f} s", flush=True)
        for name, arguments in COMMANDS.items():
            measure(name, arguments, folder)


if __name__ == "__main__":
    main()
