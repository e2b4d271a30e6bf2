from __future__ import annotations

import pytest

from errata_bench.errors import UserError
from errata_bench.results.detail.selection import (
    EVERYTHING,
    Selection,
    choose_cases,
    choose_categories,
    choose_variants,
    full_label,
    provider_of,
)
from errata_bench.variants import Variant

VARIANTS = [
    Variant("org/gpt", "low"),
    Variant("org/gpt", "high"),
    Variant("org/gpt-mini", "low"),
    Variant("other/one", "none"),
    Variant("baseline/oracle", None),
]
CATEGORIES = ["grammar.tense", "grammar.tense_of_verbs", "spelling.typo", "style"]


def chosen(**fields: tuple[str, ...]) -> set[str]:
    return {str(variant) for variant in choose_variants(Selection(**fields), VARIANTS)}


def test_an_empty_selection_keeps_everything() -> None:
    assert choose_variants(EVERYTHING, VARIANTS) == set(VARIANTS)
    assert choose_cases(EVERYTHING, ["a", "b"]) == {"a", "b"}
    assert choose_categories(EVERYTHING, CATEGORIES) == set(CATEGORIES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("org/gpt", {"org/gpt:low", "org/gpt:high"}),
        ("org/gpt:high", {"org/gpt:high"}),
        ("GPT", {"org/gpt:low", "org/gpt:high", "org/gpt-mini:low"}),
        ("oracle", {"baseline/oracle"}),
    ],
)
def test_a_name_that_is_a_model_means_that_one_and_any_other_is_looked_for(name: str, expected: set[str]) -> None:
    assert chosen(models=(name,)) == expected


def test_several_names_add_up_and_different_fields_narrow() -> None:
    assert chosen(models=("other/one", "org/gpt")) == {"other/one:none", "org/gpt:low", "org/gpt:high"}
    assert chosen(providers=("org",), efforts=("low",)) == {"org/gpt:low", "org/gpt-mini:low"}
    assert chosen(efforts=("none",)) == {"other/one:none"}


def test_a_category_is_named_by_label_child_parent_or_part() -> None:
    assert choose_categories(Selection(categories=("grammar",)), CATEGORIES) == {CATEGORIES[0], CATEGORIES[1]}
    assert choose_categories(Selection(categories=("tense",)), CATEGORIES) == {CATEGORIES[0]}
    assert choose_categories(Selection(categories=("spelling.typo",)), CATEGORIES) == {CATEGORIES[2]}
    assert choose_categories(Selection(categories=("Tens",)), CATEGORIES) == {CATEGORIES[0], CATEGORIES[1]}


@pytest.mark.parametrize(
    "selection", [Selection(models=("x",)), Selection(providers=("gpt",)), Selection(efforts=("medium",))]
)
def test_what_fits_no_variant_is_a_mistake(selection: Selection) -> None:
    with pytest.raises(UserError, match="the group has no"):
        choose_variants(selection, VARIANTS)


def test_baselines_alone_have_no_effort_to_choose() -> None:
    with pytest.raises(UserError, match="baselines alone, which have none") as caught:
        choose_variants(Selection(efforts=("low",)), [Variant("baseline/oracle", None)])
    assert "empty" not in f"{caught.value.message} {caught.value.mend}"


def test_an_unknown_case_or_category_is_a_mistake() -> None:
    with pytest.raises(UserError, match="no case 'z'"):
        choose_cases(Selection(cases=("z",)), ["a"])
    with pytest.raises(UserError, match="no category 'z'"):
        choose_categories(Selection(categories=("z",)), CATEGORIES)


def test_labels_are_completed_where_the_taxonomy_knows_them() -> None:
    assert full_label("fat_finger_typo") == "orthography_and_word_form.fat_finger_typo"
    assert full_label("house_style") == "house_style"
    assert provider_of(Variant("llama3", "low")) == "llama3"
