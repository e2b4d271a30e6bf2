"""The server over HTTP, asked by hand and by the client that it is there to test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, ChatRequest
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.oddities import Oddity
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import load_settings
from errata_bench.errors import EndpointFault
from errata_bench.proofreading.tools import TOOLS
from errata_bench.serving.faults import FaultKind, FaultPlan
from errata_bench.serving.ledger import TokenPrice
from errata_bench.variants import Variant
from tests.serving.conftest import BodyFor, Running, Serve

ENDINGS: dict[FaultKind, str] = {
    FaultKind.TOO_MANY_REQUESTS: "rate_limited",
    FaultKind.SERVER_ERROR: "server_error",
    FaultKind.BAD_GATEWAY: "bad_gateway",
    FaultKind.OVERLOADED: "overloaded",
    FaultKind.GATEWAY_TIMEOUT: "gateway_timeout",
    FaultKind.RESET: "connection_lost",
    FaultKind.CUT: "cut_body",
    FaultKind.EMPTY: "empty_body",
    FaultKind.HTML: "not_an_api",
    FaultKind.ERROR_BODY: "bad_gateway",
    FaultKind.NO_CHOICES: "no_choices",
}
"""What the client makes of the faults that are no reply."""

ODDITIES: dict[FaultKind, Oddity] = {
    FaultKind.TRUNCATED: Oddity.TRUNCATED,
    FaultKind.MALFORMED_ARGUMENTS: Oddity.MALFORMED_ARGUMENTS,
    FaultKind.LEAKED_CALL: Oddity.LEAKED_CALL,
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ERRATA_BENCH_API_KEY", "ERRATA_BENCH_API_BASE_URL", "ERRATA_BENCH_API_PROVIDER"):
        monkeypatch.delenv(name, raising=False)


def always(kind: FaultKind) -> FaultPlan:
    return FaultPlan({kind: 1.0})


def request_for(case: Case) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": case.document.html},), TOOLS)


async def _no_wait(_: float) -> None:
    return None


@asynccontextmanager
async def client_of(server: Running, *, retries: int = 0) -> AsyncIterator[Endpoint]:
    settings = load_settings(None, api_provider="openrouter", api_base_url=server.url, api_key="k3y-0123456789")
    async with Endpoint(settings, retry=RetryPolicy(max_retries=retries), sleep=_no_wait) as endpoint:
        yield endpoint


async def test_a_reply_has_the_form_of_the_api(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving() as server:
        status, reply = await server.post(body_for(case))
    assert status == 200
    (choice,) = reply["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None
    assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"])["paragraphId"] == "para01"
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert "cost" not in usage
    assert reply["model"] == "served/oracle"


async def test_tokens_are_a_quarter_of_the_characters(case: Case, serving: Serve, body_for: BodyFor) -> None:
    content = "é" * 400
    async with serving() as server:
        body = body_for(case, messages=[{"role": "user", "content": content}], tools=...)
        body = {key: value for key, value in body.items() if key not in ("tool_choice", "parallel_tool_calls")}
        _, reply = await server.post(body)
    written = len(json.dumps([[{"role": "user", "content": content}], []], ensure_ascii=False, separators=(",", ":")))
    assert reply["usage"]["prompt_tokens"] == -(-written // 4)
    assert reply["usage"]["completion_tokens"] == -(-len(reply["choices"][0]["message"]["content"]) // 4)


async def test_models_are_listed_with_prices(serving: Serve, tmp_path: Path) -> None:
    async with serving(price=TokenPrice(0.5, 3.0)) as server, client_of(server) as endpoint:
        models = await endpoint.list_models()
        prices = await endpoint.load_prices(tmp_path)
    assert "served/harper" in {model.id for model in models}
    assert all(model.takes_tools for model in models)
    known = prices.find("served/oracle")
    assert known is not None
    assert (known.price.prompt, known.price.completion) == pytest.approx((0.5e-6, 3e-6))


async def test_without_a_price_all_is_free(serving: Serve) -> None:
    async with serving() as server, client_of(server) as endpoint:
        prices = [model.price for model in await endpoint.list_models()]
    assert all(price is not None and (price.prompt, price.completion) == (0, 0) for price in prices)


async def test_the_reported_cost_is_that_of_the_price(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving(price=TokenPrice(2.0, 10.0)) as server:
        _, reply = await server.post(body_for(case))
    usage = reply["usage"]
    assert usage["cost"] == pytest.approx((2 * usage["prompt_tokens"] + 10 * usage["completion_tokens"]) / 1e6)


@pytest.mark.parametrize("kind", ENDINGS)
async def test_a_fault_reaches_the_client_as_what_it_is(kind: FaultKind, case: Case, serving: Serve) -> None:
    async with serving(faults=always(kind)) as server, client_of(server) as endpoint:
        with pytest.raises(EndpointFault) as caught:
            await endpoint.chat_model(Variant("served/oracle", "low")).complete(request_for(case))
        ledger = server.server.ledger.summary()
    assert caught.value.kind == ENDINGS[kind]
    assert ledger["outcomes"].keys() == {kind.value}
    assert (caught.value.reach.value == "retry") is kind.is_transient
    assert caught.value.retry_after == (0 if kind is FaultKind.TOO_MANY_REQUESTS else None)


@pytest.mark.parametrize("kind", ODDITIES)
async def test_a_spoilt_reply_reaches_the_client_as_a_reply_with_an_oddity(
    kind: FaultKind, case: Case, serving: Serve
) -> None:
    async with serving(faults=always(kind)) as server, client_of(server) as endpoint:
        reply = await endpoint.chat_model(Variant("served/oracle", "low")).complete(request_for(case))
    assert reply.oddities[ODDITIES[kind]] == 1 if kind is not FaultKind.LEAKED_CALL else 4
    assert reply.truncated is (kind is FaultKind.TRUNCATED)


async def test_no_tools_is_talk(case: Case, serving: Serve) -> None:
    async with serving(faults=always(FaultKind.NO_TOOLS)) as server, client_of(server) as endpoint:
        reply = await endpoint.chat_model(Variant("served/oracle")).complete(request_for(case))
    assert reply.tool_calls == ()
    assert reply.finish_reason == "stop"


def test_every_kind_of_fault_is_tested() -> None:
    assert {*ENDINGS, *ODDITIES, FaultKind.SLOW, FaultKind.NO_TOOLS} == set(FaultKind)


async def test_latency_and_slowness_are_waited_for(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving(latency=0.25) as server:
        await server.post(body_for(case))
        assert server.waits == [0.25]
    async with serving(latency=0.25, slow_seconds=9.0, faults=always(FaultKind.SLOW)) as server:
        status, _ = await server.post(body_for(case))
        assert (status, server.waits) == (200, [9.25])
    async with serving() as server:
        await server.post(body_for(case))
        assert server.waits == []


async def test_a_repeated_request_draws_anew_and_the_same_on_another_server(
    case: Case, serving: Serve, body_for: BodyFor
) -> None:
    plan = FaultPlan({FaultKind.OVERLOADED: 0.5}, seed=3)
    seen = []
    for _ in range(2):
        async with serving(faults=plan) as server:
            seen.append([(await server.post(body_for(case, seed=n % 2)))[0] for n in range(20)])
    assert seen[0] == seen[1]
    assert set(seen[0]) == {200, 503}
    async with serving(faults=plan) as server:
        turned = [(await server.post(body_for(case, seed=n // 10)))[0] for n in range(20)]
    assert (turned[:10], turned[10:]) == (seen[0][::2], seen[0][1::2])


async def test_the_ledger_and_the_client_agree_under_faults(case: Case, serving: Serve) -> None:
    """Where a reply was cut, the server bills and the client cannot know: there its cost is unknown, not zero."""
    plan = FaultPlan({kind: 0.1 for kind in FaultKind if kind.is_transient or kind.spoils_the_reply}, seed=1)
    attempts: list[Attempt] = []
    async with (
        serving(faults=plan, price=TokenPrice(2.0, 10.0)) as server,
        client_of(server, retries=100) as endpoint,
    ):
        model = endpoint.chat_model(Variant("served/oracle", "low"))
        for _ in range(60):
            await model.complete(request_for(case), attempts.append)
        ledger = await server.get("/ledger")
    assert ledger["requests"] == len(attempts)
    outcomes = ledger["outcomes"]
    assert len(outcomes) > 10
    answered = [attempt for attempt in attempts if attempt.outcome == "ok"]
    kinds = ("ok", *(kind.value for kind in FaultKind if kind.spoils_the_reply))
    assert len(answered) == 60 == sum(outcomes[kind]["requests"] for kind in kinds if kind in outcomes)
    known = sum(attempt.cost_usd for attempt in attempts if attempt.cost_usd is not None)
    assert known == pytest.approx(ledger["cost_usd"] - outcomes["cut"]["cost_usd"])
    unknown = [attempt.outcome for attempt in attempts if attempt.cost_usd is None]
    assert unknown.count("cut_body") == outcomes["cut"]["requests"] > 0
    assert set(unknown) <= {"cut_body", "connection_lost"}


async def test_a_reply_without_choices_bills_the_prompt(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving(faults=always(FaultKind.NO_CHOICES), price=TokenPrice(2.0, 10.0)) as server:
        _, reply = await server.post(body_for(case))
        ledger = await server.get("/ledger")
    assert reply["choices"] == []
    assert reply["usage"]["prompt_tokens"] == ledger["prompt_tokens"] > 0
    assert reply["usage"]["completion_tokens"] == 0
    assert reply["usage"]["cost"] == ledger["cost_usd"] > 0


async def test_a_token_limit_cuts_the_reply(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving() as server:
        _, reply = await server.post(body_for(case, max_completion_tokens=10))
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 10


async def test_what_is_no_good_is_refused_whatever_the_faults(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving(faults=always(FaultKind.OVERLOADED)) as server:
        status, reply = await server.post(body_for(case, logprobs=True))
        assert status == 400
        assert reply["error"] == {
            "message": "Unknown parameter: 'logprobs'.",
            "type": "invalid_request_error",
            "param": "logprobs",
            "code": "unknown_parameter",
        }
        unordered = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
        assert (await server.post(body_for(case, messages=unordered)))[0] == 400
        assert (await server.get("/ledger"))["outcomes"]["refused"]["requests"] == 2


async def test_an_unknown_model_is_named_with_those_there_are(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving() as server:
        status, reply = await server.post(body_for(case, model="org/model"))
    assert status == 404
    assert reply["error"]["code"] == "model_not_found"
    assert "served/oracle" in reply["error"]["message"]


async def test_other_tools_than_a_proofreader_s_are_refused(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving() as server:
        body = body_for(case)
        status, reply = await server.post({**body, "tools": body["tools"][:1]})
    assert status == 400
    assert "only proofreads" in reply["error"]["message"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("GET", "/chat/completions", 405)])
async def test_wrong_paths_and_methods_are_answered_in_json(
    serving: Serve, method: str, path: str, status: int
) -> None:
    async with serving() as server, server.session.request(method, server.url + path) as response:
        assert response.status == status
        assert path in (await response.json())["error"]["message"]


async def test_a_model_that_is_not_installed_says_how_to_install_it(
    case: Case, serving: Serve, body_for: BodyFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata_bench.baselines.catalogue.find_spec", lambda name: None if name == "lt_py" else name)
    async with serving() as server:
        listed = await server.get("/v1/models")
        status, reply = await server.post(body_for(case, model="served/languagetool"))
    assert "served/languagetool" not in {model["id"] for model in listed["data"]}
    assert status == 404
    assert "pip install" in reply["error"]["message"]


async def test_a_reset_is_a_reset(case: Case, serving: Serve, body_for: BodyFor) -> None:
    async with serving(faults=always(FaultKind.RESET)) as server:
        with pytest.raises((aiohttp.ClientOSError, aiohttp.ServerDisconnectedError)) as caught:
            await server.post(body_for(case))
    assert "reset" in str(caught.value).lower()
