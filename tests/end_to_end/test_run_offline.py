"""What a newcomer does first: run the offline proofreaders."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from tests.end_to_end.conftest import Cli


async def test_without_a_key_the_baselines_run_and_are_ranked(cli: Cli, dataset: Path) -> None:
    ended = await cli.run("run", "-g", "first", "--samples", "1", "--dataset", str(dataset))
    assert ended.code == 0, ended.err
    assert "No key and no --models: running the offline baselines." in ended.err.splitlines()[0]
    rows = await cli.rankings("first")
    assert rows[0]["model"] == "baseline/oracle"
    assert rows[-1]["model"] == "baseline/untouched"
    assert [row["quality"] for row in (rows[0], rows[-1])] == ["1.0", "0.0"]
    assert all(row["model"] in ended.out for row in rows)
    assert all(len(line) <= 100 for line in ended.out.splitlines())


async def test_a_second_run_finds_all_done_and_only_shows_the_rankings(cli: Cli, dataset: Path) -> None:
    arguments = ("run", "-m", "baseline/untouched,baseline/oracle", "-g", "g", "--dataset", str(dataset))
    first = await cli.run(*arguments)
    stored = (cli.folder / "results" / "g.sqlite").read_bytes()
    second = await cli.run(*arguments)
    assert (first.code, second.code) == (0, 0)
    assert "nothing was run again" in second.err
    assert second.out == first.out
    assert (cli.folder / "results" / "g.sqlite").read_bytes() == stored


async def test_more_samples_add_only_what_is_missing(cli: Cli, dataset: Path) -> None:
    arguments = ("run", "-m", "baseline/oracle", "-g", "g", "--dataset", str(dataset), "--samples")
    await cli.run(*arguments, "2")
    third = await cli.run(*arguments, "3")
    assert "2 runs to do, 4 already stored." in third.err
    assert " 6/6 " in third.out


async def test_a_dry_run_sends_and_writes_nothing(cli: Cli, dataset: Path) -> None:
    ended = await cli.run("run", "-m", "baseline/oracle", "-g", "g", "--dataset", str(dataset), "--dry-run")
    assert ended.code == 0
    assert "6 runs to do" in ended.out
    assert not (cli.folder / "results").exists()


async def test_rankings_as_json_and_csv_hold_every_column(cli: Cli, dataset: Path) -> None:
    await cli.run("run", "-m", "baseline/oracle,baseline/untouched", "-g", "g", "--dataset", str(dataset))
    as_json = json.loads((await cli.run("view", "rankings", "g", "--json")).out)
    best, worst = as_json["rankings"]
    assert (best["model"], best["quality"], best["issues_per_usd"]) == ("baseline/oracle", 1.0, None)
    assert (worst["missed_rate"], worst["tool_chars_per_issue"]) == (1.0, None)
    rows = list(csv.DictReader(io.StringIO((await cli.run("view", "rankings", "g", "--csv")).out)))
    assert [row["model"] for row in rows] == ["baseline/oracle", "baseline/untouched"]
    assert rows[1]["tool_chars_per_issue"] == ""
    assert set(rows[0]) == set(best) - {"base_model", "reasoning_effort", "settings"} | set(best["settings"])
