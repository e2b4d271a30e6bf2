"""What is sent."""

from __future__ import annotations

from typing import Any

import pytest

from errata_bench.chat import ChatRequest, Reasoning, ToolSchema
from errata_bench.endpoint.payload import build_body, encode
from errata_bench.errors import InternalError

USER = {"role": "user", "content": "Proofread."}
TOOL = ToolSchema("edit", "Edits.", {"type": "object", "properties": {}})


def body(request: ChatRequest, *, effort: str | None = "high", send_reasoning: bool = True) -> dict[str, Any]:
    return build_body(request, model="org/m", effort=effort, send_reasoning=send_reasoning, adaptations=frozenset())


def test_a_request_says_what_the_benchmark_promises() -> None:
    assert body(ChatRequest((USER,), (TOOL,))) == {
        "model": "org/m",
        "messages": [USER],
        "max_completion_tokens": 8192,
        "temperature": 0.0,
        "stream": False,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "edit",
                    "description": "Edits.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"effort": "high"},
    }


def test_without_tools_nothing_is_said_of_them() -> None:
    assert not body(ChatRequest((USER,))).keys() & {"tools", "tool_choice", "parallel_tool_calls"}


@pytest.mark.parametrize(
    ("reasoning", "effort", "expected"),
    [
        (Reasoning(), "low", {"effort": "low"}),
        (Reasoning(effort="xhigh"), "low", {"effort": "xhigh"}),
        (Reasoning(exclude=True, max_tokens=500), "none", {"effort": "none", "exclude": True, "max_tokens": 500}),
        (Reasoning(), None, None),
    ],
)
def test_reasoning_is_passed_through(reasoning: Reasoning, effort: str | None, expected: Any) -> None:
    assert body(ChatRequest((USER,), reasoning=reasoning), effort=effort).get("reasoning") == expected


def test_reasoning_is_omitted_where_the_settings_say_so() -> None:
    request = ChatRequest((USER,), reasoning=Reasoning("high", exclude=True, max_tokens=5))
    assert "reasoning" not in body(request, send_reasoning=False)


def test_a_tool_can_be_demanded_by_name() -> None:
    choice = body(ChatRequest((USER,), (TOOL,), tool_choice="edit"))["tool_choice"]
    assert choice == {"type": "function", "function": {"name": "edit"}}
    assert body(ChatRequest((USER,), (TOOL,), tool_choice="required"))["tool_choice"] == "required"


def test_a_request_that_is_no_json_is_a_bug_of_this_program() -> None:
    with pytest.raises(InternalError):
        encode({"x": object()})
