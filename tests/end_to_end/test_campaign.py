"""Forty runs at an endpoint that fails in every way that passes: none is lost, and none is paid for twice.

The endpoint is the project's own, `errata-bench endpoint serve`, as a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_bench.serving.faults import FaultKind
from tests.end_to_end.conftest import Cli, write_dataset

TRANSIENT = [kind for kind in FaultKind if kind.is_transient]
CASES, SAMPLES, PARAGRAPHS = 8, 5, 3
RUNS, CHUNKS = CASES * SAMPLES, CASES * SAMPLES * PARAGRAPHS
KILLS = 5


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `endpoint serve`."""

    url: str

    async def ledger(self) -> dict[str, Any]:
        address = f"{self.url.removesuffix('/v1')}/ledger"
        read = await asyncio.to_thread(lambda: urllib.request.urlopen(address).read())
        found = json.loads(read)
        assert isinstance(found, dict)
        return found


@asynccontextmanager
async def serving(cli: Cli, dataset: Path, *, faults: Sequence[FaultKind] = ()) -> AsyncIterator[Serving]:
    """Serve with each of these faults at 10%, billing as its list of models says."""
    arguments = [argument for kind in faults for argument in ("--fault", f"{kind}:0.1")]
    process = await cli.start(
        *("endpoint", "serve", "--dataset", str(dataset), "--seed", "11", "--cost", "2:8", *arguments)
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    try:
        yield Serving(line.removeprefix("serving on ").strip())
    finally:
        await cli.end(process, signal.SIGINT)


def campaign(dataset: Path, *more: str) -> tuple[str, ...]:
    # Each of eleven kinds at 10% disturbs about two thirds of all requests: a request needs three attempts, and one of
    # a thousand needs eighteen. Short waits, for this server says of itself that it may be asked again at once.
    patience = ("--max-retries", "60", "--retry-wait", "0.002", "--concurrency", "30")
    what = ("-m", "served/oracle:low", "--no-judge", "--dataset", str(dataset), "--chunk-size", "10")
    return ("run", "-g", "g", "--samples", str(SAMPLES), *what, *patience, *more)


def use(cli: Cli, server: Serving) -> None:
    prices = {"served/oracle": {"inputUsdPerMillionTokens": 2, "outputUsdPerMillionTokens": 8}}
    (cli.folder / "prices.json").write_text(json.dumps(prices))
    cli.env = {
        "ERRATA_BENCH_API_PROVIDER": "openai-compatible",
        "ERRATA_BENCH_API_BASE_URL": server.url,
        "ERRATA_BENCH_API_ENDPOINT_LABEL": "served",
        "ERRATA_BENCH_PRICING_FILE": "prices.json",
    }


@dataclass(frozen=True, slots=True)
class Stored:
    """What a group holds."""

    statuses: dict[str, int]
    runs: int
    chunks: int
    failures: int
    verdicts: list[tuple[str, str, str, int]]
    requests: int
    ok: int
    ok_usd: float
    turns_usd: float
    known_usd: float


def stored(cli: Cli) -> Stored:
    with closing(sqlite3.connect(cli.folder / "results" / "g.sqlite")) as store:

        def one(query: str) -> Any:
            return store.execute(query).fetchone()[0]

        return Stored(
            statuses=dict(store.execute("SELECT status, count(*) FROM runs GROUP BY status").fetchall()),
            runs=one("SELECT count(*) FROM (SELECT DISTINCT model, fingerprint, sample FROM runs)"),
            chunks=one("SELECT count(*) FROM chunks"),
            failures=one("SELECT count(*) FROM failures"),
            verdicts=store.execute(
                "SELECT case_id, issue_id, verdict, count(*) FROM verdicts JOIN runs ON runs.id = run_id"
                " JOIN cases USING (fingerprint) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
            ).fetchall(),
            requests=one("SELECT count(*) FROM spend"),
            ok=one("SELECT count(*) FROM spend WHERE outcome = 'ok'"),
            ok_usd=one("SELECT total(cost_usd) FROM spend WHERE outcome = 'ok'"),
            turns_usd=one("SELECT total(cost_usd) FROM turns"),
            known_usd=one("SELECT total(cost_usd) FROM spend"),
        )


def close_to(one: float, other: float) -> bool:
    return abs(one - other) < 1e-9


async def test_forty_runs_under_every_transient_fault_lose_nothing_and_score_as_without(
    cli: Cli, tmp_path: Path
) -> None:
    dataset = write_dataset(tmp_path / "many", cases=CASES, paragraphs=PARAGRAPHS)
    assert len(TRANSIENT) >= 10
    async with serving(cli, dataset) as server:
        use(cli, server)
        calm = await cli.run(*campaign(dataset))
        calm_ledger = await server.ledger()
    assert calm.code == 0, calm.err
    without = stored(cli)
    assert calm_ledger["requests"] == without.requests == CHUNKS
    (cli.folder / "results").rename(cli.folder / "calm")

    async with serving(cli, dataset, faults=TRANSIENT) as server:
        use(cli, server)
        ended = await cli.run(*campaign(dataset))
        ledger = await server.ledger()
    assert ended.code == 0, ended.err
    found = stored(cli)
    assert f"{RUNS} runs done; spent" in ended.err
    assert (found.statuses, found.failures) == ({"succeeded": RUNS}, 0)
    assert found.verdicts == without.verdicts
    # The faults did happen, each kind of them, and every request is in both ledgers.
    assert {str(kind) for kind in TRANSIENT} <= ledger["outcomes"].keys()
    assert found.requests == ledger["requests"] > 2 * CHUNKS
    assert found.ok == ledger["outcomes"]["ok"]["requests"] == CHUNKS
    assert close_to(found.ok_usd, ledger["outcomes"]["ok"]["cost_usd"])
    assert close_to(found.ok_usd, found.turns_usd)
    # What a cut reply cost, only the server knows.
    assert close_to(found.known_usd, ledger["cost_usd"] - ledger["outcomes"]["cut"]["cost_usd"])


async def test_killed_five_times_on_the_way_each_run_is_made_once_and_the_ledger_is_right(
    cli: Cli, tmp_path: Path
) -> None:
    dataset = write_dataset(tmp_path / "many", cases=CASES, paragraphs=PARAGRAPHS)
    async with serving(cli, dataset, faults=TRANSIENT) as server:
        use(cli, server)
        killed = 0
        for kill in range(1, KILLS + 1):
            process = await cli.start(*campaign(dataset))
            await answered(server, kill * CHUNKS // (KILLS + 2))
            killed += process.returncode is None
            await cli.end(process, signal.SIGKILL)
        assert killed == KILLS
        before = stored(cli)
        assert 0 < before.chunks < CHUNKS
        ended = await cli.run(*campaign(dataset))
        ledger = await server.ledger()
    assert ended.code == 0, ended.err
    found = stored(cli)
    assert (found.statuses, found.runs, found.failures) == ({"succeeded": RUNS}, RUNS, 0)
    assert found.chunks == CHUNKS
    assert [verdict for _, _, verdict, _ in found.verdicts] == ["fixed"] * (CASES * PARAGRAPHS)
    assert {count for *_, count in found.verdicts} == {SAMPLES}
    # Nothing is paid for twice but what was in flight when the process was killed.
    in_flight = KILLS * 30
    assert found.ok <= ledger["outcomes"]["ok"]["requests"] <= found.ok + in_flight
    assert CHUNKS <= found.ok <= CHUNKS + in_flight
    assert found.turns_usd <= found.ok_usd <= ledger["outcomes"]["ok"]["cost_usd"] + 1e-9
    assert found.requests <= ledger["requests"] <= found.requests + in_flight


async def answered(server: Serving, count: int) -> None:
    """Return as soon as the server has given so many good answers."""
    async with asyncio.timeout(60):
        while True:
            outcomes = (await server.ledger())["outcomes"]
            if "ok" in outcomes and outcomes["ok"]["requests"] >= count:
                return
