"""How long commands take on a large group, and on a results file of the size of the published one.

    python -m benchmarks.large_group [RUNS] [--words 3000] [--html-runs 1000] [--folder FOLDER]

By default 10,000 runs of documents of 3,000 words, 1.8 GB with their turns; with what the commands write it needs 6 GB
in FOLDER (default: the folder for temporary files), which are gone at the end. Runs mend four of five errors, and in
every tenth paragraph that they touch they change another word as well. Each command runs in a process of its own, and
the table has its seconds on the wall, its seconds of CPU (user and system, of child processes too) and the most memory
that one process of it held. The export as HTML makes a page a run: it is measured on a group of fewer runs.

It asks no endpoint. ``results check`` exits with 1, because the last variant lacks runs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.measure import Ended
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
_WORDS = ("the", "river", "stood", "still", "while", "night", "came", "slowly")
_PARAGRAPH = 70

_EXPORTS = ("csv", "parquet", "json", "jsonl", "upstream-json", "m2")

PUBLISHED: Mapping[str, Sequence[str]] = {
    "results import (51 × 11 × 3)": ["results", "import", "published-size.json", "-g", "published-size"],
    "view rankings (51 × 11 × 3)": ["view", "rankings", "published-size"],
}
COMMANDS: Mapping[str, Sequence[str]] = {
    "view rankings": ["view", "rankings", "large"],
    "view datasets": ["view", "datasets", "large"],
    "results check": ["results", "check", "large"],
    "results rescore": ["results", "rescore", "large"],
    "results refresh": ["results", "refresh", "large", "--no-prices"],
    **{f"results export -f {form}": ["results", "export", "large", f"out-{form}", "-f", form] for form in _EXPORTS},
    "results merge, a new group": ["results", "merge", "copy", "large"],
    "results merge, again": ["results", "merge", "copy", "large"],
    "results prune, one variant": ["results", "prune", "copy", "--model", "org/model-1", "--yes"],
}
HTML = ["results", "export", "pages", "out-html", "-f", "html"]


def make_case(number: int, words: int) -> Case:
    rng = random.Random(number)
    right, wrong, issues = [], [], []
    for n in range(max(_ISSUES, words // _PARAGRAPH)):
        text = [rng.choice(_WORDS) for _ in range(_PARAGRAPH)]
        text[35] = f"word{n}"
        right.append(Paragraph(f"p{n:05}", " ".join(text)))
        if n < _ISSUES:
            text[35] = f"wrod{n}"
        wrong.append(Paragraph(f"p{n:05}", " ".join(text)))
        if n < _ISSUES:
            start = wrong[-1].inner_html.index(f"wrod{n}")
            issues.append(Issue(f"issue-{n:02}", "spelling", f"p{n:05}", f"wrod{n}", f"word{n}", start))
    return Case(f"case-{number:02}", "Correct it.", Document(tuple(wrong)), Document(tuple(right)), tuple(issues))


def _with_another_word(paragraph: Paragraph, rng: random.Random) -> Paragraph:
    text = paragraph.inner_html.split(" ")
    text[rng.choice((*range(35), *range(36, _PARAGRAPH)))] = rng.choice(_WORDS)
    return Paragraph(paragraph.id, " ".join(text))


def add_run(group: Group, case: Case, chunks: tuple[Document, ...], variant: Variant, sample: int) -> None:
    rng = random.Random(f"{variant} {case.id} {sample}")
    settings = RunSettings("bench.example/v1", _CHUNK, _TURNS, "prompt-1", "", 8192)
    run_id = group.begin_run(RunKey(settings, variant, case.fingerprint), sample, len(chunks), 1000.0 + sample, "1")
    for number, chunk in enumerate(chunks):
        turns, after = [], []
        for paragraph in chunk:
            expected = case.expected.get(paragraph.id)
            mended = expected if expected is not None and rng.random() < 0.8 else paragraph
            after.append(mended if mended == paragraph or rng.random() < 0.9 else _with_another_word(mended, rng))
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


def measure(name: str, arguments: Sequence[str], folder: Path) -> None:
    """Run a command and print its line of the table. Raises `RuntimeError` with its output where it fails."""
    ended = _ended([sys.executable, "-m", "errata_bench", *arguments], folder)
    print(f"| {name:34} | {ended.wall:6.1f} | {ended.cpu:6.1f} | {ended.peak_mb:7.0f} |", flush=True)


def _ended(command: Sequence[str], folder: Path) -> Ended:
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output) as child,
    ):
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            output.seek(0)
            raise RuntimeError(f"{' '.join(command)}:\n{output.read().decode(errors='replace')}")
    return Ended(time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=3_000, help="words of a document")
    parser.add_argument("--html-runs", type=int, default=1_000, help="runs of the group that is exported as HTML")
    parser.add_argument("--folder", type=Path, help="where the files go until the end")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="large-group-", dir=given.folder) as place:
        folder = Path(place)
        started = time.perf_counter()
        make_artifact(folder / "published-size.json")
        large = folder / "results" / "large.sqlite"
        # In another process, because a child's peak begins with the memory of the process that started it.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as maker:
            maker.submit(make_group, large, given.runs, given.words).result()
            maker.submit(make_group, large.with_name("pages.sqlite"), given.html_runs, given.words).result()
        made = time.perf_counter() - started
        print(f"{given.runs:,} runs, {large.stat().st_size / 1e9:.2f} GB; made in {made:.0f} s\n")
        print(f"| {'command':34} | wall s |  CPU s | peak MB |")
        print(f"| {'-' * 34} | -----: | -----: | ------: |", flush=True)
        for name, arguments in (*COMMANDS.items(), *PUBLISHED.items()):
            measure(name, arguments, folder)
        measure(f"results export -f html, {given.html_runs:,} runs", HTML, folder)


if __name__ == "__main__":
    main()
