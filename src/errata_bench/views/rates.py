"""Fix rates as a heat map: cases or categories down, variants across; in as many blocks as the width asks for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from errata_bench.results.detail.entries import Entry, entry_labels
from errata_bench.results.detail.rates import RateCell, RateRow, RateTable
from errata_bench.results.detail.selection import child_of
from errata_bench.views.terminal import NOT_AVAILABLE, plain

_CELL = 5
_LEAST_LABEL = 20
_MOST_LABEL = 44
_SHADES = ((0.2, 17), (0.4, 18), (0.6, 25), (0.8, 31), (1.01, 37))
"""Upper bounds of rates, and colours of the 256 from dark blue to teal: lightness alone tells them apart."""
_RATES = "Percent of issues fixed: the mean over cases of the mean over runs, as quality in the ranking."
_ALL = "the mean of the models (the oracle and the untouched text left out)."


def print_rates(console: Console, table: RateTable, what: str) -> None:
    """Print the table; ``what`` is ``case`` or ``category``."""
    labels = entry_labels(table.entries)
    numbers = {entry: str(n) for n, entry in enumerate(table.entries, 1)}
    digits = len(str(len(numbers)))
    for entry, number in numbers.items():
        console.print(Text(f"{number:>{digits}} {plain(labels[entry])}"), soft_wrap=True)
    console.print()
    rows = list(_lines(table))
    widest = max([cell_len(what), *(cell_len(label) for label, _ in rows)])
    label_width = max(_LEAST_LABEL, min(widest, _MOST_LABEL, console.width // 2))
    room = max(1, (console.width - label_width - 2 * _CELL) // _CELL)
    entries = list(table.entries)
    for start in range(0, max(1, len(entries)), room):
        block = entries[start : start + room]
        if start:
            console.print()
        heads = "".join(f"{head:>{_CELL}}" for head in ("n", *(numbers[entry] for entry in block), "all"))
        console.print(Text(set_cell_size(what, label_width) + heads, "bold"))
        for label, row in rows:
            console.print(_line(label, label_width, row, block), soft_wrap=True)
    console.print(Text(f"{_RATES} n: issues. all: {_ALL}", "dim"))
    if any(row.is_control for row in table.rows):
        console.print(Text("Controls hold no issue, so nothing in them can be fixed.", "dim"))


def _lines(table: RateTable) -> Iterator[tuple[str, RateRow]]:
    names = [row.name for row in table.rows]
    for row in table.rows:
        # Two versions of a case have the same name and different content.
        twin = f" ({row.fingerprint[:6]})" if row.fingerprint and names.count(row.name) > 1 else ""
        yield plain(row.name) + twin, row
        for child in row.children:
            yield f"  {plain(child_of(child.name))}", child
    yield table.overall.name, table.overall


def _line(label: str, width: int, row: RateRow, block: Sequence[Entry]) -> Text:
    strong = "bold" if row.children or row.name == "all" else ""
    line = Text(set_cell_size(label, width), strong)
    line.append(f"{row.issues:>{_CELL}}")
    for entry in block:
        cell = row.cells[entry]
        line.append(" ")
        line.append(f"{_percent(cell.rate):>{_CELL - 1}}", _shade(cell.rate))
    line.append(f"{_percent(row.mean):>{_CELL}}", "bold")
    return line


def _percent(rate: float | None) -> str:
    """Whole percent; only what is wholly fixed is 100, and only what is never fixed is 0."""
    if rate is None:
        return NOT_AVAILABLE
    if 0 < rate < 0.005:
        return "<1"
    if 0.995 <= rate < 1:
        return ">99"
    return str(math.floor(100 * rate + 0.5))


def _shade(rate: float | None) -> str:
    if rate is None:
        return ""
    return f"white on color({next(colour for bound, colour in _SHADES if rate < bound)})"


def rates_json(group_id: str, table: RateTable, what: str) -> str:
    """The table as JSON (ASCII); what is not known is null. Counts stand beside each rate."""
    labels = entry_labels(table.entries)
    return json.dumps(
        {
            "group": group_id,
            "models": [
                {
                    "model": str(entry.variant),
                    "label": labels[entry],
                    "base_model": entry.variant.model,
                    "reasoning_effort": entry.variant.effort,
                    "settings": asdict(entry.settings),
                }
                for entry in table.entries
            ],
            what: [_row(row, labels) for row in table.rows],
            "overall": _row(table.overall, labels),
        },
        indent=2,
    )


def _row(row: RateRow, labels: Mapping[Entry, str]) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": row.name,
        "issues": row.issues,
        "cases": row.cases,
        "control": row.is_control,
        "mean_rate": row.mean,
        "models": {labels[entry]: _cell(cell) for entry, cell in row.cells.items()},
    }
    if row.fingerprint is not None:
        content["fingerprint"] = row.fingerprint
    if row.children:
        content["children"] = [_row(child, labels) for child in row.children]
    return content


def _cell(cell: RateCell) -> dict[str, Any]:
    return {"rate": cell.rate, "runs": cell.runs, **asdict(cell.outcomes)}
