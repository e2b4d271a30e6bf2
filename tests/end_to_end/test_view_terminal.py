"""The views as they are seen: on a real pseudo-terminal, at several widths, and piped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len

from errata_bench.cases.model import Case
from errata_bench.store.group import write_group
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.evidence import add_run, categorised, fill, put
from tests.support.pty_screen import Terminal

WIDTHS = [80, 100, 200]
COMMANDS = {
    "rankings": ["rankings", "small"],
    "datasets": ["datasets", "small"],
    "categories": ["categories", "small"],
    "issues": ["issues", "small"],
    "misses": ["misses", "small"],
    "runs": ["runs", "small"],
    "run": ["run", "small", "2", "--calls", "--whole"],
    "scatterplot": ["scatterplot", "small", "--plain"],
}
SHOWS = {
    "rankings": ["org/alpha:low", "0.750"],
    "datasets": ["org/beta:high", "letter", "memo", "blank"],
    "categories": ["orthography_and_word_form", "transposition", "house_style"],
    "issues": ["[-teh-]{+the+}", "never fixed", "transposition"],
    "misses": ["[-teh-]{+tge+}", "is no word.", "org/judge:low"],
    "runs": ["org/alpha:low letter", "failed"],
    "run": ["[-teh-]{+the+}(issue-01: fixed)", "teh(issue-03: missed)", "replace_paragraph"],
    "scatterplot": ["quality", "org/alpha:low", "org/beta:high"],
}
ESCAPE = "\x1b]0;owned\x07\x1b[31mred\x9b2J"
MARKUP = "[bold red]loud[/bold red][link=http://evil.example]x[/link] :smile:"
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "errata_bench", "view", *args, "--results-dir", "."]


def piped(folder: Path, *args: str) -> str:
    done = subprocess.run(command(*args), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results")
    with write_group(path / "small.sqlite") as group:
        fill(group)
    with write_group(path / "empty.sqlite"):
        pass
    with write_group(path / "hostile.sqlite") as group:
        case = hostile_case()
        variant = Variant(f"org/{ESCAPE}{MARKUP}", "low")
        bad = put(case, para01="tge") | {"para02": f"Here is teh sentence {ESCAPE} {MARKUP} two."}
        add_run(group, case, variant, bad, rejected={"issue-01": f"{ESCAPE} {MARKUP}"}, said=f"{ESCAPE} {MARKUP}")
    return path


def hostile_case() -> Case:
    case = make_case(f"case {ESCAPE}", 2)
    return categorised(case, f"kind {MARKUP}", f"kind {ESCAPE}")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_view_fits_its_terminal_and_is_coloured_there(folder: Path, name: str, width: int) -> None:
    with Terminal(command(*COMMANDS[name]), width, folder) as terminal:
        assert terminal.end() == 0
        shown = " ".join(terminal.text.split())
        # What a terminal would wrap by itself is a line that was too long.
        sent = re.sub(r"\x1b\[[0-9;]*m", "", terminal.raw.decode()).replace("\r", "")
    for wanted in SHOWS[name]:
        assert wanted in shown
    assert all(cell_len(line) <= width for line in sent.split("\n"))
    assert b"\x1b[" in terminal.raw


@pytest.mark.parametrize("name", COMMANDS)
def test_without_a_terminal_nothing_is_coloured(folder: Path, name: str) -> None:
    text = piped(folder, *COMMANDS[name])
    assert "\x1b" not in text
    for wanted in SHOWS[name]:
        assert wanted in " ".join(text.split())


def test_no_color_is_heeded_on_a_terminal(folder: Path) -> None:
    with Terminal(command("categories", "small"), 100, folder, env={"NO_COLOR": "1"}) as terminal:
        assert terminal.end() == 0
    assert not re.search(rb"\x1b\[[0-9;]*(?:3|4)8;", terminal.raw)


@pytest.mark.parametrize("name", ["rankings", "datasets", "categories", "issues", "misses", "runs", "run"])
def test_json_is_whole_and_plain_ascii(folder: Path, name: str) -> None:
    arguments = [one for one in COMMANDS[name] if not one.startswith("--")]
    text = piped(folder, *arguments, "--json")
    assert text.isascii()
    assert json.loads(text)["group"] == "small"


@pytest.mark.parametrize("name", COMMANDS)
def test_text_of_models_and_documents_stays_text(folder: Path, name: str) -> None:
    arguments = ["hostile" if one == "small" else "1" if one == "2" else one for one in COMMANDS[name]]
    with Terminal(command(*arguments), 100, folder) as terminal:
        assert terminal.end() == 0
        text = terminal.text
    sent = terminal.raw.decode("utf-8")
    assert "\x1b]" not in sent
    assert "\x9b" not in sent
    kept = re.sub(r"\x1b\[[0-9;]*m", "", sent).replace("\r", "").replace("\n", "")
    assert not [char for char in kept if unicodedata.category(char) in OBEYED]
    if name in ("misses", "run"):
        assert "[bold red]loud[/bold red]" in " ".join(text.split())


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_an_empty_group_says_so(folder: Path, name: str) -> None:
    arguments = ["empty" if one == "small" else one for one in COMMANDS[name]]
    assert piped(folder, *arguments).strip()


@pytest.mark.parametrize("name", ["rankings", "datasets", "scatterplot"])
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_published_figures_are_shown_and_marked_as_such(folder: Path, name: str, flags: list[str]) -> None:
    text = piped(folder, name, "published-v1", *(flags or (["--plain"] if name == "scatterplot" else [])))
    assert "published elsewhere, on other texts" in " ".join(text.split())
    assert ("aerodynamics-of-flight" if name == "datasets" else "google/gemini-3-flash-preview:high") in text


def test_a_chart_of_published_figures_says_so_in_the_file(folder: Path, tmp_path: Path) -> None:
    piped(folder, "scatterplot", "published-v1", "--output", str(tmp_path / "chart.json"))
    assert "published elsewhere, on other texts" in (tmp_path / "chart.json").read_text()


@pytest.mark.parametrize("name", ["categories", "issues", "misses", "runs", "run"])
def test_of_published_figures_there_are_no_runs_to_look_at(folder: Path, name: str) -> None:
    arguments = [name, "published-v1", *(["1"] if name == "run" else [])]
    done = subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there are no runs here, only figures that were published elsewhere" in done.stderr
    assert "errata-bench view rankings published-v1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["datasets", "published-v1", "--model", "google"], "no figures by case for single models"),
        (["scatterplot", "published-v1", "--case", "aerodynamics"], "no figures by case or category"),
        (["rankings", "small", "--sort", "beauty"], "there is no column 'beauty'"),
        (["rankings", "small", "--columns", "quality,beauty"], "there is no column 'beauty'"),
        (["rankings", "small", "--category", "beauty"], "the group has no category 'beauty'"),
        (["datasets", "small", "--model", "nobody"], "the group has no model 'nobody'"),
        (["issues", "small", "--case", "nothing"], "the group has no case 'nothing'"),
        (["run", "small", "99"], "the group has no run 99"),
        (["scatterplot", "small", "--x", "beauty"], "there is no axis 'beauty'"),
        (["scatterplot", "small", "--output", "chart.bmp"], "cannot be written as .bmp"),
        (["scatterplot", "small", "--output", "no/folder/chart.svg"], "cannot be written: No such file"),
    ],
)
def test_a_mistake_gets_one_plain_message(folder: Path, arguments: list[str], complaint: str) -> None:
    done = subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_ranking_can_be_sorted_narrowed_and_cut(folder: Path) -> None:
    by_missed = json.loads(piped(folder, "rankings", "small", "--sort", "missed_rate", "--json"))["rankings"]
    assert [row["model"] for row in by_missed] == ["baseline/oracle", "org/alpha:low", "org/beta:high"]
    columns = json.loads(piped(folder, "rankings", "small", "--columns", "quality,missed", "--json"))["rankings"]
    assert set(columns[0]) == {
        "rank",
        "model",
        "quality",
        "missed_rate",
        "base_model",
        "reasoning_effort",
        "settings",
    }
    letter = json.loads(piped(folder, "rankings", "small", "--case", "letter", "--model", "alpha", "--json"))
    assert [row["quality"] for row in letter["rankings"]] == [0.5]
    typo = piped(
        folder, "rankings", "small", "--category", "transposition", "--csv", "--columns", "quality,cost_per_run_usd"
    )
    assert typo.splitlines() == [
        "rank,model,quality,cost_per_run_usd",
        "1,baseline/oracle,1.0,",
        "2,org/alpha:low,0.5,",
        "3,org/beta:high,0.0,",
    ]


def test_the_interactive_chart_answers_to_keys_and_leaves_the_terminal_as_it_was(folder: Path) -> None:
    with Terminal(command("scatterplot", "small"), 100, folder, rows=40) as terminal:
        terminal.wait_for("cost of a run (USD)")
        terminal.wait_for("dominant models")
        terminal.send("\x1b[C")
        terminal.wait_for("issues fixed per USD")
        terminal.send("d")
        terminal.wait_for("that no other")
        terminal.send("q")
        assert terminal.end() == 0
    assert b"\x1b[?1049l" in terminal.raw


@pytest.mark.parametrize("width", WIDTHS)
def test_the_interactive_chart_fits_its_terminal(folder: Path, width: int) -> None:
    with Terminal(command("scatterplot", "small"), width, folder, rows=30) as terminal:
        terminal.wait_for("dominant models")
        terminal.wait_for("org/alpha:low")
        terminal.send("q")
        assert terminal.end() == 0


def test_a_terminal_without_a_cursor_gets_the_plain_chart(folder: Path) -> None:
    with Terminal(command("scatterplot", "small"), 100, folder, env={"TERM": "dumb"}) as terminal:
        assert terminal.end() == 0
    assert b"\x1b" not in terminal.raw
    assert "org/alpha:low" in terminal.text
