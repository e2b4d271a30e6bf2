from __future__ import annotations

import io
import json

import pytest
from rich.cells import cell_len
from rich.console import Console

from errata_bench.results.detail.entries import Entry
from errata_bench.results.detail.rates import RateCell, RateRow, RateTable
from errata_bench.results.detail.tally import Outcomes
from errata_bench.variants import Variant
from errata_bench.views.rates import print_rates, rates_json
from tests.support.builders import make_settings


def table_of(*rates: float | None, rows: int = 1) -> RateTable:
    entries = tuple(Entry(Variant(f"org/model-{n}", "low"), make_settings()) for n in range(len(rates)))
    cells = {
        entry: RateCell(rate, 0 if rate is None else 1, Outcomes()) for entry, rate in zip(entries, rates, strict=True)
    }
    found = [RateRow(f"case-{n}", 10, 1, False, cells, rates[0], fingerprint=f"{n:064}") for n in range(rows)]
    return RateTable(entries, tuple(found), RateRow("all", 10 * rows, rows, False, cells, rates[0]))


def shown(table: RateTable, width: int = 100, *, colours: bool = False) -> str:
    file = io.StringIO()
    print_rates(
        Console(
            file=file,
            width=width,
            highlight=False,
            markup=False,
            emoji=False,
            force_terminal=colours,
            color_system="256" if colours else None,
        ),
        table,
        "case",
    )
    return file.getvalue()


def cells_of(text: str, row: str) -> list[str]:
    return [cell for line in text.splitlines() if line.startswith(row) for cell in line.split()[1:]]


def test_the_column_of_all_is_explained_in_a_sentence() -> None:
    assert "all: the mean of the models" in " ".join(shown(table_of(0.5)).split())


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(0.0, "0"), (0.001, "<1"), (0.125, "13"), (0.5, "50"), (0.999, ">99"), (1.0, "100"), (None, "n/a")],
)
def test_only_what_is_wholly_or_never_fixed_is_100_or_0(rate: float | None, expected: str) -> None:
    assert cells_of(shown(table_of(rate)), "case-0") == ["10", expected, expected]


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_sixty_models_are_all_there_at_any_width(width: int) -> None:
    rates = [n / 100 for n in range(60)]
    text = shown(table_of(*rates, rows=3), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    heads = [
        cell
        for line in text.splitlines()
        if line.startswith("case ")
        for cell in line.split()[1:]
        if cell not in ("n", "all")
    ]
    assert heads == [str(n) for n in range(1, 61)]
    for n in range(60):
        assert f"{n + 1:>2} org/model-{n}:low" in text


def test_shades_are_for_terminals_and_differ_from_bad_to_good() -> None:
    text = shown(table_of(0.1, 0.5, 0.9), colours=True)
    backgrounds = {part.split("m")[0] for part in text.split("48;5;")[1:]}
    assert len(backgrounds) == 3
    assert "\x1b" not in shown(table_of(0.1, 0.5, 0.9))


def test_versions_of_a_case_are_told_apart() -> None:
    table = table_of(0.5, rows=2)
    twins = tuple(RateRow("same", 10, 1, False, row.cells, 0.5, fingerprint=row.fingerprint) for row in table.rows)
    text = shown(RateTable(table.entries, twins, table.overall))
    assert "same (000000)" in text


def test_json_has_what_is_unknown_as_null() -> None:
    content = json.loads(rates_json("group", table_of(0.5, None), "cases"))
    cells = content["cases"][0]["models"]
    assert cells["org/model-0:low"]["rate"] == 0.5
    assert cells["org/model-1:low"]["rate"] is None
    assert content["overall"]["issues"] == 10
