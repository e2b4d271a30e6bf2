from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.errors import EndpointFault, Reach, UserError
from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.certainty import Metric, read_units
from errata_bench.results.comparing import compare_in_group
from errata_bench.results.exports.artifact import artifact_of
from errata_bench.results.exports.rows import issue_rows
from errata_bench.results.imports.artifact import Artifact, AttemptShape
from errata_bench.results.imports.files import ImportFile, read_file
from errata_bench.results.imports.group import ImportReport, check_files, import_files
from errata_bench.results.imports.reports import reports_from
from errata_bench.results.merge import merge_groups
from errata_bench.results.ranking import make_ranking
from errata_bench.results.statistics.scores import Question
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.records import RunStatus
from tests.support.builders import shared
from tests.support.models import fix_everything
from tests.support.reports import METHODS, RUN_ID, attempt, report
from tests.support.stored import content
from tests.support.upkeep import ALPHA, BETA, make_group, run

GOLDEN = ("jury-instructions", "the-call-of-the-wild-chapter-3")
VERDICTS = {
    "exact": "fixed",
    "alternative_judge": "fixed_alternative",
    "attempted_invalid": "bad_fix",
    "not_addressed": "not_addressed",
}


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with write_group(tmp_path / "group.sqlite") as opened:
        yield opened


def results(*attempts: Mapping[str, Any], name: str = "results.json") -> Artifact:
    return Artifact(name, None, tuple((AttemptShape.model_validate(one), one) for one in attempts))


def reports(*found: Mapping[str, Any], name: str = "reports.json") -> ImportFile:
    return reports_from(Path(name), {"runs": list(found)})


def single(found: Mapping[str, Any], name: str = "report.json") -> ImportFile:
    return reports_from(Path(name), found)


def put(group: Group, *files: ImportFile) -> list[ImportReport]:
    return import_files(group, files, 5.0, "1.0")


def told(found: Sequence[ImportReport]) -> list[tuple[int, int, int, int]]:
    """New, joined, differing and own, file by file."""
    return [(one.added, one.joined, one.differing, one.own) for one in found]


def state(group: Group) -> list[Any]:
    """What is known of the runs, whatever their numbers are."""
    kept = {one.run_id: one for one in group.imports.kept()}
    found = [
        (
            record.case_id,
            str(record.key),
            record.sample,
            record.status.value,
            record.started_at,
            {} if record.imported is None else dict(record.imported.values),
            group.verdicts(record.id),
            group.imports.paragraphs().get(record.id),
            kept[record.id].alone,
            kept[record.id].attempt,
        )
        for record in group.runs()
    ]
    return sorted(found, key=repr)


def test_the_recorded_runs_come_out_with_their_official_verdicts(group: Group) -> None:
    put(group, *(read_file(shared(f"upstream/golden-scores-{name}.json")) for name in GOLDEN))
    official = {}
    for name in GOLDEN:
        for one in json.loads(shared(f"upstream/golden-scores-{name}.json").read_text())["runs"]:
            for issue in one["issues"]:
                official[one["modelLabel"], name, issue["issueId"]] = (
                    VERDICTS[issue["resolutionMethod"]],
                    issue["corrected"],
                    issue["paragraphId"],
                )
    rows = {
        (row["model"], row["case"], row["issue"]): (row["verdict"], row["fixed"], row["paragraph"])
        for row in issue_rows(group)
    }
    assert rows == official
    assert len(rows) == 106


def test_the_recorded_runs_come_out_with_the_figures_of_their_summaries(group: Group) -> None:
    put(group, *(read_file(shared(f"upstream/golden-scores-{name}.json")) for name in GOLDEN))
    records = {str(record.key.variant): record for record in group.runs()}
    for name in GOLDEN:
        for one in json.loads(shared(f"upstream/golden-scores-{name}.json").read_text())["runs"]:
            record, summary, tooling = records[one["modelLabel"]], one["summary"], one["summary"]["tooling"]
            found = record.imported
            assert found is not None
            assert (found.issues, found.fixed) == (summary["totalIssues"], summary["correctedIssues"])
            assert (found.bad_fixes, found.missed) == (
                summary["attemptedButInvalidIssues"],
                summary["notAddressedIssues"],
            )
            assert (found.completion_tokens, found.prompt_tokens) == (summary["outputTokens"], summary["promptTokens"])
            assert found.duration_seconds == pytest.approx(summary["durationMs"] / 1000)
            assert found.off_target_share == pytest.approx(tooling["offTargetToolCharsShare"])
            assert found.tool_chars_per_issue == pytest.approx(tooling["benchmarkToolCharsPerResolvedIssue"])
            assert found.unexpected_paragraphs == len(summary["unexpectedParagraphChanges"])
            assert record.started_at == pytest.approx(_moment(one["runId"]))


def _moment(run_id: str) -> float:
    return datetime.strptime(f"{run_id[:-1]}000+0000", "%Y-%m-%dT%H-%M-%S-%f%z").timestamp()


def test_a_report_adds_to_its_attempt_and_the_attempts_figures_stay(group: Group) -> None:
    found = put(group, results(attempt(qualityAxis=0.5, totalDurationMs=30_000)), reports(report()))
    assert told(found) == [(1, 0, 0, 0), (0, 1, 0, 0)]
    (record,) = group.runs()
    assert record.imported is not None
    assert (record.imported.duration_seconds, record.imported.cost_usd) == (30.0, 0.5)
    assert (record.imported.missed, record.imported.prompt_tokens) == (1, 900)
    assert record.key.settings.endpoint == "openrouter"
    assert len(group.verdicts(record.id)) == 4


@pytest.mark.parametrize(
    "names",
    [
        {"reportArtifact": f"reports/{RUN_ID}--letter--org-model-low.json"},
        {"reportArtifact": f"C:\\work\\{RUN_ID}--letter--org-model-low.json"},
        {"reportArtifact": None, "runId": RUN_ID},
        {"reportArtifact": None, "runArtifact": f"/home/somebody/{RUN_ID}--letter--org-model-low.json"},
        {"reportArtifact": "/home/somebody/report.json"},
    ],
)
def test_an_attempt_may_name_its_report_in_several_ways(group: Group, names: dict[str, Any]) -> None:
    put(group, results(attempt(**names)), single(report()))
    assert len(group.runs()) == 1
    assert len(group.verdicts(group.runs()[0].id)) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"runId": "2026-04-06T21-32-45-226Z"},
        {"caseId": "memo"},
        {"modelLabel": "org/model:high"},
        {"model": "org/other", "modelLabel": "org/other:low"},
    ],
)
def test_a_report_of_another_run_case_or_variant_is_a_run_of_its_own(group: Group, fields: dict[str, Any]) -> None:
    assert told(put(group, results(attempt()), reports(report(**fields)))) == [(1, 0, 0, 0), (1, 0, 0, 0)]
    assert [len(group.verdicts(record.id)) for record in group.runs()] == [0, 4]


def test_reports_in_files_of_one_name_are_still_two_runs(group: Group) -> None:
    put(group, single(report("run-a")), single(report("run-b")))
    assert [record.sample for record in group.runs()] == [1, 2]


def test_attempts_with_different_numbers_are_different_runs_whatever_they_are_called(group: Group) -> None:
    put(group, results(attempt(), attempt(runNumber=2)))
    assert len(group.runs()) == 2


def test_what_was_read_before_stays_where_something_else_is_said_of_its_run(group: Group) -> None:
    put(group, results(attempt()), reports(report()))
    before = state(group)
    other = report(methods=["exact", "not_addressed", "attempted_invalid", "alternative_judge"])
    found = put(group, results(attempt(totalCostUsd=0.75)), reports(other))
    assert told(found) == [(0, 0, 1, 0), (0, 0, 1, 0)]
    assert state(group) == before


def test_an_attempt_that_stands_twice_in_a_file_is_one_run(group: Group) -> None:
    assert told(put(group, results(attempt(), attempt()))) == [(1, 0, 0, 0)]
    assert len(group.runs()) == 1


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"correctedIssues": 3}, ("2 fixed", "3")),
        ({"totalIssues": 5}, ("4 issues", "5")),
        ({"notAddressedIssues": 0}, ("1 not addressed", "0")),
        ({"succeeded": False, "error": "no"}, ("one of them says that the run failed",)),
    ],
)
def test_files_that_contradict_each_other_are_refused_and_nothing_is_written(
    group: Group, fields: dict[str, Any], parts: tuple[str, ...]
) -> None:
    files = [results(attempt(**fields)), single(report(), f"{RUN_ID}.json")]
    for order in (files, files[::-1]):
        with pytest.raises(UserError) as caught:
            check_files(order)
        message = caught.value.message
        assert "results.json" in message and f"{RUN_ID}.json" in message and "letter" in message
        for part in parts:
            assert part.split()[0] in message and part.split()[-1] in message
        with pytest.raises(UserError):
            put(group, *order)
        assert group.runs() == []
        assert group.stored_cases() == []


def test_a_file_that_contradicts_the_group_is_refused_with_those_beside_it(group: Group) -> None:
    put(group, results(attempt(correctedIssues=3)))
    before = state(group)
    with pytest.raises(UserError, match="contradicts its attempt in results"):
        put(group, results(attempt("another")), reports(report()))
    assert state(group) == before


MANY: tuple[ImportFile, ...] = (
    results(
        attempt(),
        attempt("run-b", runNumber=2, totalCostUsd=None),
        attempt(None, runNumber=3, datasetName="memo"),
        attempt(None, succeeded=False, error="no", totalIssues=None, correctedIssues=None, runNumber=4),
    ),
    results(attempt("run-d", datasetName="memo", runNumber=5), name="more.json"),
    reports(report(), report("run-b"), report("run-c", caseId="control", methods=[])),
    reports(report("run-d", caseId="memo"), report("run-c", caseId="control", methods=[]), name="others.json"),
    single(report("run-d", caseId="memo"), "run-d--memo--org-model-low.json"),
)


def state_after(files: Sequence[ImportFile], at_once: bool) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder, write_group(Path(folder) / "g.sqlite") as made:
        for part in [files] if at_once else [[file] for file in files]:
            import_files(made, part, 5.0, "1.0")
        return state(made)


@given(order=st.permutations(MANY), again=st.lists(st.sampled_from(MANY), max_size=3), at_once=st.booleans())
def test_whichever_file_comes_first_and_however_often_the_runs_are_the_same(
    order: list[ImportFile], again: list[ImportFile], at_once: bool
) -> None:
    found = state_after([*order, *again], at_once)
    assert [{**run[9], "reportArtifact": None} for run in found] == [
        {**run[9], "reportArtifact": None} for run in state_after(MANY, True)
    ]
    assert [run[:9] for run in found] == [run[:9] for run in state_after(MANY, True)]
    assert len(found) == 6


@given(methods=st.lists(st.sampled_from(METHODS), max_size=12))
def test_the_verdicts_of_a_run_always_add_up_to_its_figures(methods: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, write_group(Path(folder) / "g.sqlite") as made:
        import_files(made, [reports(report(methods=methods)), results(attempt(methods=methods))], 5.0, "1.0")
        (record,) = made.runs()
        verdicts = list(made.verdicts(record.id).values())
        assert record.imported is not None
        assert record.imported.issues == len(verdicts) == len(methods)
        assert record.imported.fixed == sum(one in ("fixed", "fixed_alternative") for one in verdicts)
        assert record.imported.bad_fixes == verdicts.count("bad_fix")
        assert record.imported.missed == verdicts.count("not_addressed")


def summaries(group: Group) -> dict[str, VariantSummary]:
    return {str(summary.variant): summary for summary in make_ranking(group).summaries}


def test_imported_runs_with_verdicts_have_intervals_of_quality_and_a_place(group: Group) -> None:
    put(group, reports(report(), report("run-b"), report("other", modelLabel="org/model:high")))
    found = summaries(group)
    interval = found["org/model:low"].intervals["quality"]
    assert (interval.estimate, interval.units) == (found["org/model:low"]["quality"], 4)
    assert interval.low < 0.5 < interval.high
    assert found["org/model:low"].place is not None
    assert set(found["org/model:low"].intervals) == {"quality"}
    compared = compare_in_group(group, ["org/model:low", "org/model:high"], Metric.QUALITY, Question.THESE_TEXTS)
    assert compared.pairs[0].overall is not None
    assert compared.pairs[0].overall.difference.estimate == 0


def test_one_run_without_verdicts_leaves_its_line_without_an_interval(group: Group) -> None:
    put(group, results(attempt(), attempt("run-b", runNumber=2)), reports(report()))
    put(group, reports(report("other", modelLabel="org/model:high")))
    found = summaries(group)
    assert found["org/model:low"].intervals == {}
    assert found["org/model:low"].place is None
    assert "quality" in found["org/model:high"].intervals
    assert [str(variant) for variant, _ in read_units(group, group.runs()).entries] == ["org/model:high"]
    put(group, reports(report("run-b")))
    assert "quality" in summaries(group)["org/model:low"].intervals


def test_a_group_of_imported_figures_alone_speaks_of_no_intervals(group: Group) -> None:
    put(group, results(attempt()))
    assert make_ranking(group).remarks == ()
    put(group, reports(report()))
    assert any("95% intervals" in remark for remark in make_ranking(group).remarks)


def test_a_run_known_by_its_report_alone_goes_out_as_an_attempt_and_is_known_when_it_comes_back(group: Group) -> None:
    put(group, reports(report()))
    content = artifact_of(group)
    (sent,) = content["attempts"]
    assert (sent["model"], sent["correctedIssues"], sent["runId"]) == ("org/model:low", 2, RUN_ID)
    before = state(group)
    put(group, results(*content["attempts"]))
    after = state(group)
    assert len(after) == 1
    assert after[0][:8] == before[0][:8]


# A group's own runs


async def own_runs(group: Group) -> None:
    """Successes, a failure, and a run that failed before it succeeded."""

    def fault(_: object) -> Any:
        raise EndpointFault("server_error", "no", reach=Reach.RUN)

    await run(group, fix_everything, variants=[ALPHA], samples=2)
    await run(group, fault, variants=[BETA])
    await run(group, fault, variants=[ALPHA], samples=3)
    await run(group, fix_everything, variants=[ALPHA], samples=3)


def exported(group: Group) -> Artifact:
    return results(*json.loads(json.dumps(artifact_of(group)["attempts"])), name=f"{group.id}.json")


async def test_a_groups_own_export_changes_nothing_when_it_is_imported_into_it(group: Group, tmp_path: Path) -> None:
    await own_runs(group)
    before = content(tmp_path / "group.sqlite")
    file = exported(group)
    (found,) = put(group, file)
    assert (found.attempts, found.own, found.added, found.differing) == (10, 10, 0, 0)
    assert content(tmp_path / "group.sqlite") == before


@pytest.mark.parametrize("name", [["x"], {"x": 1}, 7])
async def test_a_name_of_another_kind_in_the_field_of_our_own_is_of_no_run_of_ours(group: Group, name: Any) -> None:
    await run(group, fix_everything, variants=[ALPHA])
    assert told(put(group, results(attempt(errataBenchRun=name)))) == [(1, 0, 0, 0)]


async def test_another_group_takes_them_in_once_and_its_export_is_known_too(group: Group, tmp_path: Path) -> None:
    await own_runs(group)
    with write_group(tmp_path / "other.sqlite") as other:
        assert told(put(other, exported(group))) == [(10, 0, 0, 0)]
        assert told(put(other, exported(group))) == [(0, 0, 0, 0)]
        assert sum(record.status is RunStatus.SUCCEEDED for record in other.runs()) == 6
        assert told(put(group, exported(other))) == [(0, 0, 0, 10)]


async def test_runs_are_known_in_a_group_that_they_were_merged_into(tmp_path: Path) -> None:
    one = await make_group(tmp_path / "one.sqlite", fix_everything, variants=[ALPHA])
    two = await make_group(tmp_path / "two.sqlite", fix_everything, begun=100, variants=[ALPHA])
    merge_groups(tmp_path / "all.sqlite", [two, one])
    with read_group(one) as first, write_group(tmp_path / "all.sqlite") as merged:
        assert [record.sample for record in merged.runs()] == [1, 1, 2, 2]
        assert told(put(merged, exported(first))) == [(0, 0, 0, 2)]


async def test_runs_that_are_scored_otherwise_since_are_known_in_either_group(group: Group, tmp_path: Path) -> None:
    await run(group, fix_everything, variants=[ALPHA])
    with write_group(tmp_path / "other.sqlite") as other:
        put(other, exported(group))
        group.file_under_judge([record.id for record in group.runs()], "org/judge:low")
        assert told(put(other, exported(group))) == [(0, 0, 2, 0)]
        assert told(put(group, exported(other))) == [(0, 0, 0, 2)]


async def test_runs_made_apart_with_the_same_settings_are_not_taken_for_each_other(tmp_path: Path) -> None:
    one = await make_group(tmp_path / "one.sqlite", fix_everything, variants=[ALPHA])
    two = await make_group(tmp_path / "two.sqlite", fix_everything, begun=100, variants=[ALPHA])
    with read_group(one) as first, write_group(two) as second:
        assert told(put(second, exported(first))) == [(2, 0, 0, 0)]


@pytest.mark.parametrize("failed_first", [True, False])
def test_a_success_that_kept_the_name_of_a_failed_attempt_is_a_run_beside_it(group: Group, failed_first: bool) -> None:
    success = attempt(runId=RUN_ID)
    names = ("datasetName", "model", "baseModel", "reasoningEffort", "runNumber", "runId")
    failure = {**{name: success[name] for name in names if name in success}, "succeeded": False, "error": "gone"}
    both = (failure, success) if failed_first else (success, failure)
    import_files(group, [results(*both)], 0.0, "1")
    assert sorted(record.status for record in group.runs()) == [RunStatus.FAILED, RunStatus.SUCCEEDED]
    (again,) = import_files(group, [results(*both)], 0.0, "1")
    assert again.added == 0


def test_two_successes_of_one_name_in_one_file_are_two(group: Group) -> None:
    one = attempt(runId=RUN_ID)
    (report_,) = import_files(group, [results(one, {**one, "totalDurationMs": 99_999})], 0.0, "1")
    assert report_.added == 2
