"""From files to cases; every fault of every file is reported at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from errata_bench.cases.anchors import Anchors, find_in
from errata_bench.cases.files import (
    DISQUALIFIED_FILE,
    Disqualified,
    DisqualifiedIssues,
    Faults,
    RawCase,
    case_files,
    field_name,
    plain_problem,
    read_raw_cases,
    read_text,
    split_paths,
)
from errata_bench.cases.model import Case, Classification, Issue
from errata_bench.cases.schema import CaseShape, ClassificationShape, IssueShape
from errata_bench.cases.source import document_from_html, document_from_text
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError, DatasetFault, UserError
from errata_bench.text import normalise

_READERS = {".txt": document_from_text, ".html": document_from_html, ".htm": document_from_html}


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case with the file it was read from and its JSON object as it stands there."""

    case: Case
    file: Path
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What could be read, and every fault of what could not."""

    cases: tuple[LoadedCase, ...]
    faults: tuple[DatasetFault, ...]


def load_cases(datasets: Iterable[str]) -> tuple[Case, ...]:
    """Load the cases of files and folders; each may also be a comma-separated list.

    Raises `DatasetError` with all faults of all files, or `UserError` when there is nothing to read.
    """
    loaded = read_cases(datasets)
    if loaded.faults:
        raise DatasetError(loaded.faults)
    return tuple(entry.case for entry in loaded.cases)


def read_cases(datasets: Iterable[str]) -> Loaded:
    """Read the cases of files and folders as far as they are sound; see `load_cases`.

    Raises `UserError` when there is nothing to read.
    """
    faults = Faults()
    cases: list[LoadedCase] = []
    files: dict[str, Path] = {}
    paths = split_paths(datasets)
    if not paths:
        raise UserError("no dataset is named", mend="give a case file or a folder with --dataset")
    disqualified = DisqualifiedIssues(faults)
    for file in case_files(paths):
        beside = disqualified.beside(file)
        for raw in read_raw_cases(file, faults):
            name = _name(raw.content)
            if name is not None:
                if name in files:
                    faults.add(file, f"another case of this id is in {files[name]}", case=name, field="id")
                files.setdefault(name, file)
            case = _load_case(raw, beside, faults)
            if case is not None:
                cases.append(LoadedCase(case, file, raw.content))
    return Loaded(tuple(cases), tuple(faults.found))


def _load_case(raw: RawCase, disqualified: Disqualified, faults: Faults) -> Case | None:
    try:
        shape = CaseShape.model_validate(raw.content)
    except ValidationError as error:
        for fault in error.errors():
            _note_shape_fault(raw, fault["loc"], fault["msg"], faults)
        _look_further(raw, disqualified, faults)
        return None
    document = _load_document(raw.file, shape.id, shape.source_path, faults)
    if document is None:
        _load_issues(raw.file, shape.id, shape.issues, None, disqualified, faults)
        return None
    return make_case(raw.file, shape, document, disqualified, faults)


def _look_further(raw: RawCase, disqualified: Disqualified, faults: Faults) -> None:
    """Note what else is wrong with an object that has not the shape of a case, so that it does not come out later."""
    if not isinstance(raw.content, dict):
        return
    name = _name(raw.content) or raw.where
    source = raw.content.get("sourcePath", raw.content.get("source_path"))
    document = _load_document(raw.file, name, source, faults) if isinstance(source, str) and source else None
    listed = raw.content.get("issues")
    shapes = []
    for item in listed if isinstance(listed, list) else ():
        with suppress(ValidationError):  # noted already
            shapes.append(IssueShape.model_validate(item))
    _load_issues(raw.file, name, shapes, document, disqualified, faults)


def make_case(
    file: Path,
    shape: CaseShape,
    document: Document,
    disqualified: Disqualified,
    faults: Faults,
) -> Case | None:
    """Make a case of what its JSON says and of its document; None if that has faults.

    ``file`` names the case's file for messages; nothing is read.
    """
    before = len(faults.found)
    issues = _load_issues(file, shape.id, shape.issues, document, disqualified, faults)
    known = {issue.id for issue in shape.issues}
    for case_id, issue_id in disqualified:
        if case_id == shape.id and issue_id not in known:
            problem = f"{DISQUALIFIED_FILE} beside it disqualifies this issue, which the case does not have"
            faults.add(file, problem, case=shape.id, issue=issue_id, field="id")
    if len(faults.found) > before:
        return None
    expected = _expected(document, issues)
    return Case(shape.id, shape.instruction, document, expected, issues, Path(shape.source_path).name)


def _load_issues(
    file: Path,
    case: str,
    shapes: Sequence[IssueShape],
    document: Document | None,
    disqualified: Disqualified,
    faults: Faults,
) -> tuple[Issue, ...]:
    """The issues that could be anchored; without a document none can, but they are looked at all the same."""
    for issue_id, count in Counter(shape.id for shape in shapes).items():
        if count > 1:
            faults.add(file, f"{count} issues have this id", case=case, issue=issue_id, field="id")
    anchors = None if document is None else Anchors(document)
    loaded = [_load_issue(file, case, shape, anchors, disqualified, faults) for shape in shapes]
    issues = tuple(issue for issue in loaded if issue is not None)
    _note_overlaps(file, case, issues, faults)
    return issues


def _load_document(file: Path, case: str, source_path: str, faults: Faults) -> Document | None:
    def fault(problem: str) -> None:
        faults.add(file, problem, case=case, field="sourcePath")

    source = file.parent / source_path
    reader = _READERS.get(source.suffix.lower())
    if reader is None:
        fault(f"{source_path} is neither .txt nor .html")
        return None
    try:
        document = reader(read_text(source))
    except OSError as error:
        fault(f"{source} cannot be read: {error.strerror or error}")
        return None
    except UnicodeDecodeError as error:
        fault(f"{source} is not UTF-8 (byte {error.start})")
        return None
    except ValueError as error:
        fault(f"{source_path!r} is no name of a file: {error}")
        return None
    if not len(document):
        fault(f"{source} holds no paragraph")
        return None
    return document


def _load_issue(
    file: Path,
    case: str,
    shape: IssueShape,
    anchors: Anchors | None,
    disqualified: Disqualified,
    faults: Faults,
) -> Issue | None:
    find = normalise(shape.expected_correction.find)
    replace = normalise(shape.expected_correction.replace)

    def fault(problem: str, field: str = "expectedCorrection.find") -> None:
        faults.add(file, problem, case=case, issue=shape.id, field=field)

    if find == replace:
        fault("`find` and `replace` are the same after normalisation, so the error is not in the text")
        return None
    if anchors is None:
        return None
    if shape.paragraph_id is None:
        found, searched = anchors.find(find), anchors.document.paragraphs
        place = "in the document; name its paragraphId or add words to it"
    else:
        paragraph = anchors.document.get(shape.paragraph_id)
        if paragraph is None:
            fault(f"the document has no paragraph {shape.paragraph_id!r}", "paragraphId")
            return None
        found, searched = find_in(paragraph, find), (paragraph,)
        place = f"in paragraph {paragraph.id}; it has to stand there exactly once"
    if not found and any(find in paragraph.inner_html for paragraph in searched):
        place += " (parts of longer words do not count)"
    if len(found) != 1:
        fault(f"{_shown(find)} stands {len(found)} times {place}")
        return None
    paragraph_id, start = found[0]
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


def _note_overlaps(file: Path, case: str, issues: Sequence[Issue], faults: Faults) -> None:
    """Two issues cannot change the same characters, nor insert at the same place."""
    by_paragraph: dict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_paragraph[issue.paragraph_id].append(issue)
    for here in by_paragraph.values():
        here.sort(key=lambda issue: issue.core[:2])
        widest = here[0]  # the one that reaches furthest so far
        for issue in here[1:]:
            if issue.core[0] < widest.core[1] or issue.core[:2] == widest.core[:2]:
                problem = f"it changes the same characters as issue {widest.id}"
                faults.add(file, problem, case=case, issue=issue.id, field="expectedCorrection")
            if issue.core[1] >= widest.core[1]:
                widest = issue


def _expected(document: Document, issues: Sequence[Issue]) -> Document:
    """The document with every issue's core replaced; cores do not overlap."""
    for issue in sorted(issues, key=lambda issue: issue.core[:2], reverse=True):
        start, end, text = issue.core
        paragraph = document.get(issue.paragraph_id)
        assert paragraph is not None  # it was anchored there
        inner_html = paragraph.inner_html[:start] + text + paragraph.inner_html[end:]
        document = document.with_inner_html(paragraph.id, inner_html)
    changed = {issue.paragraph_id for issue in issues}
    return Document(
        tuple(Paragraph(p.id, normalise(p.inner_html)) if p.id in changed else p for p in document.paragraphs)
    )


def _note_shape_fault(raw: RawCase, loc: tuple[int | str, ...], message: str, faults: Faults) -> None:
    issue = None
    field: tuple[int | str, ...] = loc
    if len(loc) >= 2 and loc[0] == "issues" and isinstance(loc[1], int):
        issue = _name(raw.content["issues"][loc[1]]) or f"number {loc[1] + 1}"
        field = loc[2:]
    problem = plain_problem(message)
    if not loc:
        problem = f"{raw.where} has to be a JSON object"
    faults.add(raw.file, problem, case=_name(raw.content) or raw.where, issue=issue, field=field_name(field) or None)


def _name(content: Any) -> str | None:
    name = content.get("id") if isinstance(content, dict) else None
    return name if isinstance(name, str) and name else None


def _shown(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else f"{text[: limit - 1]}…")
