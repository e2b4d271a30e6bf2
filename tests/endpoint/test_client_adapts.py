"""Refused parameters and odd replies, against a real server (QUIRKS policy P)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from errata_bench.chat import ChatRequest
from errata_bench.endpoint.oddities import Oddity
from errata_bench.errors import Reach
from errata_bench.variants import Variant
from tests.endpoint.clients import BUSY, REQUEST, Client
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply, tool_call

# Adaptations (policy P)


def refusing(**rules: str) -> Callable[[Recorded], Any]:
    """Make a server that refuses the given parameters with their texts, one at a time."""

    async def answer(request: Recorded) -> Answer:
        for name, text in rules.items():
            if name in request.json:
                return Answer(400, {"error": {"message": text, "param": name}})
        return Answer(body=chat_reply("Done."))

    return answer


async def test_refused_parameters_are_left_out_one_by_one_and_remembered(server: Loopback, client: Client) -> None:
    server.default = refusing(
        max_completion_tokens="Unsupported parameter: use 'max_tokens'", temperature="Only the default (1) is supported"
    )
    await client.complete()
    assert client.outcomes == ["bad_request", "bad_request", "ok"]
    assert client.waits == []
    assert [attempt.cost_usd for attempt in client.attempts[:2]] == [0.0, 0.0]
    assert client.model.adaptations == ("max_tokens_for_max_completion_tokens", "no_temperature")
    assert server.requests[-1].json["max_tokens"] == 8192
    await client.complete()
    assert len(server.requests) == 4
    other_effort = client.endpoint.chat_model(Variant("org/m", "high"))
    assert other_effort.adaptations == client.model.adaptations
    assert client.endpoint.chat_model(Variant("org/other", "low")).adaptations == ()


async def test_what_does_not_help_is_tried_once_and_not_remembered(server: Loopback, client: Client) -> None:
    server.default = Answer(400, {"error": {"message": "Unsupported parameter: temperature"}})
    fault = await client.fault()
    assert (fault.kind, fault.reach) == ("bad_request", Reach.RUN)
    assert len(server.requests) == 2
    assert client.model.adaptations == ()


async def test_an_adaptation_is_learnt_also_when_the_retry_is_hit_by_a_passing_fault(
    server: Loopback, client: Client
) -> None:
    server.script(Answer(400, {"error": {"message": "Unsupported parameter: temperature"}}), BUSY)
    await client.complete()
    assert client.model.adaptations == ("no_temperature",)
    assert "temperature" not in server.requests[-1].json


async def test_a_refused_effort_is_an_error_never_dropped(server: Loopback, client: Client) -> None:
    """Q70."""
    server.default = refusing(reasoning="Unknown parameter: 'reasoning'")
    fault = await client.fault()
    assert (fault.kind, fault.reach) == ("unsupported_effort", Reach.VARIANT)
    assert "ERRATA_BENCH_API_REASONING_MODE" in str(fault.mend)
    assert len(server.requests) == 1


async def test_a_tool_choice_without_endpoints_is_left_out(server: Loopback, client: Client) -> None:
    """Q68."""
    text = "No endpoints found that support the provided 'tool_choice' value."
    server.script(Answer(404, {"error": {"message": text, "code": 404}}))
    await client.complete()
    assert client.model.adaptations == ("no_tool_choice",)


async def test_a_reply_can_be_sent_back_however_odd_it_was(server: Loopback, client: Client) -> None:
    odd = [
        tool_call({"find": "a"}, call_id=""),
        tool_call('{"find": "a', name="x.y", call_id=""),
        tool_call(["p"], name="", call_id="a"),
        tool_call(None, call_id="a"),
    ]
    server.script(Answer(body=chat_reply(None, odd)))
    reply = await client.complete()
    results = [{"role": "tool", "tool_call_id": call.id, "content": "ok"} for call in reply.tool_calls]
    await client.complete(ChatRequest((*REQUEST.messages, reply.message, *results), REQUEST.tools))
    history = server.requests[-1].json["messages"]
    calls = history[1]["tool_calls"]
    assert [call["id"] for call in calls] == [message["tool_call_id"] for message in history[2:]]
    assert len({call["id"] for call in calls}) == 4
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)
    assert reply.oddities[Oddity.MISSING_CALL_ID] == 2


async def test_an_id_of_an_earlier_turn_that_comes_again_is_replaced(server: Loopback, client: Client) -> None:
    server.default = Answer(body=chat_reply(None, [tool_call({"find": "a"}, call_id="call_0")]))
    first = await client.complete()
    result = {"role": "tool", "tool_call_id": "call_0", "content": "ok"}
    second = await client.complete(ChatRequest((*REQUEST.messages, first.message, result), REQUEST.tools))
    assert first.tool_calls[0].id == "call_0"
    assert second.tool_calls[0].id != "call_0"
