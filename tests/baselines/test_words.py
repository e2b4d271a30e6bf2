from __future__ import annotations

import pytest

from errata_bench.baselines.slips import is_likely_slip
from errata_bench.baselines.words import VisibleText, Word, in_case_of, is_strange, starts_sentence, words_of


def slips(*paragraphs: str) -> list[str]:
    visible = VisibleText(paragraphs)
    return [word.text for text in paragraphs for word in words_of(text) if visible.may_be_slip(text, word)]


@pytest.mark.parametrize(
    "text",
    [
        "past Stennick to the sea",
        "at the end. See Fig. Xylo for it",
        "the HTTPX code and the xZlib",
        "see foo_barr and /etc/confg or mail.outbund now",
        "write --verbse or user@hst and #taag",
        "it holds 40 mmol of it",
        "chapter xlvii",
        "goin' an' frien's",
        'the "[w]ithou" in brackets',
        "naïvité",
    ],
)
def test_names_codes_units_and_shortened_forms_are_no_slips(text: str) -> None:
    unknown = "Stennick Xylo HTTPX xZlib foo barr confg outbund verbse hst taag mmol xlvii frien's ithou naïvité"
    assert not set(unknown.split()) & set(slips(text))


def test_a_word_that_occurs_once_may_be_a_slip_and_one_that_recurs_is_none() -> None:
    assert "heem" in slips("I saw heem there.")
    assert "heem" not in slips("I saw heem there.", "And heem again.")
    assert "wharfinger" not in slips("The wharfinger came.", "All wharfingers came, the wharfinger's wife too.")


def test_a_capital_at_the_beginning_of_a_sentence_is_no_name_unless_it_is_one_elsewhere() -> None:
    assert "Definately" in slips("It was so. Definately so.")
    assert "Merrin" not in slips("Merrin is far.", "I went to Merrin.")


@pytest.mark.parametrize(
    ("before", "starts"),
    [
        ("", True),
        ("It ended. ", True),
        ('He said, "', True),
        ("see Bell v. ", False),
        ("after ", False),
        ("12. ", True),
    ],
)
def test_the_beginning_of_a_sentence_is_known(before: str, starts: bool) -> None:
    assert starts_sentence(before + "Word", len(before)) is starts


def test_a_paragraph_full_of_unknown_words_is_dialect_and_not_misspelt() -> None:
    text = "some dam fine day heem get mad lak hell an' den heem chew dat Spitz all up mebbe"
    unknown = [Word(w, 0, 0) for w in ("heem", "lak", "mebbe")]
    assert is_strange(unknown, text)
    assert not is_strange(unknown, text * 5)
    assert not is_strange(unknown[:2], text)


def test_a_correction_keeps_the_case_of_the_word() -> None:
    assert [in_case_of(w, "their") for w in ("thier", "Thier", "THIER")] == ["their", "Their", "THEIR"]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("teh", "the"),
        ("threshhold", "threshold"),
        ("accomodation", "accommodation"),
        ("runwat", "runway"),
        ("definately", "definitely"),
        ("maintainance", "maintenance"),
        ("reinstatment", "reinstatement"),
        ("eagernes", "eagerness"),
        ("apprioach", "approach"),
    ],
)
def test_what_hands_do_is_a_likely_slip(wrong: str, right: str) -> None:
    assert is_likely_slip(wrong, right)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("bloke", "broke"),
        ("arrear", "arrears"),
        ("placatingly", "placating"),
        ("splaying", "playing"),
        ("matt", "mate"),
    ],
)
def test_another_word_or_form_is_no_likely_slip(word: str, other: str) -> None:
    assert not is_likely_slip(word, other)
