"""The alignment: the cheapest way through a lattice of corrupted and right tokens that explains the final tokens.

The lattice is the corrupted text, with every right text as a parallel branch at each core (the idea of MaxMatch:
Dahlmeier and Ng 2012, "Better Evaluation for Grammatical Error Correction"). For each lattice token one row is kept:
what it costs to explain the first j final tokens up to it. A row follows from an earlier one with a few operations
on whole arrays. Costs are whole numbers, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from errata_bench.scoring.aligned.cores import Core, Tokens
from errata_bench.scoring.aligned.steps import CORRUPTED, NOWHERE, Operation, Step
from errata_bench.scoring.aligned.tokens import kind_of

_WEIGHTS = (10_000, 6_000, 2_500)
"""What a word, a punctuation mark and white space cost; a word is the unit."""
_SUBSTITUTION, _DISTANCE, _CASE_ONLY = 0.35, 0.65, 0.15
_NEVER = 1_000_000_000
"""The cost of a substitution across classes: no path takes it."""

_Numbers = npt.NDArray[np.int64]


class _Node(NamedTuple):
    """A point of the lattice, behind a token; or the start; or the end of a core, where its branches meet.

    ``before`` are the points that lead to it: one for a token, for a meeting the ends of its branches by preference.
    """

    before: tuple[int, ...] = ()
    token: str = ""
    at: int = NOWHERE
    core: int = NOWHERE
    branch: int = CORRUPTED
    ends_branch: bool = False


def align(tokens: Tokens, start: int, end: int, final: Tokens, cores: Sequence[tuple[int, Core]]) -> list[Step]:
    """Align corrupted tokens ``start`` to ``end``, and the branches at the cores among them, with ``final``.

    ``cores`` are in order, each with its number in the paragraph. Ties take the canonical correction, then accepted
    ones, then the corrupted text. Time and memory grow with lattice tokens times final tokens.
    """
    nodes = _lattice(tokens, start, end, cores)
    costs = _Costs(nodes, final)
    rows = _fill(nodes, costs, len(final))
    return _trace(nodes, costs, rows, final)


def _lattice(tokens: Tokens, start: int, end: int, cores: Sequence[tuple[int, Core]]) -> list[_Node]:
    nodes = [_Node()]
    at = start
    for number, core in cores:
        _extend(nodes, tokens[at : core.start], at)
        root = len(nodes) - 1
        ends = [
            *(_extend(nodes, branch, NOWHERE, root, number, n) for n, branch in enumerate(core.branches)),
            _extend(nodes, tokens[core.start : core.end], core.start, root, number, CORRUPTED),
        ]
        nodes.append(_Node(tuple(ends), core=number))
        at = core.end
    _extend(nodes, tokens[at:end], at)
    return nodes


def _extend(
    nodes: list[_Node],
    tokens: Tokens,
    at: int,
    root: int | None = None,
    core: int = NOWHERE,
    branch: int = CORRUPTED,
) -> int:
    """Add a chain of tokens behind ``root`` (the newest node); returns its last node, the root for no tokens."""
    before = len(nodes) - 1 if root is None else root
    for n, token in enumerate(tokens):
        place = NOWHERE if at == NOWHERE else at + n
        nodes.append(_Node((before,), token, place, core, branch, n == len(tokens) - 1))
        before = len(nodes) - 1
    return before


class _Costs:
    """What it costs to leave a lattice token out, to put a final one in, or to take one for the other."""

    def __init__(self, nodes: Sequence[_Node], final: Tokens) -> None:
        self._row_of: dict[str, int] = {}
        for node in nodes:
            if node.token:
                self._row_of.setdefault(node.token, len(self._row_of))
        self._deletions = {token: _WEIGHTS[kind_of(token)] for token in self._row_of}
        column_of: dict[str, int] = {}
        columns = [column_of.setdefault(token, len(column_of)) for token in final]
        self.insertions = np.array([_WEIGHTS[kind_of(token)] for token in final], dtype=np.int64)
        table = _substitutions(list(self._row_of), list(column_of))
        self._table = table[:, columns] if final else table

    def substitutions(self, token: str) -> _Numbers:
        """The cost of taking this lattice token for each of the final ones."""
        row: _Numbers = self._table[self._row_of[token]]
        return row

    def deletion(self, token: str) -> int:
        """The cost of leaving a lattice token out."""
        return self._deletions[token]


def _substitutions(lattice: Sequence[str], final: Sequence[str]) -> _Numbers:
    """A share of the class's weight: 0.35 + 0.65 × normalised Indel distance, 0.15 for case only, 0 for the same."""
    if not lattice or not final:
        return np.zeros((len(lattice), len(final)), dtype=np.int64)
    distance = cdist(lattice, final, scorer=Indel.normalized_distance, dtype=np.float32).astype(np.float64)
    share = np.where(distance == 0.0, 0.0, _SUBSTITUTION + _DISTANCE * distance)
    folded: dict[str, int] = {}
    rows = np.array([folded.setdefault(token.casefold(), len(folded)) for token in lattice])
    columns = np.array([folded.setdefault(token.casefold(), len(folded)) for token in final])
    share[(rows[:, None] == columns[None, :]) & (distance > 0.0)] = _CASE_ONLY
    kinds = np.array([kind_of(token) for token in lattice])
    weights = np.array(_WEIGHTS)[kinds]
    costs: _Numbers = np.rint(share * weights[:, None]).astype(np.int64)
    costs[kinds[:, None] != np.array([kind_of(token) for token in final])[None, :]] = _NEVER
    return costs


def _fill(nodes: Sequence[_Node], costs: _Costs, length: int) -> list[_Numbers]:
    inserted: _Numbers = np.zeros(length + 1, dtype=np.int64)
    np.cumsum(costs.insertions, out=inserted[1:])
    rows = [inserted]
    for node in nodes[1:]:
        if not node.token:
            rows.append(np.minimum.reduce([rows[before] for before in node.before]))
            continue
        above = rows[node.before[0]]
        row = above + costs.deletion(node.token)
        if length:
            np.minimum(row[1:], above[:-1] + costs.substitutions(node.token), out=row[1:])
            # An insertion adds to the cell on the left. Without what insertions add up to, it is a running minimum.
            row -= inserted
            np.minimum.accumulate(row, out=row)
            row += inserted
        rows.append(row)
    return rows


def _trace(nodes: Sequence[_Node], costs: _Costs, rows: Sequence[_Numbers], final: Tokens) -> list[Step]:
    """Walk back from the end. Of equal ways the one that matches the earliest tokens is taken.

    So the second of two equal words is the one that was put in or left out, as in `Core`.
    """
    steps: list[Step] = []
    here, column = len(nodes) - 1, len(final)
    leaving: _Node | None = None  # the branch just entered from behind, until its own last token is told
    while here or column:
        node = nodes[here]
        value = int(rows[here][column])
        if here and not node.token:
            end = next(before for before in node.before if int(rows[before][column]) == value)
            branch = next(n for n, before in enumerate(node.before) if before == end)
            taken = CORRUPTED if branch == len(node.before) - 1 else branch
            if nodes[end].core == node.core:
                leaving = nodes[end]
            else:  # an empty branch
                steps.append(Step(Operation.LEAVE, core=node.core, branch=taken))
                steps.append(Step(Operation.ENTER, core=node.core, branch=taken))
            here = end
            continue
        step = _step(node, costs, rows, here, column, final)
        outside = step.operation is Operation.INSERT and (node.core == NOWHERE or node.ends_branch)
        if outside:
            step = Step(Operation.INSERT, "", step.after)
        elif leaving is not None:
            steps.append(Step(Operation.LEAVE, core=leaving.core, branch=leaving.branch))
            leaving = None
        steps.append(step)
        column -= bool(step.after)
        if step.operation is not Operation.INSERT:
            here = node.before[0]
            if node.core != NOWHERE and nodes[here].core != node.core:
                steps.append(Step(Operation.ENTER, core=node.core, branch=node.branch))
    steps.reverse()
    return steps


def _step(node: _Node, costs: _Costs, rows: Sequence[_Numbers], here: int, column: int, final: Tokens) -> Step:
    value = int(rows[here][column])
    after = final[column - 1] if column else ""
    if not node.token or (column and int(rows[here][column - 1]) + int(costs.insertions[column - 1]) == value):
        return Step(Operation.INSERT, "", after, NOWHERE, node.core, node.branch)
    if int(rows[node.before[0]][column]) + costs.deletion(node.token) == value:
        return Step(Operation.DELETE, node.token, "", node.at, node.core, node.branch)
    if after == node.token:
        operation = Operation.MATCH
    elif after.casefold() == node.token.casefold():
        operation = Operation.CASE
    else:
        operation = Operation.SUBSTITUTE
    return Step(operation, node.token, after, node.at, node.core, node.branch)
