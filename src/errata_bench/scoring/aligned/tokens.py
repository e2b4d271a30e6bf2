"""Tokens: words, single punctuation marks, runs of white space. Joined, they are the text again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache


class TokenKind(IntEnum):
    """The class of a token; only tokens of one class can stand for each other."""

    WORD = 0
    PUNCTUATION = 1
    SPACE = 2


# Combining marks, soft hyphen and joiners belong to the word they stand in.
_W = r"[\w\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u200c\u200d]"
# A word keeps its inner apostrophes ("don't"), a number its inner marks ("1,000.5"); a hyphen is a mark of its own,
# so that the parts of a compound can be found.
_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)+{_W}*|{_W}+(?:['\u2018\u2019\u02bc\uff07]{_W}+)*|\s+|.", re.DOTALL)
_WORD_START = re.compile(_W)


def tokenise(text: str) -> list[str]:
    """Split a text into its tokens; nothing is lost."""
    return _TOKEN.findall(text)


@lru_cache(maxsize=65_536)
def kind_of(token: str) -> TokenKind:
    """The class of a token that `tokenise` has made."""
    if token.isspace():
        return TokenKind.SPACE
    return TokenKind.WORD if _WORD_START.match(token) else TokenKind.PUNCTUATION


def is_word(token: str) -> bool:
    """Whether a token, perhaps empty, is a word."""
    return bool(token) and kind_of(token) is TokenKind.WORD


def is_space(token: str) -> bool:
    """Whether a token, perhaps empty, is white space; the empty one is not."""
    return token.isspace()


def has_words(tokens: Sequence[str]) -> bool:
    """Whether one of them is a word."""
    return any(is_word(token) for token in tokens)
