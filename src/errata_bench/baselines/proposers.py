"""What each baseline would change: the edits of each paragraph, and the time it took to find them."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from errata_bench.baselines.engines import EngineHost
from errata_bench.baselines.plain_text import HtmlEdit
from errata_bench.document import Paragraph

_TOKEN = re.compile(r"<[^>]*>|&#?\w+;|\w+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The edits of each paragraph, in the order given, and the seconds of work that they cost."""

    edits: tuple[tuple[HtmlEdit, ...], ...]
    seconds: float


class Proposer(Protocol):
    """Finds what is to be changed."""

    async def propose(self, paragraphs: Sequence[Paragraph]) -> Proposal:
        """The edits for the paragraphs of one request."""
        ...


class Untouched:
    """Changes nothing: the floor of a ranking."""

    async def propose(self, paragraphs: Sequence[Paragraph]) -> Proposal:
        """No edits."""
        return Proposal(tuple(() for _ in paragraphs), 0.0)


class Oracle:
    """Makes exactly the expected corrections: the ceiling of a ranking.

    ``expected`` gives, for a paragraph's id and its corrupted inner HTML, the corrected inner HTML. A paragraph that
    is not in it, or stands otherwise than there, is left alone.
    """

    def __init__(self, expected: Mapping[tuple[str, str], str]) -> None:
        self._expected = expected

    async def propose(self, paragraphs: Sequence[Paragraph]) -> Proposal:
        """The differences between what stands and what is expected."""
        started = time.perf_counter()
        edits = tuple(
            word_edits(p.inner_html, self._expected.get((p.id, p.inner_html), p.inner_html)) for p in paragraphs
        )
        return Proposal(edits, time.perf_counter() - started)


class CheckerProposer:
    """Takes the corrections of a checker that reads the paragraphs' text without tags and entities."""

    def __init__(self, host: EngineHost) -> None:
        self._host = host

    async def propose(self, paragraphs: Sequence[Paragraph]) -> Proposal:
        """The checker's corrections that can be made without touching a tag."""
        if not paragraphs:
            return Proposal((), 0.0)
        checked = await self._host.check([paragraph.inner_html for paragraph in paragraphs])
        return Proposal(checked.edits, checked.seconds)


def word_edits(before: str, after: str) -> tuple[HtmlEdit, ...]:
    """The fewest words, signs and spaces to be replaced to turn one inner HTML into the other.

    Changes with nothing but white space between them are one edit.
    """
    if before == after:
        return ()
    from rapidfuzz.distance import Levenshtein

    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    edits: list[HtmlEdit] = []
    old_at = _offsets(old)
    for step in Levenshtein.opcodes(old, new):
        if step.tag == "equal":
            continue
        start, end = old_at[step.src_start], old_at[step.src_end]
        replacement = "".join(new[step.dest_start : step.dest_end])
        if edits and not (gap := before[edits[-1].end : start]).strip():
            edits[-1] = HtmlEdit(edits[-1].start, end, edits[-1].replacement + gap + replacement)
        else:
            edits.append(HtmlEdit(start, end, replacement))
    return tuple(edits)


def _offsets(tokens: Sequence[str]) -> list[int]:
    at = [0]
    for token in tokens:
        at.append(at[-1] + len(token))
    return at
