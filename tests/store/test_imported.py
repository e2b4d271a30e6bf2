from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from errata_bench.errors import EndpointFault, InternalError, Reach
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.imported import ImportedReport, ImportedRun, ImportedVerdict
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.imported_identity import failure_identity, run_identity
from errata_bench.store.records import RunKey
from errata_bench.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.stored import begin, content, only_run

VERSION_WITHOUT_REPORTS = 4
REPORT = ImportedReport(
    "said",
    "report.json",
    {
        "issue-01": ImportedVerdict("exact", "fixed", "para01"),
        "issue-02": ImportedVerdict("not_addressed", "not_addressed", None),
    },
)
FIGURES = ImportedFigures({"issues": 2, "fixed": 1, "quality": 0.5})


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with write_group(tmp_path / "group.sqlite") as opened:
        yield opened


def imported(digest: str = "d", sample: int = 1, **settings: Any) -> ImportedRun:
    key = RunKey(make_settings(**settings), Variant("org/model", "low"), "imported:letter")
    figures = ImportedFigures({"issues": 2, "fixed": 1})
    return ImportedRun(digest, key, "letter", sample, 7.0, figures, None, {"runId": digest})


def test_a_run_gets_verdicts_paragraphs_and_figures_from_its_report(group: Group) -> None:
    (run_id,) = group.imports.add("results.json", [imported()], "1.0")
    assert not group.imports.has_verdicts
    group.imports.add_report(run_id, REPORT, FIGURES, alone=False)
    assert group.imports.has_verdicts
    assert group.verdicts(run_id) == {"issue-01": "fixed", "issue-02": "not_addressed"}
    assert [(one.finding, one.fixed, one.aligned_fixed) for one in group.run_verdicts(run_id)] == [
        ("exact", True, None),
        ("not_addressed", False, None),
    ]
    assert group.imports.paragraphs() == {run_id: {"issue-01": "para01"}}
    assert only_run(group).imported == FIGURES
    (kept,) = group.imports.kept()
    assert (kept.run_id, kept.report, kept.alone, kept.source) == (run_id, "said", False, "results.json")


def test_a_run_known_by_its_report_alone_becomes_what_a_results_file_says(group: Group) -> None:
    (run_id,) = group.imports.add("report.json", [imported("of report", endpoint="not known")], "1.0")
    group.imports.add_report(run_id, REPORT, FIGURES, alone=True)
    assert group.imports.kept()[0].alone
    group.imports.complete(run_id, "results.json", imported("of attempt", sample=3), FIGURES)
    record = only_run(group)
    assert (record.id, record.sample, record.key.settings.endpoint) == (run_id, 3, "test.example/v1")
    (kept,) = group.imports.kept()
    assert (kept.digest, kept.source, kept.alone, kept.attempt) == (
        "of attempt",
        "results.json",
        False,
        {"runId": "of attempt"},
    )
    assert len(group.verdicts(run_id)) == 2


def test_a_sample_number_that_is_taken_becomes_the_next_free_one(group: Group) -> None:
    ids = group.imports.add("a.json", [imported("a"), imported("b"), imported("c", sample=7), imported("d")], "1.0")
    assert [record.sample for record in group.runs()] == [1, 2, 7, 8]
    group.imports.complete(ids[1], "b.json", imported("e", sample=2), FIGURES)
    assert [record.sample for record in group.runs()] == [1, 2, 7, 8]
    group.imports.complete(ids[1], "b.json", imported("f", sample=7), FIGURES)
    assert [record.sample for record in group.runs()] == [1, 9, 7, 8]


def test_what_cannot_be_kept_wholly_is_not_kept_at_all(group: Group, tmp_path: Path) -> None:
    before = content(tmp_path / "group.sqlite")
    with pytest.raises(InternalError, match="UNIQUE"):
        group.imports.add("a.json", [imported("a"), imported("a")], "1.0")
    assert content(tmp_path / "group.sqlite") == before


def test_a_run_that_is_taken_out_leaves_nothing_of_its_report(group: Group) -> None:
    (run_id,) = group.imports.add("a.json", [imported()], "1.0")
    group.imports.add_report(run_id, REPORT, FIGURES, alone=False)
    group.upkeep.remove([run_id])
    assert (group.imports.kept(), group.imports.paragraphs(), list(group.all_verdicts())) == ([], {}, [])
    assert group.stored_cases() == []


def test_a_merge_takes_verdicts_along_and_knows_the_run_again(group: Group, tmp_path: Path) -> None:
    source = tmp_path / "source.sqlite"
    with write_group(source) as other:
        (run_id,) = other.imports.add("a.json", [imported()], "1.0")
        other.imports.add_report(run_id, REPORT, FIGURES, alone=True)
    begin(group, make_case())
    assert group.merge(source).added == 1
    assert group.merge(source).same == 1
    (kept,) = group.imports.kept()
    assert (kept.run_id, kept.report, kept.alone) == (2, "said", True)
    assert group.verdicts(2) == {"issue-01": "fixed", "issue-02": "not_addressed"}


def test_a_file_from_before_reports_keeps_its_imported_runs_and_takes_reports(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        for script in MIGRATIONS[:VERSION_WITHOUT_REPORTS]:
            connection.executescript(script)
        connection.execute("INSERT INTO cases VALUES ('imported:letter', 'letter', 'null')")
        connection.execute(
            "INSERT INTO runs (id, endpoint, model, effort, fingerprint, max_words, max_turns, prompt_version, judge,"
            " max_completion_tokens, reasoning, sample, status, chunk_count, started_at, version)"
            " VALUES (1, 'e', 'org/m', 'low', 'imported:letter', 0, 3, 'imported', '', -1, '{}', 1, 'succeeded', 0, 0,"
            " '0.1')"
        )
        connection.execute(
            """INSERT INTO imported_runs VALUES (1, 'd', 'a.json', '{"issues": 2.0, "fixed": 1.0}', '{"runId": "r"}')"""
        )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION_WITHOUT_REPORTS}")
        connection.commit()
    with read_group(path) as group:
        (kept,) = group.imports.kept()
        assert (kept.digest, kept.variant, kept.case_id, kept.report, kept.alone) == (
            "d",
            Variant("org/m", "low"),
            "letter",
            None,
            False,
        )
        assert kept.figures == ImportedFigures({"issues": 2.0, "fixed": 1.0})
    with write_group(path) as group:
        group.imports.add_report(1, REPORT, FIGURES, alone=False)
        assert len(group.verdicts(1)) == 2
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_run_is_the_same_with_another_number_sample_judge_and_version_of_its_case(group: Group) -> None:
    case = make_case()
    run_id = begin(group, case)
    identity = run_identity(only_run(group))
    group.file_under_judge([run_id], "org/judge:low")
    issues = (dataclasses.replace(case.issues[0], disqualified=True), *case.issues[1:])
    group.upkeep.move_to(dataclasses.replace(case, issues=issues), [run_id])
    assert only_run(group).key.fingerprint != case.fingerprint
    assert run_identity(only_run(group)) == identity


@pytest.mark.parametrize("settings", [{"max_words": 2}, {"endpoint": "other"}, {"prompt_version": "p"}])
def test_runs_with_other_settings_are_others(group: Group, settings: dict[str, Any]) -> None:
    begin(group, make_case())
    begin(group, make_case(), **settings)
    one, other = group.runs()
    assert run_identity(one) != run_identity(other)


def test_each_failure_of_a_run_is_told_from_the_others(group: Group) -> None:
    run_id = begin(group, make_case())
    for at in (1.0, 2.0):
        group.fail_run(run_id, 0, EndpointFault("timeout", "no answer", reach=Reach.RUN), at)
    record = only_run(group)
    identities = {failure_identity(record, failure) for failure in group.failures(run_id)}
    assert len(identities | {run_identity(record)}) == 3
