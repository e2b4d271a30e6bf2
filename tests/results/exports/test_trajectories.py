from __future__ import annotations

import json

from errata_bench.results.exports.trajectories import export_trajectories
from errata_bench.results.exports.writing import Folder
from errata_bench.store.group import Group
from tests.support.upkeep import CASES


def test_a_line_a_run_holds_all_that_was_said_and_done(group: Group, folder: Folder) -> None:
    export_trajectories(group, folder)
    lines = (folder.path / "trajectories.jsonl").read_text().splitlines()
    first, _, third, imported = map(json.loads, lines)
    case = CASES[0]
    assert (first["run"]["model"], first["instruction"], len(first["chunks"])) == (
        "org/alpha:low",
        case.instruction,
        3,
    )
    chunk = first["chunks"][0]
    assert chunk["before"] == [["para01", case.document.paragraphs[0].inner_html]]
    assert chunk["after"] == [["para01", case.expected.paragraphs[0].inner_html]]
    (turn,) = chunk["turns"]
    assert [call["name"] for call in turn["calls"]] == ["find_and_replace", "proofreading_complete"]
    assert turn["calls"][0]["arguments"] == {"paragraphId": "para01", "find": "teh", "replace": "the"}
    assert (turn["usage"]["prompt_tokens"], turn["cost_usd"], turn["message"]["role"]) == (100, 0.25, "assistant")
    assert first["verdicts"][0] == {"issue": "issue-01", "finding": "exact", "verdict": "fixed"}
    assert third["judgments"]["issue-02"]["judge"] == "org/judge:low"
    assert (imported["has_documents"], imported["chunks"]) == (False, [])


def test_unfinished_and_failed_runs_show_how_far_they_came(group: Group, folder: Folder) -> None:
    key = group.runs()[0].key
    group.begin_run(key, 9, 3, 1.0, "1")
    export_trajectories(group, folder)
    last = json.loads((folder.path / "trajectories.jsonl").read_text().splitlines()[-1])
    assert (last["run"]["status"], last["chunks"]) == ("running", [])
