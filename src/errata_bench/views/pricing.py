"""The prices in use for the models of a group: in the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.text import Text

from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import NOT_AVAILABLE, count, dollars, duration, plain

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A model's price in US dollars per million tokens, and for a request on top; ``source`` is where it is from.

    None stands for what nobody knows.
    """

    model: str
    prompt: float | None = None
    completion: float | None = None
    cached_prompt: float | None = None
    request: float | None = None
    source: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a price."""
        return self.source is not None


@dataclass(frozen=True, slots=True)
class PriceView:
    """What there is to show. ``age_seconds`` is that of the price list, None where there is none."""

    lines: Sequence[PriceLine]
    age_seconds: float | None = None
    pricing_file: str | None = None
    changed: Sequence[str] = ()
    note: str | None = None


def per_million(price: float | None) -> float | None:
    """US dollars per million tokens for a price per token."""
    return None if price is None else round(price * _MILLION, 9)


def print_prices(console: Console, view: PriceView) -> None:
    """Print a line a model, then where prices are from and how old they are."""
    rows = [
        (
            plain(line.model),
            (
                _amount(line.prompt),
                _amount(line.completion),
                _amount(line.cached_prompt),
                _amount(line.request) if line.request else "",
                line.source or "unknown",
            ),
        )
        for line in view.lines
    ]
    heads = ("in\nUSD/M", "out\nUSD/M", "cached\nUSD/M", "request\nUSD", "source")
    print_figures(console, FigureTable(heads, "model", rows))
    for text in price_notes(view):
        console.print(Text(text, style="dim"))


def price_notes(view: PriceView) -> list[str]:
    """What has to be known beside the prices."""
    notes = []
    if view.age_seconds is not None:
        notes.append(f"The price list is {duration(max(0.0, view.age_seconds))} old.")
    if view.pricing_file is not None:
        notes.append(f"The pricing file {plain(view.pricing_file)} goes before it.")
    if view.age_seconds is None and view.pricing_file is None:
        notes.append("There is no price list yet and no pricing file: errata-bench pricing refresh asks for the list.")
    if unknown := sum(not line.is_known for line in view.lines):
        notes.append(
            f"{count(unknown, 'model')} without a known price: their costs are n/a unless replies report them."
        )
    notes += [f"Changed: {plain(change)}" for change in view.changed]
    if view.note is not None:
        notes.append(plain(view.note))
    return notes


def price_changes(before: Sequence[PriceLine], after: Sequence[PriceLine]) -> list[str]:
    """In words, which models have another price than before."""
    old = {line.model: line for line in before}
    changes = []
    for line in after:
        known = old.get(line.model, PriceLine(line.model))
        if (known.prompt, known.completion) != (line.prompt, line.completion):
            changes.append(f"{line.model}: {_pair(known)} before, {_pair(line)} now")
    return changes


def _pair(line: PriceLine) -> str:
    return f"{_amount(line.prompt)} in and {_amount(line.completion)} out" if line.is_known else "no known price"


def prices_json(view: PriceView) -> str:
    """The same as JSON (ASCII); prices in US dollars per million tokens."""
    content = {
        "prices": [asdict(line) for line in view.lines],
        "price_list_age_seconds": view.age_seconds,
        "pricing_file": view.pricing_file,
        "changed": list(view.changed),
        "note": view.note,
    }
    return json.dumps(content, indent=2)


def _amount(value: float | None) -> str:
    return NOT_AVAILABLE if value is None else dollars(value)
