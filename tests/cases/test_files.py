"""Which files are taken for case files, and how their JSON is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_bench.cases.files import case_files, field_name, read_text, split_paths
from errata_bench.cases.load import load_cases
from errata_bench.errors import DatasetError
from tests.support.case_files import case_json, faults_of, the_fault_of, write_case


def names(folder: Path, *paths: Path) -> list[str]:
    return [str(file.relative_to(folder)) for file in case_files(paths or [folder])]


# --dataset


def test_comma_separated_and_repeated_datasets_are_split() -> None:
    assert split_paths(["a.json, b.json,,", "c/d"]) == [Path("a.json"), Path("b.json"), Path("c/d")]


def test_comma_in_the_name_of_a_file_stays(tmp_path: Path) -> None:
    odd = write_case(tmp_path, case_json(), name="one, two, three.json")
    other = write_case(tmp_path, case_json("other"), name="other.json")
    assert split_paths([str(odd)]) == [odd]
    assert split_paths([f"{other},{odd},{other}"]) == [other, odd, other]
    assert [case.id for case in load_cases([f"{odd}, {other}"])] == ["letter", "other"]


def test_comma_in_the_name_of_a_folder_stays(tmp_path: Path) -> None:
    write_case(tmp_path / "a,b", case_json())
    assert [case.id for case in load_cases([str(tmp_path / "a,b")])] == ["letter"]


def test_list_longer_than_a_file_name_may_be_is_split() -> None:
    listed = [f"case-{n:03}.json" for n in range(1000)]
    assert split_paths([",".join(listed)]) == [Path(name) for name in listed]


@pytest.mark.parametrize("named", ["a" * 300 + ".json", "a\0b.json", "nowhere/x.json"])
def test_path_that_cannot_be_is_reported(named: str) -> None:
    fault = the_fault_of(named)
    assert (fault.file, fault.problem) == (named, "there is no such file or folder")


def test_every_path_that_cannot_be_used_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("x")
    faults = faults_of(tmp_path / "gone", tmp_path / "empty", tmp_path / "text.txt")
    assert [Path(fault.file).name for fault in faults] == ["gone", "empty", "text.txt"]
    assert "no such file" in faults[0].problem
    assert ".json" in faults[1].problem
    assert "it needs a JSON file" in faults[2].problem


# Folders


def test_folder_is_walked_by_name(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "sub/deeper/d.jsonl", "sub/C.JSON"):
        write_case((tmp_path / name).parent, case_json(), name=Path(name).name)
    assert names(tmp_path) == ["a.json", "b.json", "sub/C.JSON", "sub/deeper/d.jsonl"]


def test_hidden_files_and_folders_and_other_files_are_skipped(tmp_path: Path) -> None:
    write_case(tmp_path, case_json())
    write_case(tmp_path, "no JSON", name=".hidden.json")
    write_case(tmp_path / ".git", "no JSON", name="x.json")
    write_case(tmp_path, "no JSON", name="notes.md")
    write_case(tmp_path, {"version": "v1", "issues": []}, name="disqualified-issues.json")
    assert names(tmp_path) == ["case.json"]


def test_hidden_file_that_is_named_is_read(tmp_path: Path) -> None:
    file = write_case(tmp_path, case_json(), name=".hidden.json")
    assert [case.id for case in load_cases([str(file)])] == ["letter"]


@pytest.mark.parametrize("content", [{"name": "a package"}, [], [1, "x"], [{"alarm": 1}], 3, None])
def test_json_of_other_things_beside_cases_is_skipped(tmp_path: Path, content: object) -> None:
    write_case(tmp_path, case_json())
    write_case(tmp_path, json.dumps(content), name="other.json")
    write_case(tmp_path, b"\xef\xbb\xbf" + json.dumps(content).encode(), name="with-mark.json")
    assert names(tmp_path) == ["case.json"]


@pytest.mark.parametrize("left_out", ["id", "instruction", "sourcePath", "issues"])
def test_case_that_lacks_a_field_is_still_taken_for_one(tmp_path: Path, left_out: str) -> None:
    write_case(tmp_path, [{key: value for key, value in case_json().items() if key != left_out}])
    assert names(tmp_path) == ["case.json"]


def test_broken_file_in_a_folder_is_reported_rather_than_skipped(tmp_path: Path) -> None:
    write_case(tmp_path, '{"id": "letter", ')
    assert "not JSON" in the_fault_of(tmp_path).problem


def test_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    file = write_case(tmp_path / "sub", case_json())
    (tmp_path / "link.json").symlink_to(file)
    assert len(load_cases([str(file), str(tmp_path / "sub"), str(tmp_path / "sub/../sub/case.json")])) == 1
    assert names(tmp_path, file, tmp_path) == ["sub/case.json"]


def test_links_that_lead_in_circles_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path / "sub", case_json())
    for n in range(4):  # without a memory of where it has been, the walk would take 4 to the power of 40 steps
        (tmp_path / "sub" / f"loop{n}").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    entered: list[Path] = []
    enter = Path.iterdir

    def entering(folder: Path) -> Iterator[Path]:
        entered.append(folder)
        assert len(entered) < 10
        return enter(folder)

    monkeypatch.setattr(Path, "iterdir", entering)
    assert [file.name for file in case_files([tmp_path])] == ["case.json"]
    assert entered == [tmp_path, tmp_path / "sub"]


def test_folder_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    write_case(tmp_path / "open", case_json())
    shut = tmp_path / "shut"
    shut.mkdir()
    shut.chmod(0)
    if os.geteuid() == 0:  # who may read everything, so that another user has to look
        for folder in (tmp_path, *list(tmp_path.parents)[:-2]):
            folder.chmod(folder.stat().st_mode | 0o055)
    script = """
import os, sys
from errata_bench.cases.load import load_cases
from errata_bench.errors import DatasetError
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    load_cases(sys.argv[1:])
except DatasetError as error:
    print(*error.faults, sep="\\n")
"""
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, tmp_path, shut, shut / "case.json"],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shut.chmod(0o755)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"{shut}: the folder cannot be read: Permission denied",
        f"{shut}: the folder cannot be read: Permission denied",
        f"{shut / 'case.json'}: there is no such file or folder",
    ]


# JSON


def test_one_object_an_array_and_lines_are_read(tmp_path: Path) -> None:
    one = write_case(tmp_path, case_json("one"), name="1.json")
    array = write_case(tmp_path, [case_json("two"), case_json("three")], name="2.json")
    lines = f"{json.dumps(case_json('four'))}\r\n\n  \n{json.dumps(case_json('five'))}"
    assert [case.id for case in load_cases([str(one), str(array)])] == ["one", "two", "three"]
    by_line = write_case(tmp_path, lines, name="3.jsonl")
    assert [case.id for case in load_cases([str(by_line)])] == ["four", "five"]


def test_line_separator_inside_a_string_ends_no_line(tmp_path: Path) -> None:
    line = json.dumps(case_json(instruction="One.\u2028Two.\x85"), ensure_ascii=False)
    assert load_cases([str(write_case(tmp_path, line, name="x.jsonl"))])[0].instruction == "One.\u2028Two.\x85"


def test_byte_order_marks_are_no_part_of_the_content(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    content = mark + json.dumps(case_json()).encode()
    file = write_case(tmp_path, content, text=mark + b"Teh first.")
    write_case(tmp_path, mark + b'{"version": 1, "issues": []}', name="disqualified-issues.json", text=None)
    (case,) = load_cases([str(file)])
    assert case.document.paragraphs[0].inner_html == "Teh first."
    (by_line,) = load_cases([str(write_case(tmp_path, content, name="x.jsonl", text=None))])
    assert by_line == case


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"not JSON",
        b'{"id": NaN}',
        b'{"id": Infinity}',
        b'{"id": 1e999}',
        b'{"id": ' + b"9" * 5000 + b"}",
        b'{"id": "\\ud800"}',
        b'{"id": "\xff"}',
        b'{"id": "a\nb"}',
        b"[" * 100_000,
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b"{'id': 'x'}",
        b"\x00",
        "{}".encode("utf-16"),
    ],
)
def test_what_is_no_json_is_reported_with_its_place(tmp_path: Path, broken: bytes) -> None:
    fault = the_fault_of(write_case(tmp_path, broken))
    assert fault.file.endswith("case.json")
    assert fault.problem.startswith("this is not JSON: ")
    assert "line 1" in fault.problem


def test_broken_lines_are_reported_by_number_and_hide_no_others(tmp_path: Path) -> None:
    lines = "\n".join(["{", json.dumps(case_json(instruction=None)), "", "nonsense"])
    faults = faults_of(write_case(tmp_path, lines, name="x.jsonl"))
    assert {fault.problem[:14] for fault in faults} == {"line 1 is not ", "the field is m", "line 4 is not "}
    assert [fault.case for fault in faults if fault.case] == ["letter"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [("x.json", "[]", "the array holds no case"), ("x.jsonl", "\n \n", "the file is empty")],
)
def test_file_without_a_case_is_reported(tmp_path: Path, name: str, content: str, problem: str) -> None:
    assert the_fault_of(write_case(tmp_path, content, name=name)).problem == problem


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("x.json", "3", "the object"),
        ("x.json", "null", "the object"),
        ("x.json", "[[]]", "entry 1"),
        ("x.jsonl", "\n[{}]", "line 2"),
    ],
)
def test_what_is_no_object_is_reported_with_its_place(tmp_path: Path, name: str, content: str, place: str) -> None:
    fault = the_fault_of(write_case(tmp_path, content, name=name))
    assert fault.case == place
    assert fault.problem == f"{place} has to be a JSON object"


def test_field_name_reads_like_a_path() -> None:
    assert field_name(["issues", 3, "expectedCorrection", "find"]) == "issues[3].expectedCorrection.find"


def test_text_is_utf_8_with_or_without_a_mark(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_bytes(b"\xef\xbb\xbfna\xc3\xafve\r\n")
    assert read_text(file) == "naïve\r\n"


def test_dataset_error_is_raised_for_paths_alone(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        case_files([tmp_path / "gone"])


def test_file_name_that_is_no_utf_8_can_be_reported(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    fault = the_fault_of(write_case(tmp_path, "{", name=name))
    assert fault.file.endswith(name)
