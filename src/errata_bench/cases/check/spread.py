"""Findings about how many issues there are and how they lie in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from errata_bench.cases.check.limits import Limits
from errata_bench.cases.check.report import CaseFigures, Finding
from errata_bench.cases.load import LoadedCase
from errata_bench.cases.model import Case
from errata_bench.text import without_tags

_ENOUGH_FOR_THIRDS = 9


def spread_findings(loaded: LoadedCase, figures: CaseFigures, limits: Limits) -> Iterator[Finding]:
    """Density and clustering in one case."""
    case = loaded.case
    for kind, message in [*_density(figures, limits), *_clusters(case, limits)]:
        yield Finding(kind, message, str(loaded.file), case.id)


def category_findings(categories: Mapping[str, int], file: str, limits: Limits) -> Iterator[Finding]:
    """How the issues of a whole set are spread over the categories."""
    total = sum(categories.values())
    for label, count in categories.items():
        if limits.least_of_each_category is not None and count < limits.least_of_each_category:
            message = f"{label} occurs {count} times; it should {limits.least_of_each_category} times or more"
            yield Finding("categories", message, file)
        if limits.largest_category_share is not None and count > limits.largest_category_share * total:
            message = (
                f"{label} makes {count / total:.1%} of the issues; the limit is {limits.largest_category_share:.0%}"
            )
            yield Finding("categories", message, file)


def _density(figures: CaseFigures, limits: Limits) -> Iterator[tuple[str, str]]:
    density = figures.per_1000_words
    if figures.is_control or figures.words < limits.density_words:
        return
    if limits.most_per_1000 is not None and density > limits.most_per_1000:
        yield "density", f"{density:.1f} issues per 1,000 words; the limit is {limits.most_per_1000:g}"
    if limits.least_per_1000 is not None and density < limits.least_per_1000:
        yield "density", f"{density:.1f} issues per 1,000 words; it should be {limits.least_per_1000:g} or more"


def _clusters(case: Case, limits: Limits) -> Iterator[tuple[str, str]]:
    for paragraph_id, count in Counter(issue.paragraph_id for issue in case.scored_issues).items():
        if count > limits.most_in_paragraph:
            yield "clustering", f"paragraph {paragraph_id} has {count} issues; the limit is {limits.most_in_paragraph}"
    places = issue_places(case)
    most = limits.most_in_window
    n = 0
    while n + most < len(places):
        if places[n + most] - places[n] < limits.window_words:
            in_window = sum(places[n] <= place < places[n] + limits.window_words for place in places)
            yield "clustering", f"{in_window} issues lie within {limits.window_words} words, from word {places[n] + 1}"
            n += in_window
        else:
            n += 1
    if len(places) >= _ENOUGH_FOR_THIRDS:
        third = case.document.words / 3
        thirds = Counter(min(2, int(place / third)) for place in places)
        nth, count = thirds.most_common(1)[0]
        if count > limits.largest_third * len(places):
            name = ("first", "second", "last")[nth]
            yield "clustering", f"{count} of {len(places)} issues lie in the {name} third of the text"


def issue_places(case: Case) -> list[int]:
    """How many words of the document stand before each issue that counts, in order."""
    before: dict[str, int] = {}
    words = 0
    for paragraph in case.document:
        before[paragraph.id] = words
        words += paragraph.words
    places = []
    for issue in case.scored_issues:
        its_own = case.document.get(issue.paragraph_id)
        assert its_own is not None
        text = without_tags(its_own.inner_html[: issue.core[0]])
        whole = len(text.split()) - (bool(text) and not text[-1].isspace())
        places.append(before[issue.paragraph_id] + whole)
    return sorted(places)
