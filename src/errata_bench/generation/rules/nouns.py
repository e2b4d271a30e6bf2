"""Plurals that are formed by a false rule. Pure data and the rule that uses it."""

from __future__ import annotations

from errata_bench.generation.rules.kit import Rule, swapping, words

_IRREGULAR = {
    "children": "childs",
    "men": "mans",
    "women": "womans",
    "feet": "foots",
    "teeth": "tooths",
    "mice": "mouses",
    "geese": "gooses",
    "sheep": "sheeps",
    "aircraft": "aircrafts",
    "deer": "deers",
    "salmon": "salmons",
    "people": "peoples",
    "oxen": "oxes",
    "criteria": "criterias",
    "phenomena": "phenomenas",
    "crises": "crisises",
    "analyses": "analysises",
    "passers-by": "passer-bys",
    "mothers-in-law": "mother-in-laws",
    "lookers-on": "looker-ons",
}
_IN_Y = words("""
    ability activity allegory apology army authority baby battery berry body boundary bakery bully butterfly cavity
    category ceremony charity city colony company copy county country cranny dairy daisy deputy diary dictionary duty
    enemy enquiry entry factory fairy family ferry fly facility gallery history household industry inquiry jury
    laboratory lady library lorry memory ministry navy nursery opportunity party penny policy possibility pony poppy
    property puppy quality quantity quarry query remedy reply responsibility salary sentry spy story strawberry
    subsidy summary supply sympathy theory treaty trophy twenty university utility victory villainy visibility
""")
_IN_F = words("calf half hoof knife leaf life loaf scarf shelf thief wife wolf self")
_IN_O = words("echo hero potato tomato torpedo veto mosquito volcano")
_IN_S = words("""
    address batch beach bench boss box branch brush bush bus catch chorus church circus class coach cross dish dress
    ditch fox gas glass inch kiss lunch mass match mess patch peach pitch princess process punch search sketch speech
    stitch success switch torch trench watch witness
""")


def _plurals() -> dict[str, tuple[str, ...]]:
    table = {right: (wrong,) for right, wrong in _IRREGULAR.items()}
    table |= {f"{noun[:-1]}ies": (f"{noun}s",) for noun in _IN_Y}
    table |= {f"{noun[:-2] if noun.endswith('fe') else noun[:-1]}ves": (f"{noun}s",) for noun in _IN_F}
    table |= {f"{noun}es": (f"{noun}s",) for noun in _IN_O}
    table |= {f"{noun}es": (f"{noun}s",) for noun in _IN_S}
    return {
        right: wrong for right, wrong in table.items() if right not in words("lives leaves catches matches watches")
    }


PLURALS = _plurals()

NOUN_RULES: tuple[Rule, ...] = (swapping("incorrect_pluralization", PLURALS, 'The plural is "{right}".'),)
