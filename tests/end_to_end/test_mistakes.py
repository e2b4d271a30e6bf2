"""What a user can get wrong ends in one plain message, exit code 2, and nothing written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli

MISTAKES = {
    "unknown command": (["rnu"], {}, "rnu"),
    "unknown flag": (["run", "--modles", "x"], {}, "--modles"),
    "a number that is none": (["run", "--samples", "three"], {}, "samples"),
    "no samples": (["run", "--samples", "0"], {}, "samples"),
    "a dataset that is not there": (["run", "--dataset", "nowhere"], {}, "nowhere"),
    "a dataset without cases": (["run", "--dataset", "empty"], {}, "holds no case file"),
    "a text for a case": (["run", "--dataset", "text.txt"], {}, "text.txt"),
    "a broken case": (["run", "--dataset", "broken.json"], {}, "broken.json"),
    "no model": (["run", "-m", ":high"], {}, ":high"),
    "an unknown baseline": (["run", "-m", "baseline/grammarian"], {}, "baseline/untouched"),
    "a model without a key": (["run", "-m", "org/model"], {}, "ERRATA_BENCH_API_KEY"),
    "an unknown provider": (["run"], {"ERRATA_BENCH_API_PROVIDER": "opnerouter"}, "ERRATA_BENCH_API_PROVIDER"),
    "an endpoint without a URL": (
        ["run"],
        {"ERRATA_BENCH_API_PROVIDER": "openai-compatible"},
        "ERRATA_BENCH_API_BASE_URL",
    ),
    "a group id that is a path": (["run", "--baselines", "-g", "../x"], {}, "'../x'"),
    "a run into published figures": (["run", "--baselines", "-g", "published-v1"], {}, "name another group"),
    "the same by its long name": (["run", "--baselines", "--group-id=published-v1"], {}, "published elsewhere"),
    "the same as the usual group": (
        ["run", "--baselines"],
        {"ERRATA_BENCH_DEFAULT_RESULTS_ID": "published-v1"},
        "published elsewhere",
    ),
    "a rehearsal of the same": (["run", "--baselines", "-g", "published-v1", "--dry-run"], {}, "published elsewhere"),
    "a merge into published figures": (["results", "merge", "published-v1", "g"], {}, "name another group"),
    "a merge of published figures": (["results", "merge", "g", "published-v1"], {}, "published elsewhere"),
    "an import into published figures": (
        ["results", "import", "text.txt", "-g", "published-v1"],
        {},
        "name another group",
    ),
    "new verdicts for published figures": (["results", "rescore", "published-v1"], {}, "view rankings published-v1"),
    "runs of published figures": (["view", "runs", "published-v1"], {}, "view rankings published-v1"),
    "a models file that is not there": (["run", "--models-file", "models.json"], {}, "models.json"),
    "a group that is not there": (["view", "rankings", "nothing"], {}, "nothing"),
    "two formats": (["view", "rankings", "g", "--json", "--csv"], {}, "--csv"),
}


@pytest.mark.parametrize("name", MISTAKES)
async def test_a_mistake_ends_in_one_plain_message(cli: Cli, name: str) -> None:
    arguments, env, expected = MISTAKES[name]
    (cli.folder / "empty").mkdir()
    (cli.folder / "text.txt").write_text("Some text.")
    (cli.folder / "broken.json").write_text('{"id": "x", "issues": [')
    cli.env = env
    before = sorted(cli.folder.rglob("*"))
    ended = await cli.run(*arguments)
    assert ended.code == 2, ended.err
    assert expected in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert sorted(cli.folder.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_results_folder_that_cannot_be_written_is_named(cli: Cli, dataset: Path) -> None:
    cli.folder.chmod(0o500)
    ended = await cli.run("run", "-m", "baseline/untouched", "--dataset", str(dataset))
    assert ended.code == 2
    assert "results" in ended.err


async def test_a_file_that_is_no_group_is_left_alone(cli: Cli, dataset: Path) -> None:
    results = cli.folder / "results"
    results.mkdir()
    path = results / "g.sqlite"
    path.write_bytes(b"This is a letter to my aunt, and not a database.\n" * 40)
    before = path.read_bytes()
    for arguments in (
        ["run", "-m", "baseline/untouched", "-g", "g", "--dataset", str(dataset)],
        ["view", "rankings", "g"],
    ):
        ended = await cli.run(*arguments)
        assert ended.code == 2
        assert "g.sqlite" in ended.err
        assert "Traceback" not in ended.err
    assert path.read_bytes() == before
