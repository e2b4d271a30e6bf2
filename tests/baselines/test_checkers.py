"""The three checkers as they are, each in its worker process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from errata_bench.baselines import baseline_model, unavailable_reason
from errata_bench.baselines.languagetool_checker import code_point_offsets
from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.document import Document, Paragraph

Proofread = Callable[..., Awaitable[list[str]]]

SPELLING = "baseline/spelling"
HARPER = "baseline/harper"
LANGUAGETOOL = pytest.param(
    "baseline/languagetool",
    marks=pytest.mark.skipif(unavailable_reason("baseline/languagetool") is not None, reason="an extra"),
)
CHECKERS = [SPELLING, HARPER, LANGUAGETOOL]
GRAMMAR_CHECKERS = [HARPER, LANGUAGETOOL]


@pytest.mark.parametrize("name", CHECKERS)
async def test_misspellings_are_corrected_in_their_own_case(name: str, proofread: Proofread) -> None:
    assert await proofread(
        name, "The accomodation was good.", "Definately a good place, and the threshhold was low."
    ) == ["The accommodation was good.", "Definitely a good place, and the threshold was low."]


@pytest.mark.parametrize("name", CHECKERS)
async def test_offsets_hold_behind_accents_emoji_and_entities(name: str, proofread: Proofread) -> None:
    before = "😀😀 The café at Łódź <& naïve 𝔘𝔫𝔦𝔠𝔬𝔡𝔢> had good accomodation for us — 😀."
    assert await proofread(name, before) == [before.replace("accomodation", "accommodation")]


@pytest.mark.parametrize("name", CHECKERS)
async def test_tags_stay_where_they_are(
    name: str,
    request_for: Callable[..., ChatRequest],
    execute: Callable[[Document, ChatReply], Document],
) -> None:
    document = Document((Paragraph("a", "The <em>accomodation</em> was <b>good</b> &amp; the sweae<i>tr</i> red."),))
    after = execute(document, await baseline_model(name).complete(request_for(document)))
    assert after.paragraphs[0].inner_html == document.paragraphs[0].inner_html.replace("accomodation", "accommodation")


@pytest.mark.parametrize("name", CHECKERS)
async def test_right_prose_with_names_terms_codes_and_dialect_is_left_alone(name: str, proofread: Proofread) -> None:
    paragraphs = [
        "I kept the light at Corran Point, and Mrs. Varley, who had had a cow there, thought that that was enough.",
        "Velotrine 40 mg contains ostravidine. Ostravidine passes into the blood; Velotrine is taken with water.",
        "Set broker.token_file to /etc/queuectl.ini and run queuectl --older-than 14d on the HX40.",
        "If it were so, the neighbour's grey harbour would be of another colour; it be what it may.",
    ]
    assert await proofread(name, *paragraphs) == paragraphs


@pytest.mark.parametrize("name", CHECKERS)
async def test_the_spelling_of_neither_dialect_is_changed(name: str, proofread: Proofread) -> None:
    british = "The colour of the theatre was organised in grey metres by a traveller in the neighbourhood."
    american = "The color of the theater was organized in gray meters by a traveler in the neighborhood."
    assert await proofread(name, british) == [british]
    assert await proofread(name, american) == [american]


@pytest.mark.parametrize("name", GRAMMAR_CHECKERS)
async def test_grammar_checkers_see_more_than_spelling(name: str, proofread: Proofread) -> None:
    assert await proofread(
        name,
        "Stay off the brakes until the the wheel is down.",
        "A child could of swallowed it.",
        "The wind is rarely an uniform flow.",
    ) == [
        "Stay off the brakes until the wheel is down.",
        "A child could have swallowed it.",
        "The wind is rarely a uniform flow.",
    ]


async def test_languagetool_writes_british_in_a_british_text(proofread: Proofread) -> None:
    if unavailable_reason("baseline/languagetool") is not None:
        pytest.skip("an extra")
    texts = ["The harbour was grey.", "It lay in the neigbourhood of the town."]
    assert await proofread("baseline/languagetool", *texts) == [texts[0], "It lay in the neighbourhood of the town."]


async def test_a_missing_space_is_put_in(proofread: Proofread) -> None:
    assert await proofread(SPELLING, "It was infact the keeper himself.") == ["It was in fact the keeper himself."]


async def test_the_same_text_gets_the_same_answer_however_often_it_is_asked(proofread: Proofread) -> None:
    text = "Teh renwal was seperate from the accomodation."
    assert await proofread(SPELLING, text) == await proofread(SPELLING, text)


def test_byte_offsets_become_code_points() -> None:
    offsets = code_point_offsets("é😀x")
    assert offsets == {0: 0, 2: 1, 6: 2, 7: 3}
