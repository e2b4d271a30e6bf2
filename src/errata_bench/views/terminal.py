"""What all terminal views share: consoles, plain text, and how numbers are written."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import IO

from rich.console import Console

PLAIN_WIDTH = 100
"""Columns of what is written where there is no terminal."""
NOT_AVAILABLE = "n/a"
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""The Unicode categories of control and format characters, halves of pairs, line and paragraph separators."""


def make_console(file: IO[str] | None = None) -> Console:
    """A console on standard output, or on ``file``; colours and the terminal's width only on a terminal."""
    stream = file or sys.stdout
    on_terminal = stream.isatty()
    width = None if on_terminal or os.environ.get("COLUMNS", "").isdigit() else PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False, soft_wrap=False)


def plain(text: str) -> str:
    """Untrusted text on one line, without what a terminal would obey: control and format characters become ``�``."""
    return "".join("�" if unicodedata.category(char) in _OBEYED else char for char in text)


def number(value: float | None, digits: int = 3) -> str:
    """A number with fixed digits, or n/a."""
    return NOT_AVAILABLE if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A share of 0 to 1 as a percentage, or n/a."""
    if value is None:
        return NOT_AVAILABLE
    return "100%" if value == 1 else f"{100 * value:.1f}%"


def significant(value: float | None) -> str:
    """A number of any size with about three significant digits, or n/a."""
    if value is None:
        return NOT_AVAILABLE
    if value >= 100_000:
        return f"{value / 1000:,.0f}k"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def dollars(value: float | None) -> str:
    """An amount in US dollars: cents where it is large, more digits where it is small."""
    if value is None:
        return NOT_AVAILABLE
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 1 else f"${value:.3f}" if value >= 0.01 else f"${value:.2g}"


def spending(usd: float, unpriced: int) -> str:
    """What requests cost, of which some may have no known price: a ``+`` says so, and n/a that none has one."""
    if unpriced and not usd:
        return NOT_AVAILABLE
    return dollars(usd) + ("+" if unpriced else "")


def spent_words(usd: float, unknown: int) -> str:
    """What was spent as far as known, and how many requests are not in it: ``$0; 2 requests of unknown cost``."""
    if unknown:
        return f"{dollars(usd)}; {count(unknown, 'request')} of unknown cost"
    return dollars(usd) if usd else "nothing"


def duration(seconds: float | None) -> str:
    """A time in words of clocks: ``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds is None:
        return NOT_AVAILABLE
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(n: int, one: str, many: str | None = None) -> str:
    """``1 run``, ``2 runs``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
