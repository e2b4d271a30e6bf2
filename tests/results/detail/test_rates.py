from __future__ import annotations

from pathlib import Path

import pytest

from errata_bench.errors import UserError
from errata_bench.results.aggregate import summarise_runs
from errata_bench.results.detail.narrowing import summarise_selection
from errata_bench.results.detail.rates import RateRow, case_rates, category_rates
from errata_bench.results.detail.run import run_detail, run_list
from errata_bench.results.detail.selection import Selection
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.imported import ImportedRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.records import RunKey
from tests.support.builders import make_settings
from tests.support.evidence import ALPHA, BETA, HOUSE_STYLE, MEMO, TRANSPOSITION, TYPO, add_run, put


def rates(row: RateRow) -> dict[str, float | None]:
    return {str(entry.variant): cell.rate for entry, cell in row.cells.items()}


def test_case_rates_are_the_mean_over_runs_of_the_share_fixed(group: Group) -> None:
    table = case_rates(group)
    rows = {row.name: row for row in table.rows}
    assert rates(rows["letter"]) == {"baseline/oracle": 1.0, "org/alpha:low": 0.5, "org/beta:high": 0.0}
    assert rates(rows["memo"]) == {"baseline/oracle": 1.0, "org/alpha:low": 1.0, "org/beta:high": None}
    assert rows["letter"].issues == 3
    letter = {str(entry.variant): cell for entry, cell in rows["letter"].cells.items()}["org/alpha:low"]
    assert letter.runs == 2
    assert (letter.outcomes.fixed, letter.outcomes.bad_fix, letter.outcomes.not_addressed) == (3, 1, 2)


def test_the_hardest_case_comes_first_and_controls_last(group: Group) -> None:
    table = case_rates(group)
    assert [row.name for row in table.rows] == ["letter", "memo", "blank"]
    assert [row.is_control for row in table.rows] == [False, False, True]
    assert set(rates(table.rows[-1]).values()) == {None}


def test_the_mean_of_a_row_leaves_the_oracle_out(group: Group) -> None:
    letter, memo, _ = case_rates(group).rows
    assert letter.mean == 0.25
    assert memo.mean == 1.0


def test_overall_is_the_quality_of_the_ranking(group: Group) -> None:
    qualities = {str(one.variant): one["quality"] for one in summarise_runs(group.runs())}
    assert rates(case_rates(group).overall) == qualities
    assert rates(category_rates(group).overall) == qualities
    assert qualities["org/alpha:low"] == 0.75


def test_entries_come_best_first(group: Group) -> None:
    variants = [str(entry.variant) for entry in case_rates(group).entries]
    assert variants == ["baseline/oracle", "org/alpha:low", "org/beta:high"]


def test_categories_roll_up_to_their_parent(group: Group) -> None:
    orthography, own = category_rates(group).rows
    assert orthography.name == "orthography_and_word_form"
    assert [child.name for child in orthography.children] == [TYPO, TRANSPOSITION]
    typo, transposition = orthography.children
    assert rates(typo) == {"baseline/oracle": 1.0, "org/alpha:low": 1.0, "org/beta:high": 0.0}
    assert rates(transposition)["org/alpha:low"] == 0.5
    # three quarters of the letter and all of the memo
    assert rates(orthography)["org/alpha:low"] == 0.875
    assert (orthography.issues, orthography.cases) == (4, 2)
    assert (typo.issues, typo.cases) == (3, 2)
    assert (own.name, own.children) == (HOUSE_STYLE, ())
    assert rates(own)["org/alpha:low"] == 0.0


def test_a_selection_narrows_rows_and_columns(group: Group) -> None:
    table = case_rates(group, Selection(models=("org/beta",), cases=("letter",), categories=("transposition",)))
    assert [str(entry.variant) for entry in table.entries] == [str(BETA)]
    (row,) = table.rows
    assert (row.name, row.issues) == ("letter", 1)


def test_a_case_without_issues_of_the_category_is_left_out(group: Group) -> None:
    table = case_rates(group, Selection(categories=(HOUSE_STYLE,)))
    assert [row.name for row in table.rows if not row.is_control] == ["letter"]


def test_what_the_group_does_not_have_is_a_mistake_that_names_what_it_has(group: Group) -> None:
    with pytest.raises(UserError, match="no model 'nobody'") as caught:
        case_rates(group, Selection(models=("nobody",)))
    assert "org/alpha:low" in str(caught.value.mend)


def test_an_empty_group_gives_empty_tables(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    with write_group(path):
        pass
    with read_group(path) as empty:
        assert case_rates(empty).rows == ()
        assert category_rates(empty).rows == ()
        assert category_rates(empty).overall.cells == {}


def test_runs_made_elsewhere_count_by_their_quality_where_no_issue_is_chosen(tmp_path: Path) -> None:
    with write_group(tmp_path / "g.sqlite") as group:
        add_run(group, MEMO, ALPHA, put(MEMO, para01="the"))
        key = RunKey(make_settings(), BETA, "far" * 20)
        runs = [
            ImportedRun(digest, key, "far", n, 1.0, ImportedFigures({"quality": quality, "issues": 10}), None, {})
            for n, (digest, quality) in enumerate((("a", 0.5), ("b", 0.7)), 1)
        ]
        group.imports.add("elsewhere.json", runs, "1.0")
        table = case_rates(group)
        far = next(row for row in table.rows if row.name == "far")
        assert rates(far) == {"org/alpha:low": None, "org/beta:high": pytest.approx(0.6)}
        assert not far.is_control
        assert rates(table.overall)["org/beta:high"] == pytest.approx(0.6)
        chosen = case_rates(group, Selection(categories=("fat_finger_typo",)))
        assert [row.name for row in chosen.rows] == ["memo"]
        (record,) = run_list(group, Selection(models=("beta",)))[:1]
        with pytest.raises(UserError, match="made elsewhere"):
            run_detail(group, record.id)
        narrowed = {
            str(one.variant): one["quality"]
            for one in summarise_selection(group, Selection(categories=("fat_finger_typo",))).summaries
        }
        assert narrowed == {"org/alpha:low": 0.5}
