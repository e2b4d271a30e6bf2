from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.scoring.aligned.cores import Core
from errata_bench.scoring.aligned.lattice import align
from errata_bench.scoring.aligned.steps import CORRUPTED, Operation, Step
from errata_bench.scoring.aligned.tokens import TokenKind, kind_of

WEIGHTS = {TokenKind.WORD: 1.0, TokenKind.PUNCTUATION: 0.6, TokenKind.SPACE: 0.25}
TOKENS = st.lists(st.sampled_from(["a", "an", "than", "then", "Then", " ", ",", "."]), max_size=6).map(tuple)


def substitution(one: str, other: str) -> float:
    """The cost of taking one token for another, worked out from its definition."""
    if one == other:
        return 0.0
    if kind_of(one) is not kind_of(other):
        return float("inf")
    share = 0.15 if one.casefold() == other.casefold() else 0.35 + 0.65 * indel(one, other)
    return share * WEIGHTS[kind_of(one)]


def indel(one: str, other: str) -> float:
    @cache
    def common(n: int, m: int) -> int:
        if not n or not m:
            return 0
        if one[n - 1] == other[m - 1]:
            return common(n - 1, m - 1) + 1
        return max(common(n - 1, m), common(n, m - 1))

    return 1 - 2 * common(len(one), len(other)) / (len(one) + len(other))


def distance(before: Sequence[str], after: Sequence[str]) -> float:
    """The cheapest way from one token list to another, by plain dynamic programming."""
    row = [0.0]
    for token in after:
        row.append(row[-1] + WEIGHTS[kind_of(token)])
    for token in before:
        new = [row[0] + WEIGHTS[kind_of(token)]]
        for m, other in enumerate(after):
            new.append(
                min(
                    row[m + 1] + WEIGHTS[kind_of(token)],
                    new[m] + WEIGHTS[kind_of(other)],
                    row[m] + substitution(token, other),
                )
            )
        row = new
    return row[-1]


def cost(steps: Sequence[Step]) -> float:
    total = 0.0
    for step in steps:
        if step.operation in (Operation.DELETE, Operation.INSERT):
            total += WEIGHTS[kind_of(step.before or step.after)]
        elif not step.is_mark:
            total += substitution(step.before, step.after)
    return total


def core(start: int, end: int, *branches: tuple[str, ...]) -> Core:
    return Core("0", start, end, branches, start, end, True)


@settings(deadline=None)
@given(TOKENS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS)
def test_the_path_costs_what_the_cheapest_choice_of_branches_costs(
    head: tuple[str, ...],
    wrong: tuple[str, ...],
    middle: tuple[str, ...],
    right: tuple[str, ...],
    accepted: tuple[str, ...],
    final: tuple[str, ...],
) -> None:
    tokens = (*head, *wrong, *middle, "than", *head)
    first = core(len(head), len(head) + len(wrong), right, accepted)
    at = len(head) + len(wrong) + len(middle)
    second = core(at, at + 1, ("then",))
    steps = align(tokens, 0, len(tokens), final, ((0, first), (1, second)))
    cheapest = min(
        distance((*head, *one, *middle, *other, *head), final)
        for one, other in product((wrong, right, accepted), (("than",), ("then",)))
    )
    assert cost(steps) == pytest.approx(cheapest, abs=1e-3)


def test_ties_take_the_canonical_correction_then_an_accepted_one_then_the_corrupted_text() -> None:
    def taken(final: str, *branches: tuple[str, ...]) -> int:
        steps = align(("b",), 0, 1, (final,), ((0, core(0, 1, *branches)),))
        return next(step.branch for step in steps if step.operation is Operation.ENTER)

    assert taken("z", ("c",), ("d",)) == 0
    assert taken("zd", ("c",), ("d",), ("zzd",)) == 2
    assert taken("d", ("c",), ("d",)) == 1
    assert taken("zb", ("c",), ("d",)) == CORRUPTED


def test_a_word_never_becomes_a_mark() -> None:
    steps = align(("a", " ", "b"), 0, 3, ("a", " ", "!"), ())
    assert [step.operation for step in steps][2:] in (
        [Operation.DELETE, Operation.INSERT],
        [Operation.INSERT, Operation.DELETE],
    )


def test_the_later_of_two_equal_words_is_the_one_put_in_or_left_out() -> None:
    put_in = align(("a",), 0, 1, ("a", "a"), ())
    assert [step.operation for step in put_in] == [Operation.MATCH, Operation.INSERT]
    left_out = align(("a", "a"), 0, 2, ("a",), ())
    assert [step.operation for step in left_out] == [Operation.MATCH, Operation.DELETE]
