from __future__ import annotations

import pytest

from errata_bench.generation.rules.confusables import COLLOCATIONS, EGGCORNS, NEAR_NEIGHBOURS
from errata_bench.generation.rules.corruptor import PLANTED_BY_RULES, find_spots
from errata_bench.generation.rules.homophones import HOMOPHONES
from errata_bench.generation.rules.misspellings import MISSPELT
from errata_bench.generation.rules.nouns import PLURALS
from errata_bench.generation.rules.phrases import PREPOSITIONS, REDUNDANT
from errata_bench.generation.rules.slips import dictionary
from errata_bench.generation.rules.verb_forms import BY_PARTICIPLE, VERBS
from tests.generation.sketches import source

SPOILT = {
    "fat_finger_typo": ("The children were very hungry indeed that day.", "cjildren"),
    "omission": ("The children were very hungry indeed that day.", "childen"),
    "insertion": ("The children were very hungry indeed that day.", "chiildren"),
    "transposition": ("The children were very hungry indeed that day.", "childern"),
    "duplication": ("He sat on the roof of the house.", "of of"),
    "nonword_spelling_error": ("He was definitely there on the day of the fire.", "definately"),
    "real_word_spelling_error": ("A letter from the bank came in the afternoon post.", "form"),
    "capitalization_error": ("They met on the Tuesday before the fair at noon.", "tuesday"),
    "spacing_error": ("It was in fact a very good year for plums.", "infact"),
    "hyphenation_or_compounding_error": ("It was a two-year lease on the house by the mill.", "two year"),
    "incorrect_pluralization": ("The shelves were full of jars and the jars of jam.", "shelfs"),
    "incorrect_conjugation": ("The lake had frozen over by the end of the week.", "froze"),
    "wrong_word_form": ("He opened the door slowly and looked at the stairs.", "slow"),
    "homophone_confusion": ("They were glad that the whole day had been dry.", "hole"),
    "homograph_or_near_neighbor_confusion": ("The news had no effect on the price of corn.", "affect"),
    "collocation_error": ("The meeting took place in the hall by the river.", "made place"),
    "eggcorn": ("They waited with bated breath until the door was opened.", "baited breath"),
    "subject_verb_agreement": ("The box of tools was empty when the men came.", "were"),
    "pronoun_agreement": ("They had themselves to thank for the state of it.", "itself"),
    "incorrect_tense": ("Yesterday he walked to the mill and back by noon.", "walks"),
    "auxiliary_or_modal_error": ("She might have left already, for all that we knew.", "had"),
    "sentence_fragment": ("He stayed at home because of the rain that day.", ". Because"),
    "run_on_fused_sentence_or_comma_splice": ("The tide was out that day. They walked across it.", ", they"),
    "word_order_error": ("He sat on the roof of the house all day.", "the of"),
    "missing_word": ("At the end of the road stood an old gate.", ""),
    "extra_word": ("They went despite the rain that fell all day long.", "despite of"),
    "relative_clause_error": ("The man who sold it has left the town since.", "man which"),
    "coordination_or_subordination_error": ("Although it was very late, nobody had left the hall.", "but"),
    "article_or_determiner_error": ("It took an evening to mend it and to paint it.", "a"),
    "preposition_error": ("He was capable of great things when he was young.", "capable to"),
    "pronoun_case_error": ("There was little that she would not do for them.", "for they"),
    "double_negative": ("He could hardly see the road for the snow there.", "could not hardly"),
    "comparative_or_superlative_error": ("This road is longer than the one by the river.", "more longer"),
    "countability_error": ("There were fewer cars on the road that summer.", "less"),
    "punctuation_error": ("My brother, who lives in Leeds, is a baker there.", "Leeds is"),
    "apostrophe_error": ("The dog wagged its tail when it saw the man.", "it's"),
    "quotation_or_delimiter_error": ("The lid (see the next page) is loose and rattles.", "page is"),
    "sentence_boundary_error": ("When the bell rang that day, the children ran out.", ". The"),
    "wordiness_or_redundancy": ("They had returned to the house by noon that day.", "returned back"),
    "nonstandard_dialect_or_colloquial_form": ("You should have asked them before you came here.", "should of"),
    "misused_word": ("The keeper lent me a lamp for the way home.", "borrowed"),
    "cross_sentence_tense_inconsistency": (
        "He opened the door. He looked round. She asked him in. They talked until the lamp failed.",
        "looks",
    ),
}


def test_every_category_that_rules_plant_has_an_example_here() -> None:
    assert set(SPOILT) == {category.child for category in PLANTED_BY_RULES}


@pytest.mark.parametrize("category", SPOILT)
def test_rules_plant(category: str) -> None:
    text, expected = SPOILT[category]
    (paragraph,) = source(text).paragraphs
    spoilt = [text[: s.start] + s.wrong + text[s.end :] for s in find_spots(paragraph) if s.category == category]
    assert any(expected in wrong for wrong in spoilt), spoilt
    assert all(s.note for s in find_spots(paragraph))


@pytest.mark.parametrize(
    "text",
    [
        "Chapter the Second of the Book of the Sea",
        "Short and sweet.",
        "Run `queuectl --all the jobs` and then wait for the end of it.",
        "MINUTES OF THE MEETING OF THE BOARD HELD IN THE SAIL LOFT.",
    ],
)
def test_headings_and_code_are_left_alone(text: str) -> None:
    assert list(find_spots(source(text).paragraphs[0])) == []


def test_names_are_left_alone() -> None:
    text = "The Week was read by all, and Piece and Brake were partners there."
    assert {"weak", "peace", "break"}.isdisjoint(
        spot.wrong.lower() for spot in find_spots(source(text).paragraphs[0]) if spot.category == "homophone_confusion"
    )


def test_slips_give_no_other_word() -> None:
    text = "The children were hungry, and a stranger carried the heavier basket."
    slips = {"fat_finger_typo", "omission", "insertion", "transposition"}
    for spot in find_spots(source(text).paragraphs[0]):
        if spot.category in slips:
            assert spot.wrong not in dictionary()


def test_a_conditional_keeps_its_were() -> None:
    text = "He would have gone if he were not so tired of it all."
    assert not any(spot.category == "subject_verb_agreement" for spot in find_spots(source(text).paragraphs[0]))


def test_misspellings_are_no_words_and_their_words_are() -> None:
    known = dictionary()
    for right, wrongs in MISSPELT.items():
        assert right.lower() in known, right
        assert not {wrong.lower() for wrong in wrongs} & known, right


@pytest.mark.parametrize(
    "table", [HOMOPHONES, NEAR_NEIGHBOURS, EGGCORNS, COLLOCATIONS, PREPOSITIONS, REDUNDANT, MISSPELT, PLURALS]
)
def test_tables_say_something_in_every_line(table: dict[str, tuple[str, ...]]) -> None:
    for right, wrongs in table.items():
        assert right and wrongs and all(wrongs), right
        assert len({right, *wrongs}) == len(wrongs) + 1, right


def test_confusables_are_words() -> None:
    known = dictionary()
    for table in (HOMOPHONES, NEAR_NEIGHBOURS):
        unknown = {word for right, wrongs in table.items() for word in (right, *wrongs)} - known
        assert unknown == set()


def test_verbs_have_four_forms() -> None:
    forms = {verb.base: (verb.third, verb.past, verb.participle) for verb in VERBS}
    assert forms["go"] == ("goes", "went", "gone")
    assert forms["carry"] == ("carries", "carried", "carried")
    assert forms["stop"] == ("stops", "stopped", "stopped")
    assert forms["catch"] == ("catches", "caught", "caught")
    assert len(forms) == len(VERBS)
    assert BY_PARTICIPLE["frozen"].past == "froze"
