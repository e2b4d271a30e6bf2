from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from errata_bench.results.aggregate import VariantSummary, ranked, summarise_runs
from errata_bench.results.detail.front import pareto_front
from errata_bench.results.detail.intervals import quality_intervals
from errata_bench.results.detail.narrowing import best_variants, summarise_selection
from errata_bench.results.detail.selection import EVERYTHING, Selection
from errata_bench.results.detail.tally import tally_group
from errata_bench.store.group import Group
from tests.support.builders import make_settings
from tests.support.evidence import HOUSE_STYLE, TYPO
from tests.support.summaries import make_summary


def by_name(summaries: tuple[VariantSummary, ...]) -> dict[str, VariantSummary]:
    return {str(summary.variant): summary for summary in summaries}


def test_everything_is_the_whole_ranking(group: Group) -> None:
    assert ranked(summarise_selection(group, EVERYTHING).summaries) == ranked(summarise_runs(group.runs()))


def test_a_case_alone_has_its_own_figures(group: Group) -> None:
    narrowed = summarise_selection(group, Selection(cases=("letter",)))
    alpha = by_name(narrowed.summaries)["org/alpha:low"]
    assert alpha["quality"] == 0.5
    assert (alpha.cases, alpha.controls) == (1, 0)
    assert alpha["cost_per_run_usd"] is not None
    assert narrowed.cases == ("letter",)


def test_a_category_has_the_figures_of_its_issues_and_no_others(group: Group) -> None:
    narrowed = summarise_selection(group, Selection(categories=("orthography_and_word_form",)))
    summaries = by_name(narrowed.summaries)
    alpha, beta = summaries["org/alpha:low"], summaries["org/beta:high"]
    # letter: 2 of 2 and 1 of 2; memo: 2 of 2
    assert alpha["quality"] == 0.875
    assert alpha["bad_fix_rate"] == 0.125
    assert alpha.mean_range == 0.25
    assert beta["unjudged_rate"] == 0.5
    assert beta["missed_rate"] == 0.5
    assert narrowed.issues == 4
    for name in ("cost_per_run_usd", "issues_per_usd", "tool_chars_per_issue", "turns_per_chunk"):
        assert alpha[name] is None


def test_a_case_without_issues_of_a_category_is_no_control(group: Group) -> None:
    narrowed = summarise_selection(group, Selection(categories=(HOUSE_STYLE,)))
    alpha = by_name(narrowed.summaries)["org/alpha:low"]
    assert (alpha.cases, alpha.controls, alpha["quality"]) == (1, 0, 0.0)
    assert narrowed.categories == (HOUSE_STYLE,)
    assert TYPO not in narrowed.categories


def test_of_each_model_the_effort_that_comes_first_is_the_best() -> None:
    summaries = [make_summary("org/a", 9), make_summary("org/b", 8), make_summary("org/a", 7, effort="high")]
    other = make_summary("org/a", 5, settings=make_settings(max_turns=9))
    assert best_variants([*summaries, other]) == [summaries[0], summaries[1], other]


def test_intervals_hold_the_quality_they_are_of(group: Group) -> None:
    tally = tally_group(group)
    found = quality_intervals(tally)
    assert set(found) == set(tally.entries)
    for entry, interval in found.items():
        quality = tally.quality(entry)
        assert quality is not None
        assert interval.low <= quality <= interval.high


def test_the_front_is_what_nothing_beats_in_both() -> None:
    points = [(1.0, 0.5), (2.0, 0.9), (3.0, 0.8), (1.0, 0.4), (2.0, 0.9)]
    assert pareto_front(points, less_x=True, less_y=False) == [0, 1, 4]
    assert pareto_front(points, less_x=False, less_y=False) == [1, 2, 4]
    assert pareto_front([], less_x=True, less_y=True) == []


values = st.integers(0, 5).map(float)


@given(st.lists(st.tuples(values, values)), st.booleans(), st.booleans())
def test_nothing_on_the_front_is_dominated_and_everything_else_is(
    points: list[tuple[float, float]], less_x: bool, less_y: bool
) -> None:
    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        better = [
            (a < b if less else a > b) - (a > b if less else a < b)
            for a, b, less in zip(one, other, (less_x, less_y), strict=True)
        ]
        return min(better) >= 0 and max(better) > 0

    front = pareto_front(points, less_x=less_x, less_y=less_y)
    for n, point in enumerate(points):
        assert (n in front) == (not any(beats(other, point) for other in points))
