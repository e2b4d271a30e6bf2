"""The endpoint against a real server on loopback: faults, deadlines, proxies, many at a time."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
from email.utils import formatdate
from typing import Any

import pytest

from errata_bench.chat import Attempt, Usage
from errata_bench.endpoint.catalogue import Price
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import load_settings
from errata_bench.errors import EndpointFault, InternalError, Reach
from errata_bench.variants import Variant
from tests.endpoint.clients import BUSY, NOW, REQUEST, Client, client_of, settings_for
from tests.support.loopback import Answer, Cut, Hang, Loopback, Recorded, Reset, chat_reply, free_port, tool_call


async def test_a_request_goes_out_and_a_reply_comes_back(server: Loopback, client: Client) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 8, "cost": 0.25}
    server.script(Answer(body=chat_reply("Fine.", [tool_call({"find": "a"})], usage=usage)))
    reply = await client.complete()
    assert reply.tool_calls[0].arguments == {"find": "a"}
    assert reply.cost_usd == 0.25
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["Authorization"] == "Bearer k3y-0123456789"
    assert request.headers["Content-Type"] == "application/json"
    sent = request.json
    assert (sent["model"], sent["temperature"], sent["max_completion_tokens"]) == ("org/m", 0.0, 8192)
    assert (sent["stream"], sent["parallel_tool_calls"], sent["tool_choice"]) == (False, True, "auto")
    assert sent["reasoning"] == {"effort": "low"}
    (attempt,) = client.attempts
    assert (attempt.outcome, attempt.status, attempt.cost_usd) == ("ok", 200, 0.25)
    assert (attempt.usage, attempt.started_at) == (Usage(9, 8), NOW)
    assert client.model.adaptations == ()


async def test_a_query_string_is_sent_and_userinfo_is_basic(server: Loopback) -> None:
    """Q81."""
    url = f"http://user:p%40ss@127.0.0.1:{server.port}/v1?api-version=2&x=a%2Fb"
    async with client_of(settings_for(server, api_base_url=url)) as client:
        await client.complete()
    (request,) = server.requests
    assert request.query in ("api-version=2&x=a%2Fb", "api-version=2&x=a/b")
    assert request.headers["Authorization"] == "Basic dXNlcjpwQHNz"


async def test_reasoning_is_omitted_where_the_settings_say_so(server: Loopback) -> None:
    async with client_of(settings_for(server, api_reasoning_mode="omit")) as client:
        await client.complete()
    assert "reasoning" not in server.requests[0].json


async def test_no_key_sends_no_authorization(server: Loopback) -> None:
    async with client_of(settings_for(server, api_key=None)) as client:
        await client.complete()
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (Answer(429), "rate_limited"),
        (Answer(500), "server_error"),
        (BUSY, "overloaded"),
        (Answer(524, "<html><title>timeout</title></html>"), "gateway_timeout"),
        (Answer(408), "server_timeout"),
        (Answer(200, b""), "empty_body"),
        (Answer(204), "empty_body"),
        (Answer(200, {"error": {"code": 502, "message": "x"}}), "bad_gateway"),
        (Answer(200, {"choices": []}), "no_choices"),
        (Answer(200, '{"choices": [{"mess'), "malformed_body"),
        (Reset(), "connection_lost"),
        (Cut(), "cut_body"),
        (Cut(chunked=True), "cut_body"),
    ],
)
async def test_transient_faults_are_waited_out(step: Any, outcome: str, server: Loopback, client: Client) -> None:
    """Q48, Q49, Q61, Q62."""
    server.script(step, step)
    reply = await client.complete()
    assert reply.message["content"] == "Done."
    assert client.outcomes == [outcome, outcome, "ok"]
    assert client.waits == [0.5, 1.0]


async def test_after_the_last_retry_the_fault_is_raised(server: Loopback, client: Client) -> None:
    server.default = BUSY
    fault = await client.fault()
    assert (fault.kind, fault.reach, fault.status) == ("overloaded", Reach.RETRY, 503)
    assert "after 7 attempts" in fault.message
    assert client.outcomes == ["overloaded"] * 7
    assert len(client.waits) == 6


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "17"}, 17.0),
        ({"Retry-After": formatdate(NOW + 20, usegmt=True)}, 20.0),
        ({"Retry-After": "NaN"}, 0.5),
        ({"X-RateLimit-Remaining-Tokens": "0", "X-RateLimit-Reset-Tokens": "1m30s"}, 60.0),
    ],
)
async def test_a_named_wait_is_kept_to(headers: dict[str, str], wait: float, server: Loopback, client: Client) -> None:
    """Q58."""
    server.script(Answer(429, headers=headers))
    await client.complete()
    assert client.waits == [wait]


@pytest.mark.parametrize(
    ("answer", "kind", "reach"),
    [
        (Answer(401, {"error": {"message": "no"}}), "invalid_key", Reach.ALL),
        (Answer(402), "no_credit", Reach.ALL),
        (Answer(404, "<html><title>404</title></html>"), "wrong_url", Reach.ALL),
        (Answer(404, {"error": {"message": "The model `org/m` does not exist"}}), "unknown_model", Reach.VARIANT),
        (Answer(200, "<html><title>Sign in</title></html>"), "not_an_api", Reach.ALL),
        (Answer(400, {"error": {"message": "maximum context length is 10"}}), "context_length", Reach.VARIANT),
        (Answer(429, headers={"Retry-After": "20000"}), "quota_used_up", Reach.ALL),
    ],
)
async def test_fatal_faults_are_not_repeated(
    answer: Answer, kind: str, reach: Reach, server: Loopback, client: Client
) -> None:
    server.default = answer
    fault = await client.fault()
    assert (fault.kind, fault.reach) == (kind, reach)
    assert fault.mend
    assert len(server.requests) == 1
    assert client.outcomes == [kind]


async def test_redirects_are_not_followed(server: Loopback, client: Client) -> None:
    server.script(Answer(307, headers={"Location": f"{server.url}/other"}))
    assert (await client.fault()).kind == "redirected"
    assert len(server.requests) == 1


async def test_a_refused_connection_costs_nothing_and_is_tried_again() -> None:
    settings = load_settings(None, api_provider="openai-compatible", api_base_url=f"http://127.0.0.1:{free_port()}/v1")
    async with client_of(settings, retry=RetryPolicy(max_retries=2, random=lambda: 0.0)) as client:
        assert (await client.fault()).kind == "connect"
    assert client.outcomes == ["connect"] * 3
    assert [attempt.cost_usd for attempt in client.attempts] == [0.0] * 3
    assert client.attempts[0].status is None


async def test_a_name_that_resolves_later_is_waited_for(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo
    asked: list[object] = []

    def flaky(host: Any, *arguments: Any, **options: Any) -> Any:
        if host != "api.test":
            return resolve(host, *arguments, **options)
        asked.append(host)
        if len(asked) == 1:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return resolve("127.0.0.1", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", flaky)
    async with client_of(settings_for(server, api_base_url=f"http://api.test:{server.port}/v1")) as client:
        await client.complete()
    assert client.outcomes == ["dns", "ok"]
    assert client.attempts[0].cost_usd == 0.0


@pytest.mark.parametrize("trickle", [False, True])
async def test_the_deadline_ends_an_attempt_whatever_trickles_in(trickle: bool, server: Loopback) -> None:
    server.script(Hang(trickle=trickle))
    async with client_of(settings_for(server), request_timeout=0.2) as client:
        await client.complete()
    assert client.outcomes == ["timeout", "ok"]
    assert client.attempts[0].cost_usd is None  # sent, thus perhaps billed


async def test_a_body_beyond_the_limit_is_not_read(server: Loopback) -> None:
    packed = gzip.compress(b" " * 1_000_000)
    server.default = Answer(200, packed, {"Content-Encoding": "gzip"})
    async with client_of(settings_for(server), max_body_bytes=100_000) as client:
        fault = await client.fault()
    assert (fault.kind, fault.reach) == ("body_too_large", Reach.RUN)


async def test_a_compressed_reply_is_read(server: Loopback, client: Client) -> None:
    packed = gzip.compress(json.dumps(chat_reply("Packed.")).encode())
    server.script(Answer(200, packed, {"Content-Encoding": "gzip"}))
    assert (await client.complete()).message["content"] == "Packed."


async def test_what_is_no_http_is_told(client: Client) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"\x15\x03\x01\x00\x02\x02\x46 this is no HTTP\r\n\r\n")
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with listener:
        url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        settings = load_settings(None, api_provider="openai-compatible", api_base_url=url)
        async with client_of(settings, retry=RetryPolicy(max_retries=0)) as other:
            assert (await other.fault()).kind == "bad_http"


# Proxies


async def test_loopback_is_direct_whatever_the_environment_says(
    server: Loopback, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q84."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    async with client_of(settings_for(server)) as direct:
        await direct.complete()
    assert direct.outcomes == ["ok"]


async def test_other_hosts_go_through_the_proxy(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:pw@127.0.0.1:{server.port}")
    async with client_of(settings_for(server, api_base_url="http://api.test/v1")) as client:
        await client.complete()
    (request,) = server.requests
    assert request.headers["Host"] == "api.test"
    assert request.headers["Proxy-Authorization"].startswith("Basic ")


# Concurrency and cancellation


async def test_a_thousand_requests_run_at_a_time() -> None:
    """The pool of connections does not throttle: the server holds all requests until the last has come."""
    from tests.support.loopback import serve

    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = 1_000 if hard == resource.RLIM_INFINITY or hard >= 4_096 else 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4_096, hard)), hard))
    everyone = asyncio.Event()

    async def hold(_: Recorded) -> Answer:
        if running.in_flight == count:
            everyone.set()
        await everyone.wait()
        return Answer(body=chat_reply("Done."))

    async with serve() as running:
        running.default = hold
        async with client_of(settings_for(running)) as client:
            await asyncio.gather(*(client.complete() for _ in range(count)))
    assert running.most_in_flight == count
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_cancellation_passes_through_and_the_attempt_is_told(server: Loopback, client: Client) -> None:
    server.script(Hang())
    task = asyncio.create_task(client.complete())
    await server.arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.outcomes == ["cancelled"]
    assert client.attempts[0].cost_usd is None


async def test_cancellation_during_a_wait_passes_through(server: Loopback) -> None:
    waiting = asyncio.Event()

    async def forever(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    server.default = BUSY
    async with client_of(settings_for(server), sleep=forever) as client:
        task = asyncio.create_task(client.complete())
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert client.outcomes == ["overloaded"]


async def test_an_attempt_is_told_before_the_next_begins(server: Loopback, client: Client) -> None:
    told: list[tuple[int, str]] = []
    server.script(BUSY, BUSY)
    await client.model.complete(REQUEST, lambda attempt: told.append((len(server.requests), attempt.outcome)))
    assert told == [(1, "overloaded"), (2, "overloaded"), (3, "ok")]


async def test_what_cannot_be_recorded_stops_the_request(server: Loopback, client: Client) -> None:
    def broken(_: Attempt) -> None:
        raise RuntimeError("disk full")

    server.default = BUSY
    with pytest.raises(RuntimeError, match="disk full"):
        await client.model.complete(REQUEST, broken)
    assert len(server.requests) == 1


async def test_a_closed_endpoint_says_so() -> None:
    endpoint = Endpoint(load_settings(None, api_base_url="http://127.0.0.1:1/v1"))
    with pytest.raises(InternalError, match="not open"):
        await endpoint.chat_model(Variant("org/m")).complete(REQUEST)


# Models


async def test_models_are_listed(server: Loopback, client: Client) -> None:
    listed = [
        {"id": "a/b", "name": "B", "context_length": 9, "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
        {"id": "c/d", "supported_parameters": ["tools"], "pricing": {"prompt": "-1", "completion": "-1"}},
        {"nothing": 1},
    ]
    server.script(BUSY, Answer(body={"data": listed}))
    models = await client.endpoint.list_models()
    assert [(model.id, model.price, model.takes_tools) for model in models] == [
        ("a/b", Price(1e-6, 2e-6), None),
        ("c/d", None, True),
    ]
    assert server.requests[-1].path == "/v1/models"


@pytest.mark.parametrize("answer", [Answer(200, "<html>"), Answer(200, {"x": 1}), Answer(404), Answer(200, "[1")])
async def test_no_list_of_models_is_a_fault(answer: Answer, server: Loopback, client: Client) -> None:
    server.default = answer
    with pytest.raises(EndpointFault):
        await client.endpoint.list_models()
