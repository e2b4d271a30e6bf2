from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.views.terminal import (
    PLAIN_WIDTH,
    count,
    dollars,
    duration,
    make_console,
    number,
    percent,
    plain,
    significant,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.text())
def test_plain_text_has_nothing_that_a_terminal_obeys_and_loses_no_character(text: str) -> None:
    found = plain(text)
    assert len(found) == len(text)
    assert not [char for char in found if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert all(new == old for new, old in zip(found, text, strict=True) if new != "�")


@pytest.mark.parametrize("text", ["plain", "ünï ©", "漢字", "[bold]", "a b", "😀", "é"])
def test_text_without_harm_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize("show", [number, percent, significant, dollars, duration])
def test_what_is_not_known_is_n_a(show: object) -> None:
    assert callable(show)
    assert show(None) == "n/a"


def test_numbers_and_shares() -> None:
    assert [number(0.0), number(1.0), number(0.81845), number(2.345, 1)] == ["0.000", "1.000", "0.818", "2.3"]
    assert [percent(0.0), percent(0.0184), percent(1.0)] == ["0.0%", "1.8%", "100%"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.5, "0.50"),
        (9.87, "9.87"),
        (12.34, "12.3"),
        (123.4, "123"),
        (1234.5, "1,234"),
        (123456.0, "123k"),
        (12_345_678.0, "12,346k"),
    ],
)
def test_numbers_of_any_size(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "$0"), (1234.5, "$1,234.50"), (0.4663, "$0.466"), (0.00123, "$0.0012"), (1.0, "$1.00")],
)
def test_amounts_keep_digits_that_matter(value: float, text: str) -> None:
    assert dollars(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (3600, "1 h 0 min"), (7799, "2 h 9 min")],
)
def test_times(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_counts() -> None:
    assert [count(0, "run"), count(1, "run"), count(2, "run"), count(2, "case of", "cases of")] == [
        "0 runs",
        "1 run",
        "2 runs",
        "2 cases of",
    ]
    assert count(1234, "run") == "1,234 runs"


def test_what_is_no_terminal_gets_100_columns_and_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    file = io.StringIO()
    console = make_console(file)
    assert console.width == PLAIN_WIDTH == 100
    console.print("[bold]x[/bold] :smile:", style="red")
    assert file.getvalue() == "[bold]x[/bold] :smile:\n"


def test_who_names_a_width_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "133")
    assert make_console(io.StringIO()).width == 133
    assert make_console(Terminal()).width == 133


def test_markup_means_nothing_on_a_terminal_either(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Terminal()
    make_console(file).print("[red]x[/red] :smile:")
    assert "[red]x[/red] :smile:" in file.getvalue()
