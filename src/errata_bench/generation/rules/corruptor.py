"""The corruptor that plants by rules: a `Corruptor` without a model, deterministic by seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from errata_bench.chat import AttemptSink
from errata_bench.generation.corruptor import Assignment
from errata_bench.generation.proposals import Fate, Proposal, Refused
from errata_bench.generation.rules.choices import CHOICE_RULES
from errata_bench.generation.rules.kit import Paragraph, Rule, Spot
from errata_bench.generation.rules.marks import MARK_RULES
from errata_bench.generation.rules.nouns import NOUN_RULES
from errata_bench.generation.rules.slips import SLIP_RULES
from errata_bench.generation.rules.small_words import SMALL_WORD_RULES
from errata_bench.generation.rules.verbs import VERB_RULES
from errata_bench.generation.source import SourceParagraph
from errata_bench.taxonomy import CATEGORIES, Category

RULES: tuple[Rule, ...] = (*SLIP_RULES, *CHOICE_RULES, *VERB_RULES, *SMALL_WORD_RULES, *NOUN_RULES, *MARK_RULES)
PLANTED_BY_RULES: tuple[Category, ...] = tuple(
    category
    for category in CATEGORIES
    if category.child
    in frozenset(
        [
            "fat_finger_typo",
            "omission",
            "insertion",
            "transposition",
            "duplication",
            "nonword_spelling_error",
            "real_word_spelling_error",
            "capitalization_error",
            "spacing_error",
            "hyphenation_or_compounding_error",
            "incorrect_pluralization",
            "incorrect_conjugation",
            "wrong_word_form",
            "misused_word",
            "homophone_confusion",
            "homograph_or_near_neighbor_confusion",
            "collocation_error",
            "eggcorn",
            "subject_verb_agreement",
            "pronoun_agreement",
            "incorrect_tense",
            "auxiliary_or_modal_error",
            "sentence_fragment",
            "run_on_fused_sentence_or_comma_splice",
            "word_order_error",
            "missing_word",
            "extra_word",
            "relative_clause_error",
            "coordination_or_subordination_error",
            "article_or_determiner_error",
            "preposition_error",
            "pronoun_case_error",
            "double_negative",
            "comparative_or_superlative_error",
            "countability_error",
            "punctuation_error",
            "apostrophe_error",
            "quotation_or_delimiter_error",
            "sentence_boundary_error",
            "cross_sentence_tense_inconsistency",
            "wordiness_or_redundancy",
            "nonstandard_dialect_or_colloquial_form",
        ]
    )
)
"""The categories that rules can plant; the others need somebody who understands the text."""

_CONTEXT = 3
"""So many words on each side are taken into a passage; more until it is the only one of its kind."""


class RuleCorruptor:
    """Plants what the rules find, for one text.

    It remembers what it has proposed, so that what was refused is not proposed again.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._spots: dict[int, Mapping[str, list[Spot]]] = {}
        self._tried: set[tuple[int, Spot]] = set()

    async def propose(self, assignment: Assignment, _: AttemptSink) -> Proposal | Refused:
        """Propose an error of the first category offered that has a place; see `Corruptor`."""
        rng = random.Random(f"{self._seed}/{assignment.key}")
        others = sorted(
            (paragraph for paragraph in assignment.open if paragraph is not assignment.preferred),
            key=lambda paragraph: rng.random() ** (1 / paragraph.words),
            reverse=True,
        )
        for category in assignment.categories:
            for paragraph in (assignment.preferred, *others):
                free = [spot for spot in self._in(paragraph).get(category.child, ()) if self._is_new(paragraph, spot)]
                if free:
                    # By place first: a word with many ways to go wrong is no likelier than another.
                    place = rng.choice(sorted({(spot.start, spot.end) for spot in free}))
                    spot = rng.choice([spot for spot in free if (spot.start, spot.end) == place])
                    self._tried.add((paragraph.index, spot))
                    return _proposal(paragraph, spot)
        return Refused(Fate.DECLINED, "no rule finds a place for any of these categories here")

    def _is_new(self, paragraph: SourceParagraph, spot: Spot) -> bool:
        return (paragraph.index, spot) not in self._tried

    def _in(self, paragraph: SourceParagraph) -> Mapping[str, list[Spot]]:
        if paragraph.index not in self._spots:
            found: dict[str, list[Spot]] = {}
            for spot in find_spots(paragraph):
                found.setdefault(spot.category, []).append(spot)
            self._spots[paragraph.index] = found
        return self._spots[paragraph.index]


def find_spots(paragraph: SourceParagraph) -> Iterator[Spot]:
    """Every place of a paragraph where a rule could plant an error; none in headings, tables and code."""
    seen = Paragraph(_without_markup(paragraph))
    if not seen.is_prose:
        return
    known = set()
    for rule in RULES:
        for spot in rule(seen):
            if spot not in known and not paragraph.touches_markup(spot.start, spot.end):
                known.add(spot)
                yield spot


def _without_markup(paragraph: SourceParagraph) -> str:
    """The text with blanks for tags and entities, so that every place stays where it is."""
    text = paragraph.text
    for start, end in paragraph.markup:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _proposal(paragraph: SourceParagraph, spot: Spot) -> Proposal:
    text = paragraph.text
    start, end = spot.start, spot.end
    for _ in range(_CONTEXT):
        start, end = _word_before(text, start), _word_after(text, end)
    while text.count(text[start:end]) > 1 and (start > 0 or end < len(text)):
        start, end = _word_before(text, start), _word_after(text, end)
    passage = text[start:end]
    # The whole passage is given as what changes, so that a short word in it need not be the only one.
    spoilt = text[start : spot.start] + spot.wrong + text[spot.end : end]
    return Proposal(spot.category, passage, passage, spoilt, spot.note, paragraph=paragraph.index)


def _word_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace():
        at -= 1
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at


def _word_after(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    while at < len(text) and not text[at].isspace():
        at += 1
    return at
