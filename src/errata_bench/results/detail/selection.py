"""Which variants, cases and categories of a group are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errata_bench.errors import UserError
from errata_bench.taxonomy import find_category
from errata_bench.variants import Variant

_NAMED = 12


@dataclass(frozen=True, slots=True)
class Selection:
    """What to keep; an empty field keeps everything.

    ``models`` are variants, model ids, or parts of their names; ``providers`` the part of a model id before its slash;
    ``efforts`` as in `Variant` (``none`` is an effort; a baseline has none); ``cases`` case ids or parts of them;
    ``categories`` parents, children, or full labels. A name that is one exactly means that one alone, else
    every one that contains it counts, whatever its capitals.
    """

    models: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


EVERYTHING = Selection()


def provider_of(variant: Variant) -> str:
    """The part of the model id before its first slash; the whole id where it has none."""
    return variant.model.partition("/")[0]


def parent_of(category: str) -> str:
    """The parent of a category's full label; the category itself where it has none."""
    return category.partition(".")[0]


def child_of(category: str) -> str:
    """The last part of a category's full label."""
    return category.rpartition(".")[2]


def full_label(category: str) -> str:
    """The label ``parent.child`` of a category of the taxonomy; any other as it is."""
    known = find_category(category)
    return category if known is None else known.label


def choose_variants(selection: Selection, variants: Iterable[Variant]) -> set[Variant]:
    """The variants that are kept. Raises `UserError` for a name that fits none."""
    known = list(dict.fromkeys(variants))
    kept = set(known)
    if selection.models:
        wanted: set[Variant] = set()
        for name in selection.models:
            exact = [variant for variant in known if name in (str(variant), variant.model)]
            found = exact or [variant for variant in known if name.casefold() in str(variant).casefold()]
            _require(found, "model", name, [str(variant) for variant in known])
            wanted.update(found)
        kept &= wanted
    if selection.providers:
        for name in selection.providers:
            providers = [provider_of(variant) for variant in known]
            _require(name in providers, "provider", name, providers)
        kept = {variant for variant in kept if provider_of(variant) in selection.providers}
    if selection.efforts:
        for name in selection.efforts:
            efforts = [variant.effort for variant in known if variant.effort is not None]
            if known and not efforts:
                raise UserError(
                    f"the group has no reasoning effort {name!r}: it holds baselines alone, which have none",
                    mend="look at it without choosing an effort",
                )
            _require(name in efforts, "reasoning effort", name, efforts)
        kept = {variant for variant in kept if variant.effort in selection.efforts}
    return kept


def choose_cases(selection: Selection, case_ids: Iterable[str]) -> set[str]:
    """The case ids that are kept. Raises `UserError` for a name that fits none."""
    return _choose(selection.cases, list(dict.fromkeys(case_ids)), "case")


def choose_categories(selection: Selection, categories: Iterable[str]) -> set[str]:
    """The full labels that are kept. Raises `UserError` for a name that fits none of the group's."""
    known = list(dict.fromkeys(categories))
    if not selection.categories:
        return set(known)
    kept: set[str] = set()
    for name in selection.categories:
        exact = [label for label in known if name in (label, parent_of(label), child_of(label))]
        found = exact or [label for label in known if name.casefold() in label.casefold()]
        _require(found, "category", name, [parent_of(label) for label in known], ", and what they hold")
        kept.update(found)
    return kept


def _choose(names: Sequence[str], known: Sequence[str], what: str) -> set[str]:
    if not names:
        return set(known)
    kept: set[str] = set()
    for name in names:
        found = [one for one in known if one == name] or [one for one in known if name.casefold() in one.casefold()]
        _require(found, what, name, known)
        kept.update(found)
    return kept


def _require(found: object, what: str, name: str, known: Sequence[str], more: str = "") -> None:
    if found:
        return
    there = sorted(set(known))
    shown = ", ".join(there[:_NAMED]) + (f" and {len(there) - _NAMED} more" if len(there) > _NAMED else "")
    raise UserError(f"the group has no {what} {name!r}", mend=f"there are: {shown}{more}" if there else "it is empty")
