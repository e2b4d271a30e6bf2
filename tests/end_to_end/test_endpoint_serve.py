"""The served endpoint as a real process, with the command running against it as another."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from errata_bench.serving.faults import FaultKind
from tests.end_to_end.conftest import KEY, Cli

TRANSIENT = [kind for kind in FaultKind if kind.is_transient]
SPOILING = [kind for kind in FaultKind if kind.spoils_the_reply]


@dataclass(frozen=True, slots=True)
class Served:
    process: asyncio.subprocess.Process
    url: str

    async def ledger(self) -> dict[str, Any]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(self.url.removesuffix("/v1") + "/ledger") as response,
        ):
            content: dict[str, Any] = await response.json()
            return content


Serve = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def served(cli: Cli, dataset: Path) -> Serve:
    """Starts the server for the dataset, and sets the command up to use it."""

    @asynccontextmanager
    async def start(*arguments: str, provider: str = "openrouter") -> AsyncIterator[Served]:
        process = await cli.start("endpoint", "serve", "--dataset", str(dataset), *arguments)
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        try:
            assert line.startswith("serving on http://127.0.0.1:"), (await cli.end(process)).err
            url = line.removeprefix("serving on ").strip()
            cli.env = {
                "ERRATA_BENCH_API_PROVIDER": provider,
                "ERRATA_BENCH_API_BASE_URL": url,
                "ERRATA_BENCH_API_KEY": KEY,
                "XDG_CACHE_HOME": str(cli.folder / "cache"),
            }
            yield Served(process, url)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()

    return start


def run_arguments(dataset: Path, group: str, *more: str, model: str = "served/oracle:low") -> tuple[str, ...]:
    return ("run", "-m", model, "-g", group, "--dataset", str(dataset), "--chunk-size", "10", *more)


def scores(cli: Cli, group: str) -> list[tuple[str, str, int]]:
    """How often each verdict fell on each model in a group."""
    with sqlite3.connect(cli.folder / "results" / f"{group}.sqlite") as store:
        verdicts = store.execute(
            "SELECT runs.model, verdicts.verdict, count(*) FROM verdicts JOIN runs ON runs.id = verdicts.run_id"
            " GROUP BY 1, 2 ORDER BY 1, 2"
        ).fetchall()
    return [(model, verdict, number) for model, verdict, number in verdicts]


def faults(kinds: list[FaultKind], probability: float) -> list[str]:
    return [argument for kind in kinds for argument in ("--fault", f"{kind}:{probability}")]


async def test_transient_faults_change_no_score_and_the_ledgers_agree(cli: Cli, dataset: Path, served: Serve) -> None:
    async with served("--cost", "2:10"):
        calm = await cli.run(*run_arguments(dataset, "calm", "--samples", "3"))
    async with served("--cost", "2:10", "--seed", "7", *faults(TRANSIENT, 0.04)) as server:
        stormy = await cli.run(*run_arguments(dataset, "stormy", "--samples", "3"))
        ledger = await server.ledger()
    assert (calm.code, stormy.code) == (0, 0), stormy.err
    assert scores(cli, "stormy") == scores(cli, "calm") != []
    with sqlite3.connect(cli.folder / "results" / "stormy.sqlite") as store:
        assert store.execute("SELECT count(*) FROM spend").fetchone() == (ledger["requests"],)
        assert store.execute("SELECT count(*) FROM spend WHERE outcome = 'ok'").fetchone() == (24,)
        (known,) = store.execute("SELECT sum(cost_usd) FROM spend").fetchone()
    unknown = ledger["outcomes"].get("cut", {"cost_usd": 0.0})["cost_usd"]
    assert known == pytest.approx(ledger["cost_usd"] - unknown)
    assert ledger["outcomes"]["ok"]["requests"] == 24
    assert len(ledger["outcomes"]) > 3
    assert "refused" not in ledger["outcomes"]


async def test_spoilt_replies_change_no_score_where_there_are_turns_enough(
    cli: Cli, dataset: Path, served: Serve
) -> None:
    async with served("--seed", "1", *faults(SPOILING, 0.1)) as server:
        ended = await cli.run(*run_arguments(dataset, "spoilt", "--samples", "2", "--max-turns", "8"))
        ledger = await server.ledger()
    assert ended.code == 0, ended.err
    assert {kind.value for kind in SPOILING} & set(ledger["outcomes"])
    assert "refused" not in ledger["outcomes"]
    assert {(verdict, n) for _, verdict, n in scores(cli, "spoilt")} == {("fixed", 16)}


async def test_a_served_checker_scores_as_the_baseline_does(cli: Cli, dataset: Path, served: Serve) -> None:
    async with served(provider="openai-compatible"):
        ended = await cli.run(*run_arguments(dataset, "g", "--samples", "1", model="served/harper,baseline/harper"))
    assert ended.code == 0, ended.err
    by_model: dict[str, list[tuple[str, int]]] = {}
    for model, verdict, n in scores(cli, "g"):
        by_model.setdefault(model, []).append((verdict, n))
    assert by_model["served/harper"] == by_model["baseline/harper"]


def children_of(pid: int) -> set[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for children in lists for child in children.read_text().split()}


async def ends(handle: int) -> None:
    """Wait for the end of the process that this pidfd stands for."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), 20)
    finally:
        loop.remove_reader(handle)
        os.close(handle)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="follows processes as Linux does")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_ends_on_a_signal_with_its_workers(
    cli: Cli, dataset: Path, served: Serve, number: signal.Signals
) -> None:
    async with served() as server:
        await cli.run("endpoint", "check", "--model", "served/harper")
        workers = [os.pidfd_open(pid) for pid in children_of(server.process.pid)]
        assert workers
        ended = await cli.end(server.process, number)
    assert ended.code == 0
    assert "Traceback" not in ended.err
    assert ended.err.splitlines()[0].startswith("4 requests served")
    await asyncio.gather(*map(ends, workers))


async def test_a_check_of_a_served_model_passes(cli: Cli, served: Serve) -> None:
    async with served("--cost", "0.5:3"):
        ended = await cli.run("endpoint", "check", "--model", "served/harper:low")
        as_json = await cli.run("endpoint", "check", "--model", "served/harper:low", "--json")
    assert ended.code == 0, ended.out
    assert [line.split()[0] for line in ended.out.splitlines()[:2]] == ["ok", "ok"]
    assert "FAIL" not in ended.out
    assert "\x1b" not in ended.out
    assert ended.out.splitlines()[-1].startswith("A run would work.")
    report = json.loads(as_json.out)
    assert report["works"] is True
    assert {finding["status"] for finding in report["findings"]} == {"ok"}


async def test_a_check_that_fails_exits_with_1_and_shows_no_key(cli: Cli, served: Serve) -> None:
    async with served():
        ended = await cli.run("endpoint", "check", "--model", "served/nothing")
    assert ended.code == 1
    assert "FAIL" in ended.out
    assert KEY not in ended.out + ended.err
    gone = await cli.run("endpoint", "check", "--model", "served/oracle")
    assert gone.code == 1
    assert gone.out.splitlines()[0].startswith("FAIL    reachable")
    assert "Traceback" not in gone.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("serve", "--fault", "504:0.1"), "malformed-arguments"),
        (("serve", "--fault", "reset:2"), "'reset:2'"),
        (("serve", "--host", "0.0.0.0"), "loopback"),
        (("serve", "--cost", "1"), "IN:OUT"),
        (("serve", "--port", "70000"), "--port"),
        (("serve", "--dataset", "nowhere"), "nowhere"),
        (("check", "--model", "baseline/harper"), "baseline/harper"),
        (("check", "--model", ":low"), ":low"),
    ],
)
async def test_a_mistake_ends_in_one_plain_message(cli: Cli, arguments: tuple[str, ...], expected: str) -> None:
    ended = await cli.run("endpoint", *arguments)
    assert ended.code == 2
    assert expected in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert os.listdir(cli.folder) == []  # noqa: PTH208 (a plain list)


async def test_a_port_in_use_is_named(cli: Cli, dataset: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = await cli.run("endpoint", "serve", "--dataset", str(dataset), "--port", str(port))
    assert ended.code == 2
    assert f"port {port}" in ended.err
    assert "Traceback" not in ended.err
