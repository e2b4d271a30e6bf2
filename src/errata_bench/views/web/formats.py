"""How values are written on pages: words for closed sets, dates, names of categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

VERDICT_WORDS: Mapping[str | None, str] = MappingProxyType(
    {
        "fixed": "fixed",
        "fixed_alternative": "fixed in another way",
        "bad_fix": "bad fix",
        "unjudged": "unjudged",
        "not_addressed": "missed",
        None: "no verdict",
    }
)
VERDICT_LETTERS: Mapping[str | None, str] = MappingProxyType(
    {"fixed": "F", "fixed_alternative": "F", "bad_fix": "B", "unjudged": "U", "not_addressed": "M", None: "–"}
)
VERDICT_CLASSES: Mapping[str | None, str] = MappingProxyType(
    {
        "fixed": "fixed",
        "fixed_alternative": "fixed",
        "bad_fix": "bad",
        "unjudged": "unjudged",
        "not_addressed": "missed",
        None: "none",
    }
)
_NAMELESS = "(empty)"


def words(name: str) -> str:
    """``subject_verb_agreement`` as ``subject verb agreement``."""
    return name.replace("_", " ") or _NAMELESS


def child(label: str) -> str:
    """The last part of a category's label, in words."""
    return words(label.rpartition(".")[2])


def parent(label: str) -> str:
    """The first part of a category's label, in words."""
    return words(label.partition(".")[0])


def day(seconds: float | None) -> str:
    """A date, in UTC."""
    return "n/a" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y")


def moment(seconds: float | None) -> str:
    """A date and time, in UTC."""
    return "n/a" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y, %H:%M:%S UTC")


def iso_day(date: str) -> str:
    """``2026-04-07`` as ``7 April 2026``."""
    return datetime.fromisoformat(date).strftime("%-d %B %Y")


def breakable(name: str) -> Markup:
    """A model's name, escaped, that may be broken behind its slashes and its colon."""
    pieces = re.split(r"(?<=[/:])", name)
    return Markup("<wbr>").join(pieces)


def percent_number(share: float | None) -> str:
    """A share of 0 to 1 as a whole percentage without its sign, or a dash."""
    return "–" if share is None else f"{100 * share:.0f}"


def heat(share: float | None) -> str:
    """The class of a heat map's cell: ``h0`` to ``h10``, or ``hx`` for nothing."""
    return "hx" if share is None else f"h{round(10 * min(1.0, max(0.0, share)))}"


def svg_percent(share: float) -> str:
    """A share of 0 to 1 as a length in a drawing."""
    return f"{100 * share:.2f}%"


def tokens(count: int | None) -> str:
    """A count of tokens, or n/a."""
    return "n/a" if count is None else f"{count:,}"


def seconds(value: float | None) -> str:
    """A short time in seconds, with digits where it is very short."""
    if value is None:
        return "n/a"
    return f"{value:,.0f} s" if value >= 100 else f"{value:.1f} s" if value >= 0.1 else f"{1000 * value:.2g} ms"


TEXT_FILTERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "words": words,
        "breakable": breakable,
        "child": child,
        "parent_name": parent,
        "day": day,
        "moment": moment,
        "iso_day": iso_day,
        "pct": percent_number,
        "heat": heat,
        "svgpct": svg_percent,
        "tokens": tokens,
        "secs": seconds,
        "verdict_word": VERDICT_WORDS.__getitem__,
        "verdict_letter": VERDICT_LETTERS.__getitem__,
        "verdict_class": VERDICT_CLASSES.__getitem__,
    }
)
