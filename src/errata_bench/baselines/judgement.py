"""The sense with which a person goes through a checker's suggestions: which of them to take.

A checker reports whatever one of its rules matches. Here stand the reasons to turn a suggestion down that hold for
any rule of any checker: it is a matter of taste, or it does not fit the text round it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.baselines.dialect import differ_in_dialect_only
from errata_bench.baselines.plain_text import Correction
from errata_bench.baselines.slips import is_common_slip, is_likely_slip
from errata_bench.baselines.words import VisibleText, Word, in_case_of, is_in_identifier, names

_CLEAR = 0.5
"""How much nearer than the next the chosen suggestion for a misspelling has to be, in edits."""

_RIGHTLY_DOUBLED = names("had that do very no so ha now there")
# Adverbs, pronouns and conjunctions that nobody writes apart on purpose, unlike most compounds.
_ONE_WORD = names(
    "another whereas cannot into within without therefore somewhere nowhere everywhere anywhere already altogether "
    "himself herself itself myself yourself ourselves themselves somehow nobody"
)
_END_OF_SENTENCE = re.compile(r"[a-z]{4}[.!?]['\")]?\s$")
_OPENING = re.compile(r"(?:^|(?<=[\s(\[—–]))['\"](?=\w)")
_CLOSING = re.compile(r"(?<=[\w.,!?;:…])['\"](?!\w)")
_NOT_LETTERS = re.compile(r"[\s'-]+")
_ARTICLES = frozenset(("a", "an"))
_CODE = re.compile(r"\w[A-Z]")
_SUBJUNCTIVES = frozenset((("were", "was"), ("were", "is"), ("be", "is"), ("be", "are")))
_AUXILIARIES = tuple(map(names, ("am is are was were be been", "has have had", "do does did")))
_ABBREVIATION = re.compile(r"[A-Z][a-z]{0,3}")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a checker would put in the place of ``text[start:end]``; offsets count code points."""

    start: int
    end: int
    replacement: str

    def as_correction(self) -> Correction:
        """The suggestion, taken."""
        return Correction(self.start, self.end, self.replacement)


def is_worth_taking(text: str, suggestion: Suggestion) -> bool:
    """Whether a suggestion of a grammar rule corrects an error, as far as the two texts can tell.

    Turned down are: what lies at an identifier, a code, a bracketed letter or an abbreviation; a difference of
    dialect; commas and hyphens alone; the indicative for a subjunctive; another form of a word in direct speech, where
    it may be the speaker's dialect; two words made one or one hyphenated, but for a few such as *another*; a capital
    in other places than after the end of a sentence or for a name; *a* and *an* that are no articles; and doubled
    words that may stand, as in *had had*.
    """
    before, after = text[suggestion.start : suggestion.end], suggestion.replacement
    if before == after or (not before.strip() and not after.strip()):
        return False
    if is_in_identifier(text, suggestion.start, suggestion.end) or _CODE.search(before):
        return False
    if (before.lower(), after.lower()) in _SUBJUNCTIVES:
        return False
    if _is_inflection(before.lower(), after.lower()) and _is_in_speech(text, suggestion.start):
        return False
    if differ_in_dialect_only(before, after) or before.replace(",", "") == after.replace(",", ""):
        return False
    if _ABBREVIATION.fullmatch(before) and text[suggestion.end :][:1] == ".":
        return False
    words = before.lower().split()
    if len(words) == 2 and words[0] == words[1] and words[0] in _RIGHTLY_DOUBLED:
        return False
    if before.lower() == after.lower():
        return _may_change_case(text, suggestion)
    if before.lower() in _ARTICLES and after.lower() in _ARTICLES:
        return _is_article(text, suggestion)
    if _NOT_LETTERS.sub("", before).lower() == _NOT_LETTERS.sub("", after).lower():
        return _is_respaced_rightly(before, after)
    return True


def clear_correction(word: Word, suggestions: Sequence[str], visible: VisibleText) -> str | None:
    """The one suggestion for a misspelt word that clearly offers itself, in the word's own case, or None.

    It is a likely slip (see `is_likely_slip`) and nearer than any other, where a common slip and a word that the
    document uses elsewhere count as nearer, and the checker's own order breaks ties.
    """
    from rapidfuzz.distance import OSA

    wrong = word.text.lower()
    ranked: list[tuple[float, str]] = []
    for place, suggestion in enumerate(suggestions):
        right = suggestion.lower()
        if right == wrong:
            return None
        if differ_in_dialect_only(wrong, right):
            return None
        edits = OSA.distance(wrong, right)
        if edits > 2 or " " in right or "-" in right or (suggestion != right and not word.text[0].isupper()):
            continue
        ranked.append((edits - is_common_slip(wrong, right) / 2 - visible.holds(right) + 0.3 * place, right))
    ranked.sort()
    if not ranked or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < _CLEAR):
        return None
    if not is_likely_slip(wrong, ranked[0][1]):
        return None
    return in_case_of(word.text, ranked[0][1])


def without_neighbours(corrections: Sequence[Correction], text: str) -> list[Correction]:
    """Of corrections with nothing but white space between them, the first.

    Two rules that find fault with two words in a row mean the same fault, each with its own remedy ("This are": *These*
    and *is*).
    """
    kept: list[Correction] = []
    for correction in sorted(corrections, key=lambda c: (c.start, c.end)):
        if not kept or text[kept[-1].end : correction.start].strip():
            kept.append(correction)
    return kept


def _is_inflection(before: str, after: str) -> bool:
    """Whether both are forms of one word, as far as letters tell."""
    if " " in before or " " in after:
        return False
    return before[:2] == after[:2] or any({before, after} <= forms for forms in _AUXILIARIES)


def _is_in_speech(text: str, at: int) -> bool:
    """Whether a place lies between quotation marks, after one that opens and before the next that closes."""
    head = text[:at]
    opened = max((match.start() for match in _OPENING.finditer(head)), default=-1)
    closed = max((match.start() for match in _CLOSING.finditer(head)), default=-1)
    return opened > closed


def _may_change_case(text: str, suggestion: Suggestion) -> bool:
    before, after = text[suggestion.start : suggestion.end], suggestion.replacement
    if not before.islower() or not after[0].isupper() or not after[1:].islower():
        return False
    head = text[: suggestion.start]
    return bool(_END_OF_SENTENCE.search(head)) or (head[-1:] == " " and head[:-1][-1:].isalpha())


def _is_article(text: str, suggestion: Suggestion) -> bool:
    before = text[suggestion.start : suggestion.end]
    head, tail = text[: suggestion.start], text[suggestion.end :]
    following = tail[1:2]
    return (
        tail[:1] == " "
        and following.isalpha()
        and (head == "" or head[-1] in " \"'")
        and (before[0].islower() or before != before.upper() or head == "" or head.rstrip()[-1:] in ".?!")
    )


def _is_respaced_rightly(before: str, after: str) -> bool:
    if "'" in before or "'" in after:
        return before.replace("'", "") == after.replace("'", "")
    if after.lower() in _ONE_WORD:
        return True
    return " " in after and " " not in before and "-" not in before
