"""Which word or set phrase stands there: words that sound or look alike, or do not go together."""

from __future__ import annotations

from errata_bench.generation.rules.confusables import COLLOCATIONS, EGGCORNS, NEAR_NEIGHBOURS
from errata_bench.generation.rules.homophones import HOMOPHONES
from errata_bench.generation.rules.kit import Rule, matching, pairs, swapping

CHOICE_RULES: tuple[Rule, ...] = (
    swapping(
        "homophone_confusion",
        HOMOPHONES,
        '"{wrong}" sounds like "{right}", which is meant.',
    ),
    swapping(
        "homograph_or_near_neighbor_confusion",
        NEAR_NEIGHBOURS,
        '"{wrong}" is taken for "{right}", which looks or sounds nearly like it.',
    ),
    swapping("eggcorn", EGGCORNS, 'The phrase is "{right}".'),
    swapping("collocation_error", COLLOCATIONS, 'English has "{right}"; the words of "{wrong}" do not go together.'),
    matching("misused_word", r"\bimpl(y|ies|ied) (?=that|a|the|no)", r"infer\1 ", "Who speaks implies."),
    matching(
        "misused_word", r"\b(borrow)(ed|s|ing)? (?=[\w ]{1,20} from\b)", r"lend\2 ", "Who gets something borrows it."
    ),
    swapping(
        "misused_word",
        pairs("""
            notable > notorious
            lent > borrowed
            flaunt > flout
            robbed > stole
            reminded > remembered
            historic > historical
            economical > economic
            principally > principled
            continual > contiguous
            fortunate > fortuitous
            flouted > flaunted
            flout > flaunt
            averse > adverse
            appraise > apprise
            literally > literately
            ingenious > ingenuous
            momentous > momentary
            childlike > childish
            considerable > considerate
            industrial > industrious
            respectable > respective
            tolerable > tolerant
            exhaustive > exhausted
            distinctive > distinct
            luxuriant > luxurious
            precipitous > precipitate
            perspective > prospective
            defective > deficient
            practicable > practised
        """),
        '"{wrong}" does not mean what is said here; "{right}" does.',
    ),
)
