from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_bench.results.imports.report_runs import ReportedRun, reported_run
from errata_bench.results.imports.reports import reports_from
from errata_bench.variants import Variant
from tests.support.reports import METHODS, issue, report


def only(content: dict[str, Any], name: str = "file.json") -> ReportedRun:
    (found,) = reports_from(Path(name), content).reports
    return reported_run(name, found, 5.0)


def test_a_report_becomes_a_run_with_the_figures_of_its_summary() -> None:
    run = only(report()).run
    assert (run.case_id, run.key.variant, run.sample, run.error) == ("letter", Variant("org/model", "low"), 1, None)
    assert (run.key.settings.max_words, run.key.settings.max_turns, run.key.settings.judge) == (
        2000,
        3,
        "org/judge:low",
    )
    figures = run.figures
    assert figures is not None
    assert (figures.issues, figures.fixed, figures.bad_fixes, figures.missed) == (4, 2, 1, 1)
    assert (figures.quality, figures.bad_fix_rate, figures.missed_rate) == (0.5, 0.25, 0.25)
    assert (figures.fixed_alternative, figures.completion_tokens, figures.prompt_tokens) == (1, 120, 900)
    assert (figures.duration_seconds, figures.issues_per_minute, figures.turns_per_chunk) == (60.0, 2.0, 2)
    assert (figures.tool_calls_per_issue, figures.tool_chars_per_issue) == (1.0, 40.0)
    assert (figures.changed_paragraphs, figures.unexpected_paragraphs, figures.exact_match) == (2, 1, False)
    assert (figures.cost_usd, figures.rewrite_share, figures.unjudged) == (None, None, None)


def test_each_way_of_ending_has_a_verdict() -> None:
    found = {name: (one.finding, one.verdict) for name, one in only(report()).report.verdicts.items()}
    assert found == {
        "issue-01": ("exact", "fixed"),
        "issue-02": ("candidate", "fixed_alternative"),
        "issue-03": ("candidate", "bad_fix"),
        "issue-04": ("not_addressed", "not_addressed"),
    }
    assert only(report()).report.verdicts["issue-03"].paragraph_id == "para03"


def test_without_its_name_the_way_of_ending_follows_from_the_other_fields() -> None:
    named = only(report()).report.verdicts
    unnamed = [issue(n, method, resolutionMethod=None) for n, method in enumerate(METHODS, 1)]
    assert only(report(issues=unnamed)).report.verdicts == named


def test_a_run_is_dated_by_its_name_or_else_by_whoever_reads_it() -> None:
    assert only(report()).run.at == pytest.approx(1775511165.225)
    assert only(report("some-run")).run.at == 5.0
    assert only(report("some-run", recordedAt="2026-04-06T21:32:45.225Z")).run.at == pytest.approx(1775511165.225)


@pytest.mark.parametrize(
    ("fields", "variant"),
    [
        ({"modelLabel": None}, Variant("org/model", None)),
        ({"modelLabel": None, "model": "org/model:high"}, Variant("org/model", "high")),
        ({"model": None, "modelLabel": "org/model:high"}, Variant("org/model", "high")),
        ({"modelLabel": None, "reasoningEffort": "xhigh"}, Variant("org/model", "xhigh")),
        ({"model": "org/m:free", "modelLabel": "org/m:free:none"}, Variant("org/m:free", "none")),
        ({"model": "baseline/oracle", "modelLabel": "baseline/oracle"}, Variant("baseline/oracle", None)),
    ],
)
def test_a_variant_is_read_from_whatever_names_it(fields: dict[str, Any], variant: Variant) -> None:
    assert only(report(**fields)).run.key.variant == variant


def test_absolute_paths_are_reduced_to_names() -> None:
    found = only(report("/home/somebody/run-1", caseId="/home/somebody/letter"))
    assert "somebody" not in str((found.run, found.report))
    assert (found.run.case_id, found.run.attempt["runId"]) == ("letter", "run-1")


def test_what_a_report_says_is_the_same_alone_and_among_others() -> None:
    collection = {"caseId": "letter", "runs": [report(caseId=None)]}
    assert only(report()).report.digest == only(collection, "all.json").report.digest
    assert only(report()).report.digest != only(report(methods=["exact"] * 4)).report.digest


def test_a_control_has_no_quality() -> None:
    figures = only(report(methods=[])).run.figures
    assert figures is not None
    assert (figures.is_control, figures.quality) == (True, None)
