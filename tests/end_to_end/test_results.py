"""Results that live: kept right, moved about, read in and out, by the command line."""

from __future__ import annotations

import csv
import json
import random
import shutil
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from errata_bench.store.group import write_group
from errata_bench.variants import Variant
from tests.end_to_end.conftest import Cli
from tests.end_to_end.test_judge import JUDGE, accept, arguments, counts, judged_by, quality, reject
from tests.support.builders import shared
from tests.support.doubles import complete
from tests.support.loopback import Answer, Loopback, Recorded
from tests.support.models import fix_everything, paid
from tests.support.reports import attempt, report, write
from tests.support.stored import content
from tests.support.upkeep import make_group, run

FORMATS = {
    "csv": ["issues.csv", "runs.csv"],
    "parquet": ["issues.parquet", "runs.parquet"],
    "json": ["group.json"],
    "jsonl": ["trajectories.jsonl"],
    "m2": ["letter", "memo"],
    "upstream-json": ["bench.json"],
    "html": ["index.html"],
}


BENCH = ("run", "-m", "baseline/oracle", "--samples", "1", "-g", "bench", "--no-judge")
ORACLE = Variant("baseline/oracle", None)
UNTOUCHED = Variant("baseline/untouched", None)


@pytest.fixture
async def bench(cli: Cli) -> Path:
    """A group as ``make bench`` makes it, of small texts and two baselines."""
    path = cli.folder / "results" / "bench.sqlite"
    await make_group(path, fix_everything, variants=[ORACLE], endpoint="offline")
    with write_group(path) as group:
        await run(group, lambda _: paid(complete()), variants=[UNTOUCHED], endpoint="offline")
    return path


async def rankings(cli: Cli, group: str) -> list[dict[str, Any]]:
    ended = await cli.run("view", "rankings", group, "--json")
    assert ended.code == 0, ended.err
    found: list[dict[str, Any]] = json.loads(ended.out)["rankings"]
    return found


async def test_a_group_is_exported_as_any_format_and_stays_as_it_is(cli: Cli, bench: Path) -> None:
    before = content(bench)
    for form, names in FORMATS.items():
        if form == "parquet" and find_spec("pyarrow") is None:
            continue
        ended = await cli.run("results", "export", "bench", form, "--format", form)
        assert ended.code == 0, ended.err
        written = {path.name for path in (cli.folder / form).iterdir()}
        assert set(names) <= written
        assert not any(name.endswith(".part") for name in written)
    assert content(bench) == before


async def test_csv_ranks_as_the_group_does(cli: Cli, bench: Path) -> None:
    await cli.run("results", "export", "bench", "out")
    with (cli.folder / "out" / "runs.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for ranked in await rankings(cli, "bench"):
        of_variant = [float(row["quality"]) for row in rows if row["model"] == ranked["model"]]
        assert sum(of_variant) / len(of_variant) == pytest.approx(ranked["quality"])


async def test_a_group_goes_out_and_comes_back_with_the_same_ranking(cli: Cli, bench: Path) -> None:
    await cli.run("results", "export", "bench", "out", "-f", "upstream-json")
    ended = await cli.run("results", "import", "out/bench.json", "--group-id", "back")
    assert ended.code == 0, ended.err
    before, after = await rankings(cli, "bench"), await rankings(cli, "back")
    assert len(before) == len(after) > 1
    names = (
        "model",
        "quality",
        "stability",
        "issues_per_minute",
        "bad_fix_rate",
        "missed_rate",
        "tool_chars_per_issue",
    )
    for one, other in zip(before, after, strict=True):
        for name in names:
            assert other[name] == (pytest.approx(one[name]) if isinstance(one[name], float) else one[name]), name
    table = await cli.run("view", "rankings", "back")
    assert "imported: made elsewhere; their texts are not here" in table.out
    listed = await cli.run("view", "runs", "back")
    assert "0/0" not in listed.out
    assert {row["chunks"] for row in json.loads((await cli.run("view", "runs", "back", "--json")).out)["runs"]} == {
        None
    }


async def test_merging_a_group_with_itself_changes_nothing(cli: Cli, bench: Path) -> None:
    before = content(bench)
    ended = await cli.run("results", "merge", "bench", "bench")
    assert (ended.code, "nothing to do" in ended.out) == (0, True)
    assert content(bench) == before


async def test_groups_become_one(cli: Cli, bench: Path) -> None:
    shutil.copy(bench, bench.with_name("copy.sqlite"))
    ended = await cli.run("results", "merge", "all", "bench", "copy")
    assert ended.code == 0, ended.err
    before, after = await rankings(cli, "bench"), await rankings(cli, "all")
    assert before == after


COMMANDS = (
    ("rescore", "g"),
    ("refresh", "g"),
    ("prune", "g", "--failed", "--yes"),
    ("check", "g"),
    ("export", "g", "out"),
    ("merge", "g", "bench"),
    ("merge", "other", "g"),
)


@pytest.mark.parametrize("kind", ["damaged", "newer", "foreign"])
async def test_a_file_that_cannot_be_used_gets_a_message_and_is_left_alone(cli: Cli, bench: Path, kind: str) -> None:
    path = bench.with_name("g.sqlite")
    shutil.copy(bench, path)
    if kind == "damaged":
        with path.open("r+b") as stream:
            stream.seek(1000)
            stream.write(b"\xff" * (path.stat().st_size - 2000))
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 999" if kind == "newer" else "PRAGMA application_id = 7")
    before = path.read_bytes()
    for command in COMMANDS:
        ended = await cli.run("results", *command)
        assert ended.code == 2, command
        assert "g.sqlite" in ended.err, command
        assert "Traceback" not in ended.err, command
        assert path.read_bytes() == before, command
    assert not (cli.folder / "out").exists()


async def test_prune_shows_asks_and_keeps_a_copy(cli: Cli, bench: Path) -> None:
    before = content(bench)
    arguments = ("results", "prune", "bench", "--model", "baseline/untouched")
    shown = await cli.run(*arguments, "--dry-run")
    assert "baseline/untouched: 2 runs (2 successful, 5 chunks)" in shown.out
    refused = await cli.run(*arguments)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert content(bench) == before
    done = await cli.run(*arguments, "--yes")
    assert (done.code, "Taken out: 2 runs" in done.out) == (0, True)
    assert "baseline/untouched" not in {row["model"] for row in await rankings(cli, "bench")}
    (backup,) = bench.parent.glob("bench.*.bak")
    assert content(backup) == before
    again = await cli.run(*arguments, "--yes")
    assert (again.code, "Nothing in bench is meant by this." in again.out) == (0, True)
    assert "no model 'baseline/untouched' (names have to be whole here); there are: baseline/" in again.err
    unnamed = await cli.run("results", "prune", "bench", "--yes")
    assert (unnamed.code, "nothing is named" in unnamed.err) == (2, True)


async def test_disqualified_issues_are_applied_without_any_model(cli: Cli, dataset: Path) -> None:
    await cli.run(*BENCH, "--dataset", str(dataset))
    bench = cli.folder / "results" / "bench.sqlite"
    listed = {"version": 1, "issues": [{"caseId": "case-0", "issueId": "issue-1"}]}
    (dataset / "disqualified-issues.json").write_text(json.dumps(listed))
    before = content(bench)
    for command in ("refresh", "rescore"):
        tried = await cli.run("results", command, "bench", "--dataset", str(dataset), "--dry-run")
        assert "Case case-0" in tried.out and "disqualified: issue-1" in tried.out
        assert tried.out.rstrip().endswith("Nothing was written.")
        assert content(bench) == before
    done = await cli.run("results", "refresh", "bench", "--dataset", str(dataset))
    assert done.code == 0, done.err
    resumed = await cli.run(*BENCH, "--dataset", str(dataset))
    assert "nothing was run again" in resumed.err


async def test_check_finds_and_its_exit_code_says_so(cli: Cli, bench: Path) -> None:
    sound = await cli.run("results", "check", "bench", "--json")
    found = {finding["trouble"] for finding in json.loads(sound.out)["findings"]}
    assert sound.code == bool(found)
    assert found <= {"unjudged issues"}
    with closing(sqlite3.connect(bench)) as connection:
        connection.execute("DELETE FROM figures WHERE run_id = 1")
        connection.commit()
    broken = await cli.run("results", "check", "bench")
    assert (broken.code, "it counts as successful and lacks its figures" in broken.out) == (1, True)


async def test_another_judge_decides_anew_and_is_asked_once(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    endpoint.default = judged_by(accept)
    assert quality((await cli.run(*arguments(dataset, "--judge-model", JUDGE))).out) == "1.000"
    endpoint.default = judged_by(reject)
    rescore = ("results", "rescore", "g", "--judge-model", "org/strict:low", "--dataset", str(dataset))
    tried = await cli.run(*rescore, "--dry-run")
    assert "nobody was asked" in tried.out
    assert counts(endpoint) == (8, 8)
    done = await cli.run(*rescore)
    assert done.code == 0, done.err
    assert "8 issues: fixed alternative -> bad fix" in done.out
    assert "quality 1.000 -> 0.000" in done.out
    assert counts(endpoint) == (8, 16)
    again = await cli.run(*rescore)
    assert "2 runs scored again, 2 unchanged." in again.out
    back = await cli.run("results", "rescore", "g", "--judge-model", JUDGE, "--dataset", str(dataset))
    assert "quality 0.000 -> 1.000" in back.out
    assert counts(endpoint) == (8, 16)


async def test_prices_are_applied_to_stored_tokens(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    await cli.run("run", "-m", "org/model:low", "-g", "g", "--dataset", str(dataset), "--samples", "1", "--no-judge")
    (row,) = await rankings(cli, "g")
    assert row["cost_per_run_usd"] is None
    unknown = await cli.run("pricing", "show", "g")
    assert "unknown" in unknown.out
    prices = {"org/model": {"inputUsdPerMillionTokens": 1.0, "outputUsdPerMillionTokens": 2.0}}
    (cli.folder / "prices.json").write_text(json.dumps(prices))
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    shown = json.loads((await cli.run("pricing", "show", "g", "--json")).out)
    assert [(line["model"], line["prompt"], line["completion"], line["source"]) for line in shown["prices"]] == [
        ("org/model", 1.0, 2.0, "pricing file")
    ]
    asked = len(endpoint.requests)
    done = await cli.run("results", "refresh", "g", "--dataset", str(dataset))
    assert "2 turns priced that had none" in done.out
    assert len(endpoint.requests) == asked
    (row,) = await rankings(cli, "g")
    assert row["cost_per_run_usd"] > 0


async def test_the_price_list_is_asked_for_again_and_what_changed_is_said(
    cli: Cli, server: Loopback, dataset: Path, tmp_path: Path
) -> None:
    prices = {"prompt": "0.000001", "completion": "0.000002"}

    async def listing(_: Recorded) -> Answer:
        return Answer(body={"data": [{"id": "org/model", "pricing": prices}]})

    server.default = listing
    cli.env = {
        "ERRATA_BENCH_API_BASE_URL": f"{server.url}/v1",
        "ERRATA_BENCH_API_KEY": "sk-test-1",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    artifact = {"attempts": [{"datasetName": "a", "model": "org/model:low", "qualityAxis": 0.5, "succeeded": True}]}
    (cli.folder / "a.json").write_text(json.dumps(artifact))
    await cli.run("results", "import", "a.json", "-g", "g")
    none = await cli.run("pricing", "show", "g")
    assert "There is no price list yet" in none.out
    assert server.requests == []
    first = await cli.run("pricing", "refresh", "g")
    assert first.code == 0, first.err
    assert "org/model: no known price before, $1.00 in and $2.00 out now" in first.out
    prices["completion"] = "0.000003"
    second = await cli.run("pricing", "refresh", "g")
    assert "org/model: $1.00 in and $2.00 out before, $1.00 in and $3.00 out now" in second.out
    shown = json.loads((await cli.run("pricing", "show", "g", "--json")).out)
    assert (shown["prices"][0]["completion"], shown["price_list_age_seconds"] >= 0) == (3.0, True)
    assert len(server.requests) == 2


async def test_a_price_list_that_cannot_be_had_is_told_of_for_baselines_too(
    cli: Cli, server: Loopback, dataset: Path, tmp_path: Path
) -> None:
    async def broken(_: Recorded) -> Answer:
        return Answer(status=404, body={"error": {"message": "gone"}})

    server.default = broken
    await cli.run("run", "-m", "baseline/oracle", "-g", "g", "--dataset", str(dataset), "--samples", "1")
    cli.env = {"ERRATA_BENCH_API_BASE_URL": f"{server.url}/v1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ended = await cli.run("pricing", "refresh", "g")
    assert ended.code == 1
    assert "baselines cost nothing" in ended.out
    assert "No price list could be had" in ended.out and "HTTP 404" in ended.out


async def test_the_golden_aggregate_is_imported_and_ranks_as_published(cli: Cli) -> None:
    path = shared("upstream/golden-aggregate.json")
    ended = await cli.run("results", "import", str(path), "--group-id", "golden")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "golden-aggregate.json: 33 attempts, of 1 variant on 11 cases; 33 new in the group golden.\n"
    (row,) = await rankings(cli, "golden")
    assert row["quality"] == pytest.approx(json.loads(path.read_text())["expected"]["qualityAxis"], rel=1e-12)
    again = await cli.run("results", "import", str(path), "--group-id", "golden")
    assert "0 new" in again.out


async def test_files_of_all_kinds_are_imported_at_once_and_each_is_told_of(cli: Cli) -> None:
    write(cli.folder / "results.json", {"attempts": [attempt(), attempt("run-b", runNumber=2)]})
    write(cli.folder / "one.json", report())
    write(cli.folder / "many.json", {"runs": [report("run-b"), report("run-c")]})
    names = ("many.json", "results.json", "one.json")
    ended = await cli.run("results", "import", *names, "-g", "g")
    assert (ended.code, ended.err) == (0, "")
    joined = "of runs that were there, which are known better now"
    assert ended.out.splitlines() == [
        "many.json: 2 reports, of 1 variant on 1 case; 2 new in the group g.",
        f"results.json: 2 attempts, of 1 variant on 1 case; 1 new in the group g, 1 {joined}.",
        f"one.json: 1 report, of 1 variant on 1 case; 0 new in the group g, 1 {joined}.",
    ]
    again = await cli.run("results", "import", *names, "-g", "g")
    assert [line.rpartition("; ")[2] for line in again.out.splitlines()] == ["0 new in the group g."] * 3
    found = json.loads((await cli.run("view", "rankings", "g", "--json")).out)["rankings"]
    # The third run was with settings of which nobody has said where they were asked for.
    assert sorted((row["successful_runs"], row["quality"]) for row in found) == [(1, 0.5), (2, 0.5)]
    assert all(row["quality_half_width"] > 0 for row in found)


async def test_one_file_that_cannot_be_read_keeps_all_others_out(cli: Cli) -> None:
    write(cli.folder / "good.json", report())
    write(cli.folder / "bad.json", {"runs": [report(), report("run-b", model=None, modelLabel=None)]})
    write(cli.folder / "results.json", {"attempts": [attempt(correctedIssues=3)]})
    for names, part in (
        (("good.json", "bad.json"), "bad.json cannot be read in:\n  runs[1].model: it names no model"),
        (("good.json", "results.json"), "results.json: the attempt"),
        (("good.json", "nothing.json"), "nothing.json cannot be read"),
    ):
        ended = await cli.run("results", "import", *names, "-g", "g")
        assert (ended.code, ended.out) == (2, "")
        assert part in ended.err
        assert "Traceback" not in ended.err
        assert not (cli.folder / "results").exists()


async def test_a_groups_own_export_is_known_when_it_is_imported_into_it(cli: Cli, bench: Path) -> None:
    await cli.run("results", "export", "bench", "out", "-f", "upstream-json")
    before = content(bench)
    ended = await cli.run("results", "import", "out/bench.json", "-g", "bench")
    assert ended.out == (
        "bench.json: 4 attempts, of 2 variants on 2 cases; "
        "0 new in the group bench, 4 of runs that this group has made itself.\n"
    )
    assert content(bench) == before


async def test_a_file_of_official_size_is_imported_and_ranked(cli: Cli) -> None:
    rng = random.Random(1)
    attempts = []
    totals: dict[str, float] = {}
    for model in range(51):
        for case in range(11):
            for number in (1, 2, 3):
                fixed = rng.randrange(45)
                totals[f"org/m{model}:low"] = totals.get(f"org/m{model}:low", 0) + fixed
                attempts.append(
                    {
                        "datasetName": f"case-{case}",
                        "datasetPath": f"/home/somebody/case-{case}.json",
                        "model": f"org/m{model}:low",
                        "runNumber": number,
                        "succeeded": True,
                        "correctedIssues": fixed,
                        "totalIssues": 44,
                    }
                )
    (cli.folder / "official.json").write_text(json.dumps({"version": "v1", "attempts": attempts}))
    ended = await cli.run("results", "import", "official.json", "-g", "official")
    assert "1,683 attempts, of 51 variants on 11 cases" in ended.out
    ranked = await rankings(cli, "official")
    assert ranked[0]["model"] == max(totals, key=lambda model: totals[model])
    assert ranked[0]["quality"] == pytest.approx(max(totals.values()) / (44 * 33))
    assert b"somebody" not in (cli.folder / "results" / "official.sqlite").read_bytes()


async def test_published_figures_are_shown_as_what_they_are(cli: Cli) -> None:
    table = await cli.run("view", "rankings", "published-v1")
    assert table.code == 0, table.err
    assert "published elsewhere, on other texts" in table.out.splitlines()[0]
    assert "google/gemini-3-flash-preview:high" in table.out
    assert "2026-04-07" in table.out
    assert not (cli.folder / "results").exists()
    as_json = json.loads((await cli.run("view", "rankings", "published-v1", "--json")).out)
    assert (len(as_json["rankings"]), "published elsewhere" in as_json["notes"][0]) == (51, True)
    for command in (("merge", "published-v1", "g"), ("import", "x.json", "-g", "published-v1")):
        refused = await cli.run("results", *command)
        assert (refused.code, "published elsewhere" in refused.err) == (2, True)


async def test_groups_are_listed(cli: Cli, bench: Path) -> None:
    bench.with_name("broken.sqlite").write_text("This is a letter to my aunt, and not a database.")
    listed = await cli.run("results", "list")
    assert listed.code == 0
    assert listed.out.splitlines()[0].startswith("bench: ")
    assert "published-v1: published elsewhere" in listed.out
    assert "broken.sqlite" in listed.err
