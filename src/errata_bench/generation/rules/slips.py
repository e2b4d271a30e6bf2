"""Slips of the finger: letters struck wrongly, left out, put in, swapped, and words written twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from errata_bench.generation.rules.kit import Paragraph, Rule, Spot, Token, pairs, swapping, words
from errata_bench.generation.rules.misspellings import MISSPELT

_BESIDE = dict(
    pair.split(":")
    for pair in [
        "q:wa",
        "w:qes",
        "e:wrd",
        "r:etf",
        "t:ryg",
        "y:tuh",
        "u:yij",
        "i:uok",
        "o:ipl",
        "p:ol",
        "a:qsz",
        "s:adwx",
        "d:sfec",
        "f:dgrv",
        "g:fhtb",
        "h:gjyn",
        "j:hkum",
        "k:jlim",
        "l:kop",
        "z:asx",
        "x:zsdc",
        "c:xdfv",
        "v:cfgb",
        "b:vghn",
        "n:bhjm",
        "m:njk",
    ]
)
_LEAST_LETTERS = 6
"""In shorter words a lost letter is as good as a lost word."""


@cache
def dictionary() -> frozenset[str]:
    """Words that exist, from the list that comes with symspellpy (some 83,000, in American spelling)."""
    data = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig")
    return frozenset(line.split(" ", 1)[0] for line in data.splitlines())


def _typable(paragraph: Paragraph) -> Iterator[Token]:
    """Plain words long enough, which are no names and no terms that only the author knows."""
    known = dictionary()
    for token in paragraph.tokens:
        if len(token.text) >= _LEAST_LETTERS and token.text.isascii() and token.text.islower() and token.text.isalpha():
            before, after = paragraph.text[: token.start][-1:], paragraph.text[token.end :][:1]
            joined = (before in "'-/_" and before) or (after in "'-/_" and after)
            if token.text in known and not joined:
                yield token


def _each(category: str, note: str, spoil: str) -> Rule:
    makers = {"key": _wrong_key, "lost": _lost, "added": _added, "swapped": _swapped}

    def rule(paragraph: Paragraph) -> Iterator[Spot]:
        known = dictionary()
        for token in _typable(paragraph):
            for wrong in makers[spoil](token.text):
                if wrong != token.text and wrong not in known:
                    said = note.format(right=token.text, wrong=wrong)
                    yield Spot(category, token.start, token.end, wrong, said)

    return rule


def _wrong_key(word: str) -> Iterator[str]:
    for n in range(1, len(word)):
        for key in _BESIDE[word[n]]:
            if key not in word[n - 1 : n + 2]:
                yield word[:n] + key + word[n + 1 :]


def _lost(word: str) -> Iterator[str]:
    for n in range(1, len(word) - 1):
        yield word[:n] + word[n + 1 :]


def _added(word: str) -> Iterator[str]:
    for n in range(1, len(word) - 1):
        if word[n] != word[n + 1] and word[n] != word[n - 1]:
            yield word[: n + 1] + word[n:]  # the letter twice


def _swapped(word: str) -> Iterator[str]:
    for n in range(1, len(word) - 1):
        if word[n] != word[n + 1]:
            yield word[:n] + word[n + 1] + word[n] + word[n + 2 :]


_DOUBLED = words("the of to in a an and that is was for on with at by from it he she they we had has have be as or")


def _written_twice(paragraph: Paragraph) -> Iterator[Spot]:
    for n, token in enumerate(paragraph.tokens):
        alone = paragraph.joined(n) and token.text not in (paragraph.word(n - 1), paragraph.word(n + 1))
        if token.text in _DOUBLED and alone and paragraph.text[token.end :][:1] == " ":
            note = f'The word "{token.text}" is written twice.'
            yield Spot("duplication", token.start, token.end, f"{token.text} {token.text}", note)


SLIP_RULES: tuple[Rule, ...] = (
    _each("fat_finger_typo", 'A neighbouring key was struck: "{wrong}" for "{right}".', "key"),
    _each("omission", 'A letter is missing: "{wrong}" for "{right}".', "lost"),
    _each("insertion", 'A letter is written twice: "{wrong}" for "{right}".', "added"),
    _each("transposition", 'Two letters have changed places: "{wrong}" for "{right}".', "swapped"),
    _written_twice,
    swapping(
        "nonword_spelling_error",
        {right.lower(): wrong for right, wrong in MISSPELT.items()},
        'The word is spelt "{right}".',
    ),
    swapping(
        "real_word_spelling_error",
        pairs("""
            from > form
            form > from
            trial > trail
            though > thought
            through > trough
            thing > think
            united > untied
            quiet > quite
            with > which
            when > went
            been > bean
            than > that
            board > broad
            being > begin
            used > sued
            bought > brought
            could > cloud
            other > order
            most > must
            each > reach
            while > whole
        """),
        'A slip of the pen: "{wrong}" is another word than "{right}".',
    ),
)
