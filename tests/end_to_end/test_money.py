"""What a run is allowed to spend: estimated, asked about, capped."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli, correct_everything
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply, tool_call

MODEL = "org/model"


def arguments(dataset: Path, *more: str) -> tuple[str, ...]:
    return ("run", "-m", f"{MODEL}:low", "-g", "g", "--dataset", str(dataset), "--chunk-size", "10", *more)


@pytest.fixture
def dear(cli: Cli, endpoint: Loopback) -> Loopback:
    """A model that costs a dollar for a thousand tokens in, and two for a thousand out."""
    prices = {MODEL: {"inputUsdPerToken": 0.001, "outputUsdPerToken": 0.002}}
    (cli.folder / "prices.json").write_text(json.dumps(prices))
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    return endpoint


async def test_a_dry_run_tells_what_it_would_cost_and_why_and_asks_no_model(
    cli: Cli, dear: Loopback, dataset: Path
) -> None:
    ended = await cli.run(*arguments(dataset, "--dry-run"))
    assert ended.code == 0, ended.err
    row = next(line for line in ended.out.splitlines() if MODEL in line and "$" in line).split()
    # Six runs of four chunks of two turns.
    assert row[:3] == ["org/model:low", "6", "48"]
    assert "a token is 4 characters" in ended.out
    assert dear.requests == []
    assert not (cli.folder / "results").exists()


async def test_without_a_terminal_an_estimate_over_five_dollars_needs_consent_beforehand(
    cli: Cli, dear: Loopback, dataset: Path
) -> None:
    refused = await cli.run(*arguments(dataset, "--samples", "1"))
    assert refused.code == 2
    assert "over $5" in refused.err
    assert "--yes" in refused.err
    assert dear.requests == []
    assert not (cli.folder / "results").exists()
    allowed = await cli.run(*arguments(dataset, "--samples", "1", "--yes"))
    assert allowed.code == 0, allowed.err
    assert "Estimate: 16 requests" in allowed.err


@pytest.mark.parametrize(("answer", "code", "requests"), [("n", 1, 0), ("y", 0, 8)])
async def test_on_a_terminal_it_is_asked_about(
    cli: Cli, dear: Loopback, dataset: Path, answer: str, code: int, requests: int
) -> None:
    master, slave = os.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_BENCH_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "errata_bench", *arguments(dataset, "--samples", "1")),
        cwd=cli.folder,
        env={**env, **cli.env, "TERM": "dumb"},
        stdin=slave,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=slave,
    )
    os.close(slave)
    said = await asyncio.to_thread(_read_until, master, b"Go on?")
    assert dear.requests == []
    assert b"Assumed:" in said
    os.write(master, f"{answer}\n".encode())
    rest = asyncio.create_task(asyncio.to_thread(_read_until, master, None))
    assert await process.wait() == code
    await rest
    os.close(master)
    assert len(dear.requests) == requests


def _read_until(master: int, wanted: bytes | None) -> bytes:
    said = b""
    while wanted is None or wanted not in said:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    return said


async def test_a_cap_ends_the_run_cleanly_and_says_what_is_missing(cli: Cli, dear: Loopback, dataset: Path) -> None:
    # The worst case of a request: about 4,000 + 512 bytes in and 1,000 tokens out, some 7 dollars; it costs 0.14.
    few_tokens = ("--max-completion-tokens-per-turn", "1000")
    ended = await cli.run(*arguments(dataset, *few_tokens, "--max-cost", "8"))
    assert ended.code == 1, ended.err
    assert "The cap of $8.00 is reached" in ended.err
    assert "its next request may cost $" in ended.err
    assert re.search(r"\d runs missing\. The same command again", ended.err)
    assert "Traceback" not in ended.err
    served = len(dear.requests)
    assert 0 < served < 24
    with closing(sqlite3.connect(cli.folder / "results" / "g.sqlite")) as store:
        assert store.execute("SELECT total(cost_usd) <= 8 FROM spend").fetchone() == (1,)
        assert store.execute("SELECT count(*) FROM failures").fetchone() == (0,)
    again = await cli.run(*arguments(dataset, *few_tokens, "--yes"))
    assert again.code == 0, again.err
    assert len(dear.requests) == 24  # six runs of four chunks: nothing twice


async def test_what_nobody_knows_the_cost_of_counts_in_full(cli: Cli, dear: Loopback, dataset: Path) -> None:
    async def silent_about_tokens(request: Recorded) -> Answer:
        done = tool_call({}, name="proofreading_complete")
        return Answer(body=chat_reply(calls=[done], usage={}))

    dear.default = silent_about_tokens
    ended = await cli.run(*arguments(dataset, "--max-completion-tokens-per-turn", "1000", "--max-cost", "8"))
    assert ended.code == 1
    assert len(dear.requests) == 1
    assert "stands for 1 request whose cost nobody knows" in ended.err


async def test_a_model_without_a_price_is_refused_under_a_cap_unless_it_is_allowed(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    refused = await cli.run(*arguments(dataset, "--samples", "1", "--max-cost", "1"))
    assert refused.code == 2
    assert "nobody knows the price of org/model" in refused.err
    assert endpoint.requests == []
    assert not (cli.folder / "results").exists()
    allowed = await cli.run(*arguments(dataset, "--samples", "1", "--max-cost", "1", "--allow-unpriced"))
    assert allowed.code == 0, allowed.err


async def test_costs_that_replies_report_count_under_a_cap_even_without_a_price(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    async def dear_reply(request: Recorded) -> Answer:
        answer = await correct_everything(request)
        answer.body["usage"]["cost"] = 0.4
        return answer

    endpoint.default = dear_reply
    ended = await cli.run(
        *arguments(dataset, "--samples", "1", "--concurrency", "1", "--max-cost", "1", "--allow-unpriced")
    )
    assert ended.code == 1
    assert len(endpoint.requests) == 3  # 1.20 USD: nothing more after the cap is passed
