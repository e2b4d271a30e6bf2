"""The taxonomy holds what case files, docs and prompts name."""

from __future__ import annotations

from collections import Counter

import pytest

from errata_bench.cases.check.shape import contradictions
from errata_bench.cases.model import Issue
from errata_bench.taxonomy import (
    CATEGORIES,
    DIMENSIONS,
    EDIT_SCOPES,
    OPERATION_TYPES,
    PARENTS,
    SEVERITIES,
    Category,
    find_category,
)


def test_there_are_five_parents_with_all_their_children() -> None:
    assert Counter(category.parent for category in CATEGORIES) == {
        "orthography_and_word_form": 13,
        "lexical_choice_and_confusability": 8,
        "grammar_and_syntax": 21,
        "punctuation_and_boundaries": 4,
        "semantics_discourse_and_style": 8,
    }
    assert list(dict.fromkeys(category.parent for category in CATEGORIES)) == list(PARENTS)


def test_child_names_are_unique_so_that_they_name_a_category_alone() -> None:
    assert len({category.child for category in CATEGORIES}) == len(CATEGORIES)
    assert len({category.definition for category in CATEGORIES}) == len(CATEGORIES)


def test_category_is_found_by_child_and_by_label_and_by_nothing_else() -> None:
    by_child = find_category("omission")
    assert by_child is not None
    assert by_child is find_category("orthography_and_word_form.omission")
    assert find_category("grammar_and_syntax.omission") is None
    assert find_category("") is None


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.child)
def test_example_is_an_error_of_its_category(category: Category) -> None:
    assert category.wrong != category.right
    assert category.definition.endswith(".")
    assert category.edit_scope in EDIT_SCOPES
    assert category.operation in OPERATION_TYPES
    assert category.dimension in DIMENSIONS
    assert category.severity in SEVERITIES
    assert contradictions(Issue("i", category.label, "p", category.wrong, category.right, 0)) == []


def test_valid_word_is_only_claimed_where_the_category_decides_it() -> None:
    claims = {category.child: category.creates_valid_word for category in CATEGORIES}
    assert claims["nonword_spelling_error"] is False
    assert claims["homophone_confusion"] is True
    assert claims["omission"] is None
    assert claims["punctuation_error"] is None
