"""What servers send as replies: content, reasoning, truncation, envelope (QUIRKS D and E)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errata_bench.chat import Usage
from errata_bench.endpoint.oddities import Oddity
from errata_bench.endpoint.replies import PLACEHOLDER, message_text
from errata_bench.errors import Reach
from tests.endpoint.reading import EDIT, fault, read
from tests.support.loopback import chat_reply, tool_call


def test_a_plain_reply_has_no_oddities() -> None:
    reply = read(chat_reply(None, [tool_call(EDIT)]))
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [("call_1", "find_and_replace", EDIT)]
    assert reply.oddities == {}
    assert reply.finish_reason == "tool_calls"
    assert not reply.truncated
    assert reply.message == {"role": "assistant", "content": "", "tool_calls": [tool_call(EDIT)]}


# D. Content and reasoning


def test_content_parts_are_joined_for_reading_and_echoed_as_they_came() -> None:
    """Q37."""
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}, {"type": "text", "text": "y"}]
    reply = read(chat_reply(parts))
    assert reply.message["content"] == parts
    assert message_text(reply.message) == "xy"
    assert reply.oddities == {Oddity.CONTENT_PARTS: 1}


@pytest.mark.parametrize("sent", [None, "", "  \n"])
def test_content_beside_calls_is_an_empty_text(sent: Any) -> None:
    """Q38."""
    assert read(chat_reply(sent, [tool_call(EDIT)])).message["content"] == ""


@pytest.mark.parametrize("sent", [None, "", " \n", [], [{"type": "thinking", "thinking": "hm"}], 17])
def test_a_reply_with_neither_text_nor_calls_is_replayed_with_a_placeholder(sent: Any) -> None:
    """Q39, Q40."""
    reply = read(chat_reply(sent, message={"reasoning_content": "I think."}))
    assert Oddity.EMPTY_REPLY in reply.oddities
    assert PLACEHOLDER in json.dumps(reply.message["content"])
    assert reply.message["reasoning_content"] == "I think."
    assert reply.tool_calls == ()


def test_a_thought_in_the_content_alone_is_an_empty_reply() -> None:
    assert read(chat_reply("<think>hm</think>\n")).oddities == {Oddity.EMPTY_REPLY: 1}
    assert read(chat_reply("<think>hm, Done.")).oddities == {Oddity.EMPTY_REPLY: 1}
    assert read(chat_reply("<think>hm</think>\nDone.")).oddities == {}


def test_unknown_fields_of_message_and_calls_go_back() -> None:
    """Q41."""
    signature = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
    call = tool_call(EDIT, extra_content=signature)
    call["function"]["note"] = 1
    reply = read(chat_reply(None, [call], message={"vertex": signature}))
    assert reply.message["tool_calls"] == [call]
    assert reply.message["vertex"] == signature


@pytest.mark.parametrize(
    "reasoning",
    [
        {"reasoning_content": "I think."},
        {"reasoning_content": ""},
        {"reasoning": "I think."},
        {"reasoning_details": [{"type": "reasoning.text", "text": "b"}, {"type": "x", "signature": "s"}]},
    ],
)
def test_reasoning_goes_back_under_its_own_name(reasoning: dict[str, Any]) -> None:
    """Q42, Q44."""
    message = read(chat_reply(None, [tool_call(EDIT)], message=reasoning)).message
    assert {key: message[key] for key in message if key not in ("role", "content", "tool_calls")} == reasoning


def test_fields_that_say_nothing_do_not_go_back() -> None:
    said_nothing: dict[str, Any] = {
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
        "reasoning": None,
    }
    message = read(chat_reply("Done.", message=said_nothing)).message
    assert message == {"role": "assistant", "content": "Done."}


def test_a_refusal_is_an_answer() -> None:
    reply = read(chat_reply(None, message={"refusal": "I cannot do that."}))
    assert reply.oddities == {Oddity.REFUSAL: 1}
    assert reply.message["content"] == "I cannot do that."


# Truncation


@pytest.mark.parametrize("arguments", ['{"newParagraphHtml":"<p>The', json.dumps(EDIT)])
@pytest.mark.parametrize(
    ("finish", "usage"),
    [
        ("length", {"prompt_tokens": 9, "completion_tokens": 100}),
        ("max_tokens", {}),
        ("MAX_TOKENS", {}),
        ("tool_calls", {"prompt_tokens": 9, "completion_tokens": 8192}),
        ("stop", {"prompt_tokens": 9, "completion_tokens": 8200}),
        (None, {"prompt_tokens": 9, "completion_tokens": 8192}),
    ],
)
def test_the_last_call_of_a_cut_reply_is_never_executed(finish: Any, usage: dict[str, int], arguments: str) -> None:
    """Q08."""
    calls = [tool_call(EDIT), tool_call(arguments, call_id="call_2")]
    reply = read(chat_reply(None, calls, finish=finish, usage=usage))
    assert reply.truncated
    assert reply.oddities[Oddity.TRUNCATED] == 1
    first, last = reply.tool_calls
    assert first.arguments == EDIT
    assert last.arguments is None
    assert last.problem is not None
    assert "cut off" in last.problem
    assert last.raw_arguments == arguments
    json.loads(reply.message["tool_calls"][1]["function"]["arguments"])


def test_reasoning_beyond_the_limit_cuts_nothing() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 9_000, "completion_tokens_details": {"reasoning_tokens": 8_000}}
    reply = read(chat_reply(None, [tool_call(EDIT)], usage=usage))
    assert not reply.truncated
    assert reply.tool_calls[0].arguments == EDIT
    assert read(chat_reply("x", usage={**usage, "completion_tokens": 8192})).truncated


# E. Envelope


@pytest.mark.parametrize("finish", ["end_turn", "eos", "STOP ", None, "sensitive"])
def test_other_finish_reasons_are_kept_and_counted(finish: str | None) -> None:
    """Q46."""
    reply = read(chat_reply("Done.", [tool_call(EDIT)], finish=finish))
    assert reply.finish_reason == finish
    assert reply.tool_calls[0].arguments == EDIT
    assert Oddity.UNKNOWN_FINISH_REASON in reply.oddities


@pytest.mark.parametrize("finish", ["error", "network_error"])
def test_a_reply_broken_off_by_the_server_is_tried_again_or_not_trusted(finish: str) -> None:
    """Q46."""
    assert fault(chat_reply("", finish=finish)).reach is Reach.RETRY
    reply = read(chat_reply("Some", [tool_call(EDIT)], finish=finish))
    assert reply.oddities[Oddity.INTERRUPTED] == 1
    assert reply.tool_calls[0].arguments is None


def test_an_error_of_the_choice_is_an_error() -> None:
    body = chat_reply("", finish="error")
    body["choices"][0]["error"] = {"code": 502, "message": "upstream broke"}
    assert (fault(body).kind, fault(body).status) == ("bad_gateway", 502)


@pytest.mark.parametrize(
    ("error", "kind", "reach", "status"),
    [
        ({"code": 502, "message": "Bad gateway"}, "bad_gateway", Reach.RETRY, 502),
        ({"code": "503", "message": "busy"}, "overloaded", Reach.RETRY, 503),
        ({"code": 429, "message": "slow down"}, "rate_limited", Reach.RETRY, 429),
        ({"code": 401, "message": "who?"}, "invalid_key", Reach.ALL, 401),
        ({"code": 400, "message": "bad"}, "bad_request", Reach.RUN, 400),
        ({"message": "something"}, "error_in_reply", Reach.RETRY, 200),
        ({"code": "rate_limit_exceeded", "message": "x"}, "rate_limited", Reach.RETRY, 200),
        ("it broke", "error_in_reply", Reach.RETRY, 200),
        ([{"message": "x"}], "error_in_reply", Reach.RETRY, 200),
    ],
)
def test_an_error_inside_counts_as_its_code(error: Any, kind: str, reach: Reach, status: int) -> None:
    """Q48: also when choices stand beside it."""
    for body in ({"error": error}, {**chat_reply("Hm"), "error": error}):
        found = fault(body)
        assert (found.kind, found.reach, found.status) == (kind, reach, status)


@pytest.mark.parametrize("nothing", [None, {}, "", [], False])
def test_an_error_field_without_an_error_is_none(nothing: Any) -> None:
    assert read({**chat_reply("Done."), "error": nothing}).message["content"] == "Done."


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": None},
        {"id": "x"},
        {"choices": [{}]},
        {"choices": [{"message": None, "finish_reason": "stop"}]},
        {"choices": ["x"]},
        {"choices": {"0": {}}},
        {"choices": [{"message": {"content": None}, "finish_reason": None}], "usage": {"completion_tokens": 0}},
        {"choices": [{"message": {"role": "", "content": ""}, "finish_reason": ""}]},
    ],
)
def test_a_reply_that_no_model_made_is_tried_again(body: dict[str, Any]) -> None:
    """Q49."""
    assert fault(body).reach is Reach.RETRY


def test_a_model_that_says_nothing_is_no_fault() -> None:
    assert read(chat_reply("", finish="stop")).oddities == {Oddity.EMPTY_REPLY: 1}


def test_message_and_cause_of_an_error_are_both_told() -> None:
    """Q51."""
    metadata = {"raw": '{"detail": "out of memory"}', "provider_name": "x"}
    told = fault({"error": {"code": 502, "message": "Provider returned error", "metadata": metadata}}).message
    assert "Provider returned error" in told
    assert "out of memory" in told
    assert "deep" in fault({"error": {"code": 500, "message": {"reason": "deep"}}}).message
    assert len(fault({"error": {"code": 500, "message": "x " * 5_000}}).message) <= 300


@pytest.mark.parametrize(
    "usage", [None, {}, "x", {"prompt_tokens": None}, {"prompt_tokens": 0, "completion_tokens": 0}]
)
def test_missing_counts_are_unknown_never_zero(usage: Any) -> None:
    """Q52."""
    body = {**chat_reply("Done."), "usage": usage}
    reply = read(body)
    assert reply.usage == Usage()
    assert reply.cost_usd is None
    assert reply.oddities == {Oddity.MISSING_USAGE: 1}


def test_counts_are_read_where_servers_put_them() -> None:
    openai = {
        "prompt_tokens": 9,
        "completion_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert read(chat_reply("x", usage=openai)).usage == Usage(9, 8, 3, 4)
    deepseek = {"prompt_tokens": 9, "completion_tokens": 8, "prompt_cache_hit_tokens": 4}
    assert read(chat_reply("x", usage=deepseek)).usage == Usage(9, 8, None, 4)
    anthropic = {"input_tokens": 9.0, "output_tokens": 8}
    assert read(chat_reply("x", usage=anthropic)).usage == Usage(9, 8)
    junk = {"prompt_tokens": -1, "completion_tokens": True}
    assert read(chat_reply("x", usage=junk)).usage == Usage()


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        ({"cost": 0.5}, 0.5),
        ({"cost": 0}, 0.0),
        ({"cost": None}, None),
        ({}, None),
        ({"cost": -1}, None),
        ({"cost": "0.5"}, None),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.03}}, 0.03),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.03}}, 0.04),
        ({"cost": 0.5, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.5}}, 0.5),
        ({"cost": 0.5, "cost_details": {"upstream_inference_cost": 0.5}}, 0.5),
        ({"cost": 0.01, "is_byok": True, "cost_details": None}, 0.01),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": None}}, None),
        ({"cost": None, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.03}}, 0.03),
    ],
)
def test_the_cost_of_the_reply(fields: dict[str, Any], cost: float | None) -> None:
    """Q53."""
    usage = {"prompt_tokens": 9, "completion_tokens": 8, **fields}
    assert read(chat_reply("x", usage=usage)).cost_usd == (pytest.approx(cost) if cost is not None else None)


def stream(*chunks: Any, done: bool = True, end: str = "\n\n") -> bytes:
    lines = [f"data: {json.dumps(chunk)}" for chunk in chunks]
    return (end.join([": OPENROUTER PROCESSING", *lines, *(["data: [DONE]"] if done else [])]) + end).encode()


def delta(finish: str | None = None, **part: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": part, "finish_reason": finish}]}


CHUNKS = (
    delta(role="assistant", content="I'll "),
    delta(content="do it.", reasoning_content="I "),
    delta(reasoning_content="think."),
    delta(tool_calls=[{"index": 0, "id": "a", "type": "function", "function": {"name": "find_and_replace"}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '{"find":'}}]),
    delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "proofreading_complete", "arguments": "{}"}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '"a"}'}}]),
    delta("tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 8}},
)


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\n"])
def test_a_stream_that_nobody_asked_for_is_put_together(end: str) -> None:
    """Q55."""
    reply = read(stream(*CHUNKS, end=end))
    assert reply.message["content"] == "I'll do it."
    assert reply.message["reasoning_content"] == "I think."
    assert [(call.id, call.arguments) for call in reply.tool_calls] == [("a", {"find": "a"}), ("b", {})]
    assert reply.usage == Usage(9, 8)
    assert reply.finish_reason == "tool_calls"
    assert reply.oddities == {Oddity.SSE_UNASKED: 1}


def test_json_with_a_stream_end_behind_it_is_read() -> None:
    """Q55."""
    assert read(json.dumps(chat_reply("Done.")).encode() + b"\n\ndata: [DONE]\n").message["content"] == "Done."


def test_a_cut_stream_is_tried_again_and_an_error_in_it_is_one() -> None:
    assert fault(stream(*CHUNKS[:5], done=False)).reach is Reach.RETRY
    assert fault(stream(*CHUNKS)[:-200]).reach is Reach.RETRY
    assert fault(stream(CHUNKS[0], {"error": {"code": 502, "message": "x"}})).kind == "bad_gateway"


@pytest.mark.parametrize(
    ("body", "kind", "reach"),
    [
        (b"", "empty_body", Reach.RETRY),
        (b" \r\n ", "empty_body", Reach.RETRY),
        (b"\x00\x00", "empty_body", Reach.RETRY),
        (b'{"choices": [{"mess', "malformed_body", Reach.RETRY),
        (json.dumps(chat_reply("x")).encode() + b'{"a":', "malformed_body", Reach.RETRY),
        (b"upstream connect error", "malformed_body", Reach.RETRY),
        (b"null", "malformed_body", Reach.RETRY),
        (b"[1]", "malformed_body", Reach.RETRY),
        (b"\xff\xfe\x00", "malformed_body", Reach.RETRY),
        (b"<!DOCTYPE html><html><title>Sign in</title></html>", "not_an_api", Reach.ALL),
        ("\ufeff<html>".encode(), "not_an_api", Reach.ALL),
        (b"  <html><body>Hello</body></html>", "not_an_api", Reach.ALL),
    ],
)
def test_bodies_that_are_no_reply(body: bytes, kind: str, reach: Reach) -> None:
    """Q57, Q62."""
    found = fault(body)
    assert (found.kind, found.reach) == (kind, reach)


def test_of_a_web_page_only_the_title_is_told() -> None:
    """Q57."""
    page = b"<html><head><title>502 Bad\n Gateway</title></head><body>cloudflare 12345</body></html>"
    found = fault(page, 502)
    assert found.reach is Reach.RETRY
    assert "502 Bad Gateway" in found.message
    assert "12345" not in found.message
    assert "Sign in" in fault(b"<html><title>Sign in</title>").message


def test_white_space_before_a_reply_and_a_byte_order_mark_do_no_harm() -> None:
    for start in (b"\n\n   ", "\ufeff".encode()):
        assert read(start + json.dumps(chat_reply("Done.")).encode()).message["content"] == "Done."


def test_calls_in_a_choice_of_their_own_are_found() -> None:
    body = chat_reply("I'll do it.")
    body["choices"].append(chat_reply(None, [tool_call(EDIT)])["choices"][0])
    reply = read(body)
    assert reply.tool_calls[0].arguments == EDIT
    assert reply.oddities == {Oddity.SEVERAL_CHOICES: 1}
