"""A case as plain JSON values, to be kept with results and read back without its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from errata_bench.cases.model import Case, Classification, Issue
from errata_bench.document import Document, Paragraph


def case_content(case: Case) -> dict[str, Any]:
    """Everything of a case as JSON values."""
    return {
        "id": case.id,
        "instruction": case.instruction,
        "source_name": case.source_name,
        "document": [[paragraph.id, paragraph.inner_html] for paragraph in case.document],
        "expected": [[paragraph.id, paragraph.inner_html] for paragraph in case.expected],
        "issues": [asdict(issue) for issue in case.issues],
    }


def case_from_content(content: Mapping[str, Any]) -> Case:
    """The case that `case_content` was made of."""
    return Case(
        id=content["id"],
        instruction=content["instruction"],
        document=_document(content["document"]),
        expected=_document(content["expected"]),
        issues=tuple(_issue(issue) for issue in content["issues"]),
        source_name=content["source_name"],
    )


def _document(paragraphs: list[list[str]]) -> Document:
    return Document(tuple(Paragraph(paragraph_id, inner_html) for paragraph_id, inner_html in paragraphs))


def _issue(content: Mapping[str, Any]) -> Issue:
    classification = content["classification"]
    return Issue(
        **{
            **content,
            "accepted": tuple(content["accepted"]),
            "classification": None if classification is None else Classification(**classification),
        }
    )
