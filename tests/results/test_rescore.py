from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.results.rescore import rescore_group
from errata_bench.runs.scoring import score_stored_run
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.scoring.run_score import IssueScore, RunScore
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus
from tests.support.models import fix_everything, fix_otherwise
from tests.support.stored import content
from tests.support.upkeep import ALPHA, BETA, CASES, run, verdicts


def lenient(group: Group, run_id: int, case: Case, chunks: Sequence[Document]) -> tuple[RunScore, RunFigures]:
    """Another rule: whatever was changed is fixed."""
    score, figures = score_stored_run(group, run_id, case, chunks)
    issues = {
        issue_id: IssueScore(one.finding, Verdict.FIXED if one.verdict is Verdict.UNJUDGED else one.verdict)
        for issue_id, one in score.issues.items()
    }
    fixed = sum(one.verdict is Verdict.FIXED for one in issues.values())
    score = dataclasses.replace(score, issues=issues)
    return score, dataclasses.replace(figures, fixed=fixed, bad_fixes=0, unjudged=0)


async def test_what_is_right_already_is_not_written_again(group: Group) -> None:
    await run(group)
    before = content(group.path)
    report = rescore_group(group, score_stored_run)
    assert [(change.variant, change.runs, change.changed_runs) for change in report.variants] == [(ALPHA, 2, 0)]
    assert content(group.path) == before


async def test_another_rule_changes_verdicts_and_figures_and_is_told_by_variant(group: Group) -> None:
    await run(group, fix_otherwise, variants=[ALPHA])
    await run(group, fix_everything, variants=[BETA])
    report = rescore_group(group, lenient)
    alpha, beta = report.variants
    assert (alpha.runs, alpha.changed_runs, dict(alpha.moves)) == (2, 2, {("unjudged", "fixed"): 5})
    assert (alpha.quality_before, alpha.quality_after) == (0.0, 1.0)
    assert (beta.changed_runs, beta.quality_before, beta.quality_after) == (0, 1.0, 1.0)
    assert report.changed_runs == 2
    assert verdicts(group)[0] == ["fixed"] * 3
    figures = group.runs()[0].figures
    assert figures is not None and figures.quality == 1.0


async def test_disqualified_issues_of_the_dataset_change_the_case_and_keep_its_runs(group: Group) -> None:
    await run(group, fix_everything)
    letter, memo = CASES
    changed = dataclasses.replace(
        letter,
        issues=tuple(dataclasses.replace(issue, disqualified=issue.id == "issue-02") for issue in letter.issues),
    )
    report = rescore_group(group, score_stored_run, [changed, memo])
    (case,) = report.disqualified.cases
    assert (case.case_id, case.disqualified, case.counting_again, case.runs) == ("letter", ("issue-02",), (), 1)
    assert dict(report.variants[0].moves) == {("fixed", "none"): 1}
    first, second = group.runs()
    assert (first.key.fingerprint, second.key.fingerprint) == (changed.fingerprint, memo.fingerprint)
    assert first.figures is not None and (first.figures.issues, first.figures.fixed) == (2, 2)
    assert set(group.verdicts(first.id)) == {"issue-01", "issue-03"}
    assert len(group.chunk_results(first.id, [letter.document.select([p.id]) for p in letter.document])) == 3

    back = rescore_group(group, score_stored_run, CASES)
    assert back.disqualified.cases[0].counting_again == ("issue-02",)
    assert group.runs()[0].key.fingerprint == letter.fingerprint
    assert len(group.stored_cases()) == 2


async def test_a_case_with_another_text_is_named_and_left_alone(group: Group) -> None:
    await run(group, fix_everything)
    letter = CASES[0]
    longer = dataclasses.replace(
        letter,
        instruction="Do something else.",
        issues=tuple(dataclasses.replace(issue, disqualified=True) for issue in letter.issues),
    )
    before = content(group.path)
    report = rescore_group(group, score_stored_run, [longer])
    assert report.disqualified.other_texts == ["letter"]
    assert report.disqualified.not_in_dataset == ["memo"]
    assert content(group.path) == before


async def test_where_the_case_was_run_in_both_versions_samples_are_numbered_on(group: Group) -> None:
    letter = CASES[0]
    changed = dataclasses.replace(
        letter, issues=tuple(dataclasses.replace(i, disqualified=i.id == "issue-01") for i in letter.issues)
    )
    await run(group, fix_everything, cases=[letter], samples=2)
    await run(group, fix_everything, cases=[changed], samples=2)
    rescore_group(group, score_stored_run, [changed])
    assert sorted((run.key.fingerprint, run.sample) for run in group.runs()) == [
        (changed.fingerprint, sample) for sample in (1, 2, 3, 4)
    ]


async def test_unfinished_runs_move_with_their_case_and_are_not_scored(group: Group) -> None:
    letter = CASES[0]
    await run(group, fix_everything, cases=[letter])
    group.begin_run(group.runs()[0].key, 2, 3, 1.0, "1")
    changed = dataclasses.replace(
        letter, issues=tuple(dataclasses.replace(i, disqualified=True) for i in letter.issues)
    )
    rescore_group(group, score_stored_run, [changed])
    assert [(run.status, run.key.fingerprint) for run in group.runs()] == [
        (RunStatus.SUCCEEDED, changed.fingerprint),
        (RunStatus.RUNNING, changed.fingerprint),
    ]


async def test_broken_off_between_two_runs_the_rest_is_done_next_time(group: Group) -> None:
    await run(group, fix_otherwise, samples=2)
    done = 0

    def tired(*arguments: Any) -> tuple[RunScore, RunFigures]:
        nonlocal done
        done += 1
        if done > 2:
            raise KeyboardInterrupt
        return lenient(*arguments)

    with pytest.raises(KeyboardInterrupt):
        rescore_group(group, tired)
    assert [set(of_run) for of_run in verdicts(group)] == [{"fixed"}, {"fixed"}, {"unjudged"}, {"unjudged"}]
    assert rescore_group(group, lenient).changed_runs == 2
    assert {verdict for of_run in verdicts(group) for verdict in of_run} == {"fixed"}


async def test_a_case_is_changed_with_all_its_runs_or_not_at_all(group: Group) -> None:
    letter = CASES[0]
    await run(group, fix_everything, cases=[letter], samples=3)
    changed = dataclasses.replace(
        letter, issues=tuple(dataclasses.replace(i, disqualified=True) for i in letter.issues)
    )
    calls = 0

    def tired(*arguments: Any) -> tuple[RunScore, RunFigures]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return score_stored_run(*arguments)

    before = content(group.path)
    with pytest.raises(KeyboardInterrupt):
        rescore_group(group, tired, [changed])
    assert content(group.path) == before


async def test_progress_is_told(group: Group) -> None:
    await run(group)
    told: list[tuple[int, int]] = []
    rescore_group(group, score_stored_run, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


async def test_a_group_without_runs_has_nothing_to_score(tmp_path: Path, group: Group) -> None:
    assert rescore_group(group, score_stored_run, CASES).variants == ()
