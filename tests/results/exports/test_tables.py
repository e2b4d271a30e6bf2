from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from errata_bench.errors import UserError
from errata_bench.results.exports.columns import ISSUE_COLUMNS, RUN_COLUMNS
from errata_bench.results.exports.tables import export_csv, export_json, export_parquet
from errata_bench.results.exports.writing import Folder
from errata_bench.results.imports.group import import_files
from errata_bench.results.imports.reports import reports_from
from errata_bench.store.group import Group
from tests.results.exports.conftest import REASON
from tests.support.reports import report

DOCS = Path(__file__).parents[3] / "docs" / "exports.md"


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_csv_has_a_row_a_run_and_a_row_an_issue(group: Group, folder: Folder) -> None:
    export_csv(group, folder)
    runs, issues = read_csv(folder.path / "runs.csv"), read_csv(folder.path / "issues.csv")
    assert list(runs[0]) == [column.name for column in RUN_COLUMNS]
    assert list(issues[0]) == [column.name for column in ISSUE_COLUMNS]
    assert [(row["model"], row["case"], row["quality"]) for row in runs] == [
        ("org/alpha:low", "letter", "1.0"),
        ("org/alpha:low", "memo", "1.0"),
        ("org/beta:high", "letter", "0.0"),
        ("org/gamma:low", "letter", str(1 / 3)),
    ]
    assert [(row["run"], row["issue"], row["verdict"], row["fixed"]) for row in issues[:4]] == [
        ("1", "issue-01", "fixed", "1"),
        ("1", "issue-02", "fixed", "1"),
        ("1", "issue-03", "fixed", "1"),
        ("2", "issue-01", "fixed", "1"),
    ]
    assert len(issues) == 8
    assert folder.written == [folder.path / "runs.csv", folder.path / "issues.csv"]


def test_what_is_not_known_is_empty_and_never_zero(group: Group, folder: Folder) -> None:
    export_csv(group, folder)
    imported = read_csv(folder.path / "runs.csv")[3]
    assert (imported["imported"], imported["benchmark_calls"]) == ("1", "2")
    for name in ("words", "unexpected_paragraphs", "cost_usd", "max_words", "chunks"):
        assert imported[name] == ""


def test_an_imported_run_has_a_row_an_issue_once_a_report_was_read(group: Group, folder: Folder) -> None:
    about = {"caseId": "letter", "model": "org/gamma", "modelLabel": "org/gamma:low"}
    found = reports_from(Path("report.json"), report("run-1", **about))
    import_files(group, [found], 9.0, "1")
    export_csv(group, folder)
    rows = [row for row in read_csv(folder.path / "issues.csv") if row["model"] == "org/gamma:low"]
    assert [(row["issue"], row["paragraph"], row["finding"], row["verdict"], row["fixed"]) for row in rows] == [
        ("issue-01", "para01", "exact", "fixed", "1"),
        ("issue-02", "para02", "candidate", "fixed_alternative", "1"),
        ("issue-03", "para03", "candidate", "bad_fix", "0"),
        ("issue-04", "para04", "not_addressed", "not_addressed", "0"),
    ]
    for name in ("category", "severity", "aligned", "judge_reason"):
        assert {row[name] for row in rows} == {""}


def test_a_text_that_a_spreadsheet_would_obey_is_made_harmless(group: Group, folder: Folder) -> None:
    export_csv(group, folder)
    reasons = [row["judge_reason"] for row in read_csv(folder.path / "issues.csv") if row["judge_reason"]]
    assert reasons == ["'" + REASON]


def test_json_holds_the_same_rows_with_their_types(group: Group, folder: Folder) -> None:
    export_json(group, folder)
    content = json.loads((folder.path / "group.json").read_text())
    assert (content["group"], len(content["runs"]), len(content["issues"])) == ("group", 4, 8)
    assert (content["runs"][0]["exact_match"], content["runs"][3]["words"]) == (True, None)
    assert content["issues"][6]["judge_reason"] == REASON


def test_a_group_without_runs_gives_tables_without_rows(tmp_path: Path, folder: Folder) -> None:
    from errata_bench.store.group import write_group

    with write_group(tmp_path / "empty.sqlite") as empty:
        export_csv(empty, folder)
        export_json(empty, folder)
    assert read_csv(folder.path / "runs.csv") == []
    assert json.loads((folder.path / "group.json").read_text())["issues"] == []


def test_parquet_holds_the_same_rows_with_their_types(group: Group, folder: Folder) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export_parquet(group, folder)
    export_json(group, folder)
    content = json.loads((folder.path / "group.json").read_text())
    for name in ("runs", "issues"):
        assert parquet.read_table(folder.path / f"{name}.parquet").to_pylist() == content[name]
    schema = parquet.read_schema(folder.path / "runs.parquet")
    assert [str(schema.field(name).type) for name in ("model", "fixed", "quality", "exact_match")] == [
        "string",
        "int64",
        "double",
        "bool",
    ]


def test_without_pyarrow_parquet_says_what_to_install(
    group: Group, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match="needs pyarrow") as caught:
        export_parquet(group, folder)
    assert caught.value.mend is not None and "errata-bench[parquet]" in caught.value.mend
    assert not folder.path.exists()


def test_what_is_there_is_not_overwritten_unless_it_is_asked_for(group: Group, folder: Folder) -> None:
    folder.path.mkdir()
    mine = folder.path / "runs.csv"
    mine.write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        export_csv(group, folder)
    assert mine.read_text() == "mine"
    export_csv(group, Folder(folder.path, force=True))
    assert len(read_csv(mine)) == 4


def test_an_export_that_breaks_off_leaves_no_half_file(group: Group, folder: Folder) -> None:
    with pytest.raises(ZeroDivisionError), folder.file("runs.csv") as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    assert not folder.path.exists()


def test_every_column_is_documented_with_its_unit() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    for run_column in (column for column in RUN_COLUMNS if column.unit or "docs/" not in column.meaning):
        expected: Any = f"| `{run_column.name}` | {run_column.kind} | {run_column.unit} | {run_column.meaning} |"
        assert expected in lines
    for issue_column in ISSUE_COLUMNS:
        assert f"| `{issue_column.name}` | {issue_column.kind} | {issue_column.meaning} |" in lines
