"""The texts of results that were published elsewhere: how often they were attempted, which is all that is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from errata_bench.results.published import Published, PublishedCase
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import plain

_NO_RATES = "How much of each text the models fixed was not published."


def print_published_cases(console: Console, published: Published, texts: Sequence[PublishedCase]) -> None:
    """Print one line a text, and what has to be known of the figures."""
    rows = [(plain(text.case_id), (f"{text.attempts:,}", f"{text.succeeded:,}", f"{text.failed:,}")) for text in texts]
    print_figures(console, FigureTable(("attempts", "succeeded", "failed"), "case", rows))
    for remark in (_NO_RATES, *published.remarks):
        console.print(Text(plain(remark), "dim"))


def published_cases_json(published: Published, texts: Sequence[PublishedCase]) -> str:
    """The texts as JSON (ASCII), with what has to be known of the figures."""
    content = {
        "group": published.id,
        "cases": [asdict(text) for text in texts],
        "notes": [_NO_RATES, *published.remarks],
    }
    return json.dumps(content, indent=2)
