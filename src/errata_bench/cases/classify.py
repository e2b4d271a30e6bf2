"""What can be derived of an error's classification from its category and from what changes.

Derived: label, parent, child and dimension from the category; the operation and the scope of the edit from the
difference of the two sides, and from the category where the difference does not decide; severity from the category;
whether the error leaves a valid word only where the category alone decides it. What is stated goes before it all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from errata_bench.cases.model import Classification
from errata_bench.taxonomy import Category, Dimension, EditScope, OperationType, Severity, find_category

_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_BY_DEFINITION = frozenset(
    {
        "omission",
        "insertion",
        "transposition",
        "duplication",
        "missing_word",
        "extra_word",
        "spacing_error",
        "hyphenation_or_compounding_error",
    }
)
"""Categories whose very name is the operation."""
_WIDE_SCOPES = ("clause", "sentence", "discourse")
_PHRASE_WORDS = 4


SaidOfWord = Literal["yes", "no", "unknown"]
VALID_WORD: dict[SaidOfWord, bool | None] = {"yes": True, "no": False, "unknown": None}


@dataclass(frozen=True, slots=True)
class Stated:
    """What a mark says of its error itself; None where it leaves it to be derived."""

    severity: Severity | None = None
    edit_scope: EditScope | None = None
    operation_type: OperationType | None = None
    dimension: Dimension | None = None
    valid_word: SaidOfWord | None = None


NOTHING_STATED = Stated()


def classify(label: str, wrong: str, right: str, stated: Stated = NOTHING_STATED) -> Classification | None:
    """The classification of an error; None for a category unknown to the taxonomy, of which nothing is known.

    ``wrong`` and ``right`` are the two sides with whole words.
    """
    category = find_category(label)
    if category is None:
        return None
    valid_word = category.creates_valid_word if stated.valid_word is None else VALID_WORD[stated.valid_word]
    return Classification(
        label=category.label,
        parent=category.parent,
        child=category.child,
        severity=stated.severity or category.severity,
        edit_scope=stated.edit_scope or edit_scope(category, wrong, right),
        operation_type=stated.operation_type or operation_type(category, wrong, right),
        creates_valid_word=valid_word,
        dimension=stated.dimension or category.dimension,
    )


def edit_scope(category: Category, wrong: str, right: str) -> EditScope:
    """How far the mending edit reaches.

    A category of clauses, sentences or discourse keeps its own scope, since a comma may decide about a sentence.
    Otherwise: at most two characters of spelling or punctuation are a *character*, one word a *token*, up to four
    a *phrase*, more a *clause*.
    """
    if category.edit_scope in _WIDE_SCOPES:
        return category.edit_scope
    wrong_words, right_words = changed_tokens(wrong.split(), right.split())
    words = max(len(wrong_words), len(right_words))
    if words == 0:  # only white space differs
        return "character"
    spelt = category.parent in ("orthography_and_word_form", "punctuation_and_boundaries")
    lost, gained = changed_text(wrong, right)
    if spelt and category.child != "duplication" and len(lost) <= 2 and len(gained) <= 2:
        return "character"
    if words == 1:
        return "token"
    return "phrase" if words <= _PHRASE_WORDS else "clause"


def operation_type(category: Category, wrong: str, right: str) -> OperationType:
    """What was done to the right text to spoil it.

    Agreement and boundary errors, and categories that are an operation by definition, keep the category's own.
    Otherwise the words that differ decide (the characters, where it is a matter of punctuation).
    """
    if category.operation in ("agreement_mismatch", "boundary_error") or category.child in _BY_DEFINITION:
        return category.operation
    if category.dimension == "punctuation":
        lost, gained = changed_text(wrong, right)
        if bool(lost.strip()) == bool(gained.strip()):
            return "substitution"
        return "insertion" if lost.strip() else "omission"
    before, after = changed_tokens(_TOKEN.findall(wrong), _TOKEN.findall(right))
    if not before and not after:
        return category.operation
    if not before:
        return "omission"
    if not after:
        return "insertion"
    if len(before) > 1 and sorted(map(str.lower, before)) == sorted(map(str.lower, after)):
        return "transposition"
    if category.child == "nonword_spelling_error" and _swapped(wrong, right):
        return "transposition"
    return "substitution"


def changed_tokens(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """What differs of two lists, without what they share at their beginnings and ends."""
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    return before[head : len(before) - tail], after[head : len(after) - tail]


def changed_text(before: str, after: str) -> tuple[str, str]:
    """What differs of two texts, without what they share at their beginnings and ends."""
    lost, gained = changed_tokens(list(before), list(after))
    return "".join(lost), "".join(gained)


def _swapped(wrong: str, right: str) -> bool:
    lost, gained = changed_text(wrong, right)
    return len(lost) == 2 and lost == gained[::-1]
