"""Whether what an issue changes is what its category and its operation say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from errata_bench.cases.classify import changed_text, changed_tokens
from errata_bench.cases.model import Issue
from errata_bench.taxonomy import find_category


@dataclass(frozen=True, slots=True)
class _Change:
    """Both sides in whole words, without the words they share at their ends."""

    wrong: list[str]
    right: list[str]

    @property
    def texts(self) -> tuple[str, str]:
        return " ".join(self.wrong), " ".join(self.right)

    @property
    def letters(self) -> tuple[str, str]:
        return _letters(self.texts[0]), _letters(self.texts[1])


def contradictions(issue: Issue) -> list[str]:
    """What about an issue's change contradicts its category or its classification, in words."""
    change = _Change(*changed_tokens(issue.find.split(), issue.replace.split()))
    found = []
    category = find_category(issue.category)
    if category is not None and category.child in _DEMANDS:
        demand, words = _DEMANDS[category.child]
        if not demand(change):
            found.append(f"{_shown(change)}: {category.child} means that {words}")
    said = issue.classification
    if said is None:
        return found
    if category is not None and (said.parent, said.child) != (category.parent, category.child):
        found.append(f"the classification is {said.parent}.{said.child}, but the category is {category.label}")
    if said.label != f"{said.parent}.{said.child}":
        found.append(f"the label {said.label} is not made of parent {said.parent} and child {said.child}")
    if said.operation_type in _OPERATIONS:
        demand, words = _OPERATIONS[said.operation_type]
        if not demand(change):
            found.append(f"{_shown(change)}: the operation {said.operation_type} means that {words}")
    return found


def _shown(change: _Change) -> str:
    wrong, right = change.texts
    return f"{wrong!r} for {right!r}"


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _same_but_for(*dropped: str) -> Callable[[_Change], bool]:
    def demand(change: _Change) -> bool:
        wrong, right = (text.casefold() for text in change.texts)
        for text in dropped:
            wrong, right = wrong.replace(text, ""), right.replace(text, "")
        return wrong == right

    return demand


def _same_letters(change: _Change) -> bool:
    return change.letters[0] == change.letters[1]


def _letter_lacks(change: _Change) -> bool:
    wrong, right = change.letters
    return len(wrong) < len(right) and len(change.wrong) == len(change.right) and _is_within(wrong, right)


def _letter_too_many(change: _Change) -> bool:
    wrong, right = change.letters
    return len(wrong) > len(right) and len(change.wrong) == len(change.right) and _is_within(right, wrong)


def _is_within(short: str, long: str) -> bool:
    """Whether the letters of one text stand in that order in the other."""
    rest = iter(long)
    return all(letter in rest for letter in short)


def _letters_swapped(change: _Change) -> bool:
    wrong, right = change.letters
    return wrong != right and Counter(wrong) == Counter(right)


def _anything_swapped(change: _Change) -> bool:
    # Words that change places may be inflected on the way: "Not all … are" for "All … are not".
    return _letters_swapped(change) or bool(Counter(map(_letters, change.wrong)) & Counter(map(_letters, change.right)))


def _neighbouring_key(change: _Change) -> bool:
    lost, gained = changed_text(change.letters[1], change.letters[0])
    if len(lost) == len(gained) == 1:
        return gained in _KEYS_BESIDE.get(lost, gained)
    return not lost and len(gained) == 1  # struck together with the right one


def _written_twice(change: _Change) -> bool:
    wrong, right = change.letters
    return len(wrong) > len(right) and _is_within(right, wrong)


def _keys_beside() -> dict[str, str]:
    rows = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
    places = {key: (n, at + 0.5 * n) for n, row in enumerate(rows) for at, key in enumerate(row)}
    return {
        key: "".join(
            other
            for other, (row, at) in places.items()
            if other != key and abs(row - places[key][0]) <= 1 and abs(at - places[key][1]) <= 1
        )
        for key in places
    }


_KEYS_BESIDE = _keys_beside()

_MORE_WORDS_RIGHT = "the right side has more words"
_DEMANDS: dict[str, tuple[Callable[[_Change], bool], str]] = {
    "fat_finger_typo": (_neighbouring_key, "one letter gives way to one beside it on the keyboard"),
    "omission": (_letter_lacks, "letters of a word are missing"),
    "insertion": (_letter_too_many, "a word has letters too many"),
    "transposition": (_letters_swapped, "letters change places"),
    "duplication": (_written_twice, "something is written twice"),
    "capitalization_error": (_same_but_for(), "only capitals differ"),
    "spacing_error": (_same_but_for(" "), "only spaces differ"),
    "hyphenation_or_compounding_error": (_same_but_for(" ", "-", "–"), "only spaces and hyphens differ"),
    "apostrophe_error": (_same_but_for("'"), "only apostrophes differ"),
    "missing_word": (lambda change: len(change.wrong) < len(change.right), _MORE_WORDS_RIGHT),
    "extra_word": (lambda change: len(change.wrong) > len(change.right), "the wrong side has more words"),
    "punctuation_error": (_same_letters, "only punctuation differs"),
    "quotation_or_delimiter_error": (_same_letters, "only quotation marks, brackets and the like differ"),
    "sentence_boundary_error": (_same_letters, "only punctuation and capitals differ"),
}
_OPERATIONS: dict[str, tuple[Callable[[_Change], bool], str]] = {
    "omission": (lambda change: len(change.texts[0]) < len(change.texts[1]), "something is missing"),
    "insertion": (lambda change: len(change.texts[0]) > len(change.texts[1]), "something is too many"),
    "transposition": (_anything_swapped, "letters or words change places"),
    "duplication": (_written_twice, "something is written twice"),
}
