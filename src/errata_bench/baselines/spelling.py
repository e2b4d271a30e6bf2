"""A spelling checker: symspellpy with its bundled English word and bigram frequencies.

It corrects what is no word and for which one word clearly offers itself: a single edit away and ten times as
plausible as any other, or, for longer words, two edits away with no other near. Plausible means frequent, made by a
common slip (two letters swapped, one doubled or lost), used elsewhere in the document, and frequent beside its
neighbours. A slip in the first letter is too rare to be believed. It does not see a wrong word that is a word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from errata_bench.baselines.dialect import Dialect, detect_dialect, differ_in_dialect_only, in_american
from errata_bench.baselines.plain_text import Correction
from errata_bench.baselines.slips import is_common_slip, is_likely_slip
from errata_bench.baselines.words import VisibleText, Word, in_case_of, is_strange, names, words_of

_LEAST_SPLIT = 100_000_000
"""Two words counted more rarely side by side than this (*of the*: 1.8e11) do not explain a word that is none."""

_SMALL_WORDS = names("a an as at in of on to the it is all no each every")
"""Words that are run into a neighbour by mistake; two others written as one are more likely a compound."""

_MARGIN = 1.0
"""How much more plausible the best candidate has to be than the next, in powers of ten."""

_PREFIXES = sorted(
    names("""
        un re non over under out mis pre post anti inter sub super semi co counter fore multi micro mid up down de dis
    """)
)
_SUFFIXES = sorted(
    names("""
        s es ed d ing er ers est ly ness less like ish able ment ments wise ward wards ful fully worthy or ors ist ists
    """)
)
_STRESSED_ENDS = tuple(
    names("""
        abhor allot begin ccur ncur ecur compel control deter equip excel expel impel propel repel forget upset fer
        mmit bmit dmit rmit patrol regret
    """)
)


class SpellingChecker:
    """The dictionary, loaded; takes seconds to build and some 300 MB."""

    def __init__(self) -> None:
        from symspellpy import SymSpell

        data = files("symspellpy")
        self._dictionary = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
        self._dictionary.load_dictionary(str(data / "frequency_dictionary_en_82_765.txt"), 0, 1)
        self._dictionary.load_bigram_dictionary(str(data / "frequency_bigramdictionary_en_243_342.txt"), 0, 2)
        self._words: dict[str, int] = self._dictionary.words
        self._bigrams: dict[str, int] = self._dictionary.bigrams

    def check(self, paragraphs: Sequence[str]) -> list[list[Correction]]:
        """The corrections of each paragraph."""
        visible = VisibleText(paragraphs)
        dialect = detect_dialect(paragraphs)
        return [self._check(text, visible, dialect) for text in paragraphs]

    def _check(self, text: str, visible: VisibleText, dialect: Dialect) -> list[Correction]:
        words = list(words_of(text))
        unknown = {n for n, word in enumerate(words) if not self._is_known(word.text.lower())}
        if is_strange((words[n] for n in unknown), text):
            return []
        corrections: list[Correction] = []
        for n in sorted(unknown):
            word = words[n]
            # Two unknown words in a row are a name or a foreign phrase.
            if {n - 1, n + 1} & unknown or not visible.may_be_slip(text, word):
                continue
            before = words[n - 1].text.lower() if n > 0 else ""
            after = words[n + 1].text.lower() if n + 1 < len(words) else ""
            best = self._best(word, before, after, visible, dialect)
            if best is not None:
                corrections.append(Correction(word.start, word.end, in_case_of(word.text, best)))
        return corrections

    def _best(self, word: Word, before: str, after: str, visible: VisibleText, dialect: Dialect) -> str | None:
        from symspellpy import Verbosity

        wrong = word.text.lower()
        found: list[Any] = self._dictionary.lookup(wrong, Verbosity.ALL, max_edit_distance=2)
        near = {item.term: item.count for item in found if item.distance == 1}
        far = {item.term: item.count for item in found if item.distance == 2}
        split = self._split(wrong)
        if split is not None and self._bigrams[split] > 5 * max(near.values(), default=0):
            return split
        if any(differ_in_dialect_only(wrong, term) for term in near):
            return None
        margin = _MARGIN
        if len(wrong) < 4:
            margin += 1
        if word.text[0].isupper():  # it begins a sentence, and may still be a name
            margin += 0.5
        candidates = near
        if not near and len(wrong) >= 7 and not word.text[0].isupper() and not self._is_compound(wrong):
            candidates = far
        ranked = sorted(
            (
                (self._plausibility(wrong, term, count, before, after) + 2 * visible.holds(term), term)
                for term, count in candidates.items()
            ),
            reverse=True,
        )
        ranked = _without_other_dialect(ranked, dialect)
        if not ranked or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < margin):
            return None
        best = ranked[0][1]
        if not is_likely_slip(wrong, best) and len(wrong) > 3:
            return None
        return best if visible.holds(best) or candidates[best] >= _least_count(len(wrong)) else None

    def _plausibility(self, wrong: str, term: str, count: int, before: str, after: str) -> float:
        """A sum of powers of ten: frequency, company, and how commonly a hand slips so."""
        score = math.log10(count)
        score += 0.5 * math.log10(1 + self._bigrams.get(f"{before} {term}", 0))
        score += 0.5 * math.log10(1 + self._bigrams.get(f"{term} {after}", 0))
        if is_common_slip(wrong, term):
            score += 1.0
        elif len(wrong) == len(term):
            score -= 0.3
        if wrong[0] != term[0]:
            score -= 1.5
        return score

    def _is_known(self, word: str) -> bool:
        word = word.removesuffix("'s")
        if word in self._words or "'" in word:
            return True
        return in_american(word) in self._words or self._is_derived(word)

    def _is_derived(self, word: str) -> bool:
        """Whether a word is a known one with a common prefix or suffix, put on as spelling has it."""
        for prefix in _PREFIXES:
            rest = word.removeprefix(prefix)
            if rest != word and len(rest) >= 5 and rest in self._words:
                return True
        for suffix in _SUFFIXES:
            stem = word.removesuffix(suffix)
            if stem == word or len(stem) < 3:
                continue
            vowel = suffix[0] in "aei"
            if stem in self._words and len(stem) >= 4 and not stem.endswith(("y", "e") if vowel else ("y", "ue")):
                if not (vowel and _doubles(stem)):
                    return True
                continue
            if vowel and len(stem) >= 4 and stem not in self._words and f"{stem}e" in self._words:
                return True
            if vowel and len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in self._words:
                return True
            if stem.endswith("i") and f"{stem[:-1]}y" in self._words:
                return True
        return False

    def _is_compound(self, word: str) -> bool:
        """Whether two known words make it up, as in a closed compound that no list has."""
        return any(word[:n] in self._words and word[n:] in self._words for n in range(3, len(word) - 2))

    def _split(self, word: str) -> str | None:
        """The two words that lack a space between them, if they often stand side by side."""
        pairs = [(word[:n], word[n:]) for n in range(1, len(word))]
        usual = [f"{left} {right}" for left, right in pairs if left in _SMALL_WORDS or right in _SMALL_WORDS]
        often = [pair for pair in usual if self._bigrams.get(pair, 0) >= _LEAST_SPLIT]
        return max(often, key=self._bigrams.__getitem__, default=None)


def _least_count(length: int) -> float:
    """How frequent in the web corpus a correction has to be: 2e6 at six letters, less for longer words.

    (The commonest word has 2.3e10.) Short words have many neighbours, so that a rare one is likely to be near by
    chance; a long one is not.
    """
    return float(10 ** (7.8 - 0.25 * length))


def _without_other_dialect(ranked: list[tuple[float, str]], dialect: Dialect) -> list[tuple[float, str]]:
    """Of candidates that are one word in two dialects, keep the one in the text's own."""
    kept: list[tuple[float, str]] = []
    for score, term in ranked:
        twins = [twin for _, twin in ranked if differ_in_dialect_only(term, twin)]
        if not any(detect_dialect([twin]) is dialect and detect_dialect([term]) is not dialect for twin in twins):
            kept.append((score, term))
    return kept


def _doubles(stem: str) -> bool:
    """Whether the last letter is doubled before a vowel, as in stopped and running."""
    if stem.endswith(_STRESSED_ENDS):
        return True
    vowels = [letter in "aeiou" for letter in stem]
    return sum(vowels) == 1 and vowels[-2] and not vowels[-1] and stem[-1] not in "wxy"
