"""From a paragraph's HTML to the text that is aligned, and how far it may be folded."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

# A `<` that opens no tag is text: models write "a < b" without escaping it.
_ATOM = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>|&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);", re.DOTALL)
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_RUN = re.compile(r"[ \t\n\r\f\v\x85\u2028\u2029]+")


class Fold(StrEnum):
    """One kind of difference that is folded away where no error of the paragraph depends on it."""

    ELLIPSIS = "ellipsis"
    SINGLE_QUOTES = "single_quotes"
    DOUBLE_QUOTES = "double_quotes"
    SPACE_KINDS = "space_kinds"
    """No-break, thin and other spaces are spaces."""
    SPACE_RUNS = "space_runs"
    """A run of white space, line breaks included, is one space."""


Folds = frozenset[Fold]
ALL_FOLDS: Folds = frozenset(Fold)

_TABLES: dict[Fold, dict[int, str]] = {
    Fold.ELLIPSIS: {0x2026: "..."},
    Fold.SINGLE_QUOTES: {ord(char): "'" for char in "\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\uff07"},
    Fold.DOUBLE_QUOTES: {ord(char): '"' for char in "\u201c\u201d\u201e\u201f\u2033\u2036\uff02"},
    Fold.SPACE_KINDS: dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
}


def plain_text(inner_html: str) -> str:
    """The text of HTML: tags dropped, entities decoded, ``<br>`` a line break.

    A tag is dropped before entities are decoded, so that ``&lt;b&gt;`` stays text. An unknown entity, and one without
    its semicolon, stays as it is.
    """
    return _ATOM.sub(_decode, inner_html) if "<" in inner_html or "&" in inner_html else inner_html


def _decode(match: re.Match[str]) -> str:
    atom = match[0]
    if atom[0] == "&":
        return html.unescape(atom)
    return "\n" if _BREAK.match(atom) else ""


def snap(inner_html: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range of HTML, so that neither end lies inside a tag or an entity."""
    for match in _ATOM.finditer(inner_html):
        if match.start() < start < match.end():
            start = match.start()
        if match.start() < end < match.end():
            end = match.end()
    return start, end


def fold(text: str, folds: Folds) -> str:
    """Compose the text (NFC) and fold what may be folded. Applying it twice changes nothing more."""
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        for kind, table in _TABLES.items():
            if kind in folds:
                text = text.translate(table)
    return _RUN.sub(" ", text) if Fold.SPACE_RUNS in folds else text


def usable_folds(pairs: Iterable[tuple[str, str]]) -> Folds:
    """The folds under which every pair (wrong text, right text) still differs.

    They are tried one after another in the order of `Fold`, each on top of those already taken.
    """
    pairs = tuple(pairs)
    taken: Folds = frozenset()
    for kind in Fold:
        tried = taken | {kind}
        if all(fold(wrong, tried) != fold(right, tried) for wrong, right in pairs):
            taken = tried
    return taken
