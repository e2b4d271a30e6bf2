"""What is nearly the same within a case and between cases: paragraphs, and errors.

Paragraphs are found by the runs of words they share (shingles; Broder 1997), and compared by containment: the share of
the shorter one's runs that the other has too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata_bench.cases.check.limits import Limits
from errata_bench.cases.check.report import Finding
from errata_bench.cases.classify import changed_tokens
from errata_bench.cases.load import LoadedCase
from errata_bench.text import without_tags

_WORD = re.compile(r"\w+(?:'\w+)*")


@dataclass(frozen=True, slots=True)
class _Block:
    loaded: LoadedCase
    number: int
    shingles: frozenset[tuple[str, ...]]


def duplicate_findings(cases: Sequence[LoadedCase], limits: Limits) -> Iterator[Finding]:
    """Each pair of paragraphs of the clean texts that are alike, told of the later one."""
    blocks = [block for loaded in cases for block in _blocks(loaded, limits)]
    holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, block in enumerate(blocks):
        shared: Counter[int] = Counter()
        for shingle in block.shingles:
            shared.update(holders[shingle])
            holders[shingle].append(n)
        for earlier, count in sorted(shared.items()):
            other = blocks[earlier]
            share = count / min(len(block.shingles), len(other.shingles))
            if share >= limits.alike_share:
                of = "" if other.loaded is block.loaded else f" of case {other.loaded.case.id}"
                message = (
                    f"paragraph {block.number} is much like paragraph {other.number}{of} ({share:.0%} is the same)"
                )
                yield Finding("alike", message, str(block.loaded.file), block.loaded.case.id)


def equal_error_notes(cases: Sequence[LoadedCase], limits: Limits) -> Iterator[Finding]:
    """Errors that are planted again and again: worth knowing, since a set of the same few errors measures little."""
    places: defaultdict[tuple[str, str], list[tuple[LoadedCase, str]]] = defaultdict(list)
    for loaded in cases:
        for issue in loaded.case.scored_issues:
            wrong, right = changed_tokens(issue.find.casefold().split(), issue.replace.casefold().split())
            if wrong and right:
                places[" ".join(wrong), " ".join(right)].append((loaded, issue.id))
    for (before, after), found in places.items():
        if len(found) > limits.most_equal_errors:
            where = ", ".join(f"{loaded.case.id} {issue_id}" for loaded, issue_id in found)
            message = f"{before!r} for {after!r} is planted {len(found)} times: {where}"
            yield Finding("equal_errors", message, str(found[0][0].file))


def _blocks(loaded: LoadedCase, limits: Limits) -> Iterator[_Block]:
    size = limits.shingle_words
    for number, paragraph in enumerate(loaded.case.expected, 1):
        words = _WORD.findall(without_tags(paragraph.inner_html).casefold())
        if len(words) >= max(limits.alike_words, size):
            runs = frozenset(tuple(words[n : n + size]) for n in range(len(words) - size + 1))
            yield _Block(loaded, number, runs)
