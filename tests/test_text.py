"""Contract C1 (normalisation) and the words of C4."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.text import count_words, normalise, occurrences, without_tags

BREAKS = {"LINE SEPARATOR": "\u2028", "PARAGRAPH SEPARATOR": "\u2029"}
SPACES = [
    "NO-BREAK SPACE",
    "OGHAM SPACE MARK",
    "EN QUAD",
    "EM QUAD",
    "EN SPACE",
    "EM SPACE",
    "THREE-PER-EM SPACE",
    "FOUR-PER-EM SPACE",
    "SIX-PER-EM SPACE",
    "FIGURE SPACE",
    "PUNCTUATION SPACE",
    "THIN SPACE",
    "HAIR SPACE",
    "NARROW NO-BREAK SPACE",
    "MEDIUM MATHEMATICAL SPACE",
    "IDEOGRAPHIC SPACE",
]
APOSTROPHES = [
    "LEFT SINGLE QUOTATION MARK",
    "RIGHT SINGLE QUOTATION MARK",
    "SINGLE LOW-9 QUOTATION MARK",
    "SINGLE HIGH-REVERSED-9 QUOTATION MARK",
    "PRIME",
    "REVERSED PRIME",
    "MODIFIER LETTER APOSTROPHE",
    "FULLWIDTH APOSTROPHE",
]
QUOTES = [
    "LEFT DOUBLE QUOTATION MARK",
    "RIGHT DOUBLE QUOTATION MARK",
    "DOUBLE LOW-9 QUOTATION MARK",
    "DOUBLE HIGH-REVERSED-9 QUOTATION MARK",
    "DOUBLE PRIME",
    "REVERSED DOUBLE PRIME",
    "FULLWIDTH QUOTATION MARK",
]
FOLDED = {
    **dict.fromkeys(BREAKS, "\n"),
    **dict.fromkeys(SPACES, " "),
    **dict.fromkeys(APOSTROPHES, "'"),
    **dict.fromkeys(QUOTES, '"'),
    "HORIZONTAL ELLIPSIS": "...",
}
KEPT = [
    "EN DASH",
    "EM DASH",
    "HYPHEN",
    "NON-BREAKING HYPHEN",
    "SOFT HYPHEN",
    "ZERO WIDTH SPACE",
    "ZERO WIDTH NO-BREAK SPACE",
    "GRAVE ACCENT",
    "ACUTE ACCENT",
    "LEFT-POINTING DOUBLE ANGLE QUOTATION MARK",
    "SINGLE LEFT-POINTING ANGLE QUOTATION MARK",
    "TRIPLE PRIME",
    "LATIN SMALL LIGATURE FI",
    "DIGIT ONE",
    "FULLWIDTH LATIN SMALL LETTER A",
    "SUPERSCRIPT TWO",
]
# Text in which the characters of the contract, line breaks and combining marks meet often.
awkward = st.text(
    st.one_of(
        st.sampled_from([unicodedata.lookup(name) for name in FOLDED]),
        st.sampled_from(list("\r\n\t aeE<>='\"&;.\u0301\u0308\u0338\u0327\u1100\u1161\u11a8\u212b")),
        st.characters(),
    )
)


@pytest.mark.parametrize(("name", "expected"), FOLDED.items())
def test_character_of_the_contract_is_folded(name: str, expected: str) -> None:
    assert normalise(f"a{unicodedata.lookup(name)}b") == f"a{expected}b"


@pytest.mark.parametrize("name", KEPT)
def test_any_other_character_stays(name: str) -> None:
    char = unicodedata.lookup(name)
    assert normalise(f"a{char}b") == f"a{char}b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\n\rb", "a\n\nb"),
        ("a\u2028\u2029b", "a\n\nb"),
        ("a\tb\x0bc\x0cd\x85e", "a\tb\x0bc\x0cd\x85e"),
    ],
)
def test_line_breaks_become_line_feeds(text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_runs_of_spaces_and_ends_stay() -> None:
    assert normalise("  a\u00a0\u2003 b ") == "  a   b "


def test_unicode_is_composed() -> None:
    assert normalise("cafe\u0301") == "caf\u00e9"
    assert normalise("\u212b") == "\u00c5"  # the Ångström sign is the letter


def test_what_composition_makes_of_a_character_is_folded_too() -> None:
    # NFC turns U+2000 and U+2001 into other spaces, and the Greek question mark into a semicolon.
    assert normalise("a\u2001b\u2000c") == "a b c"
    assert normalise("\u037e") == ";"


@given(awkward)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(awkward)
def test_nothing_of_the_contract_is_left(text: str) -> None:
    left = set(normalise(text))
    assert not left & {"\r", *(unicodedata.lookup(name) for name in FOLDED)}


@given(awkward)
def test_result_is_composed(text: str) -> None:
    assert unicodedata.is_normalized("NFC", normalise(text))


@pytest.mark.parametrize(
    ("inner_html", "words"),
    [
        ("", 1),
        ("   ", 1),
        ("<br>", 1),
        ("one", 1),
        ("one two\nthree\tfour", 4),
        ("<em>one</em> two", 2),
        ("one<em>two</em>", 1),
        ('one <a href="some where">two</a> three', 3),
        ("AT&amp;T &lt; 3", 3),
        ("a\u3000b", 2),
        ("well-known — it's", 3),
    ],
)
def test_words_are_counted_without_tags_and_are_at_least_one(inner_html: str, words: int) -> None:
    assert count_words(inner_html) == words


def test_entities_are_no_tags() -> None:
    assert without_tags("1 &lt; 2 <b>and</b> 3 &gt; 2") == "1 &lt; 2 and 3 &gt; 2"


@pytest.mark.parametrize(
    ("text", "needle", "starts"),
    [
        ("the other theory, the", "the", [0, 18]),
        ("in-between in", "in", [0, 11]),
        ("don't", "don", [0]),
        ("don't do", "don't", [0]),
        ("a_b a", "a", [4]),
        ("naïve", "na", [0]),  # only ASCII letters make a word, as rule v1 has it
        ("abc", "b", []),
        ("abc.", "bc.", [1]),
        ("aa bb aa bb aa", "aa bb aa", [0, 6]),  # overlapping
        ("x (a) (a)", "(a)", [2, 6]),
        ("a+b a.b", "a.b", [4]),
        ("anything", "", []),
        ("", "a", []),
    ],
)
def test_occurrences(text: str, needle: str, starts: list[int]) -> None:
    assert occurrences(text, needle) == starts
