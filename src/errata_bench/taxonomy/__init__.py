"""The taxonomy: five parents and their children, the kinds of writing error this benchmark plants.

Pure data and look-ups; it imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from errata_bench.taxonomy.category import (
    DIMENSIONS,
    EDIT_SCOPES,
    OPERATION_TYPES,
    SEVERITIES,
    Category,
    Dimension,
    EditScope,
    OperationType,
    Severity,
    ValidWord,
)
from errata_bench.taxonomy.discourse import SEMANTICS_DISCOURSE_AND_STYLE
from errata_bench.taxonomy.grammar import GRAMMAR_AND_SYNTAX
from errata_bench.taxonomy.lexis import LEXICAL_CHOICE_AND_CONFUSABILITY
from errata_bench.taxonomy.orthography import ORTHOGRAPHY_AND_WORD_FORM
from errata_bench.taxonomy.punctuation import PUNCTUATION_AND_BOUNDARIES

__all__ = [
    "CATEGORIES",
    "DIMENSIONS",
    "EDIT_SCOPES",
    "OPERATION_TYPES",
    "PARENTS",
    "SEVERITIES",
    "Category",
    "Dimension",
    "EditScope",
    "OperationType",
    "Severity",
    "ValidWord",
    "find_category",
]

CATEGORIES: tuple[Category, ...] = (
    *ORTHOGRAPHY_AND_WORD_FORM,
    *LEXICAL_CHOICE_AND_CONFUSABILITY,
    *GRAMMAR_AND_SYNTAX,
    *PUNCTUATION_AND_BOUNDARIES,
    *SEMANTICS_DISCOURSE_AND_STYLE,
)
"""Every category, parent by parent."""

PARENTS: Mapping[str, str] = MappingProxyType(
    {
        "orthography_and_word_form": "How a word is spelt, spaced and inflected.",
        "lexical_choice_and_confusability": "Which word or set phrase stands there.",
        "grammar_and_syntax": "How words are joined to a sentence.",
        "punctuation_and_boundaries": "The marks in and between sentences.",
        "semantics_discourse_and_style": "Whether the text makes sense, hangs together and keeps its tone.",
    }
)
"""The parents in order, each with what it is about."""

_BY_NAME = {category.child: category for category in CATEGORIES} | {category.label: category for category in CATEGORIES}


def find_category(name: str) -> Category | None:
    """The category of that child name (children are unique) or full label; None for an unknown one."""
    return _BY_NAME.get(name)
