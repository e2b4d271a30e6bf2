"""The header of an annotated source: what is said of the text as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Format = Literal["text", "html"]

REQUIRED = ("title", "genre", "voice", "licence", "language")
_OPTIONAL = ("instruction", "format")
_REPEATED = "own-category"
INSTRUCTION = (
    "Proofread this document: mend whatever is wrong in it, and leave everything else exactly as its author wrote it."
)
"""The instruction of every case that has none of its own; it names neither number nor kinds of errors."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header.

    ``format`` says what paragraphs are: ``text``, or the inner ``html`` of paragraphs. ``own`` are further
    categories, unknown to the taxonomy, that the text uses.
    """

    title: str = ""
    genre: str = ""
    voice: str = ""
    licence: str = ""
    language: str = ""
    instruction: str = INSTRUCTION
    format: Format = "text"
    own: tuple[str, ...] = field(default=())


HeaderMistake = tuple[int, int, str]
"""Line and column (both from 1), and what is wrong there."""


def read_header(lines: Sequence[str]) -> tuple[Header, list[HeaderMistake]]:
    """Read the lines above ``---``: ``key: value``; an indented line goes on with the value above it.

    Returns the header as far as it could be read, and every mistake.
    """
    mistakes: list[HeaderMistake] = []
    entries: list[tuple[int, str, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line[0].isspace() and entries:
            line_number, key, value = entries[-1]
            entries[-1] = (line_number, key, f"{value} {line.strip()}".strip())
            continue
        key, colon, value = line.partition(":")
        if not colon or key != key.strip() or not key:
            mistakes.append((number, 1, "this is no header line; it is written `key: value`"))
        else:
            entries.append((number, key, value.strip()))
    values: dict[str, str] = {}
    own: list[str] = []
    for number, key, value in entries:
        known = (*REQUIRED, *_OPTIONAL, _REPEATED)
        if key not in known:
            mistakes.append((number, 1, f"there is no header field `{key}`; fields are {', '.join(known)}"))
        elif not value:
            mistakes.append((number, len(key) + 2, f"`{key}` is empty"))
        elif key == _REPEATED:
            own.append(value)
        elif key in values:
            mistakes.append((number, 1, f"`{key}` is there twice"))
        else:
            values[key] = value
    given = {key for _, key, _ in entries}
    mistakes.extend((1, 1, f"the header has no `{key}:`") for key in REQUIRED if key not in given)
    form: Format = "text"
    if values.get("format") == "html":
        form = "html"
    elif values.get("format", "text") != "text":
        number = next(number for number, key, _ in entries if key == "format")
        mistakes.append((number, 1, f"`format` is text or html, not {values['format']!r}"))
    header = Header(
        **{key: values.get(key, "") for key in REQUIRED},
        instruction=values.get("instruction", INSTRUCTION),
        format=form,
        own=tuple(own),
    )
    return header, mistakes


def write_header(header: Header) -> str:
    """The header's lines, without ``---``; what is as by default is left out."""
    lines = [f"{key}: {getattr(header, key)}" for key in REQUIRED]
    if header.instruction != INSTRUCTION:
        lines.append(f"instruction: {header.instruction}")
    if header.format != "text":
        lines.append(f"format: {header.format}")
    lines.extend(f"{_REPEATED}: {category}" for category in header.own)
    return "".join(f"{line}\n" for line in lines)
