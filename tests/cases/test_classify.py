"""What is derived of a classification."""

from __future__ import annotations

import pytest

from errata_bench.cases.classify import Stated, classify


@pytest.mark.parametrize(
    ("category", "wrong", "right", "scope", "operation", "valid_word"),
    [
        ("omission", "tradmark", "trademark", "character", "omission", None),
        ("insertion", "weighted", "weighed", "character", "insertion", None),
        ("transposition", "quite", "quiet", "character", "transposition", None),
        ("duplication", "of of", "of", "token", "duplication", None),
        ("nonword_spelling_error", "definately", "definitely", "character", "substitution", False),
        ("nonword_spelling_error", "sweaetr", "sweater", "character", "transposition", False),
        ("real_word_spelling_error", "though", "through", "character", "substitution", True),
        ("capitalization_error", "european", "European", "character", "substitution", None),
        ("spacing_error", "a board", "aboard", "character", "boundary_error", None),
        ("malapropism", "unanimity", "equanimity", "token", "substitution", True),
        ("subject_verb_agreement", "were", "was", "token", "agreement_mismatch", None),
        ("missing_word", "top a", "top of a", "token", "omission", None),
        ("extra_word", "had the let", "had let", "token", "insertion", None),
        ("article_or_determiner_error", "at end", "at the end", "token", "omission", True),
        ("article_or_determiner_error", "the", "a", "token", "substitution", True),
        ("word_order_error", "had the man", "the man had", "phrase", "transposition", None),
        ("wordiness_or_redundancy", "repay back", "repay", "token", "insertion", True),
        ("awkward_phrasing", "makes it that we keep", "makes us keep", "phrase", "substitution", True),
        ("punctuation_error", "river had", "river, had", "character", "omission", None),
        ("punctuation_error", "table.", "table?", "character", "substitution", None),
        ("quotation_or_delimiter_error", "B)", "B", "character", "insertion", None),
        ("sentence_boundary_error", "pages. It", "pages, it", "sentence", "boundary_error", None),
        ("run_on_fused_sentence_or_comma_splice", "do, it", "do; it", "sentence", "boundary_error", None),
        (
            "negation_scope_error",
            "Every unsuccessful job is not retried",
            "Not every unsuccessful job is retried",
            "clause",
            "transposition",
            True,
        ),
    ],
)
def test_scope_and_operation_follow_the_difference(
    category: str, wrong: str, right: str, scope: str, operation: str, valid_word: bool | None
) -> None:
    derived = classify(category, wrong, right)
    assert derived is not None
    assert (derived.edit_scope, derived.operation_type, derived.creates_valid_word) == (scope, operation, valid_word)
    assert derived.label == f"{derived.parent}.{derived.child}"


def test_what_is_stated_goes_before_what_is_derived() -> None:
    stated = Stated("major", "sentence", "insertion", "stylistic", "yes")
    derived = classify("omission", "tradmark", "trademark", stated)
    assert derived is not None
    assert (derived.severity, derived.edit_scope, derived.operation_type) == ("major", "sentence", "insertion")
    assert (derived.dimension, derived.creates_valid_word) == ("stylistic", True)
    unknown = classify("homophone_confusion", "hole", "whole", Stated(valid_word="unknown"))
    assert unknown is not None
    assert unknown.creates_valid_word is None


def test_nothing_is_derived_of_an_unknown_category() -> None:
    assert classify("ours.misprint", "a", "b") is None
