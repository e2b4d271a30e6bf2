"""How long a run takes to score, and how that grows.

    python -m benchmarks.scoring

Whole verdicts: rule v1, alignment, restraint and the sorting of tool calls. Every repeat has other stray edits, so that
nothing is scored that was scored before; the case is prepared once, as for a campaign, and prepared anew for "first".
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.invented import case
from benchmarks.measure import Row, Spread, once, show, show_targets
from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.aligned.cores import prepare_case
from errata_bench.scoring.run_score import score_run
from errata_bench.scoring.tool_use import EditCall

_WORDS, _ISSUES, _TIMES = 3000, 15, 15
_SYLLABLES = ("ka", "lo", "min", "tu", "ver", "sho", "pli", "an", "dre", "qui")

Leave = Callable[[random.Random], Document]


def with_stray_edits(document: Document, per_thousand_words: float) -> Leave:
    return lambda rng: _each_word(document, lambda word: "stray" if rng.random() < per_thousand_words / 1000 else word)


def rewritten(document: Document) -> Leave:
    """Every word of every paragraph is another."""
    return lambda rng: _each_word(document, lambda _: "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))))


def _each_word(document: Document, change: Callable[[str], str]) -> Document:
    return Document(
        tuple(Paragraph(p.id, " ".join(change(word) for word in p.inner_html.split(" "))) for p in document)
    )


def measure(made: Case, leave: Leave, *, first: bool = False) -> Spread:
    """Seconds to score a run that left the document so."""
    calls = [
        EditCall("find_and_replace", {"paragraphId": i.paragraph_id, "find": i.find, "replace": i.replace}, "{}", True)
        for i in made.issues
    ]
    taken = []
    for number in range(_TIMES + 1):
        final = leave(random.Random(number))
        if first:
            prepare_case.cache_clear()
        taken.append(once(lambda: score_run(made, final, calls)))  # noqa: B023
    return Spread(tuple(taken[1:]))


def main() -> None:
    made = case(_WORDS, _ISSUES)
    usual = with_stray_edits(made.expected, 5)
    stray, whole = measure(made, usual), measure(made, rewritten(made.document))
    first = measure(made, usual, first=True)
    untouched = measure(made, lambda _: made.document)
    show_targets(
        f"Scoring a case of {_WORDS:,} words with {_ISSUES} errors",
        [
            Row(
                "mended, five stray edits in 1,000 words", stray.shown("ms", 1000), stray.median, 0.05, "at most 50 ms"
            ),
            Row("the same, first run of its case", first.shown("ms", 1000), first.median, 0.05, "at most 50 ms"),
            Row(
                "every paragraph rewritten",
                f"{whole.shown('ms', 1000)}, {whole.median / stray.median:.1f} × the usual",
                whole.median,
                0.25,
                "at most 5 × 50 ms",
            ),
            Row("untouched", untouched.shown("ms", 1000)),
        ],
    )
    large = case(6000, 30)
    lines = []
    for rate in (0, 1, 2, 5, 10, 20, 50):
        lines.append((f"{rate}", measure(large, with_stray_edits(large.expected, rate)).shown("ms", 1000)))
    show("The cost follows what was changed: 6,000 words, 30 errors", ("stray edits in 1,000 words", "measured"), lines)


if __name__ == "__main__":
    main()
