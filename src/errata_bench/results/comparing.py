"""Comparing variants of a stored group, overall, by case and by category."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata_bench.errors import UserError
from errata_bench.results.certainty import Entry, Metric, VariantComparison, compare_variants, read_units
from errata_bench.results.detail.selection import parent_of
from errata_bench.results.statistics.power import typical
from errata_bench.results.statistics.scores import Question
from errata_bench.store.group import Group


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """Every pair of the variants compared.

    ``case_ids`` names cases by fingerprint. ``smallest_difference`` is the median over pairs of what would have shown
    with a probability of 80%, None where nothing scatters.
    """

    group_id: str
    metric: Metric
    question: Question
    pairs: tuple[VariantComparison, ...]
    case_ids: Mapping[str, str]
    smallest_difference: float | None


def compare_in_group(group: Group, names: Sequence[str], metric: Metric, question: Question) -> ComparisonReport:
    """Compare these variants. Raises `UserError` for a name that fits none or several, and for fewer than two."""
    units = read_units(group, group.runs(), edits=not metric.is_about_issues)
    entries = [_find(name, list(units.entries)) for name in names]
    if len(set(entries)) < 2 or len(set(entries)) < len(entries):
        raise UserError(
            "two different variants are needed to compare", mend=f"name two or more of: {_known(list(units.entries))}"
        )
    categories: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for issue in group.stored_issues():
        if not issue.disqualified:
            categories[parent_of(issue.category)][issue.fingerprint].add(issue.issue_id)
    pairs = compare_variants(units, entries, metric, question, categories=categories)
    smallest = typical(None if pair.overall is None else pair.overall.smallest_difference for pair in pairs)
    return ComparisonReport(group.id, metric, question, tuple(pairs), dict(units.case_ids), smallest)


def _find(name: str, entries: Sequence[Entry]) -> Entry:
    exact = [entry for entry in entries if str(entry[0]) == name]
    found = exact or [entry for entry in entries if name.casefold() in str(entry[0]).casefold()]
    if not found:
        raise UserError(f"the group has no successful run of {name!r}", mend=f"there are: {_known(entries)}")
    if len(found) > 1:
        if max(Counter(str(entry[0]) for entry in found).values()) > 1:
            raise UserError(
                f"{name!r} was run under several settings", mend="prune one of them: errata-bench results check tells"
            )
        raise UserError(f"{name!r} fits several variants", mend=f"name one of: {_known(found)}")
    return found[0]


def _known(entries: Sequence[Entry]) -> str:
    return ", ".join(sorted({str(entry[0]) for entry in entries}))
