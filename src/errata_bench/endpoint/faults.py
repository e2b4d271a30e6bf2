"""Turns a failed answer into an `EndpointFault`: its kind, how far it reaches, and the mend (QUIRKS F). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from errata_bench.endpoint.errors_sent import SentError
from errata_bench.endpoint.redact import redact_plain
from errata_bench.endpoint.retry import FAR_AWAY_SECONDS, read_retry_after
from errata_bench.errors import EndpointFault, Reach

_SHOWN = 300
"""Characters of a server's text that a fault keeps."""

UNCLEAR_KINDS = frozenset({"bad_request", "no_endpoints"})
"""Kinds of fault that a refused parameter may have caused: see `adapt`."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a fault's text needs to know beyond the answer.

    ``url`` is as a person may see it, ``has_key`` whether a key was sent, ``now`` the Unix time.
    """

    url: str = ""
    has_key: bool = True
    now: float = 0.0
    redact: Callable[[str], str] = redact_plain


@dataclass(frozen=True, slots=True)
class _Verdict:
    kind: str
    reach: Reach
    mend: str | None = None


_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|window|size)|prompt is too long|input is too long"
    r"|maximum prompt length|(?:reduce|shorten) (?:the length of )?(?:the|your) (?:messages|prompt|input)"
    r"|input token count.{0,40}exceeds|too many (?:input|prompt) tokens|exceeds? the (?:model'?s? )?max(?:imum)?"
    r" (?:number of )?(?:input )?tokens"
)
_RATE = re.compile(r"rate.?limit|per.?minute|per.?day|too many requests|\btpm\b|\brpm\b|throttl")
_PER_DAY = re.compile(r"per[ _-]?day|daily|per[ _-]?month|monthly")
_TOOLS = re.compile(
    r"(?:not|endpoints found that) support (?:the use of )?(?:tool|function)[ _-]?(?:use|call\w*)?s?\b"
    r"|\b(?:tools?|functions?|function calling|tool use|tool calling) (?:is|are) (?:not |un)supported"
    r"|--enable-auto-tool-choice|--tool-call-parser|tools param requires"
)
_CREDIT = re.compile(
    r"insufficient.?(?:quota|credit|balance|fund)|credit balance is too low|billing.?(?:hard.?limit|not.?active)"
    r"|out of credits|requires more credits|can only afford|key limit exceeded|arrearage|payment required"
)
_QUOTA = re.compile(r"exceeded.{0,10}current.{0,3}quota")
_KEY = re.compile(
    r"api.?key.?(?:is )?(?:not valid|invalid)|(?:invalid|incorrect|wrong|missing|no).?api.?key"
    r"|authentication.?(?:error|failed)|no auth credentials|user not found"
)
_MODEL = re.compile(
    r"not a valid model|model.?not.?found|no endpoints found for|deploymentnotfound"
    r"|unknown model|invalid model|no such model"
    r"|model\b.{0,100}?(?:does not exist|not found|is not available|unavailable|has been deprecated|decommissioned)"
    r"|model [`'\"]?[\w./:-]+[`'\"]? is not supported",
    re.DOTALL,
)
_CAP = re.compile(
    r"max_(?:completion_|output_|new_)?tokens\b.{0,80}?"
    r"(?:too (?:large|high|big)|at most|exceed|less than|greater than|maximum|<=|upper bound)",
    re.DOTALL,
)
_FILTER = re.compile(
    r"content.?(?:management )?(?:policy|filter)|flagged|moderation|safety|inappropriate|data_?inspection"
)

_RETRYABLE_KINDS = {
    408: "server_timeout",
    409: "conflict",
    425: "too_early",
    429: "rate_limited",
    502: "bad_gateway",
    503: "overloaded",
    504: "gateway_timeout",
    520: "bad_gateway",
    522: "gateway_timeout",
    524: "gateway_timeout",
    529: "overloaded",
}


def fault_of(
    status: int, error: SentError, headers: Mapping[str, str], around: Surroundings = Surroundings()
) -> EndpointFault:
    """Classify a failed answer. An answer with status 200 that holds an error counts as the error's code (Q48)."""
    effective = status if status >= 300 else error.code
    text = error.text[:4_000]
    retry_after = read_retry_after({**error.headers, **headers}, around.now, error.text[:4_000])
    verdict = _judge(effective, error, text, retry_after, around)
    return EndpointFault(
        verdict.kind,
        _message(error, effective, around),
        reach=verdict.reach,
        status=effective if effective is not None else status,
        retry_after=retry_after if verdict.reach is Reach.RETRY else None,
        mend=verdict.mend,
    )


def repeated(fault: EndpointFault) -> EndpointFault:
    """The same fault once more, for a request that need not be sent to meet it."""
    return EndpointFault(
        fault.kind,
        fault.message,
        reach=fault.reach,
        status=fault.status,
        retry_after=fault.retry_after,
        mend=fault.mend,
    )


def shorten(text: str, redact: Callable[[str], str]) -> str:
    """Make one short line without secrets: redacted first, or a cut secret would stay."""
    line = " ".join(redact(text[:20_000]).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _judge(
    status: int | None, error: SentError, text: str, retry_after: float | None, around: Surroundings
) -> _Verdict:
    # What the text says plainly goes before the status: servers disagree about the status of these (Q74).
    if _CONTEXT.search(text) and not _RATE.search(text):
        return _Verdict(
            "context_length",
            Reach.VARIANT,
            "use smaller chunks (--chunk-size) or a lower --max-completion-tokens-per-turn, or leave this model out",
        )
    if _TOOLS.search(text):
        return _Verdict("no_tool_support", Reach.VARIANT, "choose a model and server with tool calling")
    if _CREDIT.search(text) or (status == 402):
        return _Verdict(
            "no_credit",
            Reach.ALL,
            "add credit at the provider, or lower --max-completion-tokens-per-turn if it is short",
        )
    if status is None:
        return _judge_words(text, retry_after)
    if status == 429:
        return _judge_rate(text, retry_after)
    if status in _RETRYABLE_KINDS or status >= 500:
        return _Verdict(_RETRYABLE_KINDS.get(status, "server_error"), Reach.RETRY)
    if status < 400:
        return _Verdict("redirected", Reach.ALL, "set ERRATA_BENCH_API_BASE_URL to the address it redirects to")
    return _judge_refusal(status, error, text, around)


def _judge_words(text: str, retry_after: float | None) -> _Verdict:
    """Judge an error without any code: only its words are left, and without them it may pass."""
    if _RATE.search(text):
        return _judge_rate(text, retry_after)
    if _KEY.search(text):
        return _invalid_key(True)
    if _MODEL.search(text):
        return _unknown_model()
    return _Verdict("error_in_reply", Reach.RETRY)


def _judge_rate(text: str, retry_after: float | None) -> _Verdict:
    daily = bool(_PER_DAY.search(text) or _QUOTA.search(text))
    far = retry_after > FAR_AWAY_SECONDS if retry_after is not None else daily
    if far:
        return _Verdict(
            "quota_used_up", Reach.ALL, "run the same command again when the quota is renewed; finished work is kept"
        )
    return _Verdict("rate_limited", Reach.RETRY)


def _judge_refusal(status: int, error: SentError, text: str, around: Surroundings) -> _Verdict:
    """Judge the 4xx that no waiting helps against."""
    if status == 401 or _KEY.search(text):
        return _invalid_key(around.has_key)
    if status == 403 and error.html:
        return _Verdict("forbidden", Reach.ALL, "a proxy or firewall refuses: try another network or address")
    if error.html or status == 405 or (status == 404 and not _speaks_of_a_model(text)):
        return _Verdict(
            "wrong_url",
            Reach.ALL,
            "check ERRATA_BENCH_API_BASE_URL: it is the part before /chat/completions, often ending in /v1",
        )
    if "rate_limit" in text or "throttling" in text:
        return _judge_rate(text, None)
    if _CAP.search(text):
        return _Verdict("token_limit_refused", Reach.VARIANT, "lower --max-completion-tokens-per-turn")
    if _FILTER.search(text):
        return _Verdict("content_refused", Reach.RUN)
    if status == 403:
        return _Verdict("forbidden", Reach.VARIANT, "check that the key may use this model")
    if status in (413, 451):
        kind = "request_too_large" if status == 413 else "forbidden"
        return _Verdict(kind, Reach.VARIANT, "use smaller chunks (--chunk-size)" if status == 413 else None)
    if "no endpoints found" in text and not re.search(r"no endpoints found for [\w./:-]+\.?\s", text + "\n"):
        return _Verdict(
            "no_endpoints",
            Reach.VARIANT,
            "choose another model, or allow more providers in the account's privacy settings",
        )
    if _MODEL.search(text) or status == 404:
        return _unknown_model()
    return _Verdict("bad_request", Reach.RUN)


def _speaks_of_a_model(text: str) -> bool:
    return "model" in text or "endpoints found" in text or "deployment" in text


def _invalid_key(has_key: bool) -> _Verdict:
    mend = "check ERRATA_BENCH_API_KEY" if has_key else "set ERRATA_BENCH_API_KEY; no key was sent"
    return _Verdict("invalid_key", Reach.ALL, mend)


def _unknown_model() -> _Verdict:
    return _Verdict("unknown_model", Reach.VARIANT, "check the model's id: errata-bench models list")


def _message(error: SentError, status: int | None, around: Surroundings) -> str:
    said = shorten(error.shown, around.redact) or "the server gave no reason"
    if error.html:
        said = f"a web page came back: {said}"
    # The address helps where it may be the culprit (Q79).
    return f"{said} [{around.url}]" if status in (404, 405) and around.url else said
