"""From annotated sources to cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from errata_bench.cases.annotated import read_annotated
from errata_bench.cases.build import build_case, build_files
from errata_bench.cases.load import load_cases
from errata_bench.cases.model import Case
from errata_bench.errors import DatasetError, UserError
from errata_bench.scoring.rule_v1 import Finding, find_verdict

HEADER = "title: T\ngenre: g\nvoice: v\nlicence: l\nlanguage: en-GB\n---\n"


def built(body: str, header: str = HEADER) -> Case:
    return build_case(header + body, "doc", "doc.txt").case


def spans(body: str) -> list[tuple[str, str]]:
    return [(issue.find, issue.replace) for issue in built(body).issues]


def mistakes(body: str, header: str = HEADER) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        built(body, header)
    return [str(fault) for fault in caught.value.faults]


def test_span_that_is_clear_by_itself_is_not_widened() -> None:
    assert spans("The keeper ⟦were⇒was¦subject_verb_agreement⟧ asleep.") == [("were", "was")]


def test_mark_inside_a_word_takes_in_the_word() -> None:
    assert spans("On the run⟦wat⇒way¦fat_finger_typo⟧ it stood.") == [("runwat", "runway")]
    assert spans("On (run⟦wat⇒way¦fat_finger_typo⟧) it stood.") == [("runwat", "runway")]
    assert spans("A re⟦⇒in¦omission⟧statement of it.") == [("restatement", "reinstatement")]


def test_span_is_widened_until_it_occurs_once() -> None:
    assert spans("It is to me and ⟦to⇒with¦preposition_error⟧ you to say.") == [("and to", "and with")]


def test_span_is_widened_until_it_is_once_as_a_plain_substring_too() -> None:
    # `art` stands alone once, but an edit that replaces every occurrence would also hit `party`.
    assert spans("At the party ⟦art⇒are¦incorrect_conjugation⟧ five.") == [("party art", "party are")]


def test_span_is_widened_until_neither_side_contains_the_other() -> None:
    assert spans("It is worse⟦⇒,¦punctuation_error⟧ than that.") == [("worse than", "worse, than")]
    assert spans("They sat in ⟦the the⇒the¦duplication⟧ sun all day.") == [("in the the sun", "in the sun")]


def test_span_is_widened_where_the_right_text_stands_elsewhere_in_the_paragraph() -> None:
    assert spans("It was late, and he ⟦were⇒was¦subject_verb_agreement⟧ tired.") == [("he were", "he was")]


def test_span_does_not_take_in_another_mark() -> None:
    issues = spans(
        "an end to ⟦an⇒a¦article_or_determiner_error⟧ ⟦two year⇒two-year¦spacing_error⟧ an old lease, an end"
    )
    assert issues[0][0].endswith("to an")
    assert "an" not in issues[1][0].split()


def test_accepted_corrections_get_the_same_context() -> None:
    (issue,) = built("I to go and ⟦to⇒on to¦missing_word¦also: onto¦also: ⟧ him to.").issues
    left, right = issue.find.split("to")[0], issue.find.rpartition("to")[2]
    assert issue.replace == f"{left}on to{right}"
    assert issue.accepted == (f"{left}onto{right}", f"{left}{right}")


def test_characters_of_html_are_escaped_in_the_case_and_not_in_the_texts() -> None:
    made = build_case(HEADER + "Bread & ⟦buter⇒butter <b>¦omission⟧ & so", "doc", "doc.txt")
    (issue,) = made.case.issues
    assert made.files["doc-corrupted.txt"] == b"Bread & buter & so\n"
    assert made.files["doc-clean.txt"] == b"Bread & butter <b> & so\n"
    assert (issue.find, issue.replace) == ("buter", "butter &lt;b&gt;")
    assert next(iter(made.case.expected)).inner_html == "Bread &amp; butter &lt;b&gt; &amp; so"


def test_paragraphs_of_html_are_taken_as_they_are() -> None:
    header = HEADER.replace("---", "format: html\n---")
    made = build_case(header + "A <em>⟦teh⇒the¦transposition⟧</em> &amp; b⟦U+000A⟧c", "doc", "doc.txt")
    assert made.files["doc-corrupted.html"] == b"<p>A <em>teh</em> &amp; b\nc</p>\n"
    assert next(iter(made.case.expected)).inner_html == "A <em>the</em> &amp; b\nc"


def test_line_break_inside_a_paragraph_survives_in_plain_text() -> None:
    case = built("one⟦U+000A⟧line ⟦teh⇒the¦transposition⟧ end")
    assert [paragraph.inner_html for paragraph in case.expected] == ["one\nline the end"]


def test_every_issue_can_be_told_by_rule_v1_in_every_accepted_way() -> None:
    case = built(
        "We went ⟦home⇒home.¦punctuation_error⟧\n\n"
        "One ⟦minutes⇒minute's¦apostrophe_error¦also: minute of¦also: minutes'⟧ rest, to the end.\n\n"
        "He lay ⟦in in⇒in¦duplication¦also: in it in⟧ in the sun; in it ⟦do, it⇒do; it¦punctuation_error¦also: do. It⟧."
    )
    assert len(case.issues) == 3 + 1
    for issue in case.issues:
        expected = case.expected.get(issue.paragraph_id)
        corrupted = case.document.get(issue.paragraph_id)
        assert expected is not None
        assert corrupted is not None
        assert find_verdict(issue, corrupted) is Finding.NOT_ADDRESSED
        if expected.inner_html != "We went home.":  # nothing follows, so that `home` stays in `home.`
            assert find_verdict(issue, expected) is Finding.EXACT
        for text in issue.accepted:
            mended = corrupted.inner_html[: issue.start] + text + corrupted.inner_html[issue.end :]
            assert find_verdict(issue, type(corrupted)(corrupted.id, mended)) is Finding.EXACT


def test_issues_are_numbered_in_the_order_of_the_document_unless_they_have_an_id() -> None:
    case = built("⟦a1⇒b¦omission⟧ xx ⟦a2⇒b¦omission¦id: mine⟧\n\n⟦a3⇒b¦omission⟧")
    assert [issue.id for issue in case.issues] == ["issue-01", "mine", "issue-03"]


def test_same_source_gives_the_same_bytes_and_they_load(tmp_path: Path) -> None:
    source = tmp_path / "annotated" / "doc.txt"
    source.parent.mkdir()
    source.write_text(HEADER + "The “keeper” ⟦were⇒was¦subject_verb_agreement¦note: one keeper⟧ asleep…\n\nEnd.\n")
    build_files([source.parent])
    cases = tmp_path / "cases"
    first = {file.name: file.read_bytes() for file in cases.iterdir()}
    build_files([source])
    assert {file.name: file.read_bytes() for file in cases.iterdir()} == first
    assert sorted(first) == ["doc-clean.txt", "doc-corrupted.txt", "doc.json"]
    (case,) = load_cases([str(cases)])
    assert case.expected.words == 5
    assert case.issues[0].description == "one keeper"
    content = orjson.loads(first["doc.json"])
    assert (content["title"], content["genre"], content["sourcePath"]) == ("T", "g", "doc-corrupted.txt")
    assert set(content["issues"][0]["classification"]) == {
        "label", "parent", "child", "severity", "editScope", "operationType", "createsValidWord", "dimension",
    }  # fmt: skip


def test_file_of_ones_own_is_built_into_a_folder_beside_it(tmp_path: Path) -> None:
    source = tmp_path / "mine.txt"
    source.write_text(HEADER + "Text.")
    ((folder, case),) = build_files([source])
    assert folder == tmp_path / "cases"
    assert case.case.is_control
    ((folder, _),) = build_files([source], tmp_path / "out")
    assert (folder / "mine.json").is_file()


def test_mistakes_of_all_sources_are_told_and_nothing_is_written(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(HEADER + "⟦x⇒y¦nonsense⟧")
    (tmp_path / "c.txt").write_text(HEADER + "Good.")
    (tmp_path / "d.txt").write_bytes(b"\xff")
    with pytest.raises(DatasetError) as caught:
        build_files([tmp_path])
    assert [Path(fault.file.split(":")[0]).name for fault in caught.value.faults] == ["a.txt", "b.txt", "d.txt"]
    assert not (tmp_path / "cases").exists()


def test_two_sources_of_one_name_are_told(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "doc.txt").write_text(HEADER + "Text.")
    with pytest.raises(DatasetError, match="another source"):
        build_files([tmp_path / "one", tmp_path / "two"], tmp_path / "out")


def test_missing_path_and_empty_folder_are_told(tmp_path: Path) -> None:
    for path in (tmp_path / "gone", tmp_path):
        with pytest.raises(UserError):
            build_files([path])


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ("Ab ⟦c⇒d ¦omission⟧", "7:4", "white space"),
        ("⟦⇒Only this¦omission⟧", "7:1", "empty"),
        ("⟦Only this⇒¦omission⟧", "7:1", "empty"),
        ("A ⟦b⇒c¦omission¦id: x⟧ d e ⟦f⇒g¦omission¦id: x⟧", "7:28", "the id x"),
        ("A e⟦\u0301⇒\u0300¦omission⟧ b", "7:4", "composed"),
        ("A ⟦⇒b ¦omission⟧⟦⇒c ¦omission⟧d", "7:17", "same characters"),
    ],
)
def test_mark_that_cannot_be_planted_is_told_with_its_place(body: str, place: str, words: str) -> None:
    found = mistakes(body)
    assert any(mistake.startswith(f"doc.txt:{place}: ") and words in mistake for mistake in found), found


def test_control_has_no_issues() -> None:
    assert built("Nothing is wrong here.").is_control


def test_source_with_byte_order_mark_is_read() -> None:
    assert read_annotated("\ufeff" + HEADER + "Text.", "x").header.title == "T"


def test_classification_is_derived_from_whole_words() -> None:
    made: dict[str, Any] = orjson.loads(
        build_case(HEADER + "A run⟦wat⇒way¦fat_finger_typo¦major⟧.", "doc", "doc.txt").files["doc.json"]
    )
    assert made["issues"][0]["classification"] == {
        "label": "orthography_and_word_form.fat_finger_typo",
        "parent": "orthography_and_word_form",
        "child": "fat_finger_typo",
        "severity": "major",
        "editScope": "character",
        "operationType": "substitution",
        "createsValidWord": None,
        "dimension": "orthographic",
    }
