"""How long it takes to score a run: the aligned verdicts and restraint of documents of several sizes.

Run by hand: ``python benchmarks/scoring.py``. Prints milliseconds (best of five) for a document that was left as it
was, mended, mended with stray edits, and rewritten word by word; for one in which a single paragraph holds
everything; and for documents of growing size.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.aligned.cores import prepare_case
from errata_bench.scoring.aligned.run import align_document
from errata_bench.scoring.restraint import measure_restraint

_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "han", "ker", "lin", "mo", "nes", "por", "qua", "rit", "sol", "tam", "vu")
_PLANTED = 15
_WORDS_A_PARAGRAPH = 100


def make_case(words: int, issues: int, words_a_paragraph: int = _WORDS_A_PARAGRAPH) -> Case:
    rng = random.Random(7)
    vocabulary = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(1_500)]
    paragraphs = []
    for number in range(words // words_a_paragraph):
        text = [rng.choice(vocabulary) for _ in range(words_a_paragraph)]
        for place in range(9, words_a_paragraph, 12):
            text[place] += rng.choice(".,;")
        paragraphs.append((f"p{number}", text))
    planted = []
    places = [(n % len(paragraphs), 20 + 12 * (n // len(paragraphs))) for n in range(issues)]
    expected = [Paragraph(name, " ".join(text)) for name, text in paragraphs]
    for number, (which, place) in enumerate(places):
        name, text = paragraphs[which]
        right = " ".join(text[place - 2 : place + 3])
        text[place] = f"{text[place][:-1]}xq"
        planted.append((str(number), name, " ".join(text[place - 2 : place + 3]), right))
    corrupted = {name: " ".join(text) for name, text in paragraphs}
    found = [
        Issue(number, "spelling", name, wrong, right, corrupted[name].index(wrong))
        for number, name, wrong, right in planted
    ]
    document = Document(tuple(Paragraph(name, text) for name, text in corrupted.items()))
    return Case("synthetic", "", document, Document(tuple(expected)), tuple(found))


def with_stray_edits(document: Document, per_thousand_words: float) -> Document:
    rng = random.Random(11)
    return _each_word(document, lambda word: "stray" if rng.random() < per_thousand_words / 1_000 else word)


def rewritten(document: Document) -> Document:
    rng = random.Random(13)
    return _each_word(document, lambda _: "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))))


def _each_word(document: Document, change: Callable[[str], str]) -> Document:
    return Document(tuple(Paragraph(p.id, " ".join(change(word) for word in p.inner_html.split())) for p in document))


def milliseconds(case: Case, final: Document, *, cold: bool = False) -> float:
    best = float("inf")
    for _ in range(5):
        if cold:
            prepare_case.cache_clear()
        begin = time.perf_counter()
        measure_restraint(case, align_document(case, final))
        best = min(best, time.perf_counter() - begin)
    return best * 1_000


def report(name: str, case: Case) -> None:
    print(f"{name}: {case.document.words} words, {len(case.issues)} issues")
    for label, final in (
        ("untouched", case.document),
        ("mended", case.expected),
        ("mended, 5 stray edits in 1,000 words", with_stray_edits(case.expected, 5)),
        ("rewritten", rewritten(case.document)),
    ):
        cold, warm = milliseconds(case, final, cold=True), milliseconds(case, final)
        print(f"  {label:<38}{cold:9.1f} ms first run of its case {warm:9.1f} ms further ones")


def main() -> None:
    report("typical", make_case(3_000, _PLANTED))
    report("one paragraph", make_case(3_000, _PLANTED, 3_000))
    for words in (3_000, 6_000, 12_000, 24_000):
        report("growing", make_case(words, _PLANTED * words // 3_000))
    print("stray edits in 6,000 words: the cost follows the changed part")
    case = make_case(6_000, 30)
    for rate in (0, 1, 2, 5, 10, 20, 50):
        print(f"  {rate:>3} in 1,000 words {milliseconds(case, with_stray_edits(case.expected, rate)):9.1f} ms")


if __name__ == "__main__":
    main()
