"""Which refused parameter is left out, renamed, or an error (QUIRKS policy P)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errata_bench.chat import ChatRequest, Reasoning, ToolSchema
from errata_bench.endpoint.adapt import Adaptation, Refusal, find_remedy, revoked
from errata_bench.endpoint.payload import build_body
from errata_bench.endpoint.replies import error_in

SCHEMA = {
    "type": "object",
    "properties": {"find": {"type": "string", "minLength": 1, "description": "text"}, "title": {"type": "string"}},
    "required": ["find"],
    "additionalProperties": False,
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "edit", "arguments": "{}"}, "extra_content": {"x": 1}}
HISTORY = (
    {"role": "user", "content": "Proofread."},
    {"role": "assistant", "content": "", "tool_calls": [CALL], "reasoning_content": "hm", "vertex": 1},
    {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
)
FIRST = ChatRequest((HISTORY[0],), (ToolSchema("edit", "Edits.", SCHEMA),), reasoning=Reasoning(exclude=True))
LATER = ChatRequest(HISTORY, FIRST.tools)


def body(request: ChatRequest = FIRST, *adaptations: Adaptation, send_reasoning: bool = True) -> dict[str, Any]:
    return build_body(
        request, model="m", effort="high", send_reasoning=send_reasoning, adaptations=frozenset(adaptations)
    )


def remedy(error: Any, request: ChatRequest = FIRST, *already: Adaptation) -> Adaptation | Refusal | None:
    sent = body(request, *already)
    payload = {"error": error} if not isinstance(error, dict) or "detail" not in error else error
    return find_remedy(error_in(json.dumps(payload).encode()), sent, frozenset(already))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(
            "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.",
            Adaptation.MAX_TOKENS,
            id="Q64 the other way",
        ),
        pytest.param(
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs"}]},
            Adaptation.MAX_TOKENS,
            id="Q65",
        ),
        pytest.param(
            "Unsupported value: 'temperature' does not support 0. Only the default (1) value is supported.",
            Adaptation.NO_TEMPERATURE,
            id="Q66",
        ),
        pytest.param(
            {"message": "Unsupported value", "param": "temperature"}, Adaptation.NO_TEMPERATURE, id="Q66 by field"
        ),
        pytest.param(
            "`temperature` may only be set to 1 when thinking is enabled", Adaptation.NO_TEMPERATURE, id="Q66 thinking"
        ),
        pytest.param("Unknown parameter: 'parallel_tool_calls'.", Adaptation.NO_PARALLEL_TOOL_CALLS, id="Q67"),
        pytest.param(
            "Unrecognized request argument supplied: parallel_tool_calls", Adaptation.NO_PARALLEL_TOOL_CALLS, id="Q67 b"
        ),
        pytest.param("Thinking mode does not support this tool_choice", Adaptation.NO_TOOL_CHOICE, id="Q68"),
        pytest.param(
            "No endpoints found that support the provided 'tool_choice' value.", Adaptation.NO_TOOL_CHOICE, id="Q68 404"
        ),
        pytest.param(
            "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0]': Cannot find field.",
            Adaptation.PLAIN_SCHEMAS,
            id="Q69",
        ),
        pytest.param("Unknown name minLength", Adaptation.PLAIN_SCHEMAS, id="Q69 nested keyword"),
        pytest.param("Unknown name title", None, id="a field's name is no keyword"),
        pytest.param({"message": "Unknown parameter: 'reasoning'."}, Refusal.EFFORT, id="Q70"),
        pytest.param("reasoning_effort 'xhigh' is not supported", Refusal.EFFORT, id="Q70 effort"),
        pytest.param(
            "Reasoning is mandatory for this endpoint and cannot be disabled.", Refusal.EFFORT, id="Q70 mandatory"
        ),
        pytest.param("`enable_thinking` is not supported", Refusal.EFFORT, id="Q70 thinking"),
        pytest.param(
            {"message": "Unknown", "param": "reasoning.exclude"}, Adaptation.NO_REASONING_EXCLUDE, id="exclude"
        ),
        pytest.param("Unknown parameter: 'reasoning.exclude'", Adaptation.NO_REASONING_EXCLUDE, id="exclude in text"),
        pytest.param("Unsupported parameter: 'top_p'", None, id="not sent"),
        pytest.param("Something is wrong", None, id="nothing named"),
        pytest.param("", None, id="nothing said"),
    ],
)
def test_the_named_parameter_is_found(error: Any, expected: Adaptation | Refusal | None) -> None:
    assert remedy(error) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param("messages.1.content: text content blocks must be non-empty", Adaptation.CONTENT_OMITTED, id="Q38"),
        pytest.param(
            "Invalid value for 'content': expected a string, got null.", Adaptation.CONTENT_OMITTED, id="Q38 b"
        ),
        pytest.param(
            "'messages.1' : property 'reasoning_content' is unsupported", Adaptation.REASONING_NOT_ECHOED, id="Q43"
        ),
        pytest.param(
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 1, "assistant", "reasoning_content"]}]},
            Adaptation.REASONING_NOT_ECHOED,
            id="Q43 by location",
        ),
        pytest.param("property 'vertex' is unsupported", Adaptation.EXTRAS_NOT_ECHOED, id="unknown field"),
        pytest.param("Unknown name extra_content", Adaptation.EXTRAS_NOT_ECHOED, id="unknown field of a call"),
        pytest.param(
            "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
            Adaptation.SHORT_CALL_IDS,
            id="Q24",
        ),
        pytest.param(
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a maximum length of 40.",
            Adaptation.SHORT_CALL_IDS,
            id="Q25",
        ),
        pytest.param("The reasoning_content in the thinking mode must be passed back", None, id="Q42"),
        pytest.param("Expected `thinking` or `redacted_thinking`, but found `text`.", None, id="Q44"),
        pytest.param(
            "Unknown parameter: 'parallel_tool_calls'.", Adaptation.NO_PARALLEL_TOOL_CALLS, id="not the history"
        ),
        pytest.param("Unknown parameter: 'reasoning'.", Refusal.EFFORT, id="effort in a later turn"),
    ],
)
def test_complaints_about_the_history_are_found(error: Any, expected: Adaptation | Refusal | None) -> None:
    assert remedy(error, LATER) == expected


def test_what_did_not_help_is_not_tried_again() -> None:
    assert remedy("Unknown parameter: 'temperature'", FIRST, Adaptation.NO_TEMPERATURE) is None
    assert remedy("messages.1.content must be non-empty", LATER, Adaptation.CONTENT_OMITTED) is None
    assert remedy("tool_call_id must have a length of 9", LATER) is Adaptation.SHORT_CALL_IDS
    assert remedy("tool_call_id must have a length of 9", LATER, Adaptation.SHORT_CALL_IDS) is None


def test_reasoning_that_is_wanted_back_goes_back() -> None:
    """Q42 against Q43."""
    stripped = frozenset({Adaptation.REASONING_NOT_ECHOED, Adaptation.NO_TEMPERATURE})
    demanded = error_in(b'{"error": "The reasoning_content must be passed back to the API"}')
    assert revoked(demanded, stripped) == {Adaptation.REASONING_NOT_ECHOED}
    assert revoked(error_in(b'{"error": "bad temperature"}'), stripped) == frozenset()


@pytest.mark.parametrize(
    ("adaptation", "gone", "there"),
    [
        (Adaptation.MAX_TOKENS, "max_completion_tokens", "max_tokens"),
        (Adaptation.NO_TEMPERATURE, "temperature", "max_completion_tokens"),
        (Adaptation.NO_PARALLEL_TOOL_CALLS, "parallel_tool_calls", "tool_choice"),
        (Adaptation.NO_TOOL_CHOICE, "tool_choice", "parallel_tool_calls"),
    ],
)
def test_only_the_one_parameter_changes(adaptation: Adaptation, gone: str, there: str) -> None:
    changed = body(FIRST, adaptation)
    assert gone not in changed
    assert there in changed
    plain = body()
    assert {key: plain[key] for key in plain if key != gone} == {
        key: changed[key] for key in changed if key != "max_tokens"
    }


def test_plain_schemas_keep_fields_and_their_meaning() -> None:
    parameters = body(FIRST, Adaptation.PLAIN_SCHEMAS)["tools"][0]["function"]["parameters"]
    assert parameters == {
        "type": "object",
        "properties": {"find": {"type": "string", "description": "text"}, "title": {"type": "string"}},
        "required": ["find"],
    }


def test_the_history_is_adapted_and_the_request_left_alone() -> None:
    before = json.dumps(LATER.messages)
    message = body(LATER, Adaptation.CONTENT_OMITTED, Adaptation.REASONING_NOT_ECHOED)["messages"][1]
    assert message == {"role": "assistant", "tool_calls": [CALL], "vertex": 1}
    bare = {key: CALL[key] for key in ("id", "type", "function")}
    message = body(LATER, Adaptation.EXTRAS_NOT_ECHOED)["messages"][1]
    assert message == {"role": "assistant", "content": "", "tool_calls": [bare], "reasoning_content": "hm"}
    assert json.dumps(LATER.messages) == before


def test_content_that_says_something_is_never_omitted() -> None:
    said = ChatRequest(({"role": "assistant", "content": "Fine.", "tool_calls": [CALL]}, *HISTORY[2:]))
    assert body(said, Adaptation.CONTENT_OMITTED)["messages"][0]["content"] == "Fine."


def test_short_ids_agree_between_calls_and_results() -> None:
    """Q25."""
    messages = body(LATER, Adaptation.SHORT_CALL_IDS)["messages"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"]
    assert len(messages[2]["tool_call_id"]) == 9
    assert messages[2]["tool_call_id"].isalnum()
