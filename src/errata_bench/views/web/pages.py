"""Which pages a group has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from errata_bench.views.web.contexts.case import case_page
from errata_bench.views.web.contexts.common import Request
from errata_bench.views.web.contexts.compare import compare
from errata_bench.views.web.contexts.efficiency import efficiency
from errata_bench.views.web.contexts.heatmaps import cases, categories
from errata_bench.views.web.contexts.issues import issue_page, issues
from errata_bench.views.web.contexts.method import method
from errata_bench.views.web.contexts.published import published
from errata_bench.views.web.contexts.rankings import rankings
from errata_bench.views.web.contexts.run import run_page
from errata_bench.views.web.contexts.runs import runs
from errata_bench.views.web.data import Facts


@dataclass(frozen=True, slots=True)
class Page:
    """A kind of page: its path (``{}`` stands for a number), its template, and what makes its context.

    ``section`` is the entry of the menu that is marked on it.
    """

    path: str
    template: str
    context: Callable[[Request], dict[str, Any]]
    section: str

    @property
    def depth(self) -> int:
        """How many folders it lies below the site's root."""
        return self.path.count("/")


PAGES: tuple[Page, ...] = (
    Page("index.html", "rankings.html", rankings, "index.html"),
    Page("efficiency.html", "efficiency.html", efficiency, "efficiency.html"),
    Page("categories.html", "heatmap.html", categories, "categories.html"),
    Page("cases.html", "heatmap.html", cases, "cases.html"),
    Page("issues.html", "issues.html", issues, "issues.html"),
    Page("runs.html", "runs.html", runs, "runs.html"),
    Page("compare.html", "compare.html", compare, "compare.html"),
    Page("method.html", "method.html", method, "method.html"),
    Page("published.html", "published.html", published, "published.html"),
    Page("case/{}.html", "case.html", case_page, "cases.html"),
    Page("issue/{}.html", "issue.html", issue_page, "issues.html"),
    Page("run/{}.html", "run.html", run_page, "runs.html"),
)

MENU: tuple[tuple[str, str], ...] = (
    ("index.html", "Rankings"),
    ("efficiency.html", "Efficiency"),
    ("categories.html", "Categories"),
    ("cases.html", "Cases"),
    ("issues.html", "Issues"),
    ("runs.html", "Runs"),
    ("compare.html", "Compare"),
    ("method.html", "Method"),
    ("published.html", "Published figures"),
)
"""Paths and names of the menu."""

_NUMBER = re.compile(r"([1-9][0-9]{0,17})")


def find_page(path: str) -> tuple[Page, int | None] | None:
    """The page of a path and the number in it; None for any other path."""
    for page in PAGES:
        head, hole, tail = page.path.partition("{}")
        if not hole:
            if path == page.path:
                return page, None
        elif path.startswith(head) and path.endswith(tail):
            number = _NUMBER.fullmatch(path[len(head) : len(path) - len(tail)])
            if number:
                return page, int(number[1])
    return None


def all_paths(facts: Facts) -> Iterator[str]:
    """The paths of all pages of a group; runs by case, so that what they share is read once."""
    numbers = {
        "case/{}.html": list(facts.case_numbers.values()),
        "issue/{}.html": sorted(facts.issue_by_number),
        "run/{}.html": [one.id for one in sorted(facts.records, key=lambda one: (one.key.fingerprint, one.id))],
    }
    for page in PAGES:
        if page.path in numbers:
            yield from (page.path.format(number) for number in numbers[page.path])
        else:
            yield page.path
