"""Kinds of error in the marks in and between sentences."""

from __future__ import annotations

from errata_bench.taxonomy.category import Category

_PARENT = "punctuation_and_boundaries"

PUNCTUATION_AND_BOUNDARIES: tuple[Category, ...] = (
    Category(
        _PARENT,
        "punctuation_error",
        "A mark inside or at the end of a sentence is missing, wrong or one too many, where the rule leaves no choice.",
        wrong="My brother, who lives in Leeds is a baker.",
        right="My brother, who lives in Leeds, is a baker.",
        edit_scope="character",
        operation="substitution",
        dimension="punctuation",
        severity="minor",
        valid_word="no_word",
    ),
    Category(
        _PARENT,
        "apostrophe_error",
        "An apostrophe is missing, misplaced or one too many.",
        wrong="The dog wagged it's tail.",
        right="The dog wagged its tail.",
        edit_scope="character",
        operation="substitution",
        dimension="punctuation",
        severity="minor",
        valid_word="usually",
    ),
    Category(
        _PARENT,
        "quotation_or_delimiter_error",
        "A quotation mark, bracket or other paired sign is missing, doubled or of the wrong kind.",
        wrong="The lid (see page 4 is loose.",
        right="The lid (see page 4) is loose.",
        edit_scope="character",
        operation="omission",
        dimension="punctuation",
        severity="minor",
        valid_word="no_word",
    ),
    Category(
        _PARENT,
        "sentence_boundary_error",
        "A full stop stands inside a sentence, or none stands between two.",
        wrong="When the bell rang. The children ran out.",
        right="When the bell rang, the children ran out.",
        edit_scope="sentence",
        operation="boundary_error",
        dimension="punctuation",
        severity="major",
        valid_word="no_word",
    ),
)
