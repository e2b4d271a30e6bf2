"""LanguageTool's English rules, through lingotweaker.

Of what it reports, only rules about errors are used, and only with their first suggestion. Its engine knows American
English alone, whatever language it is asked for (seen with lingotweaker 0.2.8), so in a British text its spellings are
turned into British ones with its own word list, and its complaints about British ones are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import accumulate
from typing import Any

from errata_bench.baselines.dialect import Dialect, detect_dialect
from errata_bench.baselines.judgement import Suggestion, clear_correction, is_worth_taking, without_neighbours
from errata_bench.baselines.plain_text import Correction
from errata_bench.baselines.words import VisibleText, Word, in_case_of, is_strange, names

_SPELLING_RULE = "MORFOLOGIK_RULE_EN_US"

_ERROR_CATEGORIES = names(
    "CASING COLLOCATIONS CONFUSED_WORDS GRAMMAR MISC NONSTANDARD_PHRASES PUNCTUATION SEMANTICS TYPOS"
)
"""Not among them: style, redundancy, repetition, dialect, typography, compounding and names."""

_UNTRUSTED_RULES = names(
    # Opinions under the name of errors.
    "EN_WORD_COHERENCY MONTH_OF_XXXX NONE_THE_LESS "
    # Guesses at parts of speech that right prose often defeats.
    "A_UNCOUNTABLE BY_BUY CD_NN IT_VBZ NON3PRS_VERB POSSESSIVE_APOSTROPHE THERE_MISSING_VERB THE_SUPERLATIVE YOUR"
)


class LanguageToolChecker:
    """The rules, compiled; takes seconds to build, and holds the interpreter lock meanwhile."""

    def __init__(self) -> None:
        import lt_py

        self._engine = lt_py.Engine("en-US")
        self._british = _american_to_british(files("lingotweaker_data_en") / "data/en/words/en-US-GB.txt")

    def check(self, paragraphs: Sequence[str]) -> list[list[Correction]]:
        """The corrections of each paragraph."""
        visible = VisibleText(paragraphs)
        dialect = detect_dialect(paragraphs)
        return [self._check(text, visible, dialect) for text in paragraphs]

    def _check(self, text: str, visible: VisibleText, dialect: Dialect) -> list[Correction]:
        offsets = code_point_offsets(text)
        unknown: list[tuple[Word, Sequence[str]]] = []
        grammar: list[Correction] = []
        for match in self._engine.check(text):
            start, end = offsets[match["offset"]], offsets[match["offset"] + match["length"]]
            suggestions = [self._in_dialect(s, dialect) for s in match["suggestions"]]
            if match["rule_id"] == _SPELLING_RULE:
                unknown.append((Word(text[start:end], start, end), suggestions))
            elif suggestions and _is_trusted(match):
                suggestion = Suggestion(start, end, suggestions[0])
                if is_worth_taking(text, suggestion):
                    grammar.append(suggestion.as_correction())
        return _misspellings(text, unknown, visible) + without_neighbours(grammar, text)

    def _in_dialect(self, suggestion: str, dialect: Dialect) -> str:
        if dialect is Dialect.AMERICAN:
            return suggestion
        return in_case_of(suggestion, self._british.get(suggestion.lower(), suggestion))


def code_point_offsets(text: str) -> dict[int, int]:
    """Where each character begins, by its offset in UTF-8 bytes; and the end of the text."""
    at_bytes = accumulate((len(character.encode()) for character in text), initial=0)
    return {byte: n for n, byte in enumerate(at_bytes)}


def _misspellings(text: str, unknown: Sequence[tuple[Word, Sequence[str]]], visible: VisibleText) -> list[Correction]:
    if is_strange((word for word, _ in unknown), text):
        return []
    corrections: list[Correction] = []
    for word, suggestions in unknown:
        if visible.may_be_slip(text, word):
            right = clear_correction(word, suggestions, visible)
            if right is not None:
                corrections.append(Correction(word.start, word.end, right))
    return corrections


def _is_trusted(match: Mapping[str, Any]) -> bool:
    return match["category_id"] in _ERROR_CATEGORIES and match["rule_id"] not in _UNTRUSTED_RULES


def _american_to_british(path: Traversable) -> dict[str, str]:
    """Read lines of ``american;british``; a spelling with several counterparts is left out."""
    pairs: dict[str, str] = {}
    doubtful: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        american, separator, british = line.partition(";")
        if not separator or american.startswith("#"):
            continue
        if american in pairs and pairs[american] != british:
            doubtful.add(american)
        pairs[american] = british
    return {american: british for american, british in pairs.items() if american not in doubtful}
