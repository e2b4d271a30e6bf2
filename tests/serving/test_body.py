"""Requests are read as strictly as the strictest servers do."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from errata_bench.cases.model import Case
from errata_bench.serving.body import Refused, read_body
from tests.serving.conftest import BodyFor

CALL = {"id": "c1", "type": "function", "function": {"name": "proofreading_complete", "arguments": "{}"}}


def refusal(body: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        read_body(body if isinstance(body, bytes) else json.dumps(body).encode())
    return caught.value


def test_a_request_of_a_run_is_read(case: Case, body_for: BodyFor) -> None:
    later = [
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "{}"},
    ]
    _, asked = read_body(json.dumps(body_for(case, *later, reasoning={"effort": "low", "exclude": True})).encode())
    assert asked.model == "served/oracle"
    assert asked.token_limit == 8192
    assert asked.parallel
    assert [tool.name for tool in asked.request.tools][:1] == ["find_and_replace"]
    assert asked.request.tools[0].parameters["required"] == ["paragraphId", "find", "replace"]
    assert asked.request.messages[2] == {"role": "assistant", "tool_calls": [CALL]}
    assert asked.request.messages[3] == later[1]


def test_the_older_token_limit_and_parts_of_text_are_understood(case: Case, body_for: BodyFor) -> None:
    parts = [{"type": "text", "text": "Read"}, {"type": "text", "text": "this."}]
    body = body_for(
        case,
        max_completion_tokens=...,
        max_tokens=50,
        messages=[{"role": "user", "content": parts}],
        tool_choice="none",
    )
    _, asked = read_body(json.dumps({**body, "parallel_tool_calls": False}).encode())
    assert asked.token_limit == 50
    assert not asked.parallel
    assert asked.request.tool_choice == "none"
    assert asked.request.messages[0]["content"] == "Read\nthis."


def test_bodies_that_say_the_same_have_the_same_digest(case: Case, body_for: BodyFor) -> None:
    body = body_for(case)
    digest = read_body(json.dumps(body).encode())[1].digest
    assert read_body(json.dumps(dict(reversed(body.items())), indent=2).encode())[1].digest == digest
    assert read_body(json.dumps({**body, "seed": 1}).encode())[1].digest != digest


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"model": NaN}'])
def test_what_is_no_json_object_is_refused(raw: bytes) -> None:
    assert refusal(raw).status == 400


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"model": ...}, "model"),
        ({"model": ""}, "model"),
        ({"messages": ...}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "Hello"}, "messages"),
        ({"stream": True}, "stream"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": "0"}, "temperature"),
        ({"max_completion_tokens": 0}, "max_completion_tokens"),
        ({"max_completion_tokens": "many"}, "max_completion_tokens"),
        ({"max_tokens": 5}, None),
        ({"n": 2}, "n"),
        ({"tools": []}, "tools"),
        ({"tools": ...}, None),
        ({"tool_choice": "any"}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "x"}}}, "tool_choice"),
        ({"parallel_tool_calls": "yes"}, "parallel_tool_calls"),
        ({"reasoning": {"effort": "extreme"}}, "reasoning.effort"),
        ({"reasoning": {"budget": 1}}, "reasoning.budget"),
        ({"chat_template_kwargs": {}}, "chat_template_kwargs"),
    ],
)
def test_a_wrong_parameter_is_named(
    case: Case, body_for: BodyFor, change: dict[str, Any], parameter: str | None
) -> None:
    refused = refusal(body_for(case, **change))
    assert (refused.status, refused.parameter) == (400, parameter)
    assert (parameter or next(iter(change))) in refused.message


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        ({"role": "narrator", "content": "x"}, "messages[2]"),
        ({"content": "x"}, "messages[2]"),
        ({"role": "user", "content": " "}, "messages[2].content"),
        ({"role": "user", "content": None}, "messages[2].content"),
        ({"role": "user"}, "messages[2].content"),
        ({"role": "user", "content": []}, "messages[2].content"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, "messages[2].content"),
        ({"role": "user", "content": "x", "mood": "good"}, "messages[2].mood"),
        ({"role": "assistant", "content": None}, "messages[2]"),
        ({"role": "assistant", "content": "", "tool_calls": []}, "messages[2].tool_calls"),
        ({"role": "assistant", "content": "x", "tool_calls": None}, "messages[2].tool_calls"),
        ({"role": "assistant", "content": "x", "reasoning_content": "hm"}, "messages[2].reasoning_content"),
        ({"role": "tool", "content": "x"}, "messages[2].tool_call_id"),
        ({"role": "tool", "content": "", "tool_call_id": "c"}, "messages[2].content"),
    ],
)
def test_a_malformed_message_is_named(case: Case, body_for: BodyFor, message: Any, parameter: str) -> None:
    assert refusal(body_for(case, message)).parameter == parameter


@pytest.mark.parametrize(
    ("path", "value", "parameter"),
    [
        (("function", "arguments"), '{"note":', "function.arguments"),
        (("function", "arguments"), "[]", "function.arguments"),
        (("function", "arguments"), "", "function.arguments"),
        (("function", "arguments"), {}, "function.arguments"),
        (("function", "name"), "functions.x", "function.name"),
        (("function", "name"), "", "function.name"),
        (("id",), "", "id"),
        (("id",), None, "id"),
        (("type",), "tool", "type"),
        (("index",), 0, "index"),
        (("function", "strict"), True, "function.strict"),
    ],
)
def test_a_malformed_call_is_named(case: Case, body_for: BodyFor, path: Any, value: Any, parameter: str) -> None:
    call: Any = copy.deepcopy(CALL)
    target = call
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    refused = refusal(body_for(case, {"role": "assistant", "content": None, "tool_calls": [call]}))
    assert refused.parameter == f"messages[2].tool_calls[0].{parameter}"


@pytest.mark.parametrize(
    ("schema", "parameter"),
    [
        ({"additionalProperties": False}, "additionalProperties"),
        ({"$schema": "x"}, "$schema"),
        ({"required": ["nowhere"]}, ""),
        ({"type": "text"}, "type"),
        ({"properties": {"a": {"type": "string", "minLength": 1}}}, "properties.a.minLength"),
    ],
)
def test_schemas_keep_to_the_keywords_that_every_server_knows(
    case: Case, body_for: BodyFor, schema: Any, parameter: str
) -> None:
    body = body_for(case)
    body["tools"][0]["function"]["parameters"] |= schema
    expected = ".".join(filter(None, ("tools[0].function.parameters", parameter)))
    assert refusal(body).parameter == expected


def test_two_tools_of_one_name_are_refused(case: Case, body_for: BodyFor) -> None:
    body = body_for(case)
    assert "same name" in refusal({**body, "tools": body["tools"][:1] * 2}).message
