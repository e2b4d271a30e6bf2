"""How hands and memories slip: whether one spelling is a likely mistake for another."""

from __future__ import annotations

_KEY_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = frozenset("aeiouy")
_SOUND_ALIKE = frozenset(frozenset(pair) for pair in ("cs", "ck", "sz", "cz", "gj", "mn", "dt", "bp", "fv"))
_ENDINGS = ("s", "es", "n", "d", "r", "y", "ly", "ed", "er", "ing")


def is_common_slip(wrong: str, right: str) -> bool:
    """Whether letters were swapped, or one was doubled or written once by mistake: the likeliest slips of all."""
    return sorted(wrong) == sorted(right) or undoubled(wrong) == undoubled(right)


def is_likely_slip(wrong: str, right: str) -> bool:
    """Whether the edits between two spellings, in small letters, are such as people make.

    That is: letters swapped, doubled or undoubled; one for a neighbour on the keyboard, a vowel for a vowel or a
    consonant that sounds like it; one too many beside its double or neighbour on the keyboard; in words of six letters
    or more, one lost; in words of eight or more, two edits of any kind. A lost or added ending is another form of the
    word, not a slip, and the first letter is hardly ever wrong.
    """
    from rapidfuzz.distance import OSA

    if wrong[:1] != right[:1] and sorted(wrong) != sorted(right):
        return False
    if is_common_slip(wrong, right):
        return True
    if any(wrong + ending == right or right + ending == wrong for ending in _ENDINGS):
        return False
    if OSA.distance(wrong, right) > 1:
        return len(wrong) >= 8
    at = next((n for n, (a, b) in enumerate(zip(wrong, right, strict=False)) if a != b), min(len(wrong), len(right)))
    if len(wrong) == len(right):
        return len(wrong) >= 5 and _are_confused(wrong[at], right[at])
    if len(wrong) < len(right):
        return len(wrong) >= 6
    return any(_are_neighbours(wrong[at], letter) for letter in wrong[max(0, at - 1) : at] + wrong[at + 1 : at + 2])


def undoubled(word: str) -> str:
    """The word with every doubled letter written once."""
    return "".join(letter for n, letter in enumerate(word) if n == 0 or letter != word[n - 1])


def _are_confused(left: str, right: str) -> bool:
    return {left, right} <= _VOWELS or frozenset((left, right)) in _SOUND_ALIKE or _are_neighbours(left, right)


def _are_neighbours(left: str, right: str) -> bool:
    places = [
        (row, column)
        for letter in (left, right)
        for row, keys in enumerate(_KEY_ROWS)
        if (column := keys.find(letter)) >= 0
    ]
    # Each row lies about half a key to the right of the one above.
    return len(places) == 2 and (
        abs(places[0][0] - places[1][0]) <= 1
        and abs((places[0][1] + places[0][0] / 2) - (places[1][1] + places[1][0] / 2)) <= 1
    )
