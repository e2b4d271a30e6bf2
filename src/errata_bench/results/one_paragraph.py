"""A paragraph of a case as a case of its own: what many runs made of it alike is aligned once."""

from __future__ import annotations

from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph


def paragraph_case(case: Case, paragraph: Paragraph) -> Case:
    """A case of one paragraph, with its issues; aligned by itself, it gets what it gets within the whole case.

    It has no instruction: its fingerprint means nothing.
    """
    expected = case.expected.get(paragraph.id) or paragraph
    issues = tuple(issue for issue in case.issues if issue.paragraph_id == paragraph.id)
    return Case(case.id, "", Document((paragraph,)), Document((expected,)), issues, case.source_name)
