from __future__ import annotations

from errata_bench.store.group import Group
from tests.support.evidence import ALPHA, BLANK, HOUSE_STYLE, LETTER, MEMO, TRANSPOSITION, add_run, fill, put
from tests.support.stored import begin


def test_cases_and_issues_are_read_without_their_documents(group: Group) -> None:
    fill(group)
    assert [(one.case_id, one.paragraphs) for one in group.stored_cases()] == [("blank", 2), ("letter", 3), ("memo", 2)]
    issues = [(one.case_id, one.issue_id, one.category, one.paragraph_id) for one in group.stored_issues()]
    assert issues[:3] == [
        ("letter", "issue-01", "fat_finger_typo", "para01"),
        ("letter", "issue-02", TRANSPOSITION, "para02"),
        ("letter", "issue-03", HOUSE_STYLE, "para03"),
    ]
    assert len(issues) == 5


def test_verdicts_are_those_of_successful_runs(group: Group) -> None:
    first = add_run(group, MEMO, ALPHA, put(MEMO, para01="the"))
    second = add_run(group, MEMO, ALPHA, {}, sample=2)
    assert [(one.run_id, one.issue_id, one.verdict) for one in group.all_verdicts()] == [
        (first, "issue-01", "fixed"),
        (first, "issue-02", "not_addressed"),
        (second, "issue-01", "not_addressed"),
        (second, "issue-02", "not_addressed"),
    ]
    assert [one.finding for one in group.run_verdicts(first)] == ["exact", "not_addressed"]
    assert [one.run_id for one in group.issue_verdicts(MEMO.fingerprint, "issue-01")] == [first, second]
    begin(group, MEMO, 1, ALPHA)  # taken up again: its verdicts count no longer
    assert {one.run_id for one in group.all_verdicts()} == {second}


def test_a_final_paragraph_is_none_where_nobody_changed_it(group: Group) -> None:
    first = add_run(group, LETTER, ALPHA, put(LETTER, para02="tge"))
    second = add_run(group, LETTER, ALPHA, {}, sample=2)
    add_run(group, BLANK, ALPHA, {})
    finals = list(group.final_paragraphs(LETTER.fingerprint, "para02"))
    assert finals == [(first, "Here is tge sentence of letter, number 2."), (second, None)]
    assert list(group.final_paragraphs(LETTER.fingerprint, 'para"02')) == [(first, None), (second, None)]
    assert group.changed_paragraphs(first) == put(LETTER, para02="tge")


def test_requests_and_origin_of_a_run(group: Group) -> None:
    run_id = add_run(group, MEMO, ALPHA, {})
    assert [
        (one.chunk, one.purpose, one.cost_usd, one.usage.completion_tokens) for one in group.run_attempts(run_id)
    ] == [
        (0, "candidate", 0.5, 20),
        (1, "candidate", 0.5, 20),
    ]
    assert group.run_origin(run_id).version == "1.0"
