from __future__ import annotations

import pytest

from errata_bench.baselines.judgement import Suggestion, clear_correction, is_worth_taking, without_neighbours
from errata_bench.baselines.plain_text import Correction
from errata_bench.baselines.words import VisibleText, Word


def taken(text: str, before: str, after: str) -> bool:
    at = text.index(before)
    return is_worth_taking(text, Suggestion(at, at + len(before), after))


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("He could of gone.", "could of", "could have"),
        ("until the the wheel", "the the", "the"),
        ("It was an uniform flow.", "an", "a"),
        ("That was enough. it rained.", "it", "It"),
        ("degrees fahrenheit, mostly", "fahrenheit", "Fahrenheit"),
        ("An other kind of it.", "An other", "Another"),
        ("of it's light", "it's", "its"),
        ("To setup a broker", "setup", "set up"),
        ("The doors is open, he said.", "is", "are"),
    ],
)
def test_an_error_is_corrected(text: str, before: str, after: str) -> None:
    assert taken(text, before, after)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("what she had had for breakfast", "had had", "had"),
        ("the colour of it", "colour", "color"),
        ("They came and they went.", "came and", "came, and"),
        ("two per cent of it", "per cent", "percent"),
        ("the Thirty Mile River", "Thirty Mile", "Thirty-Mile"),
        ("(a) its name", "a", "an"),
        ("dB(A) at speed", "A", "AN"),
        ("queue mail.outbound is", "outbound", "Outbound"),
        ("if it were so", "were", "was"),
        ("be it what it be now", "be", "is"),
        ("'Doors is fixtures,' he said.", "is", "are"),
        ("at most 256 KiB of it", "KiB", "kibibytes"),
        ("its owner. Id. Accordingly,", "Id", "I'd"),
        ("queuectl is a tool", "queuectl", "Queuectl"),
        ("as it was", "as", "as"),
    ],
)
def test_taste_dialect_code_and_rightly_odd_words_are_left(text: str, before: str, after: str) -> None:
    assert not taken(text, before, after)


def clear(wrong: str, suggestions: list[str], document: str = "") -> str | None:
    return clear_correction(Word(wrong, 0, len(wrong)), suggestions, VisibleText([document]))


def test_a_misspelling_gets_the_suggestion_that_is_clearly_nearest() -> None:
    assert clear("Tomorow", ["tomorrow", "tomorrows", "Comoros"]) == "Tomorrow"
    assert clear("renwal", ["rental", "renewal"]) is None
    assert clear("renwal", ["rental", "renewal"], "The renewal was late.") == "renewal"


def test_a_misspelling_with_only_doubtful_suggestions_is_left() -> None:
    assert clear("bloke", ["broke"]) is None
    assert clear("grey", ["gray"]) is None
    assert clear("gif", ["GIF"]) is None
    assert clear("xyzzy", []) is None


def test_of_two_corrections_in_a_row_the_first_is_taken() -> None:
    text = "This are an book."
    these, are, article = Correction(0, 4, "These"), Correction(5, 8, "is"), Correction(9, 11, "a")
    assert without_neighbours([are, these], text) == [these]
    assert without_neighbours([these, article], text) == [these, article]
