"""How much of each case, and of each category of error, every variant fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.selection import EVERYTHING, Selection, parent_of
from errata_bench.results.detail.tally import Outcomes, Tally, tally_group, total
from errata_bench.store.group import Group
from errata_bench.taxonomy import CATEGORIES, PARENTS


@dataclass(frozen=True, slots=True)
class RateCell:
    """What one entry did in one row.

    ``rate`` is the mean over cases of the mean over runs of the share of issues fixed, 0 to 1, as quality is in the
    ranking; None without a successful run. ``outcomes`` are the plain counts over all issues and runs behind it.
    """

    rate: float | None
    runs: int
    outcomes: Outcomes


@dataclass(frozen=True, slots=True)
class RateRow:
    """One case or one category.

    ``name`` is a case id, a category's full label, or a parent's name. ``parent`` is None for a case, a parent, or
    a category that has none. ``mean`` is the mean of the rates of those entries that have one, the oracle and the
    untouched text left out.
    """

    name: str
    issues: int
    cases: int
    is_control: bool
    cells: Mapping[Entry, RateCell]
    mean: float | None
    parent: str | None = None
    fingerprint: str | None = None
    children: tuple[RateRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RateTable:
    """Rows and their entries, best entry first; ``overall`` is the row of everything that is looked at."""

    entries: tuple[Entry, ...]
    rows: tuple[RateRow, ...]
    overall: RateRow


def case_rates(group: Group, selection: Selection = EVERYTHING) -> RateTable:
    """Fix rate by case and entry, hardest case first, controls last.

    Raises `UserError` when the selection names what is not there.
    """
    return case_table(tally_group(group, selection))


def category_rates(group: Group, selection: Selection = EVERYTHING) -> RateTable:
    """Fix rate by category and entry: a row for each parent, in the taxonomy's order, with its children below it.

    Raises `UserError` when the selection names what is not there.
    """
    return category_table(tally_group(group, selection))


def case_table(tally: Tally) -> RateTable:
    """`case_rates` of a tally that is there already."""
    rows = []
    for case in tally.cases:
        cells = {}
        if not case.issues and not case.is_control and not any(at[1] == case.fingerprint for at in tally.imported):
            continue  # none of its issues is looked at
        for entry in tally.entries:
            found = tally.of_case(entry, case).values()
            runs = tally.runs.get((entry, case.fingerprint), 0)
            cells[entry] = RateCell(tally.case_rate(entry, case), runs, total(found))
        rows.append(
            RateRow(
                name=case.case_id,
                issues=len(case.issues),
                cases=1,
                is_control=case.is_control,
                cells=cells,
                mean=_mean(cells),
                fingerprint=case.fingerprint,
            )
        )
    rows.sort(key=lambda row: (row.is_control, row.mean is None, row.mean or 0.0, row.name))
    return RateTable(tally.entries, tuple(rows), _category_row(tally, "all", None))


def category_table(tally: Tally) -> RateTable:
    """`category_rates` of a tally that is there already."""
    labels = _in_order({issue.category for issue in tally.issues()})
    rows = []
    for parent in dict.fromkeys(parent_of(label) for label in labels):
        within = [label for label in labels if parent_of(label) == parent]
        children = tuple(_category_row(tally, label, frozenset([label]), parent) for label in within if label != parent)
        rows.append(_category_row(tally, parent, frozenset(within), children=children))
    return RateTable(tally.entries, tuple(rows), _category_row(tally, "all", None))


def _category_row(
    tally: Tally,
    name: str,
    categories: frozenset[str] | None,
    parent: str | None = None,
    children: tuple[RateRow, ...] = (),
) -> RateRow:
    issues = [issue for issue in tally.issues() if categories is None or issue.category in categories]
    fingerprints = {issue.fingerprint for issue in issues}
    cases = [case for case in tally.cases if case.fingerprint in fingerprints]
    cells = {}
    for entry in tally.entries:
        found = [outcomes for case in cases for outcomes in tally.of_case(entry, case, categories).values()]
        runs = sum(tally.runs.get((entry, fingerprint), 0) for fingerprint in fingerprints)
        cells[entry] = RateCell(tally.quality(entry, categories), runs, total(found))
    return RateRow(name, len(issues), len(fingerprints), False, cells, _mean(cells), parent, children=children)


def _mean(cells: Mapping[Entry, RateCell]) -> float | None:
    rates = [cell.rate for entry, cell in cells.items() if cell.rate is not None and not entry.is_yardstick]
    return fmean(rates) if rates else None


def _in_order(labels: Iterable[str]) -> Sequence[str]:
    """The taxonomy's order, then what it does not know, by name."""
    places = {category.label: n for n, category in enumerate(CATEGORIES)}
    parents = {parent: n for n, parent in enumerate(PARENTS)}
    last = len(places)
    return sorted(
        labels,
        key=lambda label: (parents.get(parent_of(label), last), parent_of(label), places.get(label, last), label),
    )
