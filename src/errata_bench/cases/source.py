"""Documents from source texts (contract C2)."""

from __future__ import annotations

import hashlib
import html
import re

from errata_bench.document import Document, Paragraph
from errata_bench.text import normalise

_BLANK_LINE = re.compile(r"\n\s*\n")
_HTML_PARAGRAPH = re.compile(r"<p(?:\s[^>]*)?>(.*?)</p\s*>", re.DOTALL | re.IGNORECASE)
_BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 6


def document_from_text(source: str) -> Document:
    """Make a document of plain text: blocks between blank lines are paragraphs, ``& < >`` are escaped."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n")
    inner = []
    for block in _BLANK_LINE.split(lines.strip()):
        joined = " ".join(line.strip() for line in block.split("\n") if line.strip())
        text = normalise(joined.strip())
        if text:
            inner.append(html.escape(text, quote=False))
    return _document(inner)


def document_from_html(source: str) -> Document:
    """Make a document of HTML: each ``<p …>…</p>`` is a paragraph with its inner HTML; all else is dropped."""
    return _document([normalise(match[1].strip()) for match in _HTML_PARAGRAPH.finditer(source)])


def _document(inner_htmls: list[str]) -> Document:
    taken: set[str] = set()
    paragraphs = []
    for index, inner_html in enumerate(inner_htmls):
        salt = 0
        while (paragraph_id := make_paragraph_id(index, salt, inner_html)) in taken:
            salt += 1
        taken.add(paragraph_id)
        paragraphs.append(Paragraph(paragraph_id, inner_html))
    return Document(tuple(paragraphs))


def make_paragraph_id(index: int, salt: int, inner_html: str) -> str:
    """The id of a paragraph: six base-62 digits of a SHA-1 over its place and content (C2)."""
    digest = hashlib.sha1(f"paragraph:{index}:{salt}:{inner_html}".encode(), usedforsecurity=False).digest()
    number = int.from_bytes(digest[:8], "big")
    digits = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_BASE_62))
        digits.append(_BASE_62[digit])
    return "".join(reversed(digits))
