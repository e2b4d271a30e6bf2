"""Which part of a group is shown, in words."""

from __future__ import annotations

from collections.abc import Sequence

from errata_bench.results.detail.narrowing import Narrowed
from errata_bench.results.detail.selection import child_of
from errata_bench.views.terminal import count, plain

_NAMED = 6


def selection_notes(narrowed: Narrowed, *, best_variant_only: bool = False) -> list[str]:
    """What has to be known of a ranking that shows less than all."""
    lines = []
    if narrowed.cases:
        lines.append(f"Only {count(len(narrowed.cases), 'case')}: {_names(narrowed.cases)}.")
    if narrowed.issues is not None:
        names = _names([child_of(category) for category in narrowed.categories])
        categories = count(len(narrowed.categories), "category", "categories")
        lines.append(
            f"Only the {count(narrowed.issues, 'issue')} of {categories}: {names}. "
            "Figures that are about whole runs are n/a."
        )
    if best_variant_only:
        lines.append("Only the reasoning effort of each model that ranks first.")
    return lines


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return plain(", ".join(names[:_NAMED])) + more
