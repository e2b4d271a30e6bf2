"""From stored runs to intervals, places and comparisons; the formulas have tests of their own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.errors import EndpointFault, Reach, UserError
from errata_bench.proofreading.loop import ChunkResult
from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.certainty import Metric, disagreement, parse_metric, read_units
from errata_bench.results.comparing import compare_in_group
from errata_bench.results.detail.selection import Selection
from errata_bench.results.ranking import RankingOptions, make_ranking
from errata_bench.results.rules import Rule
from errata_bench.results.statistics.scores import Question
from errata_bench.runs.scoring import score_stored_run
from errata_bench.store.group import Group, write_group
from errata_bench.variants import Variant
from errata_bench.views.comparison import print_comparisons
from tests.support.builders import make_case
from tests.support.stored import key_of

# Two cases of four paragraphs of eight words, with one error each: 64 words, eight issues.
CASES = [make_case(f"case-{n}", 4) for n in range(2)]
GOOD, FAIR, WORDY = Variant("org/good", "low"), Variant("org/fair", "low"), Variant("org/wordy", "low")


def store(group: Group, variant: Variant, case: Case, fixed: int, sample: int = 1, extra: str = "") -> None:
    """Store a run that mends the first ``fixed`` errors, and puts ``extra`` at the end of the last paragraph."""
    paragraphs = [
        Paragraph(p.id, p.inner_html.replace("teh", "the") if n < fixed else p.inner_html)
        for n, p in enumerate(case.document)
    ]
    paragraphs[-1] = Paragraph(paragraphs[-1].id, paragraphs[-1].inner_html + extra)
    group.add_case(case)
    run_id = group.begin_run(key_of(case, variant), sample, 1, 1000.0, "1.0")
    group.add_chunk(run_id, 0, case.document, ChunkResult(tuple(paragraphs), (), completed=True), 1000.0)
    score, figures = score_stored_run(group, run_id, case, [case.document])
    group.finish_run(run_id, score, figures, 1001.0)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with write_group(tmp_path / "g.sqlite") as made:
        for case, good, fair in zip(CASES, (4, 3), (2, 1), strict=True):
            store(made, GOOD, case, good)
            store(made, FAIR, case, fair)
            store(made, WORDY, case, good, extra=" Indeed so.")
        yield made


def by_variant(summaries: tuple[VariantSummary, ...]) -> dict[Variant, VariantSummary]:
    return {summary.variant: summary for summary in summaries}


def test_every_variant_has_an_interval_round_its_quality(group: Group) -> None:
    summaries = by_variant(make_ranking(group).summaries)
    for variant, quality in ((GOOD, 7 / 8), (FAIR, 3 / 8), (WORDY, 7 / 8)):
        interval = summaries[variant].intervals["quality"]
        assert interval.estimate == pytest.approx(quality)
        assert summaries[variant]["quality"] == pytest.approx(quality)
        assert interval.low < quality < interval.high
        assert (interval.cases, interval.units) == (2, 8)


def test_an_issue_is_averaged_over_runs_before_anything_else(group: Group) -> None:
    store(group, GOOD, CASES[0], 0, sample=2)
    units = read_units(group, group.runs())
    entry = next(entry for entry in units.entries if entry[0] == GOOD)
    scores = units.scores(entry, Metric.QUALITY)
    first = next(case for case in scores.cases if case.case_id == CASES[0].fingerprint)
    assert {unit.value for unit in first.units.values()} == {0.5}


def test_edits_away_from_errors_count_by_the_words_of_their_paragraphs(group: Group) -> None:
    summaries = by_variant(make_ranking(group).summaries)
    # One edit in each case of 32 words.
    assert summaries[WORDY]["unneeded_per_1000_words"] == pytest.approx(1000 / 32)
    assert summaries[WORDY].intervals["unneeded_per_1000_words"].estimate == pytest.approx(1000 / 32)
    assert summaries[GOOD]["unneeded_per_1000_words"] == 0
    # 1.25 TP / (TP + FP + 0.25 N): 4 of 4 and 3 of 4 fixed, one edit too many in each.
    expected = (1.25 * 4 / (4 + 1 + 1) + 1.25 * 3 / (3 + 1 + 1)) / 2
    assert summaries[WORDY]["f05"] == pytest.approx(expected)
    assert summaries[WORDY].intervals["f05"].estimate == pytest.approx(expected)


def test_the_best_and_its_equals_cannot_be_told_apart(group: Group) -> None:
    summaries = by_variant(make_ranking(group).summaries)
    good, wordy = summaries[GOOD].place, summaries[WORDY].place
    assert good is not None
    assert wordy is not None
    assert good.with_best
    assert wordy.with_best
    assert (good.rank, wordy.rank) == (1, 1)


def test_without_intervals_nothing_is_said_of_certainty(group: Group) -> None:
    ranking = make_ranking(group, options=RankingOptions(intervals=False))
    assert all(not summary.intervals and summary.place is None for summary in ranking.summaries)
    assert ranking.remarks == ()


def test_a_part_of_the_group_has_intervals_of_that_part(group: Group) -> None:
    ranking = make_ranking(group, Selection(cases=("case-0",)))
    assert by_variant(ranking.summaries)[FAIR].intervals["quality"].estimate == pytest.approx(0.5)


def test_both_verdicts_are_compared(group: Group) -> None:
    assert disagreement(read_units(group, group.runs())).share == 0
    # The right word elsewhere and the wrong one gone: fixed by rule v1, deleted for the alignment.
    wrong, right = "We saw teh dog and the cat today.", "We saw the dog and the cat today."
    case = Case(
        "moved",
        "Correct the errors.",
        Document((Paragraph("p1", wrong),)),
        Document((Paragraph("p1", right),)),
        (Issue("issue-01", "spelling", "p1", "teh", "the", wrong.index("teh")),),
    )
    group.add_case(case)
    run_id = group.begin_run(key_of(case, FAIR), 1, 1, 1000.0, "1.0")
    left = Paragraph(case.document.paragraphs[0].id, "We saw dog and the cat today.")
    group.add_chunk(run_id, 0, case.document, ChunkResult((left,), (), completed=True), 1000.0)
    group.finish_run(run_id, *score_stored_run(group, run_id, case, [case.document]), 1001.0)
    found = disagreement(read_units(group, group.runs()))
    assert (found.only_v1, found.only_aligned) == (1, 0)
    assert any("differ on 1 of" in remark for remark in make_ranking(group).remarks)
    aligned = by_variant(make_ranking(group, options=RankingOptions(Rule.ALIGNED)).summaries)[FAIR]
    assert aligned["quality"] == pytest.approx((0.5 + 0.25 + 1) / 3)
    assert aligned["aligned_quality"] == pytest.approx((0.5 + 0.25 + 0) / 3)


def test_failed_attempts_can_count_as_nothing_fixed(group: Group) -> None:
    run_id = group.begin_run(key_of(CASES[0], GOOD), 2, 1, 1000.0, "1.0")
    group.fail_run(run_id, 0, EndpointFault("server_error", "It broke.", reach=Reach.RETRY), 1001.0)
    ranking = make_ranking(group, options=RankingOptions(failures_as_zero=True))
    good = by_variant(ranking.summaries)[GOOD]
    assert good["quality"] == pytest.approx(7 / 8)
    assert good.quality_failures_as_zero == pytest.approx((1.0 / 2 + 0.75) / 2)
    assert ranking.summaries[0].variant == WORDY
    assert "failed attempt" in ranking.remarks[0]


def test_a_comparison_is_the_difference_over_what_both_have(group: Group) -> None:
    report = compare_in_group(group, ["org/good:low", "fair"], Metric.QUALITY, Question.THESE_TEXTS)
    (pair,) = report.pairs
    assert pair.overall is not None
    assert pair.overall.difference.estimate == pytest.approx(0.5)
    assert {(report.case_ids[case.case_id], case.difference) for case in pair.overall.cases} == {
        ("case-0", 0.5),
        ("case-1", 0.5),
    }
    # Four of eight issues differ, all one way: of their 16 sign patterns two are as extreme.
    assert pair.overall.p_value == pytest.approx(2 / 16, rel=0.2)
    assert pair.overall.adjusted_p == pair.overall.p_value


def test_more_than_two_are_compared_in_pairs_with_a_correction(group: Group) -> None:
    report = compare_in_group(group, ["good", "fair", "wordy"], Metric.UNNEEDED, Question.THESE_TEXTS)
    assert [(str(pair.one[0]), str(pair.other[0])) for pair in report.pairs] == [
        ("org/good:low", "org/fair:low"),
        ("org/good:low", "org/wordy:low"),
        ("org/fair:low", "org/wordy:low"),
    ]
    assert all(pair.overall and pair.overall.adjusted_p >= pair.overall.p_value for pair in report.pairs)
    assert all(not pair.categories for pair in report.pairs)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["good"], "two different"),
        (["good", "org/good:low"], "two different"),
        (["good", "bad"], "'bad'"),
        (["org", "good"], "several"),
    ],
)
def test_a_comparison_needs_two_variants_that_are_there(group: Group, names: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        compare_in_group(group, names, Metric.QUALITY, Question.THESE_TEXTS)


def test_who_names_one_variant_is_told_of_all(group: Group) -> None:
    with pytest.raises(UserError) as caught:
        compare_in_group(group, ["good"], Metric.QUALITY, Question.THESE_TEXTS)
    assert caught.value.mend == "name two or more of: org/fair:low, org/good:low, org/wordy:low"


@pytest.mark.parametrize(
    ("metric", "label"), [(Metric.F05, "F0.5 of edits"), (Metric.UNNEEDED, "unneeded edits per 1,000 words")]
)
def test_a_comparison_names_its_metric_as_the_views_do(group: Group, metric: Metric, label: str) -> None:
    file = io.StringIO()
    report = compare_in_group(group, ["good", "wordy"], metric, Question.THESE_TEXTS)
    print_comparisons(Console(file=file, width=120), report)
    assert file.getvalue().startswith(f"org/good:low less org/wordy:low: {label} on these texts")


def test_an_unknown_metric_is_named_with_the_known_ones() -> None:
    assert parse_metric("aligned-quality") is Metric.ALIGNED_QUALITY
    with pytest.raises(UserError, match="speed") as caught:
        parse_metric("speed")
    assert "unneeded_per_1000_words" in str(caught.value.mend)
