"""A table of one label and many figures a row, fitted to the width there is.

The label stands before its figures where there is room, else on a line of its own above them. Optional figures, the
last ones, are left out where they do not fit; so are, in a very narrow terminal, others from the right, and a line says
which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

_INDENT = 4


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Heads of one or two lines, rows of a label and its figures; the last ``optional`` figures may be left out."""

    heads: Sequence[str]
    label_head: str
    rows: Sequence[tuple[str, Sequence[str]]]
    optional: int = 0


def print_figures(console: Console, table: FigureTable) -> None:
    """Print the table as wide as the console is, and no wider."""
    widths = [
        max(*(cell_len(line) for line in head.split("\n")), *(cell_len(row[1][n]) for row in table.rows), 0)
        for n, head in enumerate(table.heads)
    ]
    label_width = max([cell_len(table.label_head), *(cell_len(label) for label, _ in table.rows)])
    needed = len(widths) - table.optional
    stacked = label_width + _width(widths[:needed]) > console.width
    room = console.width - (_INDENT if stacked else label_width)
    shown = len(widths) if not stacked else needed
    while shown > 1 and _width(widths[:shown]) > room:
        shown -= 1
    lead = _INDENT if stacked else label_width
    heads = [head.split("\n") for head in table.heads[:shown]]
    tall = max(len(head) for head in heads)
    for line in range(tall):
        cells = [([""] * (tall - len(head)) + head)[line] for head in heads]
        label = table.label_head if line == tall - 1 and not stacked else ""
        console.print(_line(label, lead, cells, widths, "bold"))
    for label, figures in table.rows:
        if stacked:
            console.print(Text(label), soft_wrap=True)
        console.print(_line("" if stacked else label, lead, figures[:shown], widths))
    if shown < len(table.heads):
        left_out = ", ".join(head.replace("-\n", "").replace("\n", " ") for head in table.heads[shown:])
        console.print(Text(f"A wider terminal also shows: {left_out}.", style="dim"))


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(widths)


def _line(label: str, lead: int, cells: Sequence[str], widths: Sequence[int], style: str = "") -> Text:
    body = "".join(" " * (1 + width - cell_len(cell)) + cell for cell, width in zip(cells, widths, strict=False))
    return Text((set_cell_size(label, lead) + body).rstrip(), style=style)
