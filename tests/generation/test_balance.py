from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from errata_bench.errors import UserError
from errata_bench.generation.balance import CategoryOptions, Chooser, allowed_categories, counts_in
from errata_bench.taxonomy import CATEGORIES, PARENTS, find_category
from tests.support.case_files import case_json, write_case

OMISSION = "orthography_and_word_form.omission"
INSERTION = "orthography_and_word_form.insertion"


def chooser(existing: dict[str, int], **fields: object) -> Chooser:
    options = CategoryOptions(targets=("omission", "insertion"), **fields)  # type: ignore[arg-type]
    return Chooser(allowed_categories(options), options, existing)


def test_rare_categories_are_offered_as_the_weights_say() -> None:
    balanced = chooser({OMISSION: 3}, single=True)
    rng = random.Random(1)
    drawn = Counter(balanced.offer(rng)[0].label for _ in range(4000))
    # Weights 1/(3+1) and 1/(0+1): one in five.
    assert 0.17 < drawn[OMISSION] / 4000 < 0.23


def test_what_was_planted_counts_with_what_exists() -> None:
    balanced = chooser({}, single=True)
    balanced.planted[INSERTION] = 99
    drawn = Counter(balanced.offer(random.Random(n))[0].label for n in range(200))
    assert drawn[OMISSION] > 185


def test_lowest_counts_come_first() -> None:
    options = CategoryOptions(offered=10)
    existing = {category.label: n for n, category in enumerate(CATEGORIES)}
    offered = Chooser(CATEGORIES, options, existing).offer(random.Random(3))
    counts = [existing[category.label] for category in offered]
    assert len(set(offered)) == 10
    assert counts == sorted(counts)


def test_full_and_commonest_categories_are_left_out() -> None:
    assert [c.label for c in chooser({OMISSION: 5, INSERTION: 2}, exclude_top=1).categories] == [INSERTION]
    full = chooser({OMISSION: 5, INSERTION: 2}, max_count=3)
    assert [category.label for category in full.open_categories()] == [INSERTION]
    full.planted[INSERTION] += 1
    assert full.offer(random.Random(0)) == ()


def test_categories_to_avoid_are_offered_only_where_there_is_no_other() -> None:
    made = chooser({})
    assert [category.label for category in made.offer(random.Random(0), {OMISSION})] == [INSERTION]
    assert len(made.offer(random.Random(0), {OMISSION, INSERTION})) == 2


def test_a_balance_that_leaves_nothing_is_a_mistake_of_the_user() -> None:
    with pytest.raises(UserError, match="balancing leaves no category"):
        chooser({OMISSION: 5, INSERTION: 2}, exclude_top=2)


def test_parents_and_targets_restrict_the_choice() -> None:
    parent = next(iter(PARENTS))
    chosen = allowed_categories(CategoryOptions(required_parent=parent))
    assert {category.parent for category in chosen} == {parent}
    assert allowed_categories(CategoryOptions(targets=("missing_word",))) == (find_category("missing_word"),)
    for wrong, said in (
        (CategoryOptions(targets=("mising_word",)), "mising_word"),
        (CategoryOptions(required_parent="grammar"), "grammar"),
        (CategoryOptions(targets=("missing_word",), required_parent=parent), "no category is left"),
    ):
        with pytest.raises(UserError, match=said):
            allowed_categories(wrong)


def test_counts_are_those_of_existing_cases(tmp_path: Path) -> None:
    write_case(tmp_path, case_json())
    assert {label: n for label, n in counts_in([str(tmp_path)]).items() if n} == {
        "orthography_and_word_form.transposition": 1
    }
