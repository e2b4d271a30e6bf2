from __future__ import annotations

import json
from pathlib import Path

import pytest

from errata_bench.errors import EndpointFault, Reach
from errata_bench.results.aggregate import VariantSummary, ranked, summarise_runs
from errata_bench.results.exports.artifact import artifact_of, export_artifact
from errata_bench.results.exports.writing import Folder
from errata_bench.results.imports.artifact import read_artifact
from errata_bench.results.imports.group import import_artifact
from errata_bench.store.group import Group, write_group
from tests.results.exports.conftest import ELSEWHERE
from tests.support.builders import make_case, shared
from tests.support.models import fix_everything
from tests.support.upkeep import BETA, run

PUBLISHED = (
    "quality",
    "bad_fix_rate",
    "missed_rate",
    "issues_per_usd",
    "issues_per_minute",
    "tool_chars_per_issue",
    "tool_calls_per_issue",
    "off_target_share",
    "rewrite_share",
    "turns_per_chunk",
    "cost_per_run_usd",
    "output_tokens_per_run",
    "duration_seconds_per_run",
)


def ranking(group: Group) -> list[VariantSummary]:
    return ranked(summarise_runs(group.runs()))


async def test_a_group_comes_back_with_the_same_ranking(group: Group, folder: Folder, tmp_path: Path) -> None:
    def fault(_: object) -> object:
        raise EndpointFault("server_error", "no", reach=Reach.RUN)

    group.upkeep.remove([record.id for record in group.runs() if record.imported is not None])
    await run(group, fault, variants=[BETA], samples=2)  # type: ignore[arg-type]
    await run(group, fix_everything, cases=[make_case("control", issues=False)])
    export_artifact(group, folder)
    with write_group(tmp_path / "back.sqlite") as back:
        import_artifact(back, read_artifact(folder.path / "group.json"), 9.0, "1")
        for before, after in zip(ranking(group), ranking(back), strict=True):
            assert before.variant == after.variant
            counts = ("cases", "cases_counted", "controls", "successful_runs", "total_runs", "mean_range", "stability")
            for name in counts:
                assert getattr(before, name) == getattr(after, name), name
            for name in PUBLISHED:
                assert after[name] == (None if before[name] is None else pytest.approx(before[name], rel=1e-12)), name


def test_each_attempt_of_ours_names_its_run_and_no_two_the_same(group: Group) -> None:
    names = [attempt.get("errataBenchRun") for attempt in artifact_of(group)["attempts"]]
    assert names[-1] is None  # it was made elsewhere
    assert len(set(names[:-1])) == len(names) - 1 == 3
    assert all(isinstance(name, str) and len(name) == 64 for name in names[:-1])
    assert names == [attempt.get("errataBenchRun") for attempt in artifact_of(group)["attempts"]]


def test_imported_attempts_go_out_as_they_came_in(group: Group) -> None:
    attempts = artifact_of(group)["attempts"]
    assert attempts[-1] == ELSEWHERE


def test_the_published_attempts_survive_the_way_in_and_out(tmp_path: Path) -> None:
    path = shared("upstream/golden-aggregate.json")
    with write_group(tmp_path / "golden.sqlite") as group:
        import_artifact(group, read_artifact(path), 9.0, "1")
        assert artifact_of(group)["attempts"] == json.loads(path.read_text())["attempts"]


def test_attempts_have_every_field_of_the_published_ones(group: Group) -> None:
    published = json.loads(shared("upstream/golden-aggregate.json").read_text())["attempts"][0]
    ours = artifact_of(group)["attempts"][0]
    assert published.keys() <= ours.keys()
    for name, value in published.items():
        if name not in ("error", "judgeModel"):
            assert (ours[name] is None) == (value is None), name


def test_around_the_attempts_stands_what_viewers_look_for(group: Group) -> None:
    content = artifact_of(group)
    assert (content["version"], content["groupId"]) == ("v1", "group")
    assert [row["model"] for row in content["ranking"]] == [
        "org/alpha:low @1w/3t",
        "org/gamma:low",
        "org/beta:high @1w/3t",
    ]
    assert {row["datasetName"]: row["attemptCount"] for row in content["datasets"]} == {"letter": 3, "memo": 1}


def test_unfinished_runs_are_no_attempts(group: Group) -> None:
    before = len(artifact_of(group)["attempts"])
    group.begin_run(group.runs()[0].key, 9, 3, 1.0, "1")
    assert len(artifact_of(group)["attempts"]) == before
