"""Verbs: agreement with the subject, tense, forms, auxiliaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errata_bench.generation.rules.kit import Paragraph, Rule, Spot, matching, pairs, swapping, words
from errata_bench.generation.rules.verb_forms import BY_BASE, BY_PARTICIPLE, BY_PAST, BY_THIRD, IRREGULAR, Verb

_THIRD = words("he she it everyone everybody nobody someone each")
_PLURAL = words("they we you these those")
_BE = {"was": "were", "were": "was", "is": "are", "are": "is", "has": "have", "have": "has", "does": "do"}
_MODAL = words("will would can could shall should must may might to")
_DETERMINERS = words("the a an this that these those his her its their our my your every each no some any")
_HAVE = words("had has have having")
_ADVERBS = words("never always ever already also just not only often long since now still once then almost hardly")
_IRREALIS = re.compile(r"\b(?:if|as though|wish|wished|were it|unless|whether)\b", re.IGNORECASE)


def _agreement(paragraph: Paragraph) -> Iterator[Spot]:
    """The verb after a noun of the other number (attraction), after a pronoun, and a third person without its *s*."""
    for n, token in enumerate(paragraph.tokens):
        before = paragraph.word(n - 1)
        if not paragraph.joined(n) or _IRREALIS.search(paragraph.sentence(token.start)):
            continue
        wrong: str | None = None
        if token.text in ("was", "is", "has") and (
            before in ("it", "he", "she", "there", "which", "that", "this", "who") or _is_noun(paragraph, n - 1)
        ):
            wrong = _BE[token.text]
        elif token.text in ("were", "are", "have") and (
            before in ("they", "we", "which", "there") or (_is_noun(paragraph, n - 1) and before.endswith("s"))
        ):
            if not (token.text == "have" and paragraph.word(n - 2) in _MODAL):
                wrong = _BE[token.text]
        elif token.text in BY_THIRD and before in ("he", "she", "it"):
            wrong = BY_THIRD[token.text].base
        if wrong is not None:
            note = f'The verb has to agree with its subject: "{token.text}".'
            yield Spot("subject_verb_agreement", token.start, token.end, wrong, note)


def _is_noun(paragraph: Paragraph, n: int) -> bool:
    """Whether a word is likely the noun of a subject: it has a determiner or *of* not far before it."""
    word = paragraph.word(n)
    if not word or word in _DETERMINERS or word.endswith("ly") or word in _ADVERBS or word in BY_PAST:
        return False
    near = [paragraph.word(n - 1), paragraph.word(n - 2)]
    return paragraph.joined(n) and any(other in words("the a an this of these those") for other in near)


_PAST_TIME = re.compile(
    r"\b(?:[Yy]esterday|ago|[Ll]ast (?:week|month|year|night|summer|autumn|winter|spring)"
    r"|[Ii]n 1[5-9]\d\d|[Ii]n 20[01]\d"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December) 1[6-9]\d\d)\b"
)
_PRESENT = re.compile(r"\b(?:is|are|has|have|does|do|will|shall|can)\b")


def _tense(paragraph: Paragraph) -> Iterator[Spot]:
    """A past made present: by its own sentence's time wrong, or out of step with the sentences around it."""
    told_in_past = [n for n, token in enumerate(paragraph.tokens) if token.text in BY_PAST]
    narrative = len(told_in_past) >= 4 and not _PRESENT.search(paragraph.text)
    for n in told_in_past:
        token = paragraph.tokens[n]
        before = paragraph.word(n - 1)
        subject = before in _THIRD | words("they we i you who which") or _is_name(paragraph, n - 1)
        if not (subject and paragraph.joined(n)) or paragraph.word(n - 2) in _HAVE:
            continue
        verb = BY_PAST[token.text]
        if token.text in (verb.base, "used"):
            continue
        present = verb.base if before in ("they", "we", "i", "you") else verb.third
        if _PAST_TIME.search(paragraph.sentence(token.start)):
            note = f'The sentence speaks of the past: "{token.text}".'
            yield Spot("incorrect_tense", token.start, token.end, present, note)
        elif narrative:
            note = f'The sentences around it are told in the past: "{token.text}".'
            yield Spot("cross_sentence_tense_inconsistency", token.start, token.end, present, note)


def _is_name(paragraph: Paragraph, n: int) -> bool:
    return n >= 0 and paragraph.tokens[n].text.istitle() and not paragraph.starts_sentence(n)


_REGULARISED = {
    verb.past: f"{verb.base}d" if verb.base.endswith("e") else f"{verb.base}ed"
    for verb in IRREGULAR
    if verb.base
    in words(
        "catch teach seek build bring grow know throw blow drive write choose freeze hide hear sweep weave lend feel"
    )
}


def _conjugation(paragraph: Paragraph) -> Iterator[Spot]:
    """A past for a participle after an auxiliary, and a regular ending on an irregular verb."""
    for n, token in enumerate(paragraph.tokens):
        auxiliary = paragraph.word(n - 1)
        if auxiliary in _ADVERBS:
            auxiliary = paragraph.word(n - 2)
        verb = BY_PARTICIPLE.get(token.text)
        if verb is not None and verb.base != token.text and auxiliary in _HAVE | words("was were been be being is are"):
            note = f'After "{auxiliary}" stands the participle "{token.text}".'
            yield Spot("incorrect_conjugation", token.start, token.end, verb.past, note)
        elif token.text in _REGULARISED and auxiliary not in _DETERMINERS:
            note = f'The verb is irregular: "{token.text}".'
            yield Spot("incorrect_conjugation", token.start, token.end, _REGULARISED[token.text], note)


def _auxiliary(paragraph: Paragraph) -> Iterator[Spot]:
    """*Had* after a modal verb, a past after *did*, *to* after a modal verb."""
    for n, token in enumerate(paragraph.tokens):
        before = paragraph.word(n - 1)
        if not paragraph.joined(n):
            continue
        verb: Verb | None = BY_BASE.get(token.text)
        if token.text == "have" and before in words("would could should might must"):
            note = f'After "{before}" stands "have".'
            yield Spot("auxiliary_or_modal_error", token.start, token.end, "had", note)
        elif verb is not None and verb.past != verb.base and before in words("did didn't"):
            note = f'After "{before}" the verb has its base form: "{token.text}".'
            yield Spot("auxiliary_or_modal_error", token.start, token.end, verb.past, note)
        elif verb is not None and before == "not" and paragraph.word(n - 2) in ("did", "does", "do"):
            wrong = verb.past if paragraph.word(n - 2) == "did" else verb.third
            if wrong != token.text and paragraph.word(n - 2) != "do":
                note = f'After "{paragraph.word(n - 2)} not" the verb has its base form: "{token.text}".'
                yield Spot("auxiliary_or_modal_error", token.start, token.end, wrong, note)
        elif token.text == "be" and before in words("will would could should must might may"):
            note = f'After "{before}" stands "be".'
            yield Spot("auxiliary_or_modal_error", token.start, token.end, "been", note)
        elif token.text == "been" and before in ("had", "has", "have"):
            yield Spot("auxiliary_or_modal_error", token.start, token.end, "be", f'After "{before}" stands "been".')
        elif verb is not None and before in words("can could must will should") and token.text != "do":
            note = f'No "to" stands after "{before}".'
            yield Spot("auxiliary_or_modal_error", token.start, token.end, f"to {token.text}", note)


_CLAUSE_ENDS = words("and to as in at on through down up into over from")


def _adverbs(paragraph: Paragraph) -> Iterator[Spot]:
    """An adverb after its verb, or at the end of its clause, loses its ending."""
    for n, token in enumerate(paragraph.tokens):
        if n == 0 or not token.text.islower() or token.text not in _ADVERBS_OF_MANNER:
            continue
        before = paragraph.word(n - 1)
        ends = paragraph.text[token.end : token.end + 1] in (".", ",", ";") or paragraph.word(n + 1) in _CLAUSE_ENDS
        if before in BY_PAST or before in BY_THIRD or before.endswith(("ed", "ing")) or ends:
            wrong = _ADVERBS_OF_MANNER[token.text]
            note = f'It says how something is done: "{token.text}".'
            yield Spot("wrong_word_form", token.start, token.end, wrong, note)


_ADVERBS_OF_MANNER = {
    f"{adjective[:-1]}ily" if adjective.endswith("y") else f"{adjective}ly": adjective
    for adjective in words("""
        accurate angry anxious awkward bad brave brief bright calm careful careless cautious cheerful clear clever close
        complete correct curious deep different direct eager easy equal even exact extreme fair faint firm formal
        free frequent gentle glad grave happy heavy honest hungry immediate keen loud mild neat nervous nice noisy
        obvious open patient perfect plain polite poor prompt proper quick quiet rapid rare rough sad safe secret
        serious severe sharp silent similar simple slight slow smooth soft solemn steady strict strong sudden sweet
        swift thick tidy tight unexpected urgent vague warm weak wise
    """)
    if not adjective.endswith("le")
}

VERB_RULES: tuple[Rule, ...] = (
    _agreement,
    _tense,
    _conjugation,
    _auxiliary,
    _adverbs,
    swapping(
        "wrong_word_form",
        pairs("""
            importance > important
            difference > different
            absence > absent
            presence > present
            patience > patient
            silence > silent
            evidence > evident
            distance > distant
            violence > violent
            strength > strong
            length > long
            height > high
            depth > deep
            width > wide
            truth > true
            safety > safe
            success > successful
            difficulty > difficult
            necessity > necessary
            possibility > possible
            responsibility > responsible
            curiosity > curious
            generosity > generous
            growth > grown
            arrival > arrive
            refusal > refuse
            proposal > propose
            behaviour > behave
            explanation > explain
            description > describe
            decision > decide
            conclusion > conclude
            discussion > discuss
            competition > compete
            independent > independence
            different > difference
            successful > success
            necessary > necessity
            dangerous > danger
            careful > care
            useful > use
            wooden > wood
            angry > anger
            hungry > hunger
            economic > economy
            beautiful > beauty
        """),
        'The right form of the word here is "{right}".',
    ),
    matching(
        "nonstandard_dialect_or_colloquial_form",
        r"\b(would|could|should|might|must) have\b",
        r"\1 of",
        'It is "have" that is heard as "of".',
    ),
    matching("nonstandard_dialect_or_colloquial_form", r"\bwant to\b", "wanna", "Loose speech in a written text."),
    matching(
        "nonstandard_dialect_or_colloquial_form", r"\bgoing to\b(?= \w+)", "gonna", "Loose speech in a written text."
    ),
    matching("nonstandard_dialect_or_colloquial_form", r"\bhimself\b", "hisself", 'The standard form is "himself".'),
    matching("nonstandard_dialect_or_colloquial_form", r"\bthemselves\b", "theirselves", 'It is "themselves".'),
    matching(
        "nonstandard_dialect_or_colloquial_form", r"\b(?:is|are) not\b", "ain't", "Loose speech in a written text."
    ),
    matching("nonstandard_dialect_or_colloquial_form", r"\b[Tt]hose (?=[a-z]+s\b)", "them ", 'It is "those".'),
    matching("nonstandard_dialect_or_colloquial_form", r"\b[Aa]nyway\b", "anyways", 'It is "anyway".'),
)
