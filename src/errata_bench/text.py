"""Text normalisation (contract C1) and word counts (contract C4)."""

from __future__ import annotations

import re
import string
import unicodedata

_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2028\u2029", "\n"),
        **dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\uff02", '"'),
        "\u2026": "...",
    }
)
_TAG = re.compile(r"<[^>]*>")


def normalise(text: str) -> str:
    """Fold what the benchmark treats as the same text.

    Unicode is composed (NFC); line breaks become LF, kinds of space a space, typographic quotes their ASCII
    forms, and the ellipsis character three dots. Runs of spaces stay as they are. Applying it twice changes
    nothing more.
    """
    # In the order of C1. None of the folded characters composes with what stands beside it, so once is enough.
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    if "\r" in composed:
        composed = composed.replace("\r\n", "\n").replace("\r", "\n")
    return composed if composed.isascii() else composed.translate(_FOLDED)


def without_tags(html: str) -> str:
    """Drop tags; entities stay as they are."""
    return _TAG.sub("", html)


def count_words(inner_html: str) -> int:
    """Count the words of a paragraph: its text without tags, split on white space; at least 1."""
    return max(1, len(without_tags(inner_html).split()))


_WORD_NEEDLE = re.compile(r"[A-Za-z0-9']+")
_WORD_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_")


def is_word_needle(needle: str) -> bool:
    """Whether a text is of ASCII letters, digits and apostrophes alone, and so is looked for as a whole word."""
    return _WORD_NEEDLE.fullmatch(needle) is not None


def occurrences(text: str, needle: str) -> list[int]:
    """Where ``needle`` occurs in ``text``, overlapping hits included; both have to be normalised.

    A needle of ASCII letters, digits and apostrophes alone counts only between characters that are not of
    ``[A-Za-z0-9_]``, as rule v1 has it; any other is a plain substring. An empty needle occurs nowhere.
    """
    # Searched for without a pattern: a case has more needles than `re` keeps patterns, and compiling costs more.
    found: list[int] = []
    anywhere = not is_word_needle(needle)
    start = text.find(needle) if needle else -1
    while start >= 0:
        around = text[max(0, start - 1) : start] + text[start + len(needle) : start + len(needle) + 1]
        if anywhere or _WORD_CHARACTERS.isdisjoint(around):
            found.append(start)
        start = text.find(needle, start + 1)
    return found
