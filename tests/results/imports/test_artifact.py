from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.errors import UserError
from errata_bench.results.imports.artifact import read_artifact

GOOD = {"datasetName": "letter", "model": "org/model:low", "correctedIssues": 3, "totalIssues": 4, "succeeded": True}


def write(folder: Path, content: Any) -> Path:
    path = folder / "results.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def problem(folder: Path, content: Any) -> str:
    with pytest.raises(UserError) as caught:
        read_artifact(write(folder, content))
    assert "results.json" in caught.value.message
    return caught.value.message


def test_attempts_are_read_with_or_without_what_stands_around_them(tmp_path: Path) -> None:
    full = {"version": "v1", "groupId": "g", "updatedAt": "2026-04-07T14:03:13.298Z", "attempts": [GOOD], "ranking": []}
    assert read_artifact(write(tmp_path, full)).updated_at == "2026-04-07T14:03:13.298Z"
    bare = read_artifact(write(tmp_path, {"attempts": [GOOD]}))
    assert (bare.name, bare.updated_at, len(bare.attempts)) == ("results.json", None, 1)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    assert len(read_artifact(write(tmp_path, "\ufeff" + json.dumps({"attempts": [GOOD]}))).attempts) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "no list of `attempts`"),
        ({"attempts": {}}, "no list of `attempts`"),
        ({"attempts": ["x"]}, "attempts[0]"),
        ({"attempts": [GOOD, {**GOOD, "totalIssues": "many"}]}, "attempts[1].totalIssues"),
        ({"attempts": [{**GOOD, "totalDurationMs": -1}]}, "attempts[0].totalDurationMs"),
        ({"attempts": [{**GOOD, "qualityAxis": 1.5}]}, "attempts[0].qualityAxis"),
        ({"attempts": [{**GOOD, "datasetName": None}]}, "names no datasetName"),
        ({"attempts": [{**GOOD, "model": None}]}, "names no model"),
        ({"attempts": [{**GOOD, "correctedIssues": None}]}, "neither correctedIssues nor qualityAxis"),
        ({"attempts": [{**GOOD, "totalIssues": None}]}, "totalIssues is missing"),
        ({"attempts": [{**GOOD, "correctedIssues": 5}]}, "correctedIssues is more than totalIssues"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: Any, words: str) -> None:
    assert words in problem(tmp_path, content)


def test_all_faults_are_told_and_very_many_are_counted(tmp_path: Path) -> None:
    message = problem(tmp_path, {"attempts": [{"model": "org/model"}] * 15})
    assert message.count("names no datasetName") == 10
    assert "and 5 more" in message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nothing\.json cannot be read"):
        read_artifact(tmp_path / "nothing.json")
