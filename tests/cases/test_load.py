"""From case files to cases (contract C3): what is loaded, and that every fault comes out at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.load import load_cases, read_cases
from errata_bench.cases.model import Classification
from errata_bench.errors import UserError
from tests.support.case_files import (
    CLASSIFICATION,
    TEXT,
    case_json,
    faults_of,
    issue_json,
    the_fault_of,
    write_case,
)

CAT = issue_json("issue-02", "an cat &amp; a", "a cat &amp; a")


def disqualify(folder: Path, *entries: tuple[str, str], name: str = "disqualified-issues.json") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    issues = [{"caseId": case, "issueId": issue} for case, issue in entries]
    (folder / name).write_text(json.dumps({"version": "v1", "issues": issues}))


# What is loaded


def test_case_is_loaded_with_its_expected_document(tmp_path: Path) -> None:
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue_json(), CAT])))])
    assert (case.id, case.instruction, case.source_name) == ("letter", "Proofread the text.", "text.txt")
    assert [p.inner_html for p in case.document] == [
        "Teh first paragraph is about a dog.",
        "The second one is about an cat &amp; a mouse.",
    ]
    assert [p.inner_html for p in case.expected] == [
        "The first paragraph is about a dog.",
        "The second one is about a cat &amp; a mouse.",
    ]
    assert [p.id for p in case.expected] == [p.id for p in case.document]
    assert [(i.paragraph_id, i.start) for i in case.issues] == [
        (case.document.paragraphs[0].id, 0),
        (case.document.paragraphs[1].id, len("The second one is about ")),
    ]
    assert not case.is_control


def test_optional_fields_are_kept(tmp_path: Path) -> None:
    issue = issue_json(description="A slip.", classification=CLASSIFICATION, acceptedCorrections=["That “first”"])
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue])))])
    (loaded,) = case.issues
    assert loaded.description == "A slip."
    assert loaded.accepted == ('That "first"',)
    assert loaded.classification == Classification(
        label="orthography_and_word_form.transposition",
        parent="orthography_and_word_form",
        child="transposition",
        severity="minor",
        edit_scope="token",
        operation_type="transposition",
        creates_valid_word=False,
        dimension="orthographic",
    )


@pytest.mark.parametrize("valid", [True, False, None])
def test_valid_word_may_be_unknown(tmp_path: Path, valid: bool | None) -> None:
    issue = issue_json(classification={**CLASSIFICATION, "createsValidWord": valid})
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue])))])
    assert case.issues[0].classification is not None
    assert case.issues[0].classification.creates_valid_word is valid


def test_keys_of_other_tools_are_let_through(tmp_path: Path) -> None:
    content = case_json(notes="x", issues=[issue_json(reviewedBy="someone")])
    assert len(load_cases([str(write_case(tmp_path, content))])) == 1


def test_case_without_issues_is_a_control(tmp_path: Path) -> None:
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[])))])
    assert case.is_control
    assert case.expected == case.document


def test_html_source_is_read_as_html(tmp_path: Path) -> None:
    file = write_case(tmp_path, case_json(sourcePath="page.html"))
    (tmp_path / "page.html").write_text("<h1>x</h1><p>Teh first <em>one</em>.</p>")
    (case,) = load_cases([str(file)])
    assert [p.inner_html for p in case.expected] == ["The first <em>one</em>."]


def test_source_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text(TEXT)
    file = write_case(tmp_path / "cases", case_json(sourcePath="../texts/a.txt"), text=None)
    assert load_cases([str(file)])[0].source_name == "a.txt"


def test_texts_of_issues_are_normalised(tmp_path: Path) -> None:
    issue = issue_json(find="it’s “so…”", replace="it’s “so”")
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue]), text="Well, it's “so...” he said."))])
    assert (case.issues[0].find, case.issues[0].replace) == ('it\'s "so..."', 'it\'s "so"')
    assert case.expected.paragraphs[0].inner_html == 'Well, it\'s "so" he said.'


def test_issue_without_paragraph_is_anchored_where_its_text_stands(tmp_path: Path) -> None:
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[CAT])))])
    assert case.issues[0].paragraph_id == case.document.paragraphs[1].id


def test_word_inside_a_longer_word_is_no_second_place(tmp_path: Path) -> None:
    issue = issue_json(find="there", replace="their")
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=[issue]), text="Put there hats, therefore."))])
    assert case.issues[0].start == 4


def test_corrections_side_by_side_and_in_each_others_context_are_all_made(tmp_path: Path) -> None:
    issues = [
        issue_json("a", "teh cat sat", "the cat sat"),
        issue_json("b", "cat sat in", "cat sat on"),
        issue_json("c", "in teh mat", "in the mat"),
        issue_json("d", "mat", "mat."),
        issue_json("e", "mat!", "mat"),
    ]
    (case,) = load_cases([str(write_case(tmp_path, case_json(issues=issues), text="Here teh cat sat in teh mat!"))])
    assert case.expected.paragraphs[0].inner_html == "Here the cat sat on the mat."


@pytest.mark.parametrize(
    ("name", "paragraphs", "issues", "scored"),
    [("jury-instructions", 45, 28, 27), ("the-call-of-the-wild-chapter-3", 44, 26, 26)],
)
def test_upstream_case_loads_unchanged(upstream: Path, name: str, paragraphs: int, issues: int, scored: int) -> None:
    (case,) = load_cases([str(upstream / f"datasets/v1/generated/{name}.json")])
    assert case.id == name
    assert (len(case.document), len(case.issues), len(case.scored_issues)) == (paragraphs, issues, scored)
    for issue in case.issues:
        before, after = case.document.get(issue.paragraph_id), case.expected.get(issue.paragraph_id)
        assert before is not None and after is not None
        assert before.inner_html[issue.start : issue.end] == issue.find
        assert before != after


def test_upstream_folder_loads_as_a_whole(upstream: Path) -> None:
    assert len(load_cases([str(upstream / "datasets/v1")])) == 2


# Disqualified issues


def test_disqualified_issues_of_both_folders_do_not_count(tmp_path: Path) -> None:
    file = write_case(tmp_path / "cases", case_json(issues=[issue_json(), CAT]))
    assert len(load_cases([str(file)])[0].scored_issues) == 2
    disqualify(tmp_path, ("letter", "issue-01"), ("other", "issue-02"))
    (case,) = load_cases([str(file)])
    assert [issue.id for issue in case.scored_issues] == ["issue-02"]
    assert len(case.issues) == 2
    assert case.expected.paragraphs[0].inner_html.startswith("The first")  # its correction stays expected
    disqualify(tmp_path / "cases", ("letter", "issue-02"))
    (case,) = load_cases([str(file)])
    assert case.scored_issues == ()
    assert case.is_control


def test_disqualified_issues_further_up_do_not_matter(tmp_path: Path) -> None:
    file = write_case(tmp_path / "a/b", case_json())
    disqualify(tmp_path, ("letter", "issue-01"))
    assert len(load_cases([str(file)])[0].scored_issues) == 1


def test_relative_path_finds_the_folder_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path / "cases", case_json())
    disqualify(tmp_path, ("letter", "issue-01"))
    monkeypatch.chdir(tmp_path / "cases")
    assert load_cases(["case.json"])[0].scored_issues == ()


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("{", [None]),
        ('{"version": NaN', [None]),
        ("[]", [None]),
        ("{}", ["version", "issues"]),
        ('{"version": "v1", "issues": {}}', ["issues"]),
        ('{"version": "v1", "issues": [3, {"caseId": ""}]}', ["issues[0]", "issues[1].caseId", "issues[1].issueId"]),
        ('{"version": "v1", "issues": [{"caseId": "a", "issueId": "\\ud800"}]}', [None]),
        ("[" * 10_000, [None]),
    ],
)
def test_faults_of_the_disqualified_file_are_reported_once_for_all_cases(
    tmp_path: Path, content: str, fields: list[str | None]
) -> None:
    write_case(tmp_path / "cases", case_json("one"), name="1.json")
    write_case(tmp_path / "cases", case_json("two"), name="2.json")
    bad = tmp_path / "disqualified-issues.json"
    bad.write_text(content)
    faults = faults_of(tmp_path / "cases")
    assert {fault.file for fault in faults} == {str(bad)}
    assert [fault.field for fault in faults] == fields


def test_disqualified_file_that_is_a_folder_is_reported(tmp_path: Path) -> None:
    file = write_case(tmp_path, case_json())
    (tmp_path / "disqualified-issues.json").mkdir()
    assert "cannot be read" in the_fault_of(file).problem


# Faults


@pytest.mark.parametrize(
    ("content", "issue", "field", "problem"),
    [
        (case_json(instruction=None), None, "instruction", "the field is missing"),
        (case_json(sourcePath=None), None, "sourcePath", "the field is missing"),
        (case_json(issues=None), None, "issues", "the field is missing"),
        (case_json(instruction=""), None, "instruction", "string should have at least 1 character"),
        (case_json(issues={}), None, "issues", "input should be a valid list"),
        (case_json(issues=["x"]), "number 1", None, "input should be a valid JSON object"),
        (case_json(issues=[issue_json(id=None)]), "number 1", "id", "the field is missing"),
        (case_json(issues=[issue_json(id=7)]), "number 1", "id", "input should be a valid string"),
        (case_json(issues=[issue_json(category=None)]), "issue-01", "category", "the field is missing"),
        (case_json(issues=[issue_json(description=3)]), "issue-01", "description", "input should be a valid string"),
        (
            case_json(issues=[issue_json(expectedCorrection={"find": "Teh first"})]),
            "issue-01",
            "expectedCorrection.replace",
            "the field is missing",
        ),
        (
            case_json(issues=[issue_json(find="")]),
            "issue-01",
            "expectedCorrection.find",
            "string should have at least 1 character",
        ),
        (
            case_json(issues=[issue_json(classification={**CLASSIFICATION, "severity": "fatal"})]),
            "issue-01",
            "classification.severity",
            "input should be 'minor' or 'major'",
        ),
        (
            case_json(issues=[issue_json(classification={**CLASSIFICATION, "createsValidWord": "yes"})]),
            "issue-01",
            "classification.createsValidWord",
            "input should be a valid boolean",
        ),
        (
            case_json(issues=[issue_json(acceptedCorrections=["a", 3])]),
            "issue-01",
            "acceptedCorrections[1]",
            "input should be a valid string",
        ),
        (
            case_json(issues=[issue_json(paragraphId="nowhere")]),
            "issue-01",
            "paragraphId",
            "the document has no paragraph 'nowhere'",
        ),
        (
            case_json(issues=[issue_json(find="Teh last")]),
            "issue-01",
            "expectedCorrection.find",
            "'Teh last' stands 0 times in the document",
        ),
        (
            case_json(issues=[issue_json(find="about")]),
            "issue-01",
            "expectedCorrection.find",
            "'about' stands 2 times in the document; name its paragraphId",
        ),
        (
            case_json(issues=[issue_json(find="paragrap", replace="x")]),
            "issue-01",
            "expectedCorrection.find",
            "(parts of longer words do not count)",
        ),
        (
            case_json(issues=[issue_json(find="it's", replace="it’s")]),
            "issue-01",
            "expectedCorrection.find",
            "the same after normalisation",
        ),
        (case_json(sourcePath="gone.txt"), None, "sourcePath", "gone.txt cannot be read: No such file"),
        (case_json(sourcePath="text.md"), None, "sourcePath", "text.md is neither .txt nor .html"),
        (case_json(sourcePath="folder.txt"), None, "sourcePath", "cannot be read: Is a directory"),
        (case_json(sourcePath="a\0b.txt"), None, "sourcePath", "is no name of a file"),
        (case_json(sourcePath="a" * 300 + ".txt"), None, "sourcePath", "File name too long"),
    ],
)
def test_fault_is_reported_with_file_case_issue_and_field(
    tmp_path: Path, content: Any, issue: str | None, field: str | None, problem: str
) -> None:
    (tmp_path / "folder.txt").mkdir()
    file = write_case(tmp_path, content)
    fault = the_fault_of(file)
    assert (fault.file, fault.case, fault.issue, fault.field) == (str(file), "letter", issue, field)
    assert problem.casefold() in fault.problem.casefold()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"Teh first caf\xe9.", "is not UTF-8 (byte 13)"),
        ("Teh first.".encode("utf-16"), "is not UTF-8 (byte 0)"),
        (b"", "holds no paragraph"),
        (b" \n\n\t", "holds no paragraph"),
    ],
)
def test_source_that_cannot_be_used_is_reported(tmp_path: Path, text: bytes, problem: str) -> None:
    fault = the_fault_of(write_case(tmp_path, case_json(), text=text))
    assert fault.field == "sourcePath"
    assert problem in fault.problem


def test_find_that_stands_twice_in_its_paragraph_is_reported(tmp_path: Path) -> None:
    file = write_case(tmp_path, case_json(issues=[]), text="A dog, a dog.\n\nA dog.")
    (case,) = load_cases([str(file)])
    first, second = case.document
    write_case(tmp_path, case_json(issues=[issue_json(find="dog", paragraphId=first.id)]), text=None)
    fault = the_fault_of(file)
    assert fault.problem == f"'dog' stands 2 times in paragraph {first.id}; it has to stand there exactly once"
    write_case(tmp_path, case_json(issues=[issue_json(find="dog", paragraphId=second.id)]), text=None)
    assert load_cases([str(file)])[0].issues[0].paragraph_id == second.id


def test_overlapping_places_of_a_find_are_counted(tmp_path: Path) -> None:
    file = write_case(tmp_path, case_json(issues=[issue_json(find="ha ha", replace="ho")]), text="ha ha ha")
    assert "stands 2 times" in the_fault_of(file).problem


def test_case_without_an_id_is_named_by_its_place(tmp_path: Path) -> None:
    faults = faults_of(write_case(tmp_path, [case_json(), {**case_json(), "id": 3}]))
    assert [(fault.case, fault.field) for fault in faults] == [("entry 2", "id")]


def test_duplicate_ids_of_issues_and_cases_are_reported(tmp_path: Path) -> None:
    one = write_case(tmp_path, case_json(issues=[issue_json(), {**CAT, "id": "issue-01"}]), name="1.json")
    two = write_case(tmp_path, case_json(), name="2.json")
    faults = faults_of(one, two)
    assert [(Path(f.file).name, f.issue, f.field, f.problem) for f in faults] == [
        ("1.json", "issue-01", "id", "2 issues have this id"),
        ("2.json", None, "id", f"another case of this id is in {one}"),
    ]


@pytest.mark.parametrize(
    ("issues", "faulty"),
    [
        ([("a", "teh cat sat", "the cats sit"), ("b", "cat", "dog")], {"b": "a"}),
        ([("a", "teh cat", "teh big cat"), ("b", "teh cat sat", "teh small cat sat")], {"b": "a"}),
        # What lies behind a short one inside a long one is inside the long one too.
        ([("long", "teh cat sat in", "x"), ("b", "cat", "dog"), ("c", "sat", "sits")], {"b": "long", "c": "long"}),
    ],
)
def test_issues_that_change_the_same_characters_are_all_reported(
    tmp_path: Path, issues: list[tuple[str, str, str]], faulty: dict[str, str]
) -> None:
    content = case_json(issues=[issue_json(*issue) for issue in issues])
    faults = faults_of(write_case(tmp_path, content, text="Here teh cat sat in the hat."))
    assert {fault.issue: fault.problem for fault in faults} == {
        issue: f"it changes the same characters as issue {other}" for issue, other in faulty.items()
    }


def test_every_fault_of_every_file_comes_out_at_once(tmp_path: Path) -> None:
    """A fault of one kind must not hide one of another: one look has to be enough."""
    write_case(tmp_path, "{", name="1.json")
    issues = [
        issue_json("no-category", category=None),
        issue_json("not-there", "nowhere to be seen"),
        issue_json("same", "it's", "it’s"),
        issue_json("twice", "about"),
        issue_json("stray", paragraphId="nowhere"),
        issue_json("cat", "an cat", "a cat"),
        issue_json("cat", "about an cat", "about the cat"),
    ]
    write_case(tmp_path, case_json("full", instruction=None, issues=issues), name="2.json")
    write_case(tmp_path, case_json("lost", sourcePath="gone.txt", issues=[issues[0], issues[2]]), name="3.json")
    write_case(tmp_path, case_json("full"), name="4.json")
    write_case(tmp_path, case_json("gone", sourcePath="gone.txt", issues=[issues[2]]), name="6.json")
    write_case(tmp_path, case_json("sound"), name="5.json")
    (tmp_path / "disqualified-issues.json").write_text("{}")
    found = {(Path(f.file).name, f.case, f.issue, f.field) for f in faults_of(tmp_path)}
    assert found == {
        ("1.json", None, None, None),
        ("2.json", "full", None, "instruction"),
        ("2.json", "full", "no-category", "category"),
        ("2.json", "full", "not-there", "expectedCorrection.find"),
        ("2.json", "full", "same", "expectedCorrection.find"),
        ("2.json", "full", "twice", "expectedCorrection.find"),
        ("2.json", "full", "stray", "paragraphId"),
        ("2.json", "full", "cat", "id"),
        ("2.json", "full", "cat", "expectedCorrection"),
        ("3.json", "lost", None, "sourcePath"),
        ("3.json", "lost", "no-category", "category"),
        ("3.json", "lost", "same", "expectedCorrection.find"),
        ("4.json", "full", None, "id"),
        ("6.json", "gone", None, "sourcePath"),
        ("6.json", "gone", "same", "expectedCorrection.find"),
        ("disqualified-issues.json", None, None, "version"),
        ("disqualified-issues.json", None, None, "issues"),
    }


def test_sound_cases_can_be_had_beside_the_faults(tmp_path: Path) -> None:
    write_case(tmp_path, case_json("bad", issues=None), name="1.json")
    write_case(tmp_path, case_json("good"), name="2.json")
    loaded = read_cases([str(tmp_path)])
    assert [entry.case.id for entry in loaded.cases] == ["good"]
    assert [fault.case for fault in loaded.faults] == ["bad"]


def test_long_find_is_shown_short(tmp_path: Path) -> None:
    fault = the_fault_of(write_case(tmp_path, case_json(issues=[issue_json(find="x" * 500)])))
    assert len(fault.problem) < 150


@pytest.mark.parametrize("datasets", [[], [""], [" , ,"]])
def test_no_dataset_is_a_mistake_with_a_mend(datasets: list[str]) -> None:
    with pytest.raises(UserError, match="no dataset is named") as caught:
        load_cases(datasets)
    assert caught.value.mend is not None


def test_a_disqualified_issue_that_the_case_does_not_have_is_a_fault(tmp_path: Path) -> None:
    path = write_case(tmp_path / "cases", case_json())
    disqualify(tmp_path / "cases", ("letter", "issue-99"), ("another", "issue-01"))
    fault = the_fault_of(path)
    assert (fault.case, fault.issue) == ("letter", "issue-99")
    assert "disqualified-issues.json" in fault.problem
