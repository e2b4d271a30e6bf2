"""Which paragraphs a run changed, and which of them it had no reason to change."""

from __future__ import annotations

import re

from errata_bench.document import Document
from errata_bench.text import normalise

_BETWEEN_TAGS = re.compile(r">\s+<")
_WHITE_SPACE = re.compile(r"\s+")


def comparable(html: str) -> str:
    """A paragraph's HTML with what does not count as a change folded away."""
    return _WHITE_SPACE.sub(" ", _BETWEEN_TAGS.sub("><", normalise(html))).strip()


def changed_paragraphs(before: Document, after: Document) -> tuple[str, ...]:
    """Ids of the paragraphs whose text differs, in document order; one that is missing counts as empty."""
    changed = []
    for paragraph in before:
        other = after.get(paragraph.id)
        if other is None or (
            other.inner_html != paragraph.inner_html and comparable(other.html) != comparable(paragraph.html)
        ):
            changed.append(paragraph.id)
    return tuple(changed)
