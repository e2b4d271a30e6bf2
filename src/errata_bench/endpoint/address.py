"""Takes the address of an endpoint apart: where requests go, what may be shown of it, what must not."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from errata_bench.endpoint.redact import SECRET_PARAMETER, redact_plain

CHAT_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's URLs. None of them has userinfo; `chat_url` and `models_url` keep the query string.

    ``shown`` is the chat URL as a person may see it, without secret query values. ``place`` is host, port and path:
    the default endpoint label. ``authorization`` is the Basic header made of the URL's userinfo (QUIRKS Q81).
    ``secrets`` are texts that must not be shown.
    """

    base_url: str
    chat_url: str
    models_url: str
    shown: str
    place: str
    authorization: str | None
    secrets: tuple[str, ...]


def parse_address(url: str) -> Address:
    """Take an endpoint's base URL apart.

    ``/chat/completions`` is appended only if it is not there, slashes are trimmed, ``/v1`` is never added (QUIRKS
    Q78, Q79). Raises ValueError, with a text that holds no secret, for what is no usable http(s) URL.
    """
    parts = _split(url.strip())
    host = parts.netloc.rpartition("@")[2]
    base_path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    if base_path.lower().endswith(CHAT_PATH):
        base_path = base_path[: -len(CHAT_PATH)].rstrip("/")

    def at(path: str, query: str) -> str:
        return urlunsplit((parts.scheme, host, path, query, ""))

    chat_url = at(base_path + CHAT_PATH, parts.query)
    return Address(
        base_url=at(base_path, ""),
        chat_url=chat_url,
        models_url=at(base_path + "/models", parts.query),
        shown=redact_plain(chat_url),
        place=host + base_path,
        authorization=_basic(parts),
        secrets=_secrets(parts),
    )


def _split(url: str) -> SplitResult:
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        raise ValueError("it holds white space or control characters")
    problem: str | None = None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        # The text of the exception may quote the part with the password in it.
        problem = "its host or port cannot be read"
    if problem is not None:
        raise ValueError(problem)
    if parts.scheme.lower() not in ("http", "https"):
        raise ValueError("it does not start with http:// or https://")
    if not parts.hostname:
        raise ValueError("it names no host")
    if parts.fragment:
        raise ValueError("it has a fragment (#…)")
    return parts


def _userinfo(parts: SplitResult) -> tuple[str, str] | None:
    if "@" not in parts.netloc:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def _basic(parts: SplitResult) -> str | None:
    userinfo = _userinfo(parts)
    if userinfo is None:
        return None
    token = base64.b64encode(":".join(userinfo).encode()).decode()
    return f"Basic {token}"


def _secrets(parts: SplitResult) -> tuple[str, ...]:
    found: list[str] = []
    userinfo = _userinfo(parts)
    if userinfo is not None:
        user, password = userinfo
        found += [parts.netloc.rpartition("@")[0], parts.password or "", password]
        # A short user name beside a password is an ordinary word ("user", "api"): hiding it would garble messages.
        if not password or len(user) > 4:
            found += [user, parts.username or ""]
        found.append(base64.b64encode(f"{user}:{password}".encode()).decode())
    for name, value in parse_qsl(parts.query, keep_blank_values=False):
        if SECRET_PARAMETER.fullmatch(name):
            found.append(value)
    return tuple(dict.fromkeys(text for text in found if text))
