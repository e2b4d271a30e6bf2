"""The log of an invocation: a run can be followed turn by turn, and no secret is in anything that is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.end_to_end.conftest import Cli, Ended, correct_everything, write_dataset
from tests.support.loopback import Answer, Loopback, Recorded, Reset, free_port

PLANTED = "planted"
KEY = "sk-planted-key-0123456789abcdef"
QUERY = "api-version=1&token=planted-token-98765"


def arguments(dataset: Path, *more: str) -> tuple[str, ...]:
    what = ("-m", "org/model:low", "-g", "g", "--dataset", str(dataset), "--chunk-size", "10")
    return ("run", *what, "--samples", "1", "--retry-wait", "0.001", *more)


def records(cli: Cli) -> list[dict[str, Any]]:
    (path,) = (cli.folder / "results" / "logs").iterdir()
    assert path.name.startswith("g-")
    assert path.suffix == ".jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_a_run_can_be_followed_turn_by_turn(cli: Cli, endpoint: Loopback, tmp_path: Path) -> None:
    dataset = write_dataset(tmp_path / "one", cases=1, paragraphs=2)
    refused = Answer(400, {"error": {"message": "Unsupported parameter: parallel_tool_calls"}})
    endpoint.script(Answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "0"}), refused)
    ended = await cli.run(*arguments(dataset, "--verbose"))
    assert ended.code == 0, ended.err
    found = records(cli)
    assert (found[0]["kind"], found[-1]["kind"]) == ("started", "ended")
    assert (found[0]["runs"], found[-1]["succeeded"]) == (1, 1)
    of_run = [record for record in found if record.get("variant") == "org/model:low"]
    assert [record["kind"] for record in of_run] == [
        *("run_started", "turn_started", "attempt", "wait", "attempt", "adaptation", "attempt"),
        *("turn_ended", "chunk_ended", "turn_started", "attempt", "turn_ended", "chunk_ended", "run_succeeded"),
    ]
    assert all((record["case"], record["sample"]) == ("case-0", 1) for record in of_run)
    attempts = [record for record in of_run if record["kind"] == "attempt"]
    assert [(record["chunk"], record["turn"], record["outcome"]) for record in attempts] == [
        (1, 1, "rate_limited"),
        (1, 1, "bad_request"),
        (1, 1, "ok"),
        (2, 1, "ok"),
    ]
    assert attempts[0]["message"] == "slow down"
    assert (attempts[2]["prompt_tokens"], attempts[2]["status"]) == (100, 200)
    (adaptation,) = (record for record in of_run if record["kind"] == "adaptation")
    assert adaptation["change"] == "no_parallel_tool_calls"
    (turn, _) = (record for record in of_run if record["kind"] == "turn_ended")
    assert turn["calls"] == {"find_and_replace ok": 1, "proofreading_complete ok": 1}
    # The same in words.
    assert "org/model:low on case-0, sample 1, chunk 1, turn 1: rate_limited (HTTP 429)" in ended.err
    assert "requests adapted: no_parallel_tool_calls" in ended.err
    # No text of a document.
    assert "stood still" not in "".join(json.dumps(record) for record in found)


async def test_money_is_told_with_each_attempt_under_a_cap(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    prices = {"org/model": {"inputUsdPerMillionTokens": 1, "outputUsdPerMillionTokens": 2}}
    (cli.folder / "prices.json").write_text(json.dumps(prices))
    cli.env["ERRATA_BENCH_PRICING_FILE"] = "prices.json"
    assert (await cli.run(*arguments(dataset, "--max-cost", "1"))).code == 0
    spent = [record["spent_usd"] for record in records(cli) if record["kind"] == "attempt"]
    assert spent == sorted(spent)
    assert spent[-1] == round(8 * (100 + 2 * 20) / 1e6, 6)


async def test_a_log_is_begun_only_when_something_is_run(cli: Cli, endpoint: Loopback, dataset: Path) -> None:
    await cli.run(*arguments(dataset))
    await cli.run(*arguments(dataset))
    await cli.run(*arguments(dataset, "--dry-run"))
    assert len(list((cli.folder / "results" / "logs").iterdir())) == 1


async def test_an_outage_is_told_without_being_asked_for(cli: Cli, dataset: Path) -> None:
    cli.env = {
        "ERRATA_BENCH_API_PROVIDER": "openai-compatible",
        "ERRATA_BENCH_API_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
    }
    ended = await cli.run(*arguments(dataset, "--max-retries", "2"))
    assert ended.code == 2
    assert "Nothing answers; all requests wait until it does." in ended.err
    assert "unreachable" in ended.err
    assert "check that the server runs at ERRATA_BENCH_API_BASE_URL" in ended.err
    assert "failed" not in ended.err.replace("Connect call failed", "")
    assert "2 runs missing" in ended.err


def planted_settings(server: Loopback, *, userinfo: bool) -> dict[str, str]:
    login = "planted-user:planted%2Fp%40ss@" if userinfo else ""
    return {
        "ERRATA_BENCH_API_PROVIDER": "openai-compatible",
        "ERRATA_BENCH_API_BASE_URL": f"http://{login}127.0.0.1:{server.port}/v1?{QUERY}",
        "ERRATA_BENCH_API_KEY": KEY,
    }


def assert_no_secret(cli: Cli, ended: Ended) -> None:
    written = {str(path): path.read_bytes() for path in cli.folder.rglob("*") if path.is_file()}
    assert any(name.endswith(".jsonl") for name in written)
    assert any(name.endswith(".sqlite") for name in written)
    for name, content in {**written, "stdout": ended.out.encode(), "stderr": ended.err.encode()}.items():
        assert PLANTED.encode() not in content, name
        assert b"cGxhbnRlZC11c2Vy" not in content, name  # Basic authorization


async def test_no_secret_is_in_anything_that_is_written(cli: Cli, server: Loopback, dataset: Path) -> None:
    """Every failing request gets back all that it held, as careless gateways do."""
    asked = 0

    async def echo_first(request: Recorded) -> Any:
        nonlocal asked
        asked += 1
        said = f"{request.path}?{request.query} {dict(request.headers)} {KEY} http://{PLANTED}-user:x@h/"
        steps: dict[int, Any] = {
            1: Answer(503, {"error": {"message": said, "code": KEY, "metadata": {"raw": said}}}),
            2: Answer(502, f"<html><title>{said}</title></html>"),
            3: Reset(),
            4: Answer(200, {"error": said}),
            5: Answer(400, {"error": {"message": f"Unsupported parameter: temperature. {said}"}}),
            6: Answer(200, said),
            7: Answer(429, {"error": {"message": said}}, {"Retry-After": "0"}),
        }
        if request.method == "GET" or asked > len(steps):
            return await correct_everything(request) if request.method == "POST" else Answer(404, said)
        return steps[asked]

    for userinfo in (True, False):
        asked = 0
        server.default = echo_first
        cli.env = planted_settings(server, userinfo=userinfo)
        ended = await cli.run(*arguments(dataset, "--verbose"), "-g", f"g{userinfo}")
        assert "503" in ended.err
        assert_no_secret(cli, ended)
        assert "planted-token-98765" in server.requests[0].query


async def test_no_secret_is_in_what_a_fatal_fault_leaves(cli: Cli, server: Loopback, dataset: Path) -> None:
    async def refuse(request: Recorded) -> Answer:
        return Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY} {request.query}"}})

    server.default = refuse
    cli.env = planted_settings(server, userinfo=True)
    ended = await cli.run(*arguments(dataset, "--verbose"))
    assert ended.code == 2
    assert_no_secret(cli, ended)
