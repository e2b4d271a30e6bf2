"""Language models behind a real HTTP server: many at a time, killed, resumed, interrupted, refused."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.conftest import KEY, Cli, chunk_of, correct_everything, write_dataset
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply


def arguments(dataset: Path, *more: str) -> tuple[str, ...]:
    return ("run", "-m", "org/model:low", "-g", "g", "--dataset", str(dataset), "--chunk-size", "10", *more)


async def never(_: Recorded) -> Answer:
    """A model that does not answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_runs_a_model_and_stores_its_cost_and_edits(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    (cli.folder / "prices.json").write_text(
        '{"org/model": {"inputUsdPerMillionTokens": 10, "outputUsdPerMillionTokens": 50}}'
    )
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    ended = await cli.run(*arguments(dataset, "--samples", "1"))
    assert ended.code == 0, ended.err
    # A reply reports 100 + 20 tokens: 0.001 + 0.001 USD, four requests a run, two runs.
    assert "2 runs done; spent $0.016." in ended.err
    row = next(line for line in ended.out.splitlines() if "org/model:low" in line).split()
    assert row[4] == "1.000"
    assert "$0.008" in row
    sent = endpoint.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["Authorization"] == f"Bearer {KEY}"
    assert sent.json["model"] == "org/model"
    assert sent.json["temperature"] == 0
    assert sent.json["max_completion_tokens"] == 8192
    assert sent.json["reasoning"]["effort"] == "low"


async def test_thirty_runs_are_at_work_at_a_time(cli: Cli, endpoint: Loopback, tmp_path: Path) -> None:
    dataset = write_dataset(tmp_path / "many", cases=35, paragraphs=1)
    full = asyncio.Event()

    async def wait_for_thirty(request: Recorded) -> Answer:
        if endpoint.in_flight >= 30:
            full.set()
        if len(endpoint.requests) > 1:  # the first has to be answered, or there is no second
            await full.wait()
        return await correct_everything(request)

    endpoint.default = wait_for_thirty
    ended = await cli.run(*arguments(dataset, "--samples", "1"))
    assert ended.code == 0, ended.err
    assert endpoint.most_in_flight == 30
    assert "35 runs done" in ended.err


@pytest.mark.parametrize("answers", [1, 4, 9])
async def test_a_killed_run_goes_on_at_the_first_unfinished_chunk(
    cli: Cli, endpoint: Loopback, dataset: Path, answers: int
) -> None:
    """Four samples of two cases of four chunks: 32 requests; the process is killed once ``answers`` were given."""
    given = waiting = 0
    all_wait = asyncio.Event()

    async def answer_some(request: Recorded) -> Answer:
        nonlocal given, waiting
        if given < answers:
            given += 1
            return await correct_everything(request)
        waiting += 1
        if waiting == 3:  # all three loops ask for more, so what was answered has been worked in
            all_wait.set()
        return await never(request)

    endpoint.default = answer_some
    process = await cli.start(*arguments(dataset, "--samples", "4", "--concurrency", "3"))
    await all_wait.wait()
    await cli.end(process, signal.SIGKILL)
    paid = len(endpoint.requests) - 3

    endpoint.requests.clear()
    endpoint.default = correct_everything
    ended = await cli.run(*arguments(dataset, "--samples", "4"))
    assert ended.code == 0, ended.err
    assert paid == answers
    assert len(endpoint.requests) == 32 - answers
    with sqlite3.connect(cli.folder / "results" / "g.sqlite") as store:
        assert store.execute("SELECT count(*), count(DISTINCT id) FROM runs WHERE status = 'succeeded'").fetchone() == (
            8,
            8,
        )
        assert store.execute("SELECT count(*) FROM chunks").fetchone() == (32,)
        assert store.execute("SELECT count(*) FROM spend WHERE outcome = 'ok'").fetchone() == (32,)
    assert " 8/8 " in ended.out


async def test_one_interrupt_finishes_running_chunks_and_begins_no_more(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    heard, both_wait = asyncio.Event(), asyncio.Event()

    async def hold(request: Recorded) -> Answer:
        if len(endpoint.requests) == 1:
            return await correct_everything(request)
        if endpoint.in_flight == 2:
            both_wait.set()
        await heard.wait()
        return await correct_everything(request)

    endpoint.default = hold
    process = await cli.start(*arguments(dataset, "--samples", "1"))
    await both_wait.wait()
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = b""
    while b"Press Ctrl-C again" not in said:
        said += await process.stderr.readline()
    heard.set()
    ended = await cli.end(process)
    assert ended.code == 130
    assert len(endpoint.requests) == 3
    with sqlite3.connect(cli.folder / "results" / "g.sqlite") as store:
        assert store.execute("SELECT count(*) FROM chunks").fetchone() == (3,)


async def test_a_second_interrupt_stops_at_once_and_the_work_can_be_taken_up_again(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    both_wait = asyncio.Event()

    async def hold(request: Recorded) -> Answer:
        if len(endpoint.requests) == 1:
            return await correct_everything(request)
        if endpoint.in_flight == 2:
            both_wait.set()
        return await never(request)

    endpoint.default = hold
    process = await cli.start(*arguments(dataset, "--samples", "1"))
    await both_wait.wait()
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    said = b""
    while b"Press Ctrl-C again" not in said:
        said += await process.stderr.readline()
    ended = await cli.end(process, signal.SIGINT)
    assert ended.code == 130
    assert "Traceback" not in ended.err
    endpoint.default = correct_everything
    again = await cli.run(*arguments(dataset, "--samples", "1"))
    assert again.code == 0
    assert "2 runs done" in again.err


async def test_a_bad_key_stops_everything_with_one_plain_line(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    endpoint.default = Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY}", "code": 401}})
    ended = await cli.run(*arguments(dataset, "--samples", "15"))  # thirty runs
    assert ended.code == 2
    assert len(endpoint.requests) == 1
    assert ended.err.count("HTTP 401") <= 2  # a port may hold the digits too
    assert KEY not in ended.err + ended.out
    assert "Traceback" not in ended.err
    assert KEY.encode() not in b"".join(path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())


async def test_a_failed_run_keeps_its_chunks_and_counts_as_an_attempt(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    async def refuse_charlie(request: Recorded) -> Answer:
        if "charlie" in chunk_of(request):
            return Answer(400, {"error": {"message": "This text is refused.", "code": "content_policy"}})
        return await correct_everything(request)

    endpoint.default = refuse_charlie
    failed = await cli.run(*arguments(dataset, "--samples", "1"))
    assert failed.code == 1
    assert "2 failed" in failed.err
    endpoint.requests.clear()
    endpoint.default = correct_everything
    again = await cli.run(*arguments(dataset, "--samples", "1"))
    assert again.code == 0
    assert Counter(
        word for r in endpoint.requests for word in ("alpha", "bravo", "charlie", "delta") if word in chunk_of(r)
    ) == {
        "charlie": 2,
        "delta": 2,
    }
    assert " 2/4 " in again.out  # two successes of four attempts


async def test_a_model_that_talks_instead_of_editing_is_nudged_and_scores_nothing(
    cli: Cli, endpoint: Loopback, dataset: Path
) -> None:
    endpoint.default = Answer(body=chat_reply("I have corrected everything."))
    ended = await cli.run(*arguments(dataset, "--samples", "1"))
    assert ended.code == 0
    assert len(endpoint.requests) == 2 * 4 * 3
    third = next(r for r in endpoint.requests if len(r.json["messages"]) == 6)
    assert [message["role"] for message in third.json["messages"]] == ["system", "user", "assistant", "user"] * 1 + [
        "assistant",
        "user",
    ]
    row = next(line for line in ended.out.splitlines() if "org/model:low" in line).split()
    assert row[4] == "0.000"
