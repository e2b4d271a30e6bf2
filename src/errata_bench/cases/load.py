"""From files to cases; every fault of every file is reported at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from errata_bench.cases.files import (
    Faults,
    RawCase,
    case_files,
    field_name,
    plain_problem,
    read_disqualified,
    read_raw_cases,
    read_text,
    split_paths,
)
from errata_bench.cases.model import Case, Classification, Issue
from errata_bench.cases.schema import CaseShape, ClassificationShape, IssueShape
from errata_bench.cases.source import document_from_html, document_from_text
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError, UserError
from errata_bench.text import normalise, occurrences

_READERS = {".txt": document_from_text, ".html": document_from_html, ".htm": document_from_html}


def load_cases(datasets: Iterable[str]) -> tuple[Case, ...]:
    """Load the cases of files and folders; each may also be a comma-separated list.

    Raises `DatasetError` with all faults of all files, or `UserError` when there is nothing to read.
    """
    faults = Faults()
    cases: list[Case] = []
    files: dict[str, Path] = {}
    paths = split_paths(datasets)
    if not paths:
        raise UserError("no dataset is named", mend="give a case file or a folder with --dataset")
    for file in case_files(paths):
        disqualified = read_disqualified(file, faults)
        for raw in read_raw_cases(file, faults):
            case = _load_case(raw, disqualified, faults)
            if case is None:
                continue
            if case.id in files:
                faults.add(file, f"another case of this id is in {files[case.id]}", case=case.id, field="id")
            files.setdefault(case.id, file)
            cases.append(case)
    if faults.found:
        raise DatasetError(faults.found)
    return tuple(cases)


def _load_case(raw: RawCase, disqualified: dict[tuple[str, str], str | None], faults: Faults) -> Case | None:
    name = _name(raw.content)
    try:
        shape = CaseShape.model_validate(raw.content)
    except ValidationError as error:
        for fault in error.errors():
            _note_shape_fault(raw, name, fault["loc"], fault["msg"], faults)
        return None
    document = _load_document(raw.file, shape, faults)
    if document is None:
        return None
    before = len(faults.found)
    for issue_id, count in Counter(issue.id for issue in shape.issues).items():
        if count > 1:
            faults.add(raw.file, f"{count} issues have this id", case=shape.id, issue=issue_id, field="id")
    issues = [_load_issue(raw.file, shape.id, issue, document, disqualified, faults) for issue in shape.issues]
    if len(faults.found) > before:
        return None
    anchored = tuple(issue for issue in issues if issue is not None)
    expected = _expected(raw.file, shape.id, document, anchored, faults)
    if expected is None:
        return None
    return Case(shape.id, shape.instruction, document, expected, anchored, Path(shape.source_path).name)


def _load_document(file: Path, shape: CaseShape, faults: Faults) -> Document | None:
    source = file.parent / shape.source_path
    reader = _READERS.get(source.suffix.lower())
    if reader is None:
        faults.add(file, f"{shape.source_path} is neither .txt nor .html", case=shape.id, field="sourcePath")
        return None
    try:
        document = reader(read_text(source))
    except OSError as error:
        faults.add(file, f"{source} cannot be read: {error.strerror or error}", case=shape.id, field="sourcePath")
        return None
    except UnicodeDecodeError as error:
        faults.add(file, f"{source} is not UTF-8 (byte {error.start})", case=shape.id, field="sourcePath")
        return None
    if not len(document):
        faults.add(file, f"{source} holds no paragraph", case=shape.id, field="sourcePath")
        return None
    return document


def _load_issue(
    file: Path,
    case: str,
    shape: IssueShape,
    document: Document,
    disqualified: dict[tuple[str, str], str | None],
    faults: Faults,
) -> Issue | None:
    find = normalise(shape.expected_correction.find)
    replace = normalise(shape.expected_correction.replace)

    def fault(problem: str, field: str = "expectedCorrection.find") -> None:
        faults.add(file, problem, case=case, issue=shape.id, field=field)

    if find == replace:
        fault("`find` and `replace` are the same after normalisation, so the error is not in the text")
        return None
    if shape.paragraph_id is None:
        anchors = [(p.id, start) for p in document for start in occurrences(p.inner_html, find)]
        place = "in the document; name its paragraphId or add words to it"
    else:
        paragraph = document.get(shape.paragraph_id)
        if paragraph is None:
            fault(f"the document has no paragraph {shape.paragraph_id!r}", "paragraphId")
            return None
        anchors = [(paragraph.id, start) for start in occurrences(paragraph.inner_html, find)]
        place = f"in paragraph {paragraph.id}; it has to stand there exactly once"
    if len(anchors) != 1:
        fault(f"{_shown(find)} stands {len(anchors)} times {place}")
        return None
    (paragraph_id, start) = anchors[0]
    return Issue(
        id=shape.id,
        category=shape.category,
        paragraph_id=paragraph_id,
        find=find,
        replace=replace,
        start=start,
        description=shape.description,
        accepted=tuple(normalise(text) for text in shape.accepted_corrections),
        classification=_classification(shape.classification),
        disqualified=(case, shape.id) in disqualified,
    )


def _classification(shape: ClassificationShape | None) -> Classification | None:
    return None if shape is None else Classification(**shape.model_dump())


def _expected(file: Path, case: str, document: Document, issues: Sequence[Issue], faults: Faults) -> Document | None:
    """The document with every issue's core replaced; cores that overlap are faults."""
    by_paragraph: dict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_paragraph[issue.paragraph_id].append(issue)
    sound = True
    paragraphs = []
    for paragraph in document:
        here = sorted(by_paragraph[paragraph.id], key=lambda issue: issue.core[:2])
        for one, other in pairwise(here):
            if other.core[0] < one.core[1] or other.core[:2] == one.core[:2]:
                problem = f"it changes the same characters as issue {one.id}"
                faults.add(file, problem, case=case, issue=other.id, field="expectedCorrection")
                sound = False
        inner_html = paragraph.inner_html
        for issue in reversed(here):
            start, end, text = issue.core
            inner_html = inner_html[:start] + text + inner_html[end:]
        paragraphs.append(Paragraph(paragraph.id, normalise(inner_html)) if here else paragraph)
    return Document(tuple(paragraphs)) if sound else None


def _note_shape_fault(raw: RawCase, name: str | None, loc: tuple[int | str, ...], message: str, faults: Faults) -> None:
    issue = None
    field: tuple[int | str, ...] = loc
    if len(loc) >= 2 and loc[0] == "issues" and isinstance(loc[1], int):
        issue = _name(raw.content["issues"][loc[1]]) or f"number {loc[1] + 1}"
        field = loc[2:]
    problem = plain_problem(message)
    if not loc:
        problem = f"{raw.where} has to be a JSON object"
    faults.add(raw.file, problem, case=name or raw.where, issue=issue, field=field_name(field) or None)


def _name(content: Any) -> str | None:
    name = content.get("id") if isinstance(content, dict) else None
    return name if isinstance(name, str) and name else None


def _shown(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else f"{text[: limit - 1]}…")
