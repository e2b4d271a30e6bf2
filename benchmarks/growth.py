"""How time grows with input that is far too large: each time the input is doubled, it may take 2.3 times as long.

    python -m benchmarks.growth

Documents of 200,000 words, a paragraph of 50,000 characters, 2,000 issues in a case, 5,000 tool calls in a reply: each
at an eighth, a quarter, half and the whole of it. Seconds of CPU, the least of three. The texts have errors in the same
proportion at each size, so that a longer one has more of them, too.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle, islice, pairwise
from pathlib import Path

from benchmarks.invented import case
from benchmarks.measure import MET, MISSED, once, show
from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case
from errata_bench.chat import ToolCall, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.endpoint.faults import Surroundings
from errata_bench.endpoint.replies import Expected, read_reply
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.proofreading.tools import TOOLS, execute
from errata_bench.scoring.aligned.cores import prepare_case
from errata_bench.scoring.run_score import score_run
from errata_bench.scoring.tool_use import EditCall, measure_tool_use
from errata_bench.store.group import write_group
from errata_bench.store.records import RunKey, RunSettings
from errata_bench.variants import Variant

_STEPS = (8, 4, 2, 1)
_MOST = 2.3

Work = Callable[[], object]


def stray(document: Document, every: int) -> Document:
    """A document in which each so-manieth word is another."""
    changed = []
    for paragraph in document:
        text = paragraph.inner_html.split(" ")
        text[every // 2 :: every] = ["otherwise"] * len(text[every // 2 :: every])
        changed.append(Paragraph(paragraph.id, " ".join(text)))
    return Document(tuple(changed))


def scored(made: Case, final: Document) -> Work:
    def work() -> None:
        prepare_case.cache_clear()
        score_run(made, final, calls_of(made))

    return work


def calls_of(made: Case) -> list[EditCall]:
    return [
        EditCall("find_and_replace", {"paragraphId": i.paragraph_id, "find": i.find, "replace": i.replace}, "{}", True)
        for i in made.issues
    ]


def loaded(made: Case, folder: Path) -> Work:
    """Loading a case from its files."""
    folder.mkdir(parents=True)
    source = "".join(f"<p>{paragraph.inner_html}</p>\n" for paragraph in made.document)
    (folder / "source.html").write_text(source)
    issues = [
        {
            "id": issue.id,
            "category": "spelling",
            "description": "",
            "expectedCorrection": {"find": issue.find, "replace": issue.replace},
        }
        for issue in made.issues
    ]
    content = {"id": made.id, "instruction": "Correct it.", "sourcePath": "source.html", "issues": issues}
    (folder / "case.json").write_text(json.dumps(content))
    return lambda: load_cases([str(folder / "case.json")])


def replied(calls: int) -> Work:
    """Reading a reply."""
    found = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {
                "name": "find_and_replace",
                "arguments": json.dumps({"paragraphId": "p00000", "find": f"wrod{n}", "replace": f"word{n}"}),
            },
        }
        for n in range(calls)
    ]
    body = json.dumps(
        {
            "choices": [
                {"message": {"role": "assistant", "content": None, "tool_calls": found}, "finish_reason": "tool_calls"}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        }
    ).encode()
    around = Surroundings(url="http://127.0.0.1", has_key=True, now=0.0, redact=lambda text: text)
    expected = Expected(frozenset(tool.name for tool in TOOLS), frozenset(), 8192, around)
    return lambda: read_reply(200, {"content-type": "application/json"}, body, expected)


def edited(made: Case, calls: int, *, found: bool) -> Work:
    """Carrying out calls on a chunk of one case, each at an error, or each with a text that is not there."""

    def work() -> None:
        document = made.document
        for n in range(calls):
            issue = made.issues[n % len(made.issues)]
            find = (issue.find, issue.replace)[(n // len(made.issues)) % 2] if found else f"{issue.find} not there"
            put = issue.replace if find == issue.find else issue.find
            given = {"paragraphId": issue.paragraph_id, "find": find, "replace": put}
            document = execute(ToolCall(f"c{n}", "find_and_replace", given, ""), document).document

    return work


def stored(made: Case, calls: int, folder: Path) -> Work:
    """Storing a chunk of one turn with so many calls, and reading it back."""
    records = tuple(
        CallRecord(call.name, dict(call.arguments), call.raw_arguments, True, "Done.", 1)
        for call in _cycled(made, calls)
    )
    turn = Turn({"role": "assistant", "content": None}, records, Usage(1, 1, 0, 0), 0.0, 1.0, "tool_calls")
    result = ChunkResult(made.expected.paragraphs, (turn,), True)

    def work() -> None:
        path = folder / f"stored-{calls}-{next(_NUMBERS)}.sqlite"
        with write_group(path) as group:
            group.add_case(made)
            settings = RunSettings("benchmark", 2000, 3, "prompt-1", "", 8192)
            run_id = group.begin_run(RunKey(settings, Variant("m", None), made.fingerprint), 1, 1, 0.0, "1")
            group.add_chunk(run_id, 0, made.document, result, 0.0)
            group.chunk_results(run_id, [made.document])

    return work


def _cycled(made: Case, calls: int) -> list[EditCall]:
    return list(islice(cycle(calls_of(made)), calls))


def _ids(made: Case) -> frozenset[str]:
    return frozenset(issue.id for issue in made.issues)


_NUMBERS = count()


def rows(folder: Path) -> Iterator[tuple[str, list[tuple[str, Work]]]]:
    """What is measured: a name, and the work at each size."""
    sizes = [200_000 // step for step in _STEPS]
    long = [case(size, size // 100, name=f"long-{size}") for size in sizes]
    yield (
        "load a document of … words",
        [(f"{size:,}", loaded(made, folder / f"long-{size}")) for size, made in zip(sizes, long, strict=True)],
    )
    yield (
        "chunk it",
        [(f"{s:,}", partial(split_into_chunks, made.document, 2000)) for s, made in zip(sizes, long, strict=True)],
    )
    yield (
        "score it, five stray edits in 1,000 words",
        [(f"{s:,}", scored(made, stray(made.expected, 200))) for s, made in zip(sizes, long, strict=True)],
    )
    sizes = [50_000 // step for step in _STEPS]
    wide = [case(s // 6, s // 1000, name=f"wide-{s}", paragraph_words=s) for s in sizes]
    yield (
        "score a paragraph of … characters, stray edits",
        [
            (f"{len(made.document.paragraphs[0].inner_html):,}", scored(made, stray(made.expected, 200)))
            for made in wide
        ],
    )
    yield (
        "score it rewritten",
        [(f"{len(made.document.paragraphs[0].inner_html):,}", scored(made, stray(made.document, 1))) for made in wide],
    )
    yield (
        "1,000 edits of it",
        [(f"{len(made.document.paragraphs[0].inner_html):,}", edited(made, 1000, found=True)) for made in wide],
    )
    yield (
        "1,000 edits that do not match",
        [(f"{len(made.document.paragraphs[0].inner_html):,}", edited(made, 1000, found=False)) for made in wide],
    )
    sizes = [2000 // step for step in _STEPS]
    dense = [case(40_000, s, name=f"dense-{s}") for s in sizes]
    yield (
        "load a case of … issues",
        [(f"{s:,}", loaded(made, folder / f"dense-{s}")) for s, made in zip(sizes, dense, strict=True)],
    )
    yield (
        "score it, all mended",
        [(f"{s:,}", scored(made, made.expected)) for s, made in zip(sizes, dense, strict=True)],
    )
    yield (
        "score it, none mended",
        [(f"{s:,}", scored(made, made.document)) for s, made in zip(sizes, dense, strict=True)],
    )
    sizes = [5000 // step for step in _STEPS]
    yield "read a reply of … tool calls", [(f"{s:,}", replied(s)) for s in sizes]
    chunk = case(2000, 100, name="chunk")
    yield "carry them out", [(f"{s:,}", edited(chunk, s, found=True)) for s in sizes]
    yield "store them and read them back", [(f"{s:,}", stored(chunk, s, folder)) for s in sizes]
    yield (
        "sort them into wanted and unneeded work",
        [(f"{s:,}", partial(measure_tool_use, chunk, _cycled(chunk, s), _ids(chunk))) for s in sizes],
    )


def main() -> None:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, works in rows(Path(folder)):
            times = [min(once(work, time.process_time) for _ in range(3)) for _, work in works]
            ratios = [after / max(before, 1e-4) for before, after in pairwise(times)]
            shown = [f"{size}: {1000 * taken:.1f} ms" for (size, _), taken in zip(works, times, strict=True)]
            mark = MET if (times[-1] / max(times[0], 1e-4)) ** (1 / 3) <= _MOST else MISSED
            lines.append((name, *shown, " ".join(f"{ratio:.1f}" for ratio in ratios), mark))
    show(
        "Growth: each step doubles the input",
        ("what", "1/8", "1/4", "1/2", "whole", "× each", f"≤ {_MOST} on the mean"),
        lines,
    )


if __name__ == "__main__":
    main()
