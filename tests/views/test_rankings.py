from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from errata_bench.results.aggregate import FIGURES, VariantSummary
from errata_bench.views.ranking_columns import COLUMNS
from errata_bench.views.rankings import notes, print_rankings, rankings_csv, rankings_json, settings_notes
from tests.support.builders import make_settings
from tests.support.summaries import make_summary, sure, unknown_summary

LONG = "some-organisation/a-model-with-a-very-long-name-of-60-characters"[:60]
HOSTILE = {
    "escape": "org/\x1b[31mred\x1b]0;title\x07",
    "C1 escape": "org/\x9b31mred",
    "markup": "org/[bold red]x[/bold red][link=http://evil.example]y[/link]",
    "broken markup": "org/[/nothing] \\[",
    "emoji code": "org/:smile:",
    "newlines": "org/one\ntwo\r\nthree\rfour",
    "line separators": "org/one\u2028two\u2029three\x0bfour\x85five",
    "right to left": "org/\u202egnp.exe\u202c",
    "tabs": "org/\ta\tb",
    "NUL": "org/a\0b",
    "tag characters": "org/\U000e0001\U000e0041",
    "bell and backspace": "org/a\x07\x08\x08\x08b",
}
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(summaries: list[VariantSummary], width: int = 100, *, explain: bool = False) -> str:
    file = io.StringIO()
    print_rankings(
        Console(file=file, width=width, highlight=False, emoji=False, markup=False), summaries, explain=explain
    )
    return file.getvalue()


def title(head: str) -> str:
    return head.replace("-\n", "").replace("\n", " ")


EXTREME = make_summary(
    LONG,
    10,
    9,
    figures={
        "bad_fixes": 10,
        "missed": 10,
        "unjudged": 10,
        "candidate_cost_usd": 1234.5678,
        "duration_seconds": 1e-3,
        "benchmark_chars": 123_456_789,
        "off_target_chars": 1,
        "completion_tokens": 9_876_543,
        "turns": 300,
    },
    successful_runs=1000,
    total_runs=1234,
    cases=120,
    cases_counted=110,
)


# The table


@pytest.mark.parametrize("width", [80, 100, 120, 160, 300])
def test_the_table_is_no_wider_than_its_console(width: int) -> None:
    summaries = [EXTREME, *(make_summary(LONG + str(n), n % 11) for n in range(120)), unknown_summary(LONG)]
    for line in shown(summaries, width, explain=True).splitlines():
        assert cell_len(line) <= width


def test_in_100_columns_every_figure_of_the_table_is_there_and_whole() -> None:
    summaries = [sure(EXTREME), sure(make_summary("org/short", 3)), unknown_summary()]
    text = shown(summaries)
    assert "…" not in text
    needed = [column for column in COLUMNS[1:] if column.head and not column.optional]
    names = {column.name for column in needed}
    assert names >= {
        "runs",
        "cases",
        "quality",
        "quality_half_width",
        "quality_range",
        "stability",
        "bad_fix_rate",
        "missed_rate",
        "unjudged_rate",
        "issues_per_usd",
        "issues_per_minute",
        "tool_chars_per_issue",
        "cost_per_run_usd",
    }
    lines = text.splitlines()
    for summary in summaries:
        at = next(n for n, line in enumerate(lines) if str(summary.variant) in line)
        found = " ".join(lines[at : at + 2])
        rest = found.partition(str(summary.variant))[2].split()
        values = [column.value(summary) for column in needed]
        assert rest[: len(needed)] == [
            "n/a" if value is None else column.show(value) for column, value in zip(needed, values, strict=True)
        ]


@pytest.mark.parametrize("width", [100, 200])
def test_a_name_of_60_characters_is_whole(width: int) -> None:
    assert len(LONG) == 60
    assert f"{LONG}:low" in shown([make_summary(LONG), make_summary("org/b")], width)


def test_more_room_shows_more_columns_and_no_other_figures() -> None:
    summaries = [make_summary("org/one"), make_summary("org/two", 3)]
    narrow, wide = shown(summaries, 100), shown(summaries, 300)
    heads = len(wide.splitlines()[1].split())
    assert heads > len(narrow.splitlines()[1].split())
    for line in narrow.splitlines()[2:4]:
        assert any(other.split()[: len(line.split())] == line.split() for other in wide.splitlines())


def test_where_columns_do_not_fit_it_is_said_which() -> None:
    text = shown([make_summary()], 40)
    assert "A wider terminal also shows" in text
    assert "cost / run" in " ".join(text.split())


def test_ranks_count_from_one_in_the_order_given() -> None:
    text = shown([make_summary("org/b", 9), make_summary("org/a", 3)], 200)
    assert re.search(r"^ *1 org/b:low ", text, re.MULTILINE)
    assert re.search(r"^ *2 org/a:low ", text, re.MULTILINE)


def test_what_is_not_known_is_n_a_and_never_zero() -> None:
    line = next(line for line in shown([unknown_summary()], 300).splitlines() if "org/failed" in line)
    cells = line.split()
    assert cells[:4] == ["1", "org/failed:low", "0/3", "0/1"]
    assert set(cells[4:]) == {"n/a"}


def test_every_column_of_the_table_is_explained_on_demand() -> None:
    plainly = " ".join(shown([make_summary()], 100).split())
    explained = " ".join(shown([sure(make_summary())], 100, explain=True).split())
    for column in COLUMNS:
        if column.head:
            assert f"{title(column.head)} " in explained
            assert column.meaning in explained
            assert column.meaning not in plainly


def test_every_column_has_a_meaning_and_a_name_of_its_own() -> None:
    assert all(column.meaning.endswith(".") and len(column.meaning) > 10 for column in COLUMNS)
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
    assert {column.name for column in COLUMNS} >= set(FIGURES)


def test_an_empty_group_makes_no_row_and_no_error() -> None:
    assert "model" in shown([])
    assert json.loads(rankings_json("empty", [])) == {"group": "empty", "rankings": [], "notes": []}
    assert len(rankings_csv([]).splitlines()) == 1
    assert notes([]) == []


# Names that mean harm


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [100, 300])
def test_a_hostile_name_stays_text_on_its_line(name: str, width: int) -> None:
    text = shown([make_summary(name), make_summary("org/other")], width)
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in OBEYED]
    harmless = shown([make_summary("x" * len(name)), make_summary("org/other")], width)
    assert len(text.splitlines()) == len(harmless.splitlines())
    if "[" in name and "\x1b" not in name:
        assert name in text
    if ":smile:" in name:
        assert ":smile:" in text


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_sends_no_escape_to_a_terminal(name: str) -> None:
    file = io.StringIO()
    console = Console(file=file, width=100, force_terminal=True, highlight=False, emoji=False, markup=False)
    print_rankings(console, [make_summary(name, unfinished_runs=1, cases=3)])
    styles = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert not [char for char in styles.replace("\n", "") if unicodedata.category(char) in OBEYED]
    assert "\x1b[31m" not in file.getvalue()


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_is_kept_in_json_and_obeyed_by_no_terminal(name: str) -> None:
    text = rankings_json("group", [make_summary(name)])
    assert json.loads(text)["rankings"][0]["base_model"] == name
    assert text.isascii()
    assert all(char == "\n" or char.isprintable() for char in text)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_is_harmless_in_csv(name: str) -> None:
    text = rankings_csv([make_summary(name), make_summary("org/other")])
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in OBEYED]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert rows[1]["model"] == "org/other:low"


@given(st.text(min_size=1, max_size=80))
def test_no_name_whatever_breaks_a_view(name: str) -> None:
    summaries = [make_summary(f"org/{name}")]
    text = shown(summaries)
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in OBEYED]
    assert json.loads(rankings_json("group", summaries))["rankings"][0]["base_model"] == f"org/{name}"
    assert len(list(csv.reader(io.StringIO(rankings_csv(summaries))))) == 2


# JSON and CSV


def test_json_has_every_column_with_null_for_what_is_not_known() -> None:
    summaries = [make_summary("org/one", 5, 7), unknown_summary()]
    content = json.loads(rankings_json("group", summaries))
    assert content["group"] == "group"
    one, failed = content["rankings"]
    assert (one["rank"], one["model"], one["base_model"], one["reasoning_effort"]) == (
        1,
        "org/one:low",
        "org/one",
        "low",
    )
    assert (one["quality"], one["quality_range"], one["cost_per_run_usd"]) == (0.6, 0.0, 1.0)
    assert (one["successful_runs"], one["total_runs"], one["cases_counted"], one["cases_total"]) == (2, 2, 2, 2)
    assert one["settings"] == {
        "endpoint": "test.example/v1",
        "max_words": 1,
        "max_turns": 3,
        "prompt_version": "prompt-1",
        "judge": "",
        "max_completion_tokens": 8192,
        "reasoning": "{}",
    }
    assert (failed["successful_runs"], failed["total_runs"], failed["cases_counted"]) == (0, 3, 0)
    for name in (*FIGURES, "quality_range", "median_quality_range", "stability", "control_unexpected_paragraphs"):
        assert name in one
        assert failed[name] is None


def test_a_baseline_has_no_effort_in_json() -> None:
    (row,) = json.loads(rankings_json("group", [make_summary("baseline/harper", effort=None)]))["rankings"]
    assert (row["model"], row["reasoning_effort"]) == ("baseline/harper", None)


def test_csv_has_every_column_with_nothing_for_what_is_not_known() -> None:
    summaries = [make_summary("org/one", 5, 7), unknown_summary()]
    one, failed = csv.DictReader(io.StringIO(rankings_csv(summaries)))
    assert set(one) >= set(FIGURES) | {"rank", "model", "quality_range", "stability", "cases_counted"}
    assert (one["rank"], one["model"], one["quality"], one["total_runs"]) == ("1", "org/one:low", "0.6", "2")
    for name in (*FIGURES, "quality_range", "median_quality_range", "stability"):
        assert failed[name] == ""
    assert failed["successful_runs"] == "0"


def test_json_and_csv_have_the_same_figures_to_the_last_digit() -> None:
    summaries = [make_summary("org/one", 1, 2, 7)]
    (in_json,) = json.loads(rankings_json("group", summaries))["rankings"]
    (in_csv,) = csv.DictReader(io.StringIO(rankings_csv(summaries)))
    for name in FIGURES:
        assert float(in_csv[name]) == in_json[name]


# Notes


def test_cases_that_are_left_out_and_unfinished_runs_are_told() -> None:
    found = notes([make_summary(cases=3, unfinished_runs=2), make_summary("org/whole")])
    assert [note.partition(":low: ")[2][:10] for note in found] == ["1/3 cases;", "2 runs unf"]
    assert "org/whole" not in "".join(found)


def test_unjudged_fixes_are_told_of_where_there_are_any() -> None:
    assert any("no judge" in note for note in notes([make_summary(figures={"bad_fixes": 1, "unjudged": 1})]))
    assert notes([make_summary(), unknown_summary()])[1:] == []


def test_controls_are_told_of() -> None:
    assert any("1 control without issues" in note for note in notes([make_summary(controls=1)]))


def test_nothing_is_said_of_settings_that_agree() -> None:
    assert settings_notes([]) == []
    assert settings_notes([make_settings(), make_settings()]) == []


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("endpoint", "elsewhere", "endpoint test.example/v1, elsewhere"),
        ("max_words", 2, "max words 1, 2"),
        ("max_turns", 4, "max turns 3, 4"),
        ("prompt_version", "prompt-2", "prompt version prompt-1, prompt-2"),
        ("judge", "org/judge:low", "judge"),
        ("max_completion_tokens", 1, "max completion tokens 8192, 1"),
        ("reasoning", '{"exclude":true}', "reasoning"),
    ],
)
def test_settings_that_differ_are_named_once_with_their_values(field: str, value: object, words: str) -> None:
    other = dataclasses.replace(make_settings(), **{field: value})  # type: ignore[arg-type]
    (note,) = settings_notes([make_settings(), other, other])
    assert words in note
    assert "not strictly comparable" in note


def test_baselines_differ_from_models_without_a_word() -> None:
    assert settings_notes([make_settings(), make_settings(endpoint="offline", prompt_version="baseline-1")]) == []


def test_hostile_settings_are_harmless_in_notes() -> None:
    (note,) = settings_notes([make_settings(), make_settings(endpoint="\x1b]0;x\x07\n")])
    assert not [char for char in note if unicodedata.category(char) in OBEYED]


# How sure


def test_an_interval_and_a_place_stand_beside_the_quality() -> None:
    line = next(line for line in shown([sure(make_summary("org/one", 5))], 300).splitlines() if "org/one" in line)
    cells = line.split()
    assert cells[:2] == ["1*", "org/one:low"]
    assert cells[4:6] == ["0.500", "0.125"]
    assert "1–13" in cells


def test_without_intervals_there_is_no_column_for_them() -> None:
    text = shown([make_summary()], 300)
    assert "±" not in text
    assert "place" not in text


# One variant under several settings


def test_rows_of_one_variant_say_what_tells_them_apart() -> None:
    rows = [
        make_summary("org/one", 5, settings=make_settings(max_words=2000)),
        make_summary("org/one", 4, settings=make_settings(max_words=500)),
        make_summary("org/two", 3, settings=make_settings(max_words=500)),
    ]
    text = shown(rows, 300)
    assert "org/one:low [max words 2000]" in text
    assert "org/one:low [max words 500]" in text
    assert "org/two:low [" not in text
    in_csv = list(csv.DictReader(io.StringIO(rankings_csv(rows))))
    assert [row["max_words"] for row in in_csv] == ["2000", "500", "500"]
