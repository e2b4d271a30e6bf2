"""Which paragraphs a run changed, and which of them it had no reason to change."""

from __future__ import annotations

import re

from errata_bench.document import Document, Paragraph
from errata_bench.text import normalise

_BETWEEN_TAGS = re.compile(r">\s+<")


def comparable(html: str) -> str:
    """A paragraph's HTML with what does not count as a change folded away."""
    return " ".join(_BETWEEN_TAGS.sub("><", normalise(html)).split())


def changed_paragraphs(before: Document, after: Document) -> tuple[str, ...]:
    """Ids of the paragraphs whose text differs, in document order; one that is missing counts as empty."""
    return tuple(paragraph.id for paragraph in before if _differs(paragraph, after.get(paragraph.id)))


def same_text(one: Document, other: Document) -> bool:
    """Whether two documents have the same paragraphs in the same order, and none of them differs."""
    return len(one) == len(other) and all(
        paragraph.id == counterpart.id and not _differs(paragraph, counterpart)
        for paragraph, counterpart in zip(one, other, strict=True)
    )


def _differs(before: Paragraph, after: Paragraph | None) -> bool:
    if after is None:
        return True
    return after.inner_html != before.inner_html and comparable(after.html) != comparable(before.html)
