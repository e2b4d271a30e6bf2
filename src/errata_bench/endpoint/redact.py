"""Takes secrets out of texts: keys, userinfo in URLs, secret query values, authorization headers.

Every text that leaves this package in a fault, an attempt or a log record goes through a `Redactor` (QUIRKS Q82).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"

SECRET_PARAMETER = re.compile(
    r"[\w.-]{0,40}?(?:key|token|secret|sig|signature|passw|pwd|auth|credential|session|code)[\w.-]{0,40}",
    re.IGNORECASE,
)
"""Names of query parameters whose values are secret."""

_USERINFO = re.compile(r"://[^\s/?#\"'<>]+@")
_QUERY_VALUE = re.compile(rf"([?&;]{SECRET_PARAMETER.pattern}=)[^&#\s\"'<>;]+", re.IGNORECASE)
_AUTHORIZATION = re.compile(r"\b(bearer|basic)\s+(?=\S*\d)[A-Za-z0-9._~+/=*-]{8,}", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\bsk-[A-Za-z0-9*_.…-]{8,}")

_WHOLE_WORD_BELOW = 8
"""Secrets shorter than this many characters are taken out only as whole words."""

_PREFIX = 12
"""A server that shortens a key still shows its beginning."""


def redact_plain(text: str) -> str:
    """Take out what has the form of a secret, whatever its value."""
    # Every value of every log record comes by here; what cannot match is not searched.
    if "@" in text:
        text = _USERINFO.sub("://", text)
    if "=" in text:
        text = _QUERY_VALUE.sub(rf"\1{REDACTED}", text)
    folded = text.casefold()
    if "bearer" in folded or "basic" in folded:
        text = _AUTHORIZATION.sub(rf"\1 {REDACTED}", text)
    return _KEY_SHAPE.sub(REDACTED, text) if "sk-" in text else text


class Redactor:
    """Takes known secrets, in every spelling that a URL or JSON gives them, and all that looks like one out of texts.

    It shows none of them in its own `repr`.
    """

    __slots__ = ("_pattern",)

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        spellings: dict[str, None] = {}
        for secret in secrets:
            for spelling in (
                secret,
                quote(secret, safe=""),
                quote(secret),
                quote_plus(secret),
                json.dumps(secret)[1:-1],
            ):
                if spelling.strip():
                    spellings[spelling] = None
        # Longest first, or the shorter secret would leave the rest of a longer one behind.
        parts = [_secret_pattern(text) for text in sorted(spellings, key=len, reverse=True)]
        self._pattern = re.compile("|".join(parts)) if parts else None

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        if self._pattern is not None:
            text = self._pattern.sub(REDACTED, text)
        return redact_plain(text)

    def __repr__(self) -> str:
        return "Redactor(…)"


def _secret_pattern(secret: str) -> str:
    escaped = re.escape(secret)
    if len(secret) < _WHOLE_WORD_BELOW:
        return rf"(?<!\w){escaped}(?!\w)"
    if len(secret) >= 2 * _PREFIX:
        return rf"{escaped}|{re.escape(secret[:_PREFIX])}[^\s\"'<>,;)]*"
    return escaped
