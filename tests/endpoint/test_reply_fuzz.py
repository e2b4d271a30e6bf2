"""No input makes the reading of replies raise anything but faults, or execute what was cut."""

from __future__ import annotations

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.chat import ChatReply
from errata_bench.endpoint.bodies import read_body
from errata_bench.endpoint.replies import Expected, error_in, message_text, read_reply, spent_in
from errata_bench.errors import EndpointFault
from tests.support.loopback import chat_reply, tool_call

TOOLS = frozenset({"find_and_replace", "proofreading_complete"})
EXPECTED = Expected(tools=TOOLS, token_limit=100)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def fields(**likely: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of the likely fields, each as likely or as junk."""
    mostly = {name: st.one_of(likely[name], likely[name], likely[name], junk) for name in likely}
    return st.fixed_dictionaries({}, optional=mostly)


arguments = st.sampled_from(
    ['{"find":"a"}', '{"find":"a', '"{\\"a\\":1}"', "{'a': 1}", "", "null", "[1]", '{"a":"\\ud800"}']
)
function = fields(name=st.sampled_from([*TOOLS, "functions.x", ""]), arguments=arguments, note=junk)
call = fields(id=st.sampled_from(["a", "b", ""]), type=st.just("function"), function=function, index=st.integers(0, 2))
part = fields(type=st.sampled_from(["text", "thinking"]), text=st.text(max_size=9), thinking=st.text(max_size=9))
content = st.text(max_size=30) | st.lists(part, max_size=3) | st.sampled_from(["<tool_call>", "<think>a</think>"])
message = fields(
    content=content,
    tool_calls=st.lists(call | junk, max_size=3),
    reasoning_content=st.text(max_size=9),
    reasoning_details=st.lists(junk, max_size=2),
    refusal=st.text(max_size=9),
    function_call=function,
    extra=junk,
)
error = fields(
    code=st.integers(0, 600),
    message=st.text(max_size=30),
    metadata=fields(raw=st.text(), headers=junk),
    param=st.text(),
)
choice = fields(
    message=message,
    delta=message,
    finish_reason=st.sampled_from(["stop", "length", "tool_calls", "error", None]),
    error=error,
)
usage = fields(
    prompt_tokens=st.integers(0, 200),
    completion_tokens=st.integers(0, 200),
    cost=st.floats(),
    is_byok=st.booleans(),
    completion_tokens_details=fields(reasoning_tokens=st.integers(0, 200)),
)
payload = fields(choices=st.lists(choice, max_size=2), usage=usage, error=error, detail=junk, object=st.just("error"))
good_choice = st.fixed_dictionaries(
    {"message": message},
    optional={"finish_reason": st.sampled_from(["stop", "length", "tool_calls", "error", None]) | junk},
)
good_payload = st.fixed_dictionaries(
    {"choices": st.lists(good_choice, min_size=1, max_size=2)}, optional={"usage": usage, "id": junk}
)
statuses = st.sampled_from(
    [200, 200, 200, 201, 204, 301, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529, 599, 999]
)
headers = st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset"]), st.text(max_size=20), max_size=2)


def encode(value: Any) -> bytes:
    # Python's own form, with NaN and lone surrogates: servers in Python send those.
    return json.dumps(value).encode("utf-8", "surrogatepass")


def check(reply: ChatReply, expected: Expected = EXPECTED) -> None:
    """What holds of every reply."""
    message = reply.message
    orjson.dumps({"messages": [message]})
    assert message["role"] == "assistant"
    entries = message.get("tool_calls")
    assert entries is None or entries
    assert entries or message_text(message) or message["content"]
    assert [entry["id"] for entry in entries or ()] == [call.id for call in reply.tool_calls]
    ids = [call.id for call in reply.tool_calls]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & expected.used_ids
    for entry, read in zip(entries or (), reply.tool_calls, strict=True):
        assert isinstance(json.loads(entry["function"]["arguments"]), dict)
        assert 0 < len(entry["function"]["name"]) <= 64
        assert entry["function"]["name"] == read.name
        assert (read.arguments is None) == (read.problem is not None)
        read.raw_arguments.encode()
    if reply.truncated and reply.tool_calls:
        assert reply.tool_calls[-1].arguments is None
    assert reply.cost_usd is None or reply.cost_usd >= 0
    assert all(count > 0 for count in reply.oddities.values())


def run(status: int, header: dict[str, str], raw: bytes, expected: Expected = EXPECTED) -> None:
    try:
        reply = read_reply(status, header, raw, expected)
    except EndpointFault as fault:
        assert fault.kind
        assert "\n" not in str(fault)
        assert len(fault.message) < 500
        assert fault.__cause__ is None
        assert fault.__context__ is None
    else:
        check(reply, expected)
    error_in(raw)
    spent_in(raw)


@settings(max_examples=600)
@given(statuses, headers, payload | st.lists(payload, max_size=2))
def test_any_object_gives_a_reply_or_a_fault(status: int, header: dict[str, str], value: Any) -> None:
    run(status, header, encode(value), Expected(tools=TOOLS, token_limit=100, used_ids=frozenset({"a"})))


@settings(max_examples=600)
@given(good_payload)
def test_any_message_gives_a_reply_that_can_be_sent_back(value: Any) -> None:
    run(200, {}, encode(value), Expected(tools=TOOLS, token_limit=100, used_ids=frozenset({"a"})))


@settings(max_examples=300)
@given(statuses, st.binary(max_size=200))
def test_any_bytes_give_a_reply_or_a_fault(status: int, raw: bytes) -> None:
    run(status, {}, raw)


@settings(max_examples=300)
@given(payload, st.data())
def test_any_cut_or_doubled_body_gives_a_reply_or_a_fault(value: Any, data: st.DataObject) -> None:
    raw = encode(value)
    cut = raw[: data.draw(st.integers(0, len(raw)))]
    run(200, {}, cut)
    run(200, {}, raw + cut)


@settings(max_examples=200)
@given(st.lists(payload, max_size=4), st.booleans(), st.sampled_from([b"\n\n", b"\n", b"\r\n\r\n"]))
def test_any_stream_gives_a_reply_or_a_fault(chunks: list[Any], done: bool, end: bytes) -> None:
    run(
        200,
        {},
        end.join([b": hello", *(b"data: " + encode(chunk) for chunk in chunks), b"data: [DONE]" if done else b""]),
    )


@given(message)
def test_a_reply_at_the_limit_never_has_an_executable_last_call(said: dict[str, Any]) -> None:
    body = chat_reply("x", message=said, usage={"prompt_tokens": 1, "completion_tokens": 100})
    try:
        reply = read_reply(200, {}, encode(body), EXPECTED)
    except EndpointFault:
        return
    assert reply.truncated
    check(reply)


@given(st.integers(1, 3_000))
def test_no_depth_of_nesting_breaks_anything(depth: int) -> None:
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    body = (
        b'{"choices":[{"message":{"content":"x","extra":%s,"tool_calls":[{"function":{"name":"x","arguments":%s}}]}}]}'
    )
    run(200, {}, body % (nested, nested))
    run(400, {}, b'{"error":{"message":%s}}' % nested)
    run(200, {}, b'{"choices":[{"message":{"content":[%s]}}]}' % nested)
    read_body(b"[" * depth)


def test_many_pieces_and_many_calls_take_no_quadratic_time() -> None:
    chunk = encode(
        {"choices": [{"delta": {"content": "x" * 10, "tool_calls": [{"index": 0, "function": {"arguments": " "}}]}}]}
    )
    stream = b"data: " + (b"\n\ndata: ".join([chunk] * 50_000)) + b"\n\ndata: [DONE]\n\n"
    run(200, {}, stream)
    calls = [tool_call({"find": "a"}, call_id="") for _ in range(5_000)]
    run(200, {}, encode(chat_reply(None, calls)))


def test_texts_made_to_slow_a_pattern_down_do_not() -> None:
    for piece in (
        "<",
        "<|",
        "://",
        "?key",
        "model ",
        "context ",
        "retry in 1",
        "1m",
        "functions.",
        '"name":',
        "\n `[",
        "<!--",
        "a@",
    ):
        text = piece * (60_000 // len(piece))
        run(200, {}, encode(chat_reply(text)))
        run(400, {"retry-after": text}, encode({"error": {"message": text}}))
        run(500, {}, text.encode())
