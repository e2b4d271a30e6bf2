from __future__ import annotations

from typing import Any

import pytest

from errata_bench.store.imported import KeptRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.imported_names import NamedRuns, contradiction, names_of, together
from errata_bench.variants import Variant

VARIANT = Variant("org/model", "low")


def kept(**attempt: Any) -> KeptRun:
    return KeptRun(1, "d", "letter", VARIANT, None, attempt, "a.json")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"runId": "r"}, {"runId": "r"}, True),
        ({"runId": "r"}, {"runId": "s"}, False),
        ({"errataBenchRun": "r"}, {"errataBenchRun": "r"}, True),
        ({"runId": "r"}, {"runArtifact": "/home/somebody/r--letter.json"}, True),
        ({"runId": "r"}, {"reportArtifact": "C:\\work\\r--letter.json"}, True),
        ({"reportArtifact": "/here/report.json"}, {"reportArtifact": "there/report.json"}, True),
        ({"runId": "r", "reportArtifact": "report.json"}, {"reportArtifact": "report.json"}, True),
        ({"runId": "r", "reportArtifact": "report.json"}, {"runId": "s", "reportArtifact": "report.json"}, False),
        ({"runId": "r", "runNumber": 1}, {"runId": "r", "runNumber": 2}, False),
        ({"runId": "r", "runNumber": 1}, {"runId": "r"}, True),
        ({"runId": ""}, {"runId": ""}, False),
        ({"runId": 7}, {"runId": 7}, False),
        ({}, {}, False),
    ],
)
def test_runs_are_the_same_by_their_names(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    for here, there in ((one, other), (other, one)):
        known = kept(**here)
        assert NamedRuns([known]).same("letter", VARIANT, there) == ([known] if same else [])


@pytest.mark.parametrize(("case_id", "variant"), [("memo", VARIANT), ("letter", Variant("org/model", "high"))])
def test_runs_of_another_case_or_variant_are_others_whatever_they_are_called(case_id: str, variant: Variant) -> None:
    assert NamedRuns([kept(runId="r")]).same(case_id, variant, {"runId": "r"}) == []


def test_a_run_is_found_by_what_it_was_called_before_too_and_once() -> None:
    known = kept(runId="r")
    named = NamedRuns([known])
    known.attempt = {"runId": "r", "errataBenchRun": "e"}
    named.note(known)
    assert named.same("letter", VARIANT, {"runId": "r", "errataBenchRun": "e"}) == [known]


def test_a_name_is_told_with_its_kind() -> None:
    assert names_of({"reportArtifact": "x/r--letter--m.json", "runId": "r"}) == [("id", "r"), ("file", "r--letter--m")]


def test_the_figures_of_an_attempt_go_before_those_of_its_report() -> None:
    found = together(ImportedFigures({"issues": 2, "duration_seconds": 60}), ImportedFigures({"duration_seconds": 30}))
    assert found.values == {"issues": 2, "duration_seconds": 30}


@pytest.mark.parametrize(
    ("said", "other_said", "problem"),
    [
        ({"issues": 4}, {"issues": 5}, "4 issues here, 5 there"),
        ({"fixed": 1, "missed": 2}, {"fixed": 1, "missed": 3}, "2 not addressed here, 3 there"),
        ({"bad_fixes": 0}, {"bad_fixes": 1}, "0 wrongly changed here, 1 there"),
        (None, {"fixed": 1}, "one of them says that the run failed"),
        ({"fixed": 1}, {"issues": 4, "fixed": 1}, None),
        ({"cost_usd": 1.0}, {"cost_usd": 2.0}, None),
    ],
)
def test_an_attempt_and_a_report_contradict_each_other_where_they_count_differently(
    said: dict[str, float] | None, other_said: dict[str, float], problem: str | None
) -> None:
    assert contradiction(None if said is None else ImportedFigures(said), ImportedFigures(other_said)) == problem
