"""An estimate in words: what it costs as far as known, and never nothing where nobody knows."""

from __future__ import annotations

from errata_bench.runs.estimate import Estimate, Line, Work
from errata_bench.variants import Variant
from errata_bench.views.estimate import estimate_lines

WORK = Work(4, 1000, 200, 0.25)
PRICED = Line(Variant("org/priced", "low"), 1, WORK, WORK)
UNPRICED = Line(Variant("org/unpriced", "low"), 1, WORK.priced(None), WORK.priced(None))
BASELINE = Line(Variant("baseline/oracle", None), 1, Work(), Work())


def said(*lines: Line) -> str:
    return "\n".join(estimate_lines(Estimate(lines)))


def test_a_cost_that_nobody_knows_is_unknown_rather_than_nothing() -> None:
    text = said(UNPRICED, BASELINE)
    assert "4 requests" in text
    assert "cost unknown" in text
    assert "$" not in text
    assert "Nobody knows the price of org/unpriced" in text


def test_what_is_known_is_told_beside_what_is_not() -> None:
    text = said(PRICED, UNPRICED)
    assert "about $0.250, at most $0.250" in text
    assert "Not in it, because nobody knows the price" in text


def test_where_nothing_is_to_be_asked_no_price_matters() -> None:
    none = Line(Variant("org/unpriced", "low"), 1, Work().priced(None), Work().priced(None))
    assert Estimate((none,)).unpriced == ()
    assert said(none) == "Estimate: nothing is left to be asked, so nothing will be spent."
