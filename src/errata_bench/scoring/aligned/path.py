"""The path of one changed paragraph: equal stretches told as they are, regions aligned."""

from __future__ import annotations

from collections.abc import Sequence

from errata_bench.scoring.aligned.cores import Core, PreparedParagraph, Tokens
from errata_bench.scoring.aligned.cuts import Piece, cut
from errata_bench.scoring.aligned.steps import CORRUPTED, Operation, Step


def find_path(paragraph: PreparedParagraph, final: Tokens) -> list[Step]:
    """Align the final tokens of a paragraph with its lattice."""
    cores = tuple(enumerate(paragraph.cores))
    # The two ends of the scale need no search. An unchanged paragraph goes first: it has mended nothing.
    if final == paragraph.tokens:
        return _as_it_is(paragraph.tokens, 0, len(paragraph.tokens), cores, CORRUPTED)
    if final == paragraph.clean:
        return _as_it_is(paragraph.tokens, 0, len(paragraph.tokens), cores, 0)
    from errata_bench.scoring.aligned import lattice  # imported late, with numpy

    steps: list[Step] = []
    for piece in cut(paragraph.tokens, final, paragraph.cores):
        inside = [(n, core) for n, core in cores if piece.start <= core.start and core.end <= piece.end]
        if piece.equal:
            steps += _as_it_is(paragraph.tokens, piece.start, piece.end, inside, CORRUPTED)
            continue
        put = final[piece.final_start : piece.final_end]
        if piece.too_large:
            steps += _all_changed(paragraph.tokens, piece, put, inside)
        else:
            steps += lattice.align(paragraph.tokens, piece.start, piece.end, put, inside)
    return steps


def _as_it_is(tokens: Tokens, start: int, end: int, cores: Sequence[tuple[int, Core]], branch: int) -> list[Step]:
    """The path on which every token matches and every core takes the same branch."""
    steps: list[Step] = []
    match = Operation.MATCH
    at = start
    for number, core in cores:
        steps += [Step(match, tokens[n], tokens[n], n) for n in range(at, core.start)]
        steps.append(Step(Operation.ENTER, core=number, branch=branch))
        if branch == CORRUPTED:
            steps += [Step(match, tokens[n], tokens[n], n, number, branch) for n in range(core.start, core.end)]
        else:
            steps += [Step(match, token, token, core=number, branch=branch) for token in core.branches[branch]]
        steps.append(Step(Operation.LEAVE, core=number, branch=branch))
        at = core.end
    steps += [Step(match, tokens[n], tokens[n], n) for n in range(at, end)]
    return steps


def _all_changed(tokens: Tokens, piece: Piece, put: Tokens, cores: Sequence[tuple[int, Core]]) -> list[Step]:
    """A region too large to align: all of it left out, and all of the final text put in at its beginning."""
    steps = [Step(Operation.INSERT, "", token) for token in put]
    at = piece.start
    for number, core in cores:
        steps += [Step(Operation.DELETE, tokens[n], "", n) for n in range(at, core.start)]
        steps.append(Step(Operation.ENTER, core=number))
        steps += [Step(Operation.DELETE, tokens[n], "", n, number) for n in range(core.start, core.end)]
        steps.append(Step(Operation.LEAVE, core=number))
        at = core.end
    steps += [Step(Operation.DELETE, tokens[n], "", n) for n in range(at, piece.end)]
    return steps
