"""Texts and cases that are invented, the same each time: plain words, with errors that a simple server can find.

A planted error is ``wrod00017`` for ``word00017``, so that the server in `benchmarks.endpoint` can mend it without
knowing the case.
"""

from __future__ import annotations

import random

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph

_SYLLABLES = ("ba", "co", "den", "fi", "gor", "lin", "mu", "nal", "pe", "ro", "sti", "tar", "ve", "wil")
PARAGRAPH_WORDS = 80


def words(count: int, rng: random.Random) -> list[str]:
    """So many invented words of one to four syllables, a full stop now and then."""
    made = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(count)]
    for n in range(11, count, 12):
        made[n] += "."
    return made


def case(word_count: int, issue_count: int, *, name: str = "invented", paragraph_words: int = PARAGRAPH_WORDS) -> Case:
    """A case of so many words with so many errors, spread evenly over it."""
    rng = random.Random(f"{name} {word_count}")
    right = words(word_count, rng)
    every = max(1, word_count // max(1, issue_count))
    planted = {every * n + every // 2: f"word{n:05}" for n in range(issue_count)}
    for at, word in planted.items():
        right[at] = word
    before: list[Paragraph] = []
    after: list[Paragraph] = []
    issues: list[Issue] = []
    for number, start in enumerate(range(0, word_count, paragraph_words)):
        paragraph_id = f"p{number:05}"
        text = right[start : start + paragraph_words]
        wrong = [word.replace("word", "wrod") if start + n in planted else word for n, word in enumerate(text)]
        inner_html = " ".join(wrong)
        for n, word in enumerate(text):
            if start + n in planted:
                find = word.replace("word", "wrod")
                place = len(" ".join(wrong[:n])) + (n > 0)
                issues.append(Issue(f"issue-{len(issues):04}", "spelling", paragraph_id, find, word, place))
        before.append(Paragraph(paragraph_id, inner_html))
        after.append(Paragraph(paragraph_id, " ".join(text)))
    return Case(name, "Correct it.", Document(tuple(before)), Document(tuple(after)), tuple(issues))
