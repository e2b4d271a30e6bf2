"""``errata-bench cases``, run as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from errata_bench.cli.cases import app
from errata_bench.errors import DatasetError, UserError

HEADER = "title: T\ngenre: [red]g[/red]\nvoice: v\nlicence: l\nlanguage: en-GB\n---\n"
SOUND = HEADER + "The keeper ⟦were⇒was¦subject_verb_agreement⟧ asleep. " + " ".join(f"word{n}" for n in range(120))


def run(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    (tmp_path / "annotated").mkdir()
    (tmp_path / "annotated" / "doc.txt").write_text(SOUND)
    code, output = run("build", tmp_path / "annotated")
    assert code == 0
    assert output == f"{tmp_path / 'cases' / 'doc.json'}: 124 words, 1 issue\n"
    return tmp_path / "cases"


def test_check_exits_with_0_without_findings_and_with_1_with_some(cases: Path) -> None:
    code, output = run("check", cases, "--no-checkers")
    assert (code, "No findings." in output) == (0, True)
    (cases / "doc-corrupted.txt").write_text("Another text.")
    code, output = run("check", cases, "--no-checkers")
    assert code == 1
    assert "doc.json" in output


def test_check_writes_json(cases: Path) -> None:
    code, output = run("check", cases, "--no-checkers", "--json")
    assert code == 0
    assert json.loads(output)["cases"][0]["genre"] == "[red]g[/red]"


def test_list_shows_untrusted_text_as_it_is(cases: Path) -> None:
    code, output = run("list", cases)
    assert code == 0
    assert "doc ([red]g[/red])" in output
    (row,) = json.loads(run("list", cases, "--json")[1])
    assert (row["id"], row["title"], row["words"], row["issues"], row["disqualified"]) == ("doc", "T", 124, 1, 0)
    assert (row["paragraphs"], row["is_control"]) == (1, False)


def test_list_of_faulty_cases_is_a_mistake_of_the_user(cases: Path) -> None:
    (cases / "doc.json").write_text("{")
    with pytest.raises(DatasetError):
        run("list", cases)


def test_annotate_writes_what_was_built(cases: Path, tmp_path: Path) -> None:
    code, output = run("annotate", cases / "doc.json")
    assert (code, output) == (0, SOUND + "\n")
    assert run("annotate", cases / "doc.json", "--out", tmp_path / "back.txt")[0] == 0
    assert (tmp_path / "back.txt").read_text() == SOUND + "\n"


def test_build_of_a_missing_source_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run("build", tmp_path / "gone.txt")


def test_taxonomy_is_shown_whole() -> None:
    code, output = run("taxonomy")
    assert code == 0
    assert "hyphenation_or_compounding_error" in output
    assert "semantics_discourse_and_style" in output
    shown = json.loads(run("taxonomy", "--json")[1])
    assert len(shown) == 54
    assert shown[0]["label"] == "orthography_and_word_form.fat_finger_typo"


def test_disqualified_issues_are_listed_and_so_is_that_there_are_none(cases: Path) -> None:
    case = cases / "doc.json"
    issue_id = json.loads(case.read_text())["issues"][0]["id"]
    assert run("disqualify", case, "--list") == (0, f"{case}: no issue is disqualified\n")
    assert run("disqualify", case, issue_id, "--reason", "unfair")[0] == 0
    assert run("disqualify", case, "--list") == (0, f"{issue_id}: unfair\n")
    assert f"{issue_id} counts again" in run("disqualify", case, issue_id, "--undo")[1]
