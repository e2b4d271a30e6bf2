from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from errata_bench.errors import UserError
from errata_bench.results.detail.narrowing import Narrowed
from errata_bench.views.ranking_columns import COLUMNS
from errata_bench.views.rankings import find_columns, print_rankings, rankings_csv, rankings_json, sorted_by
from errata_bench.views.selection import selection_notes
from tests.support.summaries import make_summary, unknown_summary


def shown(*names: str, width: int = 120) -> list[list[str]]:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, emoji=False, markup=False)
    print_rankings(console, [make_summary("org/a", 5), unknown_summary()], columns=find_columns(names))
    return [line.split() for line in file.getvalue().splitlines()]


def test_the_best_come_first_whichever_way_better_lies() -> None:
    cheap = make_summary("org/cheap", 5, figures={"candidate_cost_usd": 0.1, "duration_seconds": 90.0})
    fast = make_summary("org/fast", 5, figures={"candidate_cost_usd": 9.0, "duration_seconds": 1.0})
    for name, best in (("cost_per_run_usd", cheap), ("issues_per_usd", cheap), ("issues_per_minute", fast)):
        (column,) = find_columns([name])
        assert sorted_by([cheap, fast], column)[0] is best
        assert sorted_by([fast, cheap], column)[0] is best


def test_what_is_not_known_comes_last_whichever_way_better_lies() -> None:
    known, unknown = make_summary("org/a", 5), unknown_summary()
    for column in COLUMNS:
        if column.value(unknown) is None and column.value(known) is not None:
            assert sorted_by([unknown, known], column)[-1] is unknown


def test_ties_keep_the_order_of_the_ranking() -> None:
    same = [make_summary(f"org/{name}", 5) for name in "cab"]
    assert sorted_by(same, find_columns(["quality"])[0]) == same
    assert [s.variant.model for s in sorted_by(same, find_columns(["model"])[0])] == ["org/a", "org/b", "org/c"]


def test_runs_are_sorted_as_numbers() -> None:
    few, many = make_summary("org/few", 5, successful_runs=9), make_summary("org/many", 5, successful_runs=10)
    assert sorted_by([few, many], find_columns(["runs"])[0]) == [many, few]


def test_every_column_can_be_sorted_by_and_shown() -> None:
    summaries = [make_summary("org/a", 5), unknown_summary()]
    for column in COLUMNS:
        assert len(sorted_by(summaries, column)) == 2
    text = "\n".join(" ".join(line) for line in shown(*(column.name for column in COLUMNS), width=400))
    assert "None" not in text


def test_columns_are_shown_in_the_order_asked_for() -> None:
    _, heads, first, second, *_ = shown("missed", "quality", "rewrite_share", width=80)
    assert heads[-1] == "share"
    assert first[1:] == ["org/a:low", "50.0%", "0.500", "0.0%"]
    assert second[-3:] == ["n/a", "n/a", "n/a"]


def test_columns_are_named_as_in_json_or_as_in_the_table() -> None:
    assert find_columns(["missed", "issues / USD"]) == find_columns(["missed_rate", "issues_per_usd"])
    assert len(find_columns(["quality", "quality"])) == 1
    with pytest.raises(UserError, match="no column 'beauty'") as caught:
        find_columns(["beauty"])
    assert "missed_rate" in str(caught.value.mend)


def test_json_and_csv_have_the_columns_asked_for_and_the_model() -> None:
    columns = find_columns(["quality"])
    (row,) = json.loads(rankings_json("group", [make_summary("org/a", 5)], columns=columns))["rankings"]
    assert row["model"] == "org/a:low"
    assert row["quality"] == 0.5
    assert "missed_rate" not in row
    head, *_ = csv.reader(io.StringIO(rankings_csv([make_summary("org/a", 5)], columns=columns)))
    assert head[:3] == ["rank", "model", "quality"]
    assert "missed_rate" not in head


def test_what_is_left_out_is_said() -> None:
    narrowed = Narrowed((), ("letter",), ("a.x", "a.y"), 7)
    notes = " ".join(selection_notes(narrowed, best_variant_only=True))
    assert "Only 1 case: letter." in notes
    assert "Only the 7 issues of 2 categories: x, y." in notes
    assert "n/a" in notes
    assert "ranks first" in notes
    assert selection_notes(Narrowed((), (), ())) == []
