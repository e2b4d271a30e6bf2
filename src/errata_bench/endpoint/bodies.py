"""Tells what a response body is: a JSON object, an event stream, a web page, or something else (QUIRKS E)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from errata_bench.endpoint.lenient_json import parse_text
from errata_bench.endpoint.oddities import Oddity
from errata_bench.endpoint.streams import merge_stream


class BodyKind(StrEnum):
    """What a body is."""

    EMPTY = "empty"
    OBJECT = "object"
    HTML = "html"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Body:
    """A response body; ``payload`` is its object, ``excerpt`` a page's title or the beginning of other text."""

    kind: BodyKind
    payload: Mapping[str, Any] = field(default_factory=dict)
    excerpt: str = ""
    oddities: tuple[Oddity, ...] = ()


_EXCERPT = 2_000
_HTML = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype|html|head|body|\?xml|center|h1)\b", re.IGNORECASE | re.DOTALL
)
_TITLE = re.compile(r"<(title|h1)[^>]{0,200}>(.{1,300}?)</\1", re.IGNORECASE | re.DOTALL)


def read_body(raw: bytes) -> Body:
    """Read a body; never raises. A body that is cut or no JSON is of kind OTHER: nothing is repaired (Q62)."""
    text = raw.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text.strip("\x00 \t\r\n"):
        return Body(BodyKind.EMPTY)
    if _HTML.match(text):
        title = _TITLE.search(text[:20_000])
        return Body(BodyKind.HTML, excerpt=_one_line(title.group(2)) if title else "a web page")
    if re.match(r"(?:data|event|id|retry)?:", text):
        stream = merge_stream(text)
        if stream is None:
            return Body(BodyKind.OTHER, excerpt="an event stream that is cut or holds no JSON")
        return Body(BodyKind.OBJECT, stream, oddities=(Oddity.SSE_UNASKED,))
    try:
        parsed = parse_text(text)
    except (ValueError, RecursionError):
        return Body(BodyKind.OTHER, excerpt=_one_line(text[:_EXCERPT]))
    value = parsed.value
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]  # Gemini wraps its errors in a list
    rest = parsed.rest
    if not isinstance(value, dict) or (rest and not re.fullmatch(r"(?:data:\s*\[DONE\]\s*)+", rest)):
        return Body(BodyKind.OTHER, excerpt=_one_line(text[:_EXCERPT]))
    return Body(BodyKind.OBJECT, value, oddities=(Oddity.SSE_UNASKED,) if rest else ())


def _one_line(text: str) -> str:
    return " ".join(re.sub(r"<[^>]{0,500}>", " ", text).split())
