"""Reads what a server says went wrong, in all the forms that servers have for it (QUIRKS Q48, Q51, Q65). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from errata_bench.endpoint.bodies import Body, BodyKind
from errata_bench.endpoint.lenient_json import dump

_KEPT = 20_000
"""Characters of an error that are looked at."""


@dataclass(frozen=True, slots=True)
class SentError:
    """An error as sent.

    ``code`` is a status code within the body; ``words`` its symbolic codes and types, lower case; ``message`` the
    text for people and ``cause`` the upstream provider's own text, neither of them redacted; ``parameter`` the
    parameter that is named as the culprit; ``headers`` those that a router passes on from its provider; ``html``
    that it was a web page.
    """

    message: str = ""
    cause: str = ""
    code: int | None = None
    words: tuple[str, ...] = ()
    parameter: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    html: bool = False

    @property
    def text(self) -> str:
        """All that is said, lower case, for matching."""
        return "\n".join((self.message, self.cause, *self.words, self.parameter or "")).lower()

    @property
    def shown(self) -> str:
        """Message and cause on one line, not yet redacted."""
        said = self.message if not self.cause or self.cause in self.message else f"{self.message}: {self.cause}"
        return " ".join(said.split())


def has_error(payload: Mapping[str, Any]) -> bool:
    """Whether a body says that there is an error, whatever the status says."""
    return bool(payload.get("error")) or (payload.get("object") == "error" and not payload.get("choices"))


def read_error(body: Body) -> SentError:
    """Read the error of a body; an empty one if it says nothing."""
    if body.kind is not BodyKind.OBJECT:
        return SentError(message=body.excerpt, html=body.kind is BodyKind.HTML)
    payload = body.payload
    for name in ("error", "errors", "detail"):
        if payload.get(name):
            return read_error_value(payload[name])
    return read_error_value(payload) if payload.get("message") or payload.get("code") else SentError()


def read_error_value(value: object) -> SentError:
    """Read the value of an ``error`` field: an object, a text, or a list of either (FastAPI's ``detail``)."""
    if isinstance(value, list):
        entries = [read_error_value(item) for item in value[:20]]
        if not entries:
            return SentError()
        named = next((entry.parameter for entry in entries if entry.parameter), None)
        return SentError(
            message="; ".join(entry.message for entry in entries if entry.message)[:_KEPT],
            cause="; ".join(entry.cause for entry in entries if entry.cause)[:_KEPT],
            code=entries[0].code,
            words=tuple(word for entry in entries for word in entry.words),
            parameter=named,
        )
    if not isinstance(value, dict):
        return SentError(message=_text(value))
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    headers = metadata.get("headers")
    words = [value.get(name) for name in ("code", "type", "status", "error_code")]
    inner = value.get("error")
    if isinstance(inner, dict) and not value.get("message"):
        return read_error_value(inner)
    return SentError(
        message=_text(value.get("message") or value.get("msg") or inner or ""),
        cause=_text(metadata.get("raw") or value.get("details") or metadata.get("reasons") or ""),
        code=next((code for code in map(_status, (value.get("code"), value.get("status"))) if code is not None), None),
        words=tuple(word.lower() for word in words if isinstance(word, str)),
        parameter=_parameter(value),
        headers={
            str(name).lower(): str(item)
            for name, item in (headers.items() if isinstance(headers, dict) else ())
            if isinstance(item, (str, int, float))
        },
    )


def _parameter(value: Mapping[str, Any]) -> str | None:
    parameter = value.get("param")
    if isinstance(parameter, str) and parameter:
        return parameter
    location = value.get("loc")
    if isinstance(location, list) and location:
        steps = [str(step) for step in location if step != "body"]
        return ".".join(steps) or None
    return None


def _status(code: object) -> int | None:
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) == 3:
        code = int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) and 300 <= code <= 599 else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value[:_KEPT]
    return (dump(value) or "")[:_KEPT] if value else ""
