from __future__ import annotations

from pathlib import Path

import pytest

from errata_bench.errors import UserError
from errata_bench.results.detail.issues import issue_answers, issue_rows
from errata_bench.results.detail.misses import misses
from errata_bench.results.detail.selection import Selection
from errata_bench.store.group import Group, write_group
from tests.support.evidence import ALPHA, HOUSE_STYLE, LETTER, MEMO, REASON, TRANSPOSITION, TYPO, add_run, put


def test_issues_come_hardest_first_with_who_fixed_them(group: Group) -> None:
    rows = issue_rows(group)
    assert [(row.case_id, row.issue_id, row.rate) for row in rows] == [
        ("letter", "issue-03", 0.0),
        ("letter", "issue-02", 0.25),
        ("letter", "issue-01", 0.5),
        ("memo", "issue-01", 1.0),
        ("memo", "issue-02", 1.0),
    ]
    second = rows[1]
    assert (second.fixed_by, second.entries) == (1, 2)
    assert (second.outcomes.fixed, second.outcomes.bad_fix, second.outcomes.not_addressed) == (1, 1, 1)
    assert [row.category for row in rows] == [HOUSE_STYLE, TRANSPOSITION, TYPO, TYPO, TYPO]


def test_never_and_always_fixed_leave_the_oracle_out(group: Group) -> None:
    rows = {(row.case_id, row.issue_id): row for row in issue_rows(group)}
    assert [key for key, row in rows.items() if row.never_fixed] == [("letter", "issue-03")]
    assert [key for key, row in rows.items() if row.always_fixed] == [("memo", "issue-01"), ("memo", "issue-02")]
    oracle = issue_rows(group, Selection(models=("oracle",)))
    assert not any(row.never_fixed or row.always_fixed for row in oracle)
    assert {row.rate for row in oracle} == {None}


def test_an_issue_stands_in_its_sentence(group: Group) -> None:
    row = issue_rows(group)[0]
    assert (row.sentence.left, row.sentence.wrong, row.sentence.right, row.right) == (
        "Here is ",
        "teh",
        " sentence of letter, number 3.",
        "the",
    )


def test_answers_are_the_ways_in_which_runs_left_an_issue(group: Group) -> None:
    answers = issue_answers(group, LETTER.fingerprint, "issue-02")
    assert [(one.verdict, one.count) for one in answers] == [("fixed", 2), ("bad_fix", 1), ("not_addressed", 1)]
    fixed, bad, _ = answers
    assert {str(entry.variant) for entry in fixed.runs} == {"org/alpha:low", "baseline/oracle"}
    assert bad.judgment is not None
    assert bad.judgment.reason == REASON
    assert fixed.judgment is None
    changed = [(piece.before, piece.after) for piece in bad.pieces if piece.before != piece.after]
    assert changed == [("teh", "tge")]


def test_answers_to_an_issue_that_is_not_there_are_a_mistake(group: Group) -> None:
    with pytest.raises(UserError, match="no issue 'issue-09'"):
        issue_answers(group, MEMO.fingerprint, "issue-09")
    with pytest.raises(UserError, match="no issue"):
        issue_answers(group, "0" * 64, "issue-01")


def test_misses_are_what_was_altered_and_not_accepted(group: Group) -> None:
    found = list(misses(group))
    assert [(str(one.entry.variant), one.issue_id, one.verdict) for one in found] == [
        ("org/alpha:low", "issue-02", "bad_fix"),
        ("org/beta:high", "issue-01", "unjudged"),
    ]
    bad, unjudged = found
    assert (bad.wrong, bad.right, bad.category, bad.sample) == ("teh", "the", TRANSPOSITION, 2)
    assert "".join(piece.after for piece in bad.pieces) == "Here is tge sentence of letter, number 2."
    assert bad.judgment is not None
    assert bad.judgment.reason == REASON
    assert unjudged.judgment is None
    assert [one.aligned for one in found] == ["altered", "altered"]


def test_misses_can_be_narrowed(group: Group) -> None:
    assert [one.issue_id for one in misses(group, Selection(models=("beta",)))] == ["issue-01"]
    assert [one.issue_id for one in misses(group, Selection(categories=("transposition",)))] == ["issue-02"]
    assert list(misses(group, Selection(cases=("memo",)))) == []


def test_a_fix_that_a_judge_accepted_counts_as_fixed(tmp_path: Path) -> None:
    with write_group(tmp_path / "g.sqlite") as group:
        add_run(group, MEMO, ALPHA, put(MEMO, para01="this", para02="tge"), accepted={"issue-01": "As good."})
        first, second = sorted(issue_rows(group), key=lambda row: row.issue_id)
        assert (first.rate, first.outcomes.fixed_alternative, first.outcomes.fixed) == (1.0, 1, 0)
        assert (second.rate, second.outcomes.unjudged) == (0.0, 1)
        assert [miss.issue_id for miss in misses(group)] == ["issue-02"]
        (answer,) = issue_answers(group, MEMO.fingerprint, "issue-01")
        assert answer.judgment is not None
        assert answer.judgment.reason == "As good."
