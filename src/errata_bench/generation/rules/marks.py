"""Marks between words: commas, stops, apostrophes, hyphens, spaces, capitals, brackets and quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errata_bench.generation.rules.kit import Paragraph, Rule, Spot, matching, pairs, swapping, words

_CAPITALS = words("""
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February April June July August September October
    November December English French German Italian Spanish Dutch Roman Greek Latin Scottish Welsh Irish British
    American European Christmas Easter Michaelmas London Paris Rome England Scotland Wales Ireland France Germany Italy
    Spain Europe America Africa Asia Victorian Georgian Christian Catholic Protestant Parliament
""")
_STARTERS = words("the it he she they we this that there in on at when if but and for as what who no one two all")


def _capitals(paragraph: Paragraph) -> Iterator[Spot]:
    """A small letter on a name of day, month, people or place, or at the beginning of a sentence."""
    for n, token in enumerate(paragraph.tokens):
        if token.text in _CAPITALS and n > 0 and not paragraph.starts_sentence(n):
            note = f'A capital belongs here: "{token.text}".'
            yield Spot("capitalization_error", token.start, token.end, token.text.lower(), note)
        elif (
            token.start in paragraph.sentence_starts
            and token.start > 0
            and token.text.istitle()
            and token.lower in _STARTERS
            and token.text != "I"
        ):
            yield Spot("capitalization_error", token.start, token.end, token.lower, "A sentence begins with a capital.")


_POSSESSOR = re.compile(r"\b([a-z]{3,})'s (?=[a-z]+)")
_PLURAL_AFTER = re.compile(
    r"\b((?:two|three|four|five|six|seven|eight|nine|ten|several|many|few|these|those|all the|some of the|both)"
    r" )([a-z]{3,}[a-rt-z])s\b(?! of)"
)


def _apostrophes(paragraph: Paragraph) -> Iterator[Spot]:
    """Left out of a possessive or a short form, put into *its* or into a plural, or misplaced."""
    for match in _POSSESSOR.finditer(paragraph.text):
        owner = match[1]
        if owner in words("it that what there here who let she where how"):
            continue
        end = match.end(1) + 2
        yield Spot("apostrophe_error", match.start(), end, f"{owner}s", f'The possessive is "{owner}\'s".')
        if not owner.endswith("s") and owner in words("year month week day night"):
            yield Spot("apostrophe_error", match.start(), end, f"{owner}s'", f'Of one {owner}: "{owner}\'s".')
    for match in _PLURAL_AFTER.finditer(paragraph.text):
        noun = match[2]
        wrong = f"{match[1]}{noun}'s"
        yield Spot("apostrophe_error", match.start(), match.end(), wrong, "A plural has no apostrophe.")


_ASKS = re.compile(
    r"(?:^|(?<=[.!?] ))(?:What|Why|When|Where|How|Who|Which|Is|Are|Was|Were|Do|Does|Did|Has|Have|Can|Could|Would|Will)"
    r" [^.!?]{8,160}\?(?=\s|$)"
)
_RELATIVE = re.compile(
    r"(?<!in)(?<!to)(?<!of), (?:who|which|whose) (?:[\w'-]+ ){1,9}[\w'-]+(, )(?=[a-z])"
    r"(?!and |but |or |who |which |whose )"
)
_LISTED = re.compile(r"\b[a-z]+(, )[a-z]+, [a-z]+ and [a-z]+\b|\b[a-z]+(, )[a-z]+ and [a-z]+ (?:were|are|was)\b")


def _commas(paragraph: Paragraph) -> Iterator[Spot]:
    """The second comma of a pair is lost, or one in a list; a question has a full stop."""
    for match in _RELATIVE.finditer(paragraph.text):
        yield Spot("punctuation_error", match.start(1), match.end(1), " ", "The clause between commas is not closed.")
    for match in _LISTED.finditer(paragraph.text):
        group = 1 if match[1] else 2
        yield Spot("punctuation_error", match.start(group), match.end(group), " ", "A comma is missing in the list.")
    for match in _ASKS.finditer(paragraph.text):
        yield Spot("punctuation_error", match.end() - 1, match.end(), ".", "A question ends in a question mark.")


def _delimiters(paragraph: Paragraph) -> Iterator[Spot]:
    """The second of a pair of brackets or quotation marks is missing."""
    for match in re.finditer(r"\([^()]{4,120}(\))", paragraph.text):
        yield Spot("quotation_or_delimiter_error", match.start(1), match.end(1), "", "The bracket is not closed.")
    if paragraph.text.count('"') % 2 == 0:
        for match in re.finditer(r'(?<!\w)"[^"]{4,200}(")(?!\w)', paragraph.text):
            yield Spot("quotation_or_delimiter_error", *match.span(1), "", "The quotation is not closed.")


_SUBJECT = r"(?:It|He|She|They|We|This|There|The|His|Her|Their|But|A)"


def _boundaries(paragraph: Paragraph) -> Iterator[Spot]:
    """Two sentences run together, and one cut in two."""
    text = paragraph.text
    for start in paragraph.sentence_starts[1:]:
        match = re.match(rf"{_SUBJECT}\b", text[start:])
        before = re.search(r"(?<=[a-z])\.(\s)$", text[:start])
        if match is None or before is None:
            continue
        small = match[0].lower()
        end = start + match.end()
        if match[0] not in ("But", "A"):
            spliced = f", {small}"
            note = "Two main clauses are joined by a comma alone."
            yield Spot("run_on_fused_sentence_or_comma_splice", before.start(), end, spliced, note)
        note = "No full stop stands between two sentences."
        yield Spot("sentence_boundary_error", before.start(), end, f" {match[0]}", note)
    for match in re.finditer(r"[a-z]; (?=(?:it|he|she|they|we|this|there|the|his|her|their)\b)", text):
        note = "Two main clauses are joined by a comma alone."
        yield Spot("run_on_fused_sentence_or_comma_splice", match.start() + 1, match.end(), ", ", note)
    for start in paragraph.sentence_starts:
        match = re.match(
            r"(?:When|If|Although|While|After|Because|Since|Before|Until) [^,.;:]{12,80}(, )([a-z]+)", text[start:]
        )
        if match is not None:
            wrong = f". {match[2].capitalize()}"
            note = "A full stop cuts the clause from its sentence."
            yield Spot("sentence_boundary_error", start + match.start(1), start + match.end(2), wrong, note)
    for match in re.finditer(r"(?<=[a-z])(,?) (because|although|while|whereas|unless|so that) (?=[a-z]+ [a-z]+)", text):
        wrong = f". {match[2].capitalize()} "
        yield Spot("sentence_fragment", match.start(), match.end(), wrong, "The clause cannot stand as a sentence.")
    for match in re.finditer(r"(?<=[a-z]), which (?=[a-z]+ [a-z]+)", text):
        note = "The relative clause cannot stand as a sentence."
        yield Spot("sentence_fragment", match.start(), match.end(), ". Which ", note)


_UNITS = "year|day|week|month|hour|minute|mile|metre|foot|inch|page|man|storey|point|pound|acre|gallon|litre|ton"
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|hundred"

MARK_RULES: tuple[Rule, ...] = (
    _capitals,
    _apostrophes,
    _commas,
    _delimiters,
    _boundaries,
    matching(
        "punctuation_error",
        r"\b(said|thought|knew|found|believed|agreed|showed) that\b",
        r"\1, that",
        'No comma belongs before "that".',
    ),
    matching(
        "punctuation_error",
        r"\b(However|Meanwhile|Moreover|Nevertheless|Therefore), ",
        r"\1 ",
        "A comma belongs after it.",
    ),
    matching("apostrophe_error", r"\bits (?=[a-z]+)", "it's ", 'The possessive is "its".'),
    matching(
        "apostrophe_error",
        r"\b([Dd]o|[Dd]id|[Ww]as|[Ii]s|[Hh]ad|[Hh]as|[Cc]ould|[Ww]ould|[Dd]oes|[Ww]ere|[Aa]re)n't\b",
        r"\1nt",
        "The apostrophe stands for a lost letter.",
    ),
    matching(
        "apostrophe_error",
        r"\b([Tt]here|[Tt]hat|[Hh]e|[Ss]he|[Ii]t)'s (?=a |the |no |not )",
        r"\1s ",
        "The apostrophe stands for a lost letter.",
    ),
    matching("apostrophe_error", r"\b(our|your|her|their)s\b", r"\1's", "The pronoun has no apostrophe."),
    matching(
        "hyphenation_or_compounding_error",
        rf"\b({_NUMBERS}|\d+)-({_UNITS})\b(?= [a-z])",
        r"\1 \2",
        "Before its noun the compound has a hyphen.",
    ),
    matching(
        "hyphenation_or_compounding_error",
        r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(one|two|three|four|five|six|seven|eight|nine)\b",
        r"\1 \2",
        "The number has a hyphen.",
    ),
    matching(
        "hyphenation_or_compounding_error", r"\b(self|ex|non)-([a-z]{3,})\b", r"\1 \2", "The compound has a hyphen."
    ),
    matching("hyphenation_or_compounding_error", r"\b([a-z]+)-in-law\b", r"\1 in law", "The compound has hyphens."),
    matching(
        "hyphenation_or_compounding_error",
        r"\b(well|hard|long|short|high|low|half|full|badly|second|first|three|four|two)"
        r"-([a-z]{3,}ed|hand|term|quarters?|time|size|price) (?=[a-z]{3,})",
        r"\1 \2 ",
        "Before its noun the compound has a hyphen.",
    ),
    matching(
        "hyphenation_or_compounding_error",
        r"\b([a-z]{3,})-(shaped|made|sized|coloured|handed|headed|legged|sided|free|proof) (?=[a-z]{3,})",
        r"\1 \2 ",
        "Before its noun the compound has a hyphen.",
    ),
    swapping(
        "hyphenation_or_compounding_error",
        pairs("""
            nevertheless > never the less
            nonetheless > none the less
            notwithstanding > not with standing
            whereas > where as
            therefore > there fore
            throughout > through out
            somewhere > some where
            everything > every thing
            something > some thing
            everybody > every body
            themselves > them selves
            itself > it self
            upstairs > up stairs
            downstairs > down stairs
            outside > out side
            afternoon > after noon
            newspaper > news paper
            grandfather > grand father
            grandmother > grand mother
            otherwise > other wise
            meanwhile > mean while
            beforehand > before hand
            weekend > week end
            bedroom > bed room
            household > house hold
            lighthouse > light house
            railway > rail way
            overnight > over night
        """),
        'It is one word: "{right}".',
    ),
    swapping(
        "spacing_error",
        pairs("""
            in fact > infact
            a lot > alot
            at least > atleast
            as well > aswell
            in front > infront
            no one > noone
            all right > allright
            of course > ofcourse
            each other > eachother
            in between > inbetween
            up to > upto
            at last > atlast
            so far > sofar
            at all > atall
            in order > inorder
            even though > eventhough
            as if > asif
            this time > thistime
            at once > atonce
            ever since > eversince
            of the > ofthe
            in the > inthe
            to the > tothe
            on the > onthe
            it was > itwas
            that the > thatthe
        """),
        'A space is missing: "{right}".',
    ),
    matching(
        "spacing_error", r"([a-z]), (and|but|which|who|the|so|or)\b", r"\1,\2", "A space is missing after the comma."
    ),
    matching("spacing_error", r"([a-z]{3,})([,;]) (?=[a-z])", r"\1 \2 ", "No space belongs before the mark."),
)
