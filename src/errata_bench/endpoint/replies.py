"""Turns bytes, status and headers into a `ChatReply` or a typed `EndpointFault`.

The only place that looks at raw responses. Pure: no clock, no network, and no input makes it raise anything but
`EndpointFault`. It is strict (QUIRKS policy L): a call that was written into text is counted, never executed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from errata_bench.chat import ChatReply, Message, ToolCall, Usage
from errata_bench.endpoint.accounting import read_cost, read_usage
from errata_bench.endpoint.adapt import REASONING_FIELDS
from errata_bench.endpoint.bodies import Body, BodyKind, read_body
from errata_bench.endpoint.calls import ReadCalls, read_calls, sendable_extras
from errata_bench.endpoint.errors_sent import SentError, has_error, read_error, read_error_value
from errata_bench.endpoint.faults import Surroundings, fault_of, shorten
from errata_bench.endpoint.leaks import count_leaked_calls, without_thought
from errata_bench.endpoint.oddities import Oddity
from errata_bench.errors import EndpointFault, Reach

PLACEHOLDER = "(no answer)"
"""The content in the history of a reply with neither text nor calls, which servers refuse (Q39)."""

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length", "token_limit"})
_BROKEN_OFF = frozenset({"error", "network_error", "abort", "aborted", "cancelled"})
_FILTERED = frozenset({"content_filter", "sensitive", "safety", "refusal", "prohibited_content", "recitation"})
_KNOWN = frozenset({"stop", "length", "tool_calls", "function_call", "content_filter"})
_MESSAGE_FIELDS = frozenset({"role", "content", "tool_calls", "function_call", *REASONING_FIELDS})


@dataclass(frozen=True, slots=True)
class Expected:
    """What was asked: the tools offered, the ids that the conversation has used, and the token limit."""

    tools: frozenset[str] = frozenset()
    used_ids: frozenset[str] = frozenset()
    token_limit: int | None = None
    around: Surroundings = field(default_factory=Surroundings)


@dataclass(frozen=True, slots=True)
class _Choice:
    message: Mapping[str, Any]
    finish: str | None
    several: bool


@dataclass(frozen=True, slots=True)
class _Content:
    """Content as it goes back, its text, and whether it is only text."""

    replay: str | list[Any]
    text: str
    oddity: Oddity | None = None


def read_reply(status: int, headers: Mapping[str, str], raw: bytes, expected: Expected = Expected()) -> ChatReply:
    """Read an answer; ``headers`` have lower-case names. Raises `EndpointFault`, and nothing else."""
    body = read_body(raw)
    _refuse_faults(status, headers, body, expected.around)
    payload = body.payload
    choice = _choose(payload, headers, expected.around)
    read = read_calls(choice.message, expected.tools, expected.used_ids, hashlib.sha256(raw).hexdigest())
    content = _read_content(choice.message)
    answered = bool(read.calls or content.text.strip() or _reasoning_text(choice.message))
    usage = read_usage(payload, answered=answered)
    finish = (choice.finish or "").lower()
    if not answered and not choice.message.get("refusal") and (finish in _BROKEN_OFF or _is_zeroed(finish, usage)):
        raise _retryable("no_answer", "the server sent a reply without any answer in it", status)
    cut = finish in _CUT or _at_limit(usage, expected.token_limit)
    broken = finish in _BROKEN_OFF
    counts = Counter([*body.oddities, *read.oddities])
    counts.update(_oddities(choice, content, read, usage, cut=cut, broken=broken))
    counts.update(_leaks(choice.message, content, read, expected.tools))
    message, dropped = _message(choice.message, content, read)
    counts.update([Oddity.UNREPLAYABLE_EXTRAS] * dropped)
    return ChatReply(
        message=message,
        tool_calls=_stop_last(read.calls, cut=cut) if cut or broken else read.calls,
        usage=usage,
        cost_usd=read_cost(payload),
        finish_reason=choice.finish,
        truncated=cut or broken,
        oddities={str(oddity): count for oddity, count in counts.items()},
    )


def message_text(message: Message) -> str:
    """Return the text of an assistant message, whatever form its content has, without thoughts."""
    return without_thought(_read_content(message).text).strip()


def _refuse_faults(status: int, headers: Mapping[str, str], body: Body, around: Surroundings) -> None:
    if not 200 <= status < 300:
        raise fault_of(status, read_error(body), headers, around)
    if body.kind is BodyKind.EMPTY:
        raise _retryable("empty_body", "the server sent an empty body", status)
    if body.kind is BodyKind.HTML:
        raise EndpointFault(
            "not_an_api",
            f"a web page came back instead of a reply: {shorten(body.excerpt, around.redact)} [{around.url}]",
            reach=Reach.ALL,
            status=status,
            mend="check ERRATA_BENCH_API_BASE_URL, and whether a proxy or a login page stands in between",
        )
    if body.kind is BodyKind.OTHER:
        said = shorten(body.excerpt, around.redact)
        raise _retryable("malformed_body", f"the reply is cut or no JSON object: {said}", status)
    if has_error(body.payload):
        raise fault_of(status, read_error(body), headers, around)


def _choose(payload: Mapping[str, Any], headers: Mapping[str, str], around: Surroundings) -> _Choice:
    sent = payload.get("choices")
    choices = [choice for choice in sent if isinstance(choice, dict)] if isinstance(sent, list) else []
    for choice in choices:
        if choice.get("error"):
            raise fault_of(200, read_error_value(choice["error"]), headers, around)
    with_message = [
        (choice, message)
        for choice in choices
        if isinstance(message := choice.get("message") or choice.get("delta"), dict)
    ]
    if not with_message:
        said = shorten(read_error(Body(BodyKind.OBJECT, payload)).shown, around.redact)
        raise _retryable("no_choices", f"the reply holds no choices{': ' if said else ''}{said}", 200)
    # Some routers split text and calls into choices of their own: what is to be executed goes first.
    choice, message = next(
        (pair for pair in with_message if pair[1].get("tool_calls")),
        next((pair for pair in with_message if pair[1].get("content")), with_message[0]),
    )
    finish = choice.get("finish_reason")
    return _Choice(message, finish if isinstance(finish, str) else None, len(choices) > 1)


def _read_content(message: Mapping[str, Any]) -> _Content:
    sent = message.get("content")
    if isinstance(sent, str):
        return _Content(sent if sent.strip() else "", sent)
    if sent is None:
        return _Content("", "")
    if isinstance(sent, dict):
        sent = [sent]
    if not isinstance(sent, list):
        return _Content("", "", Oddity.JUNK_CONTENT)
    text = "".join(_part_text(part) for part in sent)
    if (
        not sent
        or not all(isinstance(part, dict) for part in sent)
        or sendable_extras({"content": sent}, frozenset())[1]
    ):
        return _Content(text, text, Oddity.JUNK_CONTENT if sent else None)
    # Parts go back as they came: a thought may be signed (Q37, Q44).
    return _Content(sent, text, Oddity.CONTENT_PARTS)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _reasoning_text(message: Mapping[str, Any]) -> str:
    texts = [message.get(name) for name in ("reasoning", "reasoning_content", "reasoning_text", "thinking")]
    found = [text for text in texts if isinstance(text, str) and text.strip()]
    parts = message.get("content")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning", "redacted_thinking"):
            thought = part.get("thinking") or part.get("text") or "…"
            found.append(thought if isinstance(thought, str) else "…")
    if not found and (message.get("reasoning_details") or message.get("thinking_blocks")):
        found.append("…")
    return "\n".join(found)


def _is_zeroed(finish: str, usage: Usage) -> bool:
    """Tell a completion that no model made (Q49) from a model that said nothing."""
    return not finish and not usage.completion_tokens


def _at_limit(usage: Usage, limit: int | None) -> bool:
    """Tell whether the limit was reached, for servers that do not say so (Q08).

    Where reasoning comes on top of the limit, the count may exceed it although nothing was cut.
    """
    if limit is None or usage.completion_tokens is None or usage.completion_tokens < limit:
        return False
    return usage.completion_tokens == limit or usage.completion_tokens - (usage.reasoning_tokens or 0) >= limit


def _stop_last(calls: Sequence[ToolCall], *, cut: bool) -> tuple[ToolCall, ...]:
    """Take the arguments of the last call away: what was cut is not executed, even if it parses (Q08)."""
    why = "was cut off at the token limit" if cut else "was broken off by the server"
    problem = f"The reply {why}, so this call was not executed. Send it again, shorter if it was long."
    return tuple(
        replace(call, arguments=None, problem=problem) if place == len(calls) else call
        for place, call in enumerate(calls, start=1)
    )


def _oddities(
    choice: _Choice, content: _Content, read: ReadCalls, usage: Usage, *, cut: bool, broken: bool
) -> list[Oddity]:
    finish = (choice.finish or "").lower()
    no_text = not without_thought(content.text).strip()
    facts = {
        Oddity.TRUNCATED: cut,
        Oddity.INTERRUPTED: broken,
        Oddity.EMPTY_REPLY: no_text and not read.calls and not choice.message.get("refusal"),
        Oddity.REFUSAL: bool(choice.message.get("refusal")) or finish in _FILTERED,
        Oddity.ANNOUNCED_CALLS_MISSING: finish in ("tool_calls", "function_call") and not read.calls,
        Oddity.UNKNOWN_FINISH_REASON: choice.finish not in _KNOWN,
        Oddity.SEVERAL_CHOICES: choice.several,
        Oddity.MISSING_USAGE: usage.prompt_tokens is None or usage.completion_tokens is None,
    }
    found = [oddity for oddity, holds in facts.items() if holds]
    return found + ([content.oddity] if content.oddity else [])


def _leaks(message: Mapping[str, Any], content: _Content, read: ReadCalls, tools: frozenset[str]) -> dict[Oddity, int]:
    answer = without_thought(content.text)
    leaked = count_leaked_calls(answer, tools)
    if leaked or read.calls or answer.strip():
        return {Oddity.LEAKED_CALL: leaked} if leaked else {}
    thoughts = _reasoning_text(message) + content.text[: len(content.text) - len(answer)]
    hidden = count_leaked_calls(thoughts, tools)
    return {Oddity.LEAKED_CALL_IN_REASONING: hidden} if hidden else {}


def _message(received: Mapping[str, Any], content: _Content, read: ReadCalls) -> tuple[dict[str, Any], int]:
    replay = content.replay
    if not read.calls and not content.text.strip():
        refusal = received.get("refusal")
        said = refusal if isinstance(refusal, str) and refusal.strip() else PLACEHOLDER
        replay = [*replay, {"type": "text", "text": said}] if isinstance(replay, list) else said
    message: dict[str, Any] = {"role": "assistant", "content": replay}
    if read.calls:  # an empty list is refused (Q27)
        message["tool_calls"] = list(read.replay)
    # Reasoning goes back under the name it came by, even if empty (Q42, Q44), and so do unknown fields (Q41).
    kept = {key: value for key, value in received.items() if key in REASONING_FIELDS and value is not None}
    reasoning, lost = sendable_extras({key: value for key, value in kept.items() if value != []}, frozenset())
    extras, dropped = sendable_extras(received, _MESSAGE_FIELDS)
    return {**message, **reasoning, **extras}, lost + dropped


def _retryable(kind: str, message: str, status: int) -> EndpointFault:
    return EndpointFault(kind, message, reach=Reach.RETRY, status=status)


def error_in(raw: bytes) -> SentError:
    """Read what an answer's body says went wrong, for `adapt`."""
    return read_error(read_body(raw))


def spent_in(raw: bytes) -> tuple[Usage, float | None]:
    """Read what the body of a failed answer says was spent: tokens and USD, each None where it does not say."""
    payload = read_body(raw).payload
    return read_usage(payload), read_cost(payload)
