from __future__ import annotations

import dataclasses

import pytest

from errata_bench.document import Document
from errata_bench.scoring.figures import measure_run
from errata_bench.scoring.rule_v1 import Finding, Verdict
from errata_bench.scoring.run_score import RunScore, score_run
from tests.support.builders import make_case
from tests.support.golden import GoldenRun, final_document, golden_names, golden_run

NAMES = golden_names()


@pytest.fixture(params=NAMES, ids=[f"{name}-{n}" for name, n in NAMES])
def golden(request: pytest.FixtureRequest) -> GoldenRun:
    return golden_run(*request.param)


@pytest.fixture
def scored(golden: GoldenRun) -> RunScore:
    return score_run(golden.case, final_document(golden), golden.calls, golden.judged)


def test_the_recorded_final_paragraphs_are_what_is_scored(golden: GoldenRun) -> None:
    final = final_document(golden)
    assert golden.final_paragraphs
    for paragraph_id, html in golden.final_paragraphs.items():
        paragraph = final.get(paragraph_id)
        assert paragraph is not None
        assert paragraph.html == html


def test_every_verdict_of_a_recorded_run_is_reproduced(golden: GoldenRun, scored: RunScore) -> None:
    found = {
        issue_id: {
            "staticCorrected": score.finding is Finding.EXACT,
            "attemptedChange": score.finding is not Finding.NOT_ADDRESSED,
            "alternativeCandidate": score.finding is Finding.CANDIDATE,
            "corrected": score.verdict.is_fixed,
        }
        for issue_id, score in scored.issues.items()
    }
    wanted = {issue_id: {key: issue[key] for key in found[issue_id]} for issue_id, issue in golden.issues.items()}
    assert found == wanted


def test_the_counts_of_a_recorded_run_are_reproduced(golden: GoldenRun, scored: RunScore) -> None:
    assert {
        "totalIssues": scored.total,
        "correctedIssues": scored.fixed,
        "attemptedButInvalidIssues": scored.bad_fixes,
        "notAddressedIssues": scored.missed,
        "actualChangedParagraphIds": sorted(scored.changed),
        "unexpectedParagraphChanges": sorted(scored.unexpected),
        "exactDocumentMatch": scored.exact_match,
    } == {
        **{
            key: golden.summary[key]
            for key in ("totalIssues", "correctedIssues", "attemptedButInvalidIssues", "notAddressedIssues")
        },
        "actualChangedParagraphIds": sorted(golden.summary["actualChangedParagraphIds"]),
        "unexpectedParagraphChanges": sorted(golden.summary["unexpectedParagraphChanges"]),
        "exactDocumentMatch": golden.summary["exactDocumentMatch"],
    }
    assert scored.unjudged == 0


def test_changed_paragraphs_of_a_recorded_run_come_in_order(golden: GoldenRun, scored: RunScore) -> None:
    order = [paragraph.id for paragraph in golden.case.document]
    assert list(scored.changed) == sorted(scored.changed, key=order.index)
    assert list(scored.unexpected) == sorted(scored.unexpected, key=order.index)


def test_every_tooling_figure_of_a_recorded_run_is_reproduced(golden: GoldenRun, scored: RunScore) -> None:
    figures = measure_run(scored, golden.chunks, golden.case.document.words)
    use = scored.tool_use
    assert {
        "totalEditToolCalls": use.calls,
        "totalEditToolArgumentChars": use.chars,
        "benchmarkToolCalls": use.benchmark_calls,
        "benchmarkToolArgumentChars": use.benchmark_chars,
        "offTargetToolCalls": use.off_target_calls,
        "offTargetToolArgumentChars": use.off_target_chars,
        "benchmarkToolCallsPerResolvedIssue": figures.tool_calls_per_issue,
        "benchmarkToolCharsPerResolvedIssue": figures.tool_chars_per_issue,
        "offTargetToolCharsShare": use.off_target_share,
        "benchmarkParagraphRewriteShare": use.rewrite_share,
    } == golden.summary["tooling"]
    assert (figures.off_target_share, figures.rewrite_share) == (use.off_target_share, use.rewrite_share)
    assert figures.turns_per_chunk == golden.summary["averageTurnsPerChunk"]


def test_without_a_judge_every_candidate_is_a_bad_fix_and_told_apart(golden: GoldenRun, scored: RunScore) -> None:
    alone = score_run(golden.case, final_document(golden), golden.calls)
    candidates = sum(score.finding is Finding.CANDIDATE for score in alone.issues.values())
    accepted = sum(golden.judged.values())
    assert candidates == len(golden.judged) > 0
    assert (alone.unjudged, alone.bad_fixes) == (candidates, candidates)
    assert alone.fixed == scored.fixed - accepted
    assert alone.missed == scored.missed
    assert alone.fixed + alone.bad_fixes + alone.missed == alone.total


def test_the_expected_document_is_an_exact_match_with_nothing_unexpected() -> None:
    case = make_case()
    score = score_run(case, case.expected, ())
    assert (score.fixed, score.total, score.exact_match) == (3, 3, True)
    assert score.changed == ("para01", "para02", "para03")
    assert score.unexpected == ()


def test_the_document_as_it_was_is_all_missed() -> None:
    case = make_case()
    score = score_run(case, case.document, ())
    assert (score.fixed, score.missed, score.bad_fixes, score.exact_match) == (0, 3, 0, False)
    assert score.changed == ()


def test_a_change_where_nothing_was_planted_is_unexpected() -> None:
    case = make_case()
    expected = case.document.with_inner_html("para01", case.expected.paragraphs[0].inner_html)
    case = dataclasses.replace(case, issues=case.issues[:1], expected=expected)
    final = expected.with_inner_html("para03", "Rewritten.")
    score = score_run(case, final, ())
    assert score.changed == ("para01", "para03")
    assert score.unexpected == ("para03",)
    assert not score.exact_match


def test_a_disqualified_issue_counts_nowhere_but_its_paragraph_may_change() -> None:
    case = make_case()
    dropped = dataclasses.replace(case.issues[1], disqualified=True)
    case = dataclasses.replace(case, issues=(case.issues[0], dropped, case.issues[2]))
    score = score_run(case, case.expected, (), {"issue-02": False})
    assert set(score.issues) == {"issue-01", "issue-03"}
    assert score.unexpected == ()
    assert score.exact_match


def test_an_opinion_on_what_is_no_candidate_changes_nothing() -> None:
    case = make_case()
    score = score_run(case, case.expected, (), dict.fromkeys(("issue-01", "issue-02", "issue-03"), False))
    assert score.count(Verdict.FIXED) == 3


def test_a_control_is_scored_on_its_changes_alone() -> None:
    case = make_case(issues=False)
    score = score_run(case, case.document.with_inner_html("para02", "Changed."), ())
    assert (score.total, score.fixed, score.bad_fixes, score.missed) == (0, 0, 0, 0)
    assert score.unexpected == ("para02",)
    assert score_run(case, case.document, ()).exact_match


def test_a_paragraph_that_is_gone_is_a_bad_fix_and_a_change() -> None:
    case = make_case()
    score = score_run(case, Document(case.expected.paragraphs[1:]), ())
    assert score.issues["issue-01"].verdict is Verdict.UNJUDGED
    assert score.changed[0] == "para01"
