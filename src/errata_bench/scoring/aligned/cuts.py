"""Long stretches that are the same before and after: they are not aligned token by token.

What lies between them is a *region*. So the work grows with what was changed, not with the paragraph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.scoring.aligned.cores import Core, Tokens

_LONG = 32
"""Tokens, white space included, from which on an equal stretch is cut (some 16 words)."""
_MARGIN = 8
"""Tokens of a cut stretch that stay with the region on either side, so that a region can still be aligned freely."""
_SHORTER = ((16, 4), (8, 2))
"""Stretch and margin for a region that is too large even so."""
_MOST_CELLS = 8_000_000
"""The largest region that is aligned, in lattice tokens times final tokens (about 1,400 words rewritten en bloc)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Corrupted tokens ``start`` to ``end`` against final tokens ``final_start`` to ``final_end``."""

    start: int
    end: int
    final_start: int
    final_end: int
    equal: bool = False
    too_large: bool = False
    """A region that nobody can align in reasonable time; everything in it counts as changed."""


def cut(tokens: Tokens, final: Tokens, cores: Sequence[Core]) -> list[Piece]:
    """Split a paragraph, in order, into equal stretches and regions; no core is split or parted from its neighbours."""
    whole = Piece(0, len(tokens), 0, len(final))
    pieces = _split(whole, tokens, final, cores, _LONG, _MARGIN)
    for long, margin in _SHORTER:
        pieces = [
            part
            for piece in pieces
            for part in ([piece] if _fits(piece) else _split(piece, tokens, final, cores, long, margin))
        ]
    return [
        piece if _fits(piece) else Piece(piece.start, piece.end, piece.final_start, piece.final_end, too_large=True)
        for piece in pieces
    ]


def _fits(piece: Piece) -> bool:
    return piece.equal or (piece.end - piece.start) * (piece.final_end - piece.final_start) <= _MOST_CELLS


def _split(region: Piece, tokens: Tokens, final: Tokens, cores: Sequence[Core], long: int, margin: int) -> list[Piece]:
    from rapidfuzz.distance import Levenshtein  # imported late: nothing may need it at all

    here = tokens[region.start : region.end]
    there = final[region.final_start : region.final_end]
    code_of = {token: code for code, token in enumerate(dict.fromkeys(here + there))}.__getitem__
    opcodes = Levenshtein.opcodes(list(map(code_of, here)), list(map(code_of, there)))
    pieces = []
    at, final_at = region.start, region.final_start
    for operation in opcodes:
        if operation.tag != "equal":
            continue
        start, end = region.start + operation.src_start, region.start + operation.src_end
        shift = region.final_start + operation.dest_start - start
        at_start = start == 0 and start + shift == 0
        at_end = end == len(tokens) and end + shift == len(final)
        if end - start < long and not (at_start and at_end):
            continue
        start, end = _clear_of_cores(
            start if at_start else start + margin, end if at_end else end - margin, len(tokens), cores
        )
        if end - start <= 0:
            continue
        if at < start or final_at < start + shift:
            pieces.append(Piece(at, start, final_at, start + shift))
        pieces.append(Piece(start, end, start + shift, end + shift, equal=True))
        at, final_at = end, end + shift
    if at < region.end or final_at < region.final_end:
        pieces.append(Piece(at, region.end, final_at, region.final_end))
    return pieces


def _clear_of_cores(start: int, end: int, length: int, cores: Sequence[Core]) -> tuple[int, int]:
    """Narrow a stretch until neither end touches a core or the neighbours of one.

    The paragraph's own ends are no cuts.
    """
    for core in cores:
        if start > 0 and core.start - _NEAR < start < core.end + _NEAR:
            start = core.end + _NEAR
    for core in reversed(cores):
        if end < length and core.start - _NEAR < end < core.end + _NEAR:
            end = core.start - _NEAR
    return start, end


_NEAR = 4
"""Tokens around a core that hold its neighbours (a word and the white space before it) with some to spare."""
