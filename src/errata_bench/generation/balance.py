"""Which categories are offered to the corruptor next: rare ones before common ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from errata_bench.cases.check.report import count_categories
from errata_bench.cases.load import read_cases
from errata_bench.errors import DatasetError, UserError
from errata_bench.taxonomy import CATEGORIES, PARENTS, Category, find_category


@dataclass(frozen=True, slots=True)
class CategoryOptions:
    """What is said on the command line of categories; see `allowed_categories` and `Chooser`.

    ``offered`` is how many are offered at a time; 0 means all.
    """

    targets: tuple[str, ...] = ()
    required_parent: str | None = None
    single: bool = False
    offered: int = 4
    exclude_top: int = 0
    max_count: int | None = None


def allowed_categories(options: CategoryOptions, among: Sequence[Category] = CATEGORIES) -> tuple[Category, ...]:
    """The categories that may be planted, in the order of the taxonomy.

    Raises `UserError` for unknown names, and where nothing is left.
    """
    chosen = list(among)
    if options.targets:
        known = {name: find_category(name) for name in options.targets}
        if unknown := [name for name, category in known.items() if category is None]:
            raise UserError(
                f"the taxonomy has no category {', '.join(map(repr, unknown))}",
                mend="`errata-bench cases taxonomy` shows them",
            )
        wanted = set(known.values())
        if missing := [category.child for category in known.values() if category not in among and category is not None]:
            raise UserError(f"{', '.join(missing)} cannot be planted by rules", mend="leave out --offline for that")
        chosen = [category for category in chosen if category in wanted]
    if options.required_parent is not None:
        if options.required_parent not in PARENTS:
            raise UserError(
                f"the taxonomy has no parent {options.required_parent!r}", mend=f"parents are {', '.join(PARENTS)}"
            )
        chosen = [category for category in chosen if category.parent == options.required_parent]
    if not chosen:
        raise UserError("no category is left to be planted", mend="ask for fewer restrictions of categories")
    return tuple(chosen)


def counts_in(datasets: Sequence[str]) -> dict[str, int]:
    """How many issues of each category existing cases have, by label. Raises `DatasetError` for faulty cases."""
    loaded = read_cases(datasets)
    if loaded.faults:
        raise DatasetError(loaded.faults)
    return {label: count for label, count in count_categories(loaded.cases).items() if find_category(label)}


@dataclass
class Chooser:
    """Offers categories by weight 1/(n+1), where n counts what exists and what is planted already.

    ``existing`` are the counts of cases to balance with; they do not change.
    """

    categories: tuple[Category, ...]
    options: CategoryOptions
    existing: Mapping[str, int] = field(default_factory=dict)
    planted: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        top = sorted(self.existing, key=lambda label: (-self.existing[label], label))[: self.options.exclude_top]
        self.categories = tuple(category for category in self.categories if category.label not in top)
        if not self.open_categories():
            raise UserError(
                "balancing leaves no category to be planted",
                mend="lower --balance-exclude-top-categories, or raise --balance-max-category-count",
            )

    def count(self, category: Category) -> int:
        """How many there are of a category, planted ones included."""
        return self.existing.get(category.label, 0) + self.planted[category.label]

    def open_categories(self) -> tuple[Category, ...]:
        """The categories that have not reached their greatest number."""
        most = self.options.max_count
        return tuple(category for category in self.categories if most is None or self.count(category) < most)

    def offer(self, rng: random.Random, avoid: Collection[str] = ()) -> tuple[Category, ...]:
        """Draw the categories to offer, lowest counts first; those to avoid only where there is no other.

        Empty when every category has reached its greatest number.
        """
        size = 1 if self.options.single else self.options.offered
        open_ones = self.open_categories()
        pool = [category for category in open_ones if category.label not in avoid] or list(open_ones)
        # Sampling without replacement by weight: the largest of u^(1/w) (Efraimidis and Spirakis 2006).
        drawn = sorted(pool, key=lambda category: -(rng.random() ** (1 + self.count(category))))
        drawn = drawn[:size] if size else drawn
        if size:
            drawn.sort(key=self.count)
        return tuple(drawn)
