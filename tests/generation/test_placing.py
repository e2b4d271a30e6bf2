from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.generation.placing import place
from errata_bench.generation.proposals import Change, Fate, Proposal, Refused
from errata_bench.generation.source import make_source
from errata_bench.taxonomy import CATEGORIES, find_category
from tests.generation.sketches import TEXT, placed, proposal, source

REFUSALS: dict[str, tuple[Fate, Proposal]] = {
    "a category that was not offered": (Fate.NOT_OFFERED, proposal("malapropism", "boat came in", "boat", "bat")),
    "a category that is none": (Fate.NOT_OFFERED, proposal("boat_error", "boat came in", "boat", "bat")),
    "a passage that is not there": (Fate.NOT_FOUND, proposal("misused_word", "ship came in", "ship", "sheep")),
    "an original outside its passage": (Fate.NOT_FOUND, proposal("misused_word", "boat came in", "ship", "sheep")),
    "a passage that is there twice": (Fate.AMBIGUOUS, proposal("misused_word", "on the table", "table", "fable")),
    "an original twice in its passage": (
        Fate.AMBIGUOUS,
        proposal("misused_word", "The keeper of the lamp was asleep when the boat", "the", "a"),
    ),
    "a passage over the end of a paragraph": (
        Fate.CROSSES_PARAGRAPHS,
        proposal("misused_word", "wake him. Two of", "Two", "To"),
    ),
    "no change": (Fate.NO_CHANGE, proposal("misused_word", "boat came in", "boat", "boat")),
    "a change of quotation marks alone": (Fate.INVISIBLE, proposal("misused_word", "said 'no'", "'no'", "‘no’")),
    "a change of white space alone": (
        Fate.INVISIBLE,
        proposal("spacing_error", "boat came in", "boat came", "boat  came"),
    ),
    "nothing for its category": (
        Fate.UNDOES_ITSELF,
        proposal("misused_word", "boat came in", "boat", "Boat"),
    ),
    "a passage that is there as spoilt": (
        Fate.ALREADY_THERE,
        proposal("misused_word", "on the chair", "chair", "table"),
    ),
    "more words than a token": (
        Fate.TOO_MUCH,
        proposal("misused_word", "the boat came in", "boat came in", "vessel arrived over there at once"),
    ),
    "more than a slip of letters": (
        Fate.TOO_MUCH,
        proposal("fat_finger_typo", "was asleep when", "asleep", "awakened"),
    ),
    "an empty original": (Fate.MALFORMED, proposal("missing_word", "boat came in", "", "the")),
    "half of a pair": (Fate.MALFORMED, proposal("misused_word", "boat came in", "boat", "b\ud83d")),
}
OFFERED = [category for category in CATEGORIES if category.child != "malapropism"]


@pytest.mark.parametrize("name", REFUSALS)
def test_a_proposal_is_refused_for(name: str) -> None:
    fate, made = REFUSALS[name]
    text = TEXT + "\n\nHe said 'no' and sat on the table and she on the chair by him."
    refused = place(made, source(text).paragraphs, OFFERED)
    assert isinstance(refused, Refused), refused
    assert (refused.fate, bool(refused.reason)) == (fate, True)


def test_other_capitals_are_pointed_out() -> None:
    refused = place(proposal("misused_word", "The Boat came", "Boat", "Bat"), source().paragraphs, OFFERED)
    assert isinstance(refused, Refused)
    assert "other capitals" in refused.reason


@pytest.mark.parametrize(
    ("made", "wrong", "right"),
    [
        (proposal("subject_verb_agreement", "lamp was asleep", "was", "were"), "were", "was"),
        (proposal("subject_verb_agreement", "lamp was asleep", "lamp was asleep", "lamp were asleep"), "were", "was"),
        (proposal("omission", "was asleep when", "asleep", "aslep"), "aslep", "asleep"),
        (proposal("missing_word", "keeper of the lamp", "of the lamp", "of lamp"), "lamp", "the lamp"),
        (proposal("missing_word", "thought to wake him", "to wake", "wake"), "wake", "to wake"),
        (proposal("duplication", "thought to wake him", "to wake", "to to wake"), "to to", "to"),
        (proposal("punctuation_error", "boat came in, and", "in, and", "in and"), "in", "in,"),
        (proposal("missing_word", "so badly kept.", "badly kept.", "badly"), "badly", "badly kept."),
    ],
)
def test_a_change_is_of_whole_words_and_shows_what_is_only_left_out(made: Proposal, wrong: str, right: str) -> None:
    change = placed(made)
    assert (change.wrong, change.right) == (wrong, right)
    assert source().paragraphs[change.paragraph].text[change.start : change.end] == right


def test_tags_and_entities_of_html_are_left_alone() -> None:
    paragraphs = make_source("<p>The <em>old</em> cat &amp; the new dog</p>", "html").paragraphs
    for made in (
        proposal("misused_word", "<em>old</em>", "em>old</em", "b>old</b"),
        proposal("misused_word", "cat &amp; the", "amp", "lt"),
        proposal("misused_word", "new dog", "dog", "d<b>o</b>g"),
    ):
        refused = place(made, paragraphs, CATEGORIES)
        assert isinstance(refused, Refused)
        assert refused.fate is Fate.TOUCHES_MARKUP
    assert isinstance(place(proposal("misused_word", "new dog", "dog", "dock"), paragraphs, CATEGORIES), Change)


def test_an_ellipsis_is_not_cut() -> None:
    paragraphs = make_source("He waited… and then he went.", "text").paragraphs
    refused = place(proposal("punctuation_error", "waited... and", "..", "."), paragraphs, CATEGORIES)
    assert isinstance(refused, Refused)
    assert refused.fate is Fate.AMBIGUOUS


@given(st.data())
def test_what_is_placed_spoils_the_text_as_the_proposal_says(data: Any) -> None:
    words = data.draw(st.lists(st.sampled_from(["a", "the", "boat", "lamp,", "quay.", "b"]), min_size=3, max_size=9))
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    corrupted = data.draw(st.text(st.sampled_from("ab, the"), max_size=8))
    category = find_category("awkward_phrasing")
    assert category is not None
    change = place(Proposal("awkward_phrasing", text, text[start:end], corrupted), source(text).paragraphs, [category])
    if isinstance(change, Change):
        spoilt = text[: change.start] + change.wrong + text[change.end :]
        assert spoilt == text[:start] + corrupted + text[end:]
