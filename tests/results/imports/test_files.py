from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.errors import UserError
from errata_bench.results.imports.artifact import Artifact
from errata_bench.results.imports.files import read_file
from errata_bench.results.imports.reports import Reports
from tests.support.builders import shared
from tests.support.reports import attempt, issue, report, write


def read(folder: Path, content: Any, name: str = "file.json") -> Artifact | Reports:
    return read_file(write(folder / name, content))


def problem(folder: Path, content: Any, name: str = "file.json") -> str:
    with pytest.raises(UserError) as caught:
        read(folder, content, name)
    assert name in caught.value.message
    assert caught.value.mend
    return caught.value.message


def test_each_kind_of_file_is_told_by_its_content(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path, {"attempts": [attempt()]}), Artifact)
    single = read(tmp_path, report())
    collection = read(tmp_path, {"runs": [report("a"), report("b")]})
    assert isinstance(single, Reports) and isinstance(collection, Reports)
    assert ([one.where for one in single.reports], single.reports[0].file) == ([""], "file")
    assert [(one.where, one.file) for one in collection.reports] == [("runs[0]", None), ("runs[1]", None)]


def test_the_recorded_runs_are_collections() -> None:
    for name in ("jury-instructions", "the-call-of-the-wild-chapter-3"):
        found = read_file(shared(f"upstream/golden-scores-{name}.json"))
        assert isinstance(found, Reports)
        assert [(one.case_id, one.judge) for one in found.reports] == [(name, "anthropic/claude-opus-4.6:low")] * 2


def test_case_and_judge_may_stand_around_the_runs(tmp_path: Path) -> None:
    bare = report(caseId=None, judgeModel=None)
    found = read(tmp_path, {"caseId": "memo", "judgeModel": "org/strict:high", "runs": [bare, report()]})
    assert isinstance(found, Reports)
    assert [(one.case_id, one.judge) for one in found.reports] == [
        ("memo", "org/strict:high"),
        ("letter", "org/judge:low"),
    ]


def test_a_report_without_a_case_is_of_the_one_in_its_files_name(tmp_path: Path) -> None:
    found = read(tmp_path, report(caseId=None), "2026--a--b--org-model-low.json")
    assert isinstance(found, Reports)
    assert found.reports[0].case_id == "a--b"
    assert "caseId: nothing says which case it is of" in problem(tmp_path, report(caseId=None), "plain.json")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "neither a results file"),
        ([report()], "neither a results file"),
        ("text", "neither a results file"),
        (None, "neither a results file"),
        ({}, "neither a results file"),
        ({"id": "letter", "instruction": "x", "sourcePath": "a.txt", "issues": [{"id": "issue-01"}]}, "neither"),
        ({"runs": {}}, "neither a results file"),
        ({"runId": "r", "model": "m", "finalParagraphs": {}, "chunks": []}, "a run without `issues`"),
        ({"format": "errata-bench-group", "runs": [], "issues": []}, "an export of this program"),
    ],
)
def test_what_is_none_of_them_is_refused(tmp_path: Path, content: Any, words: str) -> None:
    assert words in problem(tmp_path, content)


def test_no_json_and_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UserError, match=r"broken\.json is not JSON: .*line 1"):
        read_file(tmp_path / "broken.json")
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(UserError, match="cannot be read"):
            read_file(path)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": None, "modelLabel": None}, "model: it names no model"),
        ({"issues": [issue(1, "exact"), issue(1, "exact")]}, "issues[1].issueId: issue-01 is there twice"),
        ({"issues": [issue(1, "exact", issueId="")]}, "issues[0].issueId"),
        ({"issues": [issue(1, "exact", resolutionMethod="guessed")]}, "issues[0].resolutionMethod"),
        ({"issues": [issue(1, "exact", resolutionMethod=None, corrected=None)]}, "neither it nor `corrected`"),
        ({"issues": [issue(1, "exact", corrected=False)]}, "contradicts the resolutionMethod exact"),
        ({"issues": ["issue-01"]}, "issues[0]"),
        ({"summary": []}, "summary"),
        ({"summary": {"durationMs": -1}}, "summary.durationMs"),
        ({"summary": {"tooling": {"offTargetToolCharsShare": 2}}}, "summary.tooling.offTargetToolCharsShare"),
        ({"summary": {"totalIssues": 5}}, "summary.totalIssues: it is 5, and 4 by its issues"),
        ({"summary": {"correctedIssues": 3}}, "summary.correctedIssues: it is 3, and 2 by its issues"),
        ({"summary": {"attemptedButInvalidIssues": 0}}, "it is 0, and 1 by its issues"),
        ({"summary": {"notAddressedIssues": 2}}, "it is 2, and 1 by its issues"),
        ({"maxWordsPerChunk": "many"}, "maxWordsPerChunk"),
    ],
)
def test_what_is_wrong_with_a_report_is_named_wherever_it_stands(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    assert words in problem(tmp_path, report(**fields))
    message = problem(tmp_path, {"runs": [report("fine"), report(**fields)]})
    assert words in message
    assert "runs[1]." in message
    assert "runs[0]" not in message


def test_a_run_of_a_collection_needs_a_name(tmp_path: Path) -> None:
    assert "runs[0].runId: the field is missing" in problem(tmp_path, {"runs": [report(runId=None)]})
    assert isinstance(read(tmp_path, report(runId=None)), Reports)


def test_all_faults_are_told_and_very_many_are_counted(tmp_path: Path) -> None:
    message = problem(tmp_path, {"runs": [report(model=None, modelLabel=None)] * 15})
    assert message.count("it names no model") == 10
    assert "and 5 more" in message


def test_a_summary_is_not_needed(tmp_path: Path) -> None:
    content = report()
    del content["summary"]
    assert isinstance(read(tmp_path, content), Reports)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text("\ufeff" + json.dumps(report()), encoding="utf-8")
    assert isinstance(read_file(tmp_path / "file.json"), Reports)


@pytest.mark.parametrize("tooling", [None, {}, {"benchmarkToolCalls": None}])
def test_a_report_may_know_nothing_of_the_tools(tmp_path: Path, tooling: Any) -> None:
    content = report()
    content["summary"]["tooling"] = tooling
    assert isinstance(read(tmp_path, content), Reports)
