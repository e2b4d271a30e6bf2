from __future__ import annotations

import pytest

from errata_bench.baselines.dialect import Dialect, detect_dialect, differ_in_dialect_only


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("colour", "color"),
        ("Neighbourhood", "neighborhood"),
        ("centimetres", "centimeters"),
        ("organisations", "organizations"),
        ("travelled", "traveled"),
        ("manoeuvred", "maneuvered"),
        ("manœuvred", "maneuvered"),
        ("paediatric", "pediatric"),
        ("defence", "defense"),
        ("fulfil", "fulfill"),
        ("analysed", "analyzed"),
        ("grey", "gray"),
    ],
)
def test_spellings_of_one_word_are_known(british: str, american: str) -> None:
    assert differ_in_dialect_only(british, american)
    assert differ_in_dialect_only(american, british)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("definately", "definitely"),
        ("untill", "until"),
        ("controled", "controlled"),
        ("same", "Same"),
        ("hour", "horse"),
    ],
)
def test_a_misspelling_is_no_dialect(wrong: str, right: str) -> None:
    assert not differ_in_dialect_only(wrong, right)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("The colour of the harbour at the city centre.", Dialect.BRITISH),
        ("The color of the harbor downtown, in gray.", Dialect.AMERICAN),
        ("I promise to exercise my franchise and advise otherwise.", Dialect.AMERICAN),
        ("Mrs. Varley knew the neighbourhood and so did Mr. Bunt.", Dialect.BRITISH),
        ("Mr Oduya came in.", Dialect.BRITISH),
        ("Nothing tells here.", Dialect.AMERICAN),
    ],
)
def test_a_text_shows_its_dialect_by_its_own_spellings(text: str, dialect: Dialect) -> None:
    assert detect_dialect([text]) is dialect
