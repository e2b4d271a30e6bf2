"""Changes of meaning that can be seen without understanding: numbers, negations, modal verbs, names.

Words are compared as bags, a paragraph and a class at a time, so that a word that was only moved has not drifted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from errata_bench.scoring.aligned.markup import Hunk
from errata_bench.scoring.aligned.run import AlignedParagraph
from errata_bench.scoring.aligned.tokens import is_word, tokenise


class DriftClass(StrEnum):
    """A class of words that a proofreader has no business with."""

    NUMBER = "number"
    NEGATION = "negation"
    MODAL = "modal"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Drift:
    """How many words of each class are others than before; one taken for another counts once."""

    numbers: int = 0
    negations: int = 0
    modals: int = 0
    names: int = 0


# "one" is left out: it is a pronoun as often.
_SMALL_NUMBERS = """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {
    **{word: str(value) for value, word in enumerate(_SMALL_NUMBERS.split(), 2)},
    **{word: str(10 * value) for value, word in enumerate(_TENS.split(), 3)},
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
}
_NEGATIONS = frozenset(
    ("not", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without", "cannot")
)
_MODALS = frozenset(["can", "could", "may", "might", "must", "shall", "should", "will", "would", "ought", "cannot"])
_SHORT_MODALS = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_QUOTES_AND_BRACKETS = "\"'([{<\u2018\u2019\u201c\u201d\u00ab\u00bb)]}>"


def measure_drift(paragraph: AlignedParagraph, ignored: Set[Hunk] = frozenset()) -> Drift:
    """The drift of a paragraph's hunks, those of ``ignored`` left out. Changes at the errors are none."""
    before: Counter[tuple[DriftClass, str]] = Counter()
    after: Counter[tuple[DriftClass, str]] = Counter()
    ends_before = ends_after = ""  # the last telling character so far: does a sentence begin here?
    for segment in paragraph.segments:
        if segment.hunk is not None and paragraph.hunks[segment.hunk] not in ignored:
            before.update(_classed(segment.before, ends_before))
            after.update(_classed(segment.after, ends_after))
        ends_before = _last_character(segment.before) or ends_before
        ends_after = _last_character(segment.after) or ends_after
    lost, gained = before - after, after - before
    counts = {kind: max(_of(kind, lost), _of(kind, gained)) for kind in DriftClass}
    return Drift(*(counts[kind] for kind in DriftClass))


def _of(kind: DriftClass, words: Counter[tuple[DriftClass, str]]) -> int:
    return sum(count for (one, _), count in words.items() if one is kind)


def _last_character(text: str) -> str:
    last = text[-1:]
    return last if last.isalnum() else text.rstrip().rstrip(_QUOTES_AND_BRACKETS).rstrip()[-1:]


def _classed(text: str, ends: str) -> Iterator[tuple[DriftClass, str]]:
    """The words of a text that belong to a class, in the form in which they are compared."""
    for token in tokenise(text):
        if is_word(token):
            yield from _classes(token, begins_sentence=ends in ("", ".", "!", "?", ":"))
        ends = _last_character(token) or ends


@lru_cache(maxsize=65_536)
def _classes(word: str, *, begins_sentence: bool) -> tuple[tuple[DriftClass, str], ...]:
    plain = word.casefold().replace("\u2019", "'")
    if not word.isalpha() and any(char.isdigit() for char in word):
        return ((DriftClass.NUMBER, plain.replace(",", "")),)
    if plain in _NUMBER_WORDS:
        return ((DriftClass.NUMBER, _NUMBER_WORDS[plain]),)
    found = []
    contracted = plain.endswith("n't")
    if contracted or plain in _NEGATIONS:
        found.append((DriftClass.NEGATION, "not" if contracted or plain == "cannot" else plain))
    stem = _SHORT_MODALS.get(plain) or (plain.removesuffix("n't") if contracted else plain)
    if plain.endswith("'ll"):
        found.append((DriftClass.MODAL, "will"))
    elif stem in _MODALS:
        found.append((DriftClass.MODAL, stem))
    elif not begins_sentence and word[0].isupper() and plain.split("'")[0] != "i":
        found.append((DriftClass.NAME, word.removesuffix("'s").removesuffix("\u2019s")))
    return tuple(found)
