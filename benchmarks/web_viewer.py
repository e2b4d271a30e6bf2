"""How fast the web viewer is with a large group, and how big its static site.

    python -m benchmarks.web_viewer [--runs 1700] [--variants 60]
    python -m benchmarks.web_viewer make big.sqlite [--runs 1700] [--variants 60]
    python -m benchmarks.web_viewer time big.sqlite site/

The group is made of the bundled cases and of invented models that fix some errors, spoil some, and edit elsewhere, in
words as models do; everything is drawn from one seed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from benchmarks.measure import show
from errata_bench.bundled import bundled_dataset
from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, Usage
from errata_bench.document import Document
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.proofreading.prompts import PROMPT_VERSION
from errata_bench.runs.scoring import score_stored_run
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.records import RunKey, RunSettings
from errata_bench.variants import EFFORTS, Variant

SETTINGS = RunSettings("openrouter.ai/api/v1", 2000, 3, PROMPT_VERSION, "", 8192)
PROVIDERS = ("aurora", "borealis", "cascade", "delta-labs", "ember")
SYNONYMS = {
    "big": "large",
    "however": "but",
    "which": "that",
    "begin": "start",
    "show": "demonstrate",
    "use": "utilise",
}


def make(path: Path, runs: int, variants: int) -> None:
    draw = random.Random(20260101)
    cases = load_cases([str(bundled_dataset())])
    models = [Variant(f"{PROVIDERS[n // 3 % 5]}/model-{n // 3}", EFFORTS[1 + n % 3]) for n in range(variants)]
    skills = {model: (draw.uniform(0.25, 0.95), draw.uniform(0.2, 6), draw.uniform(0.001, 0.2)) for model in models}
    work = [(sample, case, model) for sample in range(1, 99) for case in cases for model in models][:runs]
    with write_group(path) as group:
        for n, (sample, case, model) in enumerate(work):
            add_run(group, case, model, sample, skills[model], draw, at=1_760_000_000 + 60.0 * n)


def add_run(
    group: Group,
    case: Case,
    model: Variant,
    sample: int,
    skill: tuple[float, float, float],
    draw: random.Random,
    at: float,
) -> None:
    quality, restless, price = skill
    chunks = split_into_chunks(case.document, SETTINGS.max_words)
    group.add_case(case)
    key = RunKey(SETTINGS, model, case.fingerprint)
    run_id = group.begin_run(key, sample, len(chunks), at, "1.0")
    for index, chunk in enumerate(chunks):
        if draw.random() < 0.03:
            fault = Attempt(at, 3.0, "rate_limited", 429, Usage(), None, "Too many requests.")
            group.add_attempt(run_id, index, "candidate", fault)
        if draw.random() < 0.004:
            gone = EndpointFault("server_error", "The server gave up.", reach=Reach.RUN, status=502)
            group.fail_run(run_id, index, gone, at + 5)
            return
        result = worked(case, chunk, quality, restless, price, draw)
        for turn in result.turns:
            group.add_attempt(
                run_id, index, "candidate", Attempt(at, turn.duration_seconds, "ok", 200, turn.usage, turn.cost_usd)
            )
        group.add_chunk(run_id, index, chunk, result, at + 20)
    score, figures = score_stored_run(group, run_id, case, chunks)
    group.finish_run(run_id, score, figures, at + 30)


def worked(
    case: Case, chunk: Document, quality: float, restless: float, price: float, draw: random.Random
) -> ChunkResult:
    document = chunk
    calls = []

    def edit(paragraph_id: str, find: str, replace: str) -> None:
        nonlocal document
        paragraph = document.get(paragraph_id)
        assert paragraph is not None
        count = paragraph.inner_html.count(find)
        document = document.with_inner_html(paragraph_id, paragraph.inner_html.replace(find, replace))
        given = {"paragraphId": paragraph_id, "find": find, "replace": replace}
        message = f"Replaced {count} times." if count else "The text was not found in that paragraph."
        calls.append(CallRecord("find_and_replace", given, "{…}", count > 0, message, count))

    for issue in case.issues:
        if issue.paragraph_id in chunk:
            luck = draw.random()
            if luck < quality:
                edit(issue.paragraph_id, issue.find, issue.replace)
            elif luck < quality + 0.07:
                edit(issue.paragraph_id, issue.find, f"{issue.find.split()[0]} indeed")
    for paragraph in chunk:
        if draw.random() < restless / 20:
            there = [word for word in SYNONYMS if f" {word} " in paragraph.inner_html]
            words = [word for word in paragraph.inner_html.split() if word.isalpha() and len(word) > 6]
            if there:
                edit(paragraph.id, f" {there[0]} ", f" {SYNONYMS[there[0]]} ")
            elif words:
                edit(paragraph.id, draw.choice(words), "certainly")
    end = CallRecord("proofreading_complete", {}, "{}", True, "This part is complete.", 0)
    tokens = 800 + 90 * len(calls)
    usage = Usage(4200, tokens, tokens // 2, 1000)
    seconds = draw.uniform(4, 60)
    said = {"role": "assistant", "content": "I have read this part and corrected what I found."}
    turns = (
        Turn(said, tuple(calls), usage, price, seconds, "tool_calls"),
        Turn({"role": "assistant", "content": None}, (end,), usage, price / 3, seconds / 5, "tool_calls"),
    )
    return ChunkResult(document.paragraphs, turns, completed=True)


def timed(path: Path, folder: Path) -> None:
    from errata_bench.views.web.data import Facts
    from errata_bench.views.web.export import export_site
    from errata_bench.views.web.site import Site

    with read_group(path) as group:
        facts = Facts(group)
        site = Site(group.id)
        pages: tuple[str, ...] = (
            "index.html",
            "efficiency.html",
            "categories.html",
            "cases.html",
            "issues.html",
            "runs.html",
        )
        pages += ("compare.html", "method.html", "case/1.html", "issue/1.html", f"run/{facts.records[0].id}.html")
        lines = []
        for path_of_page in pages:
            took = []
            for _ in range(2):
                began = time.perf_counter()
                size = len(site.get(facts, path_of_page).body)
                took.append(time.perf_counter() - began)
            lines.append(
                (path_of_page, f"{1000 * took[0]:.0f} ms", f"{1000 * took[1]:.0f} ms", f"{size / 1000:.0f} kB")
            )
        show(f"Web viewer: {len(facts.records):,} runs", ("page", "first time", "again", "size"), lines)
        began = time.perf_counter()
        done = export_site(group, folder)
        print(f"\nStatic site: {done.files} files, {done.size / 1e6:.0f} MB, {time.perf_counter() - began:.0f} s.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=("make", "time"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=1700)
    parser.add_argument("--variants", type=int, default=60)
    given = parser.parse_args()
    wanted = {None: 0, "make": 1, "time": 2}[given.command]
    if len(given.paths) != wanted:
        parser.error(f"{given.command or 'all'} takes {wanted} paths")
    if given.command == "make":
        make(given.paths[0], given.runs, given.variants)
    elif given.command == "time":
        timed(*given.paths)
    else:
        with tempfile.TemporaryDirectory() as folder:
            group = Path(folder, "big.sqlite")
            make(group, given.runs, given.variants)
            timed(group, Path(folder, "site"))


if __name__ == "__main__":
    main()
