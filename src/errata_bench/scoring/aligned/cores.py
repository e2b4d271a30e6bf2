"""Where each error is, in tokens, and what would be right there; found once for a case, by offset."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from unicodedata import combining

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Paragraph
from errata_bench.errors import DatasetError, DatasetFault
from errata_bench.scoring.aligned.plain_text import ALL_FOLDS, Fold, Folds, fold, plain_text, snap, usable_folds
from errata_bench.scoring.aligned.tokens import is_space, tokenise

Tokens = tuple[str, ...]

_CONTEXT = 3
"""Tokens on either side that decide whether a text keeps its token boundaries ("don" + "'" + "t" is one word)."""


@dataclass(frozen=True, slots=True)
class Core:
    """What an issue really changes: tokens ``start`` to ``end`` of the corrupted paragraph, perhaps none.

    ``branches`` are the texts that are right there: first the canonical correction, then accepted ones.
    ``span_start`` to ``span_end`` are the tokens of the issue's ``find``. ``scored`` is false for a disqualified issue.
    """

    issue_id: str
    start: int
    end: int
    branches: tuple[Tokens, ...]
    span_start: int
    span_end: int
    scored: bool


@dataclass(frozen=True, slots=True, eq=False)
class PreparedParagraph:
    """A corrupted paragraph in tokens with its cores in order, and the tokens it should become.

    Equal to itself alone, so that results can be kept by it without comparing texts.
    """

    id: str
    inner_html: str
    words: int
    folds: Folds
    tokens: Tokens
    cores: tuple[Core, ...]
    clean: Tokens

    def read(self, inner_html: str) -> Tokens:
        """The tokens of another version of this paragraph, folded alike."""
        return _tokens(_text(inner_html, self.folds), self.folds)


@dataclass(frozen=True, slots=True)
class _Replacement:
    start: int
    end: int
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class _Fault:
    issue_id: str | None
    problem: str


@lru_cache(maxsize=128)
def prepare_case(case: Case) -> tuple[PreparedParagraph, ...]:
    """Locate the cores of all issues of a case, disqualified ones included.

    Raises `DatasetError` with all faults when a case cannot be aligned: an issue that changes nothing but markup,
    cores that overlap, or corrections that do not lead to the expected document.
    """
    issues: dict[str, list[Issue]] = defaultdict(list)
    for issue in case.issues:
        issues[issue.paragraph_id].append(issue)
    faults: list[_Fault] = []
    prepared = []
    for paragraph in case.document:
        expected = case.expected.get(paragraph.id)
        prepared.append(_prepare(paragraph, expected or paragraph, issues[paragraph.id], faults))
    if faults:
        name = case.source_name or "the case"
        raise DatasetError(
            [DatasetFault(name, f"aligned verdicts: {fault.problem}", case.id, fault.issue_id) for fault in faults]
        )
    return tuple(prepared)


def _prepare(
    paragraph: Paragraph, expected: Paragraph, issues: Sequence[Issue], faults: list[_Fault]
) -> PreparedParagraph:
    known = len(faults)
    for issue in issues:
        if plain_text(issue.find) == plain_text(issue.replace):
            faults.append(_Fault(issue.id, "only markup differs, and verdicts are on the text"))
    pairs = [(plain_text(issue.find), plain_text(issue.replace)) for issue in issues]
    folds = usable_folds(pairs) if issues else ALL_FOLDS
    source = _Source.of(paragraph.inner_html, folds)
    tokens = source.tokens
    cores = sorted((_core(source, issue) for issue in issues), key=lambda core: (core.start, core.end))
    for one, other in pairwise(cores):
        if other.start < one.end or (one.start, one.end) == (other.start, other.end):
            faults.append(_Fault(other.issue_id, f"it changes the same words as issue {one.issue_id}"))
    clean = corrected(tokens, cores)
    wanted = _tokens(_text(expected.inner_html, folds), folds)
    if len(faults) == known and clean != wanted:
        problem = f"the corrections of paragraph {paragraph.id} do not lead to the expected text"
        faults.append(_Fault(cores[0].issue_id if len(cores) == 1 else None, problem))
    elif len(faults) == known and _told_twice(tokens, cores):
        problem = f"corrections of paragraph {paragraph.id} cancel out: with and without them the text is the same"
        faults.append(_Fault(None, problem))
    return PreparedParagraph(paragraph.id, paragraph.inner_html, paragraph.words, folds, tokens, tuple(cores), clean)


def corrected(tokens: Tokens, cores: Sequence[Core]) -> Tokens:
    """The tokens with the canonical correction at every core; cores are in order and do not overlap."""
    clean: list[str] = []
    at = 0
    for core in cores:
        clean += tokens[at : core.start]
        clean += core.branches[0]
        at = core.end
    return (*clean, *tokens[at:])


def _told_twice(tokens: Tokens, cores: Sequence[Core]) -> bool:
    """Whether the corrupted text is also what some of the corrections make of it.

    So it is when one issue takes a word out and another puts the same word back beside it. Nobody could tell then
    whether either is fixed.
    """
    ways = {(0, False)}  # how far in the text a way through the lattice has come, and whether it corrects anything
    at = 0
    for core in cores:
        ways = _follow(ways, tokens[at : core.start], tokens, corrects=False)
        wrong = _follow(ways, tokens[core.start : core.end], tokens, corrects=False)
        ways = wrong.union(*(_follow(ways, branch, tokens, corrects=True) for branch in core.branches))
        at = core.end
    return (len(tokens), True) in _follow(ways, tokens[at:], tokens, corrects=False)


def _follow(ways: set[tuple[int, bool]], piece: Tokens, tokens: Tokens, *, corrects: bool) -> set[tuple[int, bool]]:
    length = len(piece)
    return {
        (place + length, corrected_before or corrects)
        for place, corrected_before in ways
        if tokens[place : place + length] == piece
    }


def _tokens(text: str, folds: Folds) -> Tokens:
    return tuple(tokenise(fold(text, folds)))


def _text(inner_html: str, folds: Folds) -> str:
    """The plain text; white space at its ends goes with the runs of it."""
    text = plain_text(inner_html)
    return text.strip() if Fold.SPACE_RUNS in folds else text


@dataclass(frozen=True, slots=True)
class _Source:
    """A corrupted paragraph on its way from HTML to tokens; ``starts`` are where the tokens begin in ``folded``."""

    inner_html: str
    folds: Folds
    text: str
    margin: int
    """White space that was taken off at the beginning."""
    tokens: Tokens
    folded: str
    starts: Sequence[int]

    @classmethod
    def of(cls, inner_html: str, folds: Folds) -> _Source:
        text = _text(inner_html, folds)
        tokens = _tokens(text, folds)
        starts = [0, *accumulate(len(token) for token in tokens)]
        return cls(inner_html, folds, text, plain_text(inner_html).index(text), tokens, "".join(tokens), starts)

    def folded_offset(self, offset: int) -> int:
        """Where in ``folded`` stands what stands in ``text`` at that offset."""
        return offset if self.folded == self.text else len(fold(self.text[:offset], self.folds))


def _core(source: _Source, issue: Issue) -> Core:
    inner_html, folds, text, tokens = source.inner_html, source.folds, source.text, source.tokens
    folded, starts = source.folded, source.starts
    start, end = snap(inner_html, issue.start, issue.end)
    begin, finish = (
        min(max(0, len(plain_text(inner_html[:place])) - source.margin), len(text)) for place in (start, end)
    )
    widened_begin, widened_finish = begin, finish
    # A combining mark belongs to the letter before it.
    while 0 < widened_begin < len(text) and combining(text[widened_begin]):
        widened_begin -= 1
    while widened_finish < len(text) and combining(text[widened_finish]):
        widened_finish += 1
    folded_begin, folded_end = source.folded_offset(widened_begin), source.folded_offset(widened_finish)
    first = max(0, bisect_right(starts, folded_begin) - 1)
    last = max(first, bisect_left(starts, folded_end))
    before, after = folded[starts[first] : folded_begin], folded[folded_end : starts[last]]
    head, tail = inner_html[start : issue.start], inner_html[issue.end : end]
    replacements = []
    for correction in dict.fromkeys((issue.replace, *issue.accepted)):
        put = plain_text(head + correction + tail)
        right = text[widened_begin:begin] + put + text[finish:widened_finish]
        replacements.append(_settle(tokens, first, last, before + fold(right, folds) + after, folds))
    return _trimmed(tokens, replacements, issue, first, last)


def _settle(tokens: Tokens, start: int, end: int, text: str, folds: Folds) -> _Replacement:
    """Widen a replacement until its text has the same tokens alone as between its neighbours."""
    while True:
        left, right = tokens[max(0, start - _CONTEXT) : start], tokens[end : end + _CONTEXT]
        inner = _tokens(text, folds)
        if _tokens("".join(left) + text + "".join(right), folds) == left + inner + right:
            return _at_the_edge(tokens, _Replacement(start, end, inner), folds)
        leftwards = bool(left) and _tokens("".join(left) + text, folds) != left + inner
        rightwards = bool(right) and _tokens(text + "".join(right), folds) != inner + right
        if leftwards or (left and not rightwards):
            start -= 1
            text = tokens[start] + text
        else:
            text += tokens[end]
            end += 1


def _at_the_edge(tokens: Tokens, found: _Replacement, folds: Folds) -> _Replacement:
    """Take the white space that a deletion at an end of the paragraph would leave there into the deletion."""
    if Fold.SPACE_RUNS not in folds or "".join(found.tokens).strip():
        return found
    if found.start == 0 and found.end < len(tokens) and is_space(tokens[found.end]):
        return _Replacement(0, found.end + 1, ())
    if found.end == len(tokens) and found.start > 0 and is_space(tokens[found.start - 1]):
        return _Replacement(found.start - 1, found.end, ())
    return found


def _trimmed(tokens: Tokens, replacements: Sequence[_Replacement], issue: Issue, first: int, last: int) -> Core:
    """One core for all corrections of an issue: their common range without what all versions share at its ends."""
    start = min(replacement.start for replacement in replacements)
    end = max(replacement.end for replacement in replacements)
    wrong = tokens[start:end]
    right = [tokens[start : one.start] + one.tokens + tokens[one.end : end] for one in replacements]
    # An accepted text that is the wrong one again, after folding, can tell nothing.
    branches = list(dict.fromkeys((right[0], *(branch for branch in right[1:] if branch != wrong))))
    versions = [wrong, *branches]
    shortest = min(map(len, versions))
    head = next((n for n in range(shortest) if len({version[n] for version in versions}) > 1), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if len({version[-1 - n] for version in versions}) > 1), rest)
    return Core(
        issue_id=issue.id,
        start=start + head,
        end=end - tail,
        branches=tuple(branch[head : len(branch) - tail] for branch in branches),
        span_start=first,
        span_end=last,
        scored=not issue.disqualified,
    )
