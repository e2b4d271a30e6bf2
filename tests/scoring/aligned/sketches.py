"""Cases of a few paragraphs, sketched in tests: ``paragraph`` with issues as (find, replace, *accepted)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.aligned.run import AlignedRun, align_document
from errata_bench.scoring.aligned.verdicts import AlignedVerdict

Sketch = tuple[str, ...]


def document(*texts: str) -> Document:
    """Paragraphs ``p0``, ``p1``, … of these inner HTMLs, as they stand."""
    return Document(tuple(Paragraph(f"p{n}", text) for n, text in enumerate(texts)))


def sketch(
    paragraphs: Mapping[str, Sequence[Sketch]] | str, *issues: Sketch, disqualified: tuple[str, ...] = ()
) -> Case:
    """A case: texts with their issues, ids ``0``, ``1``, … in order. A single text may stand alone.

    The expected document follows from the cores, as it does when a case is loaded.
    """
    texts: Mapping[str, Sequence[Sketch]] = {paragraphs: issues} if isinstance(paragraphs, str) else paragraphs
    made: list[Issue] = []
    expected = []
    for n, (text, planted) in enumerate(texts.items()):
        here: list[Issue] = []
        for find, replace, *accepted in planted:
            assert text.count(find) == 1, f"{find!r} stands {text.count(find)} times in {text!r}"
            issue_id = str(len(made) + len(here))
            here.append(
                Issue(
                    issue_id,
                    "grammar",
                    f"p{n}",
                    find,
                    replace,
                    text.index(find),
                    accepted=tuple(accepted),
                    disqualified=issue_id in disqualified,
                )
            )
        made += here
        right = text
        for issue in sorted(here, key=lambda one: one.core, reverse=True):
            start, end, put = issue.core
            right = right[:start] + put + right[end:]
        expected.append(right)
    return Case("sketch", "", document(*texts), document(*expected), tuple(made))


def aligned(case: Case, *final: str) -> AlignedRun:
    """Align these final texts with a case."""
    return align_document(case, document(*final))


def verdict(text: str, find: str, replace: str, final: str, *accepted: str) -> AlignedVerdict:
    """The verdict on the only issue of a text."""
    return aligned(sketch(text, (find, replace, *accepted)), final).verdicts["0"]


def changes(run: AlignedRun) -> list[tuple[str, str]]:
    """What the hunks of a run make of what, white space at their ends apart."""
    return [(hunk.before.strip(), hunk.after.strip()) for hunk in run.hunks]
