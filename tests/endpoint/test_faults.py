"""What failed answers mean (QUIRKS F)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errata_bench.endpoint.faults import Surroundings
from errata_bench.endpoint.redact import Redactor
from errata_bench.endpoint.replies import Expected, read_reply
from errata_bench.errors import EndpointFault, Reach

NOW = 1_750_000_000.0


def fault(
    status: int, body: Any, headers: dict[str, str] | None = None, around: Surroundings | None = None
) -> EndpointFault:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    expected = Expected(around=around or Surroundings(url="https://api.test/v1/chat/completions", now=NOW))
    with pytest.raises(EndpointFault) as caught:
        read_reply(status, headers or {}, raw, expected)
    return caught.value


def message(text: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": text, **fields}}


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530])
@pytest.mark.parametrize("body", ["", message("busy"), "<html><title>oops</title></html>", "upstream"])
def test_transient_statuses_are_tried_again(status: int, body: Any) -> None:
    """Q61, Q57."""
    found = fault(status, body)
    assert (found.reach, found.status) == (Reach.RETRY, status)


@pytest.mark.parametrize(
    ("status", "body", "kind", "reach"),
    [
        pytest.param(
            429, message("You exceeded your quota", code="insufficient_quota"), "no_credit", Reach.ALL, id="Q60 code"
        ),
        pytest.param(429, message("x", type="insufficient_quota"), "no_credit", Reach.ALL, id="Q60 type"),
        pytest.param(
            429,
            message("You exceeded your current quota, please check your plan and billing details."),
            "quota_used_up",
            Reach.ALL,
            id="Q60 text",
        ),
        pytest.param(
            429,
            message("You exceeded your current quota. Please retry in 37.2s.", status="RESOURCE_EXHAUSTED"),
            "rate_limited",
            Reach.RETRY,
            id="Gemini's words for a limit a minute",
        ),
        pytest.param(
            429, message("Rate limit exceeded: free-models-per-day"), "quota_used_up", Reach.ALL, id="daily quota"
        ),
        pytest.param(402, message("Insufficient credits"), "no_credit", Reach.ALL, id="Q72"),
        pytest.param(402, "", "no_credit", Reach.ALL, id="Q72 without a text"),
        pytest.param(
            402,
            message("This request requires more credits. You requested up to 8192 tokens, but can only afford 512."),
            "no_credit",
            Reach.ALL,
            id="Q72 can only afford",
        ),
        pytest.param(
            400, message("Your credit balance is too low to access the API"), "no_credit", Reach.ALL, id="Q72 as 400"
        ),
        pytest.param(403, message("Key limit exceeded"), "no_credit", Reach.ALL, id="Q72 as 403"),
        pytest.param(401, message("No auth credentials found"), "invalid_key", Reach.ALL, id="Q73 401"),
        pytest.param(401, message("User not found."), "invalid_key", Reach.ALL, id="Q73 user not found"),
        pytest.param(401, "", "invalid_key", Reach.ALL, id="Q73 empty"),
        pytest.param(
            400,
            [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
            "invalid_key",
            Reach.ALL,
            id="Q73 as 400, in a list",
        ),
        pytest.param(403, message("You may not use this model"), "forbidden", Reach.VARIANT, id="Q73 403"),
        pytest.param(
            403,
            message("Input was flagged", metadata={"reasons": ["violence"]}),
            "content_refused",
            Reach.RUN,
            id="403 moderation",
        ),
        pytest.param(403, "<html><title>Blocked</title></html>", "forbidden", Reach.ALL, id="403 firewall"),
        pytest.param(
            404,
            message("No endpoints found that support tool use. To learn more, visit…", code=404),
            "no_tool_support",
            Reach.VARIANT,
            id="Q71",
        ),
        pytest.param(
            400, message("registry/library/x does not support tools"), "no_tool_support", Reach.VARIANT, id="Q71 as 400"
        ),
        pytest.param(
            500, message("tools param requires --jinja flag"), "no_tool_support", Reach.VARIANT, id="Q71 as 500"
        ),
        pytest.param(
            400,
            message('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
            "no_tool_support",
            Reach.VARIANT,
            id="Q71 vLLM",
        ),
        pytest.param(
            400,
            message("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"),
            "context_length",
            Reach.VARIANT,
            id="Q74 OpenAI",
        ),
        pytest.param(400, message("x", code="context_length_exceeded"), "context_length", Reach.VARIANT, id="Q74 code"),
        pytest.param(
            400,
            message("the request exceeds the available context size", type="exceed_context_size_error"),
            "context_length",
            Reach.VARIANT,
            id="Q74 llama.cpp",
        ),
        pytest.param(
            500, message("x", type="exceed_context_size_error"), "context_length", Reach.VARIANT, id="Q74 as 500"
        ),
        pytest.param(
            400, message("prompt is too long: 210000 tokens > 200000"), "context_length", Reach.VARIANT, id="Q74 Claude"
        ),
        pytest.param(
            400,
            message("Provider returned error", metadata={"raw": '{"message": "Input is too long for this model."}'}),
            "context_length",
            Reach.VARIANT,
            id="Q74 in the cause",
        ),
        pytest.param(
            200, message("x", code="context_length_exceeded"), "context_length", Reach.VARIANT, id="Q74 inside 200"
        ),
        pytest.param(
            429,
            message("Rate limit: input tokens per minute for this context window exceeded"),
            "rate_limited",
            Reach.RETRY,
            id="a rate limit that speaks of context",
        ),
        pytest.param(
            400,
            message("max_tokens is too large: 8192. This model supports at most 4096 completion tokens"),
            "token_limit_refused",
            Reach.VARIANT,
            id="token limit",
        ),
        pytest.param(404, message("The model `x` does not exist"), "unknown_model", Reach.VARIANT, id="unknown model"),
        pytest.param(400, message("foo/bar is not a valid model ID"), "unknown_model", Reach.VARIANT, id="model id"),
        pytest.param(
            404, message("No endpoints found for foo/bar."), "unknown_model", Reach.VARIANT, id="no endpoints for"
        ),
        pytest.param(
            404, {"error": "model 'x' not found, try pulling it first"}, "unknown_model", Reach.VARIANT, id="Ollama"
        ),
        pytest.param(
            404,
            message("No endpoints found matching your data policy."),
            "no_endpoints",
            Reach.VARIANT,
            id="data policy",
        ),
        pytest.param(404, "<html><title>404</title></html>", "wrong_url", Reach.ALL, id="Q79 page"),
        pytest.param(404, {"detail": "Not Found"}, "wrong_url", Reach.ALL, id="Q79 FastAPI"),
        pytest.param(404, "", "wrong_url", Reach.ALL, id="Q79 nothing"),
        pytest.param(405, {"detail": "Method Not Allowed"}, "wrong_url", Reach.ALL, id="Q79 method"),
        pytest.param(
            400, "<html><title>400 plain HTTP to HTTPS port</title></html>", "wrong_url", Reach.ALL, id="http for https"
        ),
        pytest.param(301, "", "redirected", Reach.ALL, id="redirect"),
        pytest.param(413, message("Payload too large"), "request_too_large", Reach.VARIANT, id="413"),
        pytest.param(
            400, message("The response was filtered by the content management policy"), "content_refused", Reach.RUN
        ),
        pytest.param(
            400,
            message("An assistant message with 'tool_calls' must be followed by tool messages"),
            "bad_request",
            Reach.RUN,
            id="Q75",
        ),
        pytest.param(422, {"detail": [{"loc": ["body", "x"], "msg": "bad"}]}, "bad_request", Reach.RUN, id="422"),
    ],
)
def test_each_refusal_reaches_as_far_as_it_should(status: int, body: Any, kind: str, reach: Reach) -> None:
    found = fault(status, body)
    assert (found.kind, found.reach) == (kind, reach)
    if reach in (Reach.VARIANT, Reach.ALL) and kind != "forbidden":
        assert found.mend


def test_a_fault_is_one_short_line() -> None:
    found = fault(400, message("first\nsecond\n\n" + "long " * 500))
    assert "\n" not in str(found)
    assert len(found.message) <= 300


def test_a_wrong_address_is_shown() -> None:
    """Q79."""
    assert "https://api.test/v1/chat/completions" in fault(404, "").message


def test_a_missing_key_is_told_apart_from_a_wrong_one() -> None:
    assert "no key was sent" in str(fault(401, "", around=Surroundings(has_key=False)).mend)
    assert "no key was sent" not in str(fault(401, "").mend)


def test_secrets_are_taken_out_before_the_text_is_cut() -> None:
    key = "planted-key-0123456789abcdef"
    around = Surroundings(redact=Redactor([key]))
    for padding in range(250, 310, 7):
        assert "planted" not in fault(400, message("x" * padding + " " + key), around=around).message


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "30"}, "", 30.0),
        ({"retry-after": "junk"}, "", None),
        ({}, message("Please try again in 7.5s"), 7.5),
        ({}, message("x", metadata={"headers": {"X-RateLimit-Reset": str(int((NOW + 20) * 1000))}}), 20.0),
    ],
)
def test_the_wait_that_a_server_names_is_passed_on(headers: dict[str, str], body: Any, seconds: float | None) -> None:
    assert fault(429, body, headers).retry_after == seconds


def test_a_limit_that_lasts_for_hours_is_a_quota() -> None:
    assert fault(429, "", {"retry-after": "7200"}).kind == "quota_used_up"
    assert fault(429, message("limit per day"), {"retry-after": "20"}).reach is Reach.RETRY
    assert fault(503, "", {"retry-after": "7200"}).reach is Reach.RETRY
