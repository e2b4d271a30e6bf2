"""Small words: missing, too many, out of order, or the wrong one; articles, prepositions, pronouns, conjunctions."""

from __future__ import annotations

from collections.abc import Iterator

from errata_bench.generation.rules.kit import Paragraph, Rule, Spot, in_case_of, matching, pairs, swapping, words
from errata_bench.generation.rules.phrases import COMPARATIVES, PREPOSITIONS, REDUNDANT, SUPERLATIVES
from errata_bench.generation.rules.verb_forms import BY_BASE

_BEFORE_OF = words("""
    one two three some all most part number out end front side kind sort piece pair rest top bottom middle edge back
    matter member copy group full instead ahead because lack use price cost cup amount sense state time because
""")
_BEFORE_TO = words("want wanted wants had have has tried try able going used need needed began likely ready due ought")
_AFTER_AUXILIARY = words("will would can could should must may might to")


def _missing(paragraph: Paragraph) -> Iterator[Spot]:
    """A preposition, an infinitive's *to*, a *be* or an article is left out with the space before it."""
    for n, token in enumerate(paragraph.tokens):
        before, after = paragraph.word(n - 1), paragraph.word(n + 1)
        if not paragraph.joined(n) or n + 1 >= len(paragraph.tokens) or paragraph.gap(n + 1) != " ":
            continue
        needed = (
            (token.text == "of" and before in _BEFORE_OF and after in words("the a his her its their our my these"))
            or (token.text == "to" and before in _BEFORE_TO and after in BY_BASE)
            or (token.text == "be" and before in _AFTER_AUXILIARY and (after.endswith("ed") or after in words("the a")))
            or (
                token.text == "the"
                and before in words("of in at on by")
                and after in words("end same whole first last")
            )
            or (token.text == "is" and before in words("it there he she") and after in words("the a not no"))
            or (token.text == "was" and before in words("it there he she") and after in words("the a not no"))
            or (token.text == "it" and before in words("as if because") and after in words("was is had would"))
        )
        if needed:
            start = paragraph.tokens[n - 1].end
            yield Spot("missing_word", start, token.end, "", f'The word "{token.text}" is missing.')


def _extra(paragraph: Paragraph) -> Iterator[Spot]:
    """A word is left from another wording: two articles, two auxiliaries, *despite of*."""
    for n, token in enumerate(paragraph.tokens):
        if not paragraph.joined(n):
            continue
        before = paragraph.word(n - 1)
        wrong = None
        if (
            token.text == "the"
            and before in words("in at on of from by with for to")
            and paragraph.word(n + 1)
            not in (
                "same",
                "more",
            )
        ):
            wrong = "a the"
        elif token.text == "was" and before in words("it he she there that which"):
            wrong = "was is"
        elif token.text == "be" and before in words("will would can could should must may might"):
            wrong = "be is"
        elif token.text == "have" and before == "to":
            wrong = "be have"
        elif token.text == "not" and before in words("did does do was is had has"):
            wrong = "not to"
        if wrong is not None:
            extra = wrong.removeprefix(f"{token.text} ").removesuffix(f" {token.text}")
            yield Spot("extra_word", token.start, token.end, wrong, f'The word "{extra}" is too many.')


_PREPOSITIONS = words("of in to at on for from with by")
_OWNERS = words("the a an his her their its our my")


def _order(paragraph: Paragraph) -> Iterator[Spot]:
    """Two small words, or an intensifier and its adjective, have changed places."""
    for n, token in enumerate(paragraph.tokens):
        if n == 0 or not paragraph.joined(n) or token.text.istitle():
            continue
        first = paragraph.tokens[n - 1]
        swapped = (first.text in _PREPOSITIONS and token.text in _OWNERS) or (
            first.text in words("very too quite rather") and token.text not in words("much many a the well often")
        )
        if swapped or (
            first.text in words("had has have would could should will") and token.text in words("been be not")
        ):
            wrong = f"{token.text} {first.text}"
            note = f'The words "{first.text} {token.text}" stand in the wrong order.'
            yield Spot("word_order_error", first.start, token.end, wrong, note)


def _an(paragraph: Paragraph) -> Iterator[Spot]:
    """*a* and *an* the wrong way round, or left out before a noun that needs them."""
    for n, token in enumerate(paragraph.tokens[:-1]):
        after = paragraph.tokens[n + 1]
        if token.lower not in ("a", "an") or paragraph.gap(n + 1) != " ":
            continue
        other = in_case_of(token.text, "a" if token.lower == "an" else "an")
        note = f'Before "{after.text}" stands "{token.lower}".'
        if after.text[0].islower() and not after.text.startswith(("u", "eu", "h", "one")):
            yield Spot("article_or_determiner_error", token.start, token.end, other, note)
        if paragraph.word(n - 1) in words("was is with as had have has of in for") and paragraph.joined(n):
            missing = f'"{after.text}" needs the article "{token.lower}".'
            yield Spot("article_or_determiner_error", token.start, after.end, after.text, missing)


SMALL_WORD_RULES: tuple[Rule, ...] = (
    _missing,
    _extra,
    _order,
    _an,
    matching("extra_word", r"\b([Dd])espite\b", r"\1espite of", '"Despite" takes no "of".'),
    matching(
        "extra_word",
        r"\bdiscuss(ed|es|ing)? (?=the|a|his|her|their|it)",
        r"discuss\1 about ",
        'No "about" belongs here.',
    ),
    matching("extra_word", r"\bbecause (?=he|she|they|we|it|I)\b", "because of ", '"Because of" begins no clause.'),
    matching("article_or_determiner_error", r"\b([Tt])hese (?=[a-z]+s\b)", r"\1his ", 'The plural needs "these".'),
    matching("article_or_determiner_error", r"\b([Tt])hose (?=[a-z]+s\b)", r"\1hat ", 'The plural needs "those".'),
    matching(
        "article_or_determiner_error", r"\b([Tt])his (?=[a-z]+(?<!s) (?:is|was|has)\b)", r"\1hese ", 'It is "this".'
    ),
    swapping("preposition_error", PREPOSITIONS, 'The preposition is wrong: "{right}" is meant.'),
    matching(
        "pronoun_case_error",
        r"\bwho(?= (?:had|has|was|were|is|are|would|could|did|will|can)\b)",
        "whom",
        'As a subject: "who".',
    ),
    matching("pronoun_case_error", r"\b([Tt])o whom\b", r"\1o who", 'After "to" stands "whom".'),
    matching(
        "pronoun_case_error", r"\b(with|for|from|to|by|at|of) them\b", r"\1 they", 'After a preposition stands "them".'
    ),
    matching("pronoun_case_error", r"\b(with|for|from|to|by|at|of) us\b", r"\1 we", 'After a preposition stands "us".'),
    matching("pronoun_case_error", r"\b(with|for|from|to|by|at) him\b", r"\1 he", 'After a preposition stands "him".'),
    matching("pronoun_case_error", r"\b(with|for|from|to|by|at|of) me\b", r"\1 I", 'After a preposition stands "me".'),
    matching("pronoun_agreement", r"\bthemselves\b", "itself", 'It refers to several: "themselves".'),
    matching("pronoun_agreement", r"\b(?:himself|herself|itself)\b", "themselves", "It refers to one, not to several."),
    matching(
        "relative_clause_error",
        r"\b(man|woman|boy|girl|person|clerk|child|doctor|engineer|driver|teacher|keeper|neighbour|wife|husband|friend"
        r"|men|women|children|people|those|anyone|members|visitors|staff|residents|patients|readers|colleagues) who\b",
        r"\1 which",
        'A person is referred to by "who".',
    ),
    matching(
        "relative_clause_error",
        r", which (?=(?:was|were|is|are|had|has)\b)",
        ", what ",
        'The relative pronoun is "which".',
    ),
    matching("relative_clause_error", r", whose\b", ", which", 'The relative pronoun is "whose".'),
    matching(
        "relative_clause_error",
        r", who (?=(?:was|were|is|are|had|has)\b)",
        ", which ",
        'A person is referred to by "who".',
    ),
    matching(
        "coordination_or_subordination_error",
        r"\b(Although|Though) ([^,.;:]{8,70}), (?=[a-z])",
        r"\1 \2, but ",
        '"Although" and "but" do not join the same clauses.',
    ),
    matching(
        "coordination_or_subordination_error",
        r"\b(Because) ([^,.;:]{8,70}), (?=(?:he|she|it|they|we|the)\b)",
        r"\1 \2, so ",
        'A clause of reason takes no "so" after it.',
    ),
    matching(
        "coordination_or_subordination_error",
        r"\bneither ([^,.;]{2,40}) nor\b",
        r"neither \1 or",
        '"Neither" goes with "nor".',
    ),
    matching(
        "coordination_or_subordination_error",
        r"\beither ([^,.;]{2,40}) or\b",
        r"either \1 nor",
        '"Either" goes with "or".',
    ),
    matching(
        "coordination_or_subordination_error",
        r"\bboth ((?!of )(?:[a-z]+ )?[a-z]+) and\b",
        r"both \1 or",
        '"Both" goes with "and".',
    ),
    swapping(
        "comparative_or_superlative_error",
        {word: (f"more {word}",) for word in COMPARATIVES} | {word: (f"most {word}",) for word in SUPERLATIVES},
        'The degree is formed twice: "{wrong}".',
    ),
    matching(
        "comparative_or_superlative_error",
        rf"\b({'|'.join(sorted(COMPARATIVES))}) than\b",
        r"\1 as",
        'A comparative goes with "than".',
    ),
    swapping(
        "countability_error",
        pairs("""
            information > informations
            advice > advices
            equipment > equipments
            furniture > furnitures
            luggage > luggages
            evidence > evidences
            knowledge > knowledges
            research > researches
            machinery > machineries
            traffic > traffics
            homework > homeworks
            progress > progresses
            damage to > damages to
            weather > weathers
                        a number of > an amount of
            the number of > the amount of
            many of > much of
            so many > so much
            too many > too much
            how many > how much
            so much > so many
            too much > too many
            how much > how many
            a few > a little
        """),
        'What is counted and what is not are confused: "{right}" is right.',
    ),
    matching(
        "double_negative", r"\b(could|can|would) (hardly|scarcely)\b", r"\1 not \2", 'Two negatives: "not" is too many.'
    ),
    matching(
        "double_negative",
        r"\b(not|never|without|nor|hardly|nobody|n't) ((?:\w+ ){0,2})any\b",
        r"\1 \2no",
        'Two negatives: "any" is meant.',
    ),
    matching(
        "double_negative",
        r"\b(not|never|without|nor|hardly|nobody) ((?:\w+ ){0,2})any(?=thing|one|body|where)",
        r"\1 \2no",
        "Two negatives stand where one is meant.",
    ),
    matching(
        "double_negative",
        r"\b(not|never) ((?:\w+ ){0,2})ever\b",
        r"\1 \2never",
        "Two negatives stand where one is meant.",
    ),
    matching(
        "double_negative",
        r"\b(had|has|was|were|is|are|will|would) never\b",
        r"\1 not never",
        "Two negatives stand where one is meant.",
    ),
    matching(
        "double_negative",
        r"\b(was|were|had|is|are|has|have) no (?=[a-z]+)",
        r"\1 not no ",
        "Two negatives stand where one is meant.",
    ),
    matching(
        "wordiness_or_redundancy",
        r"\b(was|were|is|are) (red|blue|green|white|black|grey|brown|yellow)\b(?=[.,;])",
        r"\1 \2 in colour",
        "What is named is a colour already.",
    ),
    matching("countability_error", r"\bfewer (?=[a-z]+s\b)", "less ", 'What is counted is "fewer".'),
    swapping("wordiness_or_redundancy", REDUNDANT, '"{wrong}" says the same thing twice.'),
)
