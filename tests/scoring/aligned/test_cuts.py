from __future__ import annotations

import random

import pytest

from errata_bench.cases.model import Case
from errata_bench.scoring.aligned import path
from errata_bench.scoring.aligned.cores import Core
from errata_bench.scoring.aligned.cuts import Piece, cut
from errata_bench.scoring.aligned.run import align_document
from tests.scoring.aligned.sketches import document, sketch

_TEXT = "the of and to in a is that it was for on are as with his they be at one"
_COMMON = _TEXT.split()


def long_case(rng: random.Random) -> Case:
    """300 words, most of them common ones, with six errors that stand once each."""
    words = [rng.choice(_COMMON) if rng.random() < 0.7 else f"word{rng.randrange(80)}" for _ in range(300)]
    issues = []
    for number, place in enumerate(rng.sample(range(2, 298, 4), 6)):
        words[place] = f"errror{number}"
        kinds = (
            (f"errror{number}", f"error{number}"),
            (f"errror{number} ", ""),
            (f"errror{number}", f"is error{number}"),
        )
        issues.append(kinds[number % 3])
    return sketch(" ".join(words), *issues)


def stirred(text: str, rng: random.Random) -> str:
    """A text with some words replaced, left out or put in."""
    words = []
    for word in text.split():
        chance = rng.random()
        words += [word] if chance > 0.06 else rng.choice(([], [rng.choice(_COMMON)], [word, rng.choice(_COMMON)]))
    return " ".join(words)


@pytest.mark.parametrize("seed", range(12))
def test_cutting_changes_no_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    case = long_case(rng)
    start = rng.choice([case.document, case.expected]).paragraphs[0].inner_html
    final = document(stirred(start, rng))
    with_cuts = align_document(case, final)
    monkeypatch.setattr(path, "cut", lambda tokens, final, _: [Piece(0, len(tokens), 0, len(final))])
    assert with_cuts.verdicts == align_document(case, final).verdicts


def test_a_long_equal_stretch_is_cut_and_the_rest_stays_small() -> None:
    tokens = tuple(f"t{n}" for n in range(1_000))
    final = (*tokens[:500], "new", *tokens[500:])
    pieces = cut(tokens, final, ())
    assert [piece.equal for piece in pieces] == [True, False, True]
    assert pieces[1].end - pieces[1].start < 50


def test_a_short_equal_stretch_is_not_cut() -> None:
    tokens = tuple(f"t{n}" for n in range(40))
    final = tuple(token if 10 <= n < 30 else "new" for n, token in enumerate(tokens))
    assert cut(tokens, final, ()) == [Piece(0, 40, 0, 40)]


@pytest.mark.parametrize("place", range(60))
def test_no_core_is_split_or_parted_from_its_neighbours(place: int) -> None:
    tokens = tuple(f"t{n}" for n in range(120))
    final = ("new", *tokens[:60], "new", *tokens[60:])
    core = Core("0", place, place + place % 3, (("right",),), place, place + 1, True)
    edges = [piece.start for piece in cut(tokens, final, (core,)) if piece.start > 0]
    assert edges
    assert all(edge <= core.start - 2 or edge >= core.end + 2 for edge in edges)
