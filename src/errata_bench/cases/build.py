"""From an annotated source to a case: its JSON, the corrupted text and the clean text.

The same source gives the same bytes on each build.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from errata_bench.cases.annotated import AnnotatedParagraph, AnnotatedText, Mark, Mistakes, Place, read_annotated
from errata_bench.cases.classify import classify
from errata_bench.cases.files import Faults, read_text
from errata_bench.cases.load import make_case
from errata_bench.cases.model import Case, Classification
from errata_bench.cases.schema import CaseShape, ClassificationShape
from errata_bench.cases.source import document_from_html, document_from_text
from errata_bench.cases.widen import Slot, widen
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError, DatasetFault, UserError
from errata_bench.text import normalise

ANNOTATED_FOLDER = "annotated"
CASES_FOLDER = "cases"


@dataclass(frozen=True, slots=True)
class BuiltCase:
    """A case with the content of its three files, by file name."""

    case: Case
    json_name: str
    files: dict[str, bytes]


def build_case(source: str, case_id: str, file: str) -> BuiltCase:
    """Build a case of an annotated source; ``file`` is its name for messages. Reads and writes nothing.

    Raises `DatasetError` with every mistake, each with line and column.
    """
    text = read_annotated(source, file)
    mistakes = Mistakes(file, [])
    form = _FORMS[text.header.format]
    corrupted = form.write(paragraph.corrupted for paragraph in text.paragraphs)
    clean = form.write(paragraph.clean for paragraph in text.paragraphs)
    for paragraph in text.paragraphs:
        _check_paragraph(paragraph, form, mistakes)
    mistakes.raise_if_any()
    document = form.read(corrupted)
    if len(document) != len(text.paragraphs):  # for all that is known, the checks above have seen to it
        raise DatasetError([DatasetFault(file, "the paragraphs cannot be told apart when read again")])
    source_name = f"{case_id}-corrupted{form.suffix}"
    places: dict[str, Place] = {}
    issues = _issues(text, document, form, places, mistakes)
    mistakes.raise_if_any()
    header = text.header
    content = {
        "id": case_id,
        "title": header.title,
        "genre": header.genre,
        "voice": header.voice,
        "language": header.language,
        "licence": header.licence,
        "instruction": header.instruction,
        "sourcePath": source_name,
        "issues": issues,
    }
    case = _load(content, document, file, places)
    if [paragraph.inner_html for paragraph in case.expected] != [p.inner_html for p in form.read(clean)]:
        raise DatasetError([DatasetFault(file, "mending every issue does not give the clean text")])
    data = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return BuiltCase(
        case,
        f"{case_id}.json",
        {
            f"{case_id}.json": data,
            source_name: corrupted.encode(),
            f"{case_id}-clean{form.suffix}": clean.encode(),
        },
    )


def build_files(paths: Iterable[Path], out: Path | None = None) -> tuple[tuple[Path, BuiltCase], ...]:
    """Build the annotated sources of these files and folders and write what they give.

    A file goes to ``out``; without it to the folder ``cases`` beside a folder ``annotated``, or in the file's own
    folder. Returns each case with its folder. Raises `UserError` for a path that cannot be used, `DatasetError` with
    the mistakes of all sources; nothing is written then.
    """
    faults: list[DatasetFault] = []
    built: dict[Path, tuple[Path, BuiltCase]] = {}
    for path in annotated_files(paths):
        folder = out if out is not None else _usual_folder(path)
        try:
            case = build_case(read_text(path), path.stem, str(path))
        except DatasetError as error:
            faults.extend(error.faults)
        except OSError as error:
            faults.append(DatasetFault(str(path), f"cannot be read: {error.strerror or error}"))
        except UnicodeDecodeError as error:
            faults.append(DatasetFault(str(path), f"is not UTF-8 (byte {error.start})"))
        else:
            if folder / case.json_name in built:
                faults.append(DatasetFault(str(path), f"another source also builds {folder / case.json_name}"))
            built[folder / case.json_name] = folder, case
    if faults:
        raise DatasetError(faults)
    for folder, case in built.values():
        _write(folder, case)
    return tuple(built.values())


def annotated_files(paths: Iterable[Path]) -> list[Path]:
    """The annotated sources of these files and folders, each once. Raises `UserError` where there are none."""
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.glob("*.txt") if not file.name.startswith("."))
            if not inside:
                raise UserError(f"{path}: the folder holds no annotated source", mend="it is a file <id>.txt")
        elif path.is_file():
            inside = [path]
        else:
            raise UserError(f"{path}: there is no such file or folder", mend="give an annotated source")
        for file in inside:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _usual_folder(path: Path) -> Path:
    folder = path.parent
    return folder.parent / CASES_FOLDER if folder.resolve().name == ANNOTATED_FOLDER else folder / CASES_FOLDER


def _write(folder: Path, case: BuiltCase) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in case.files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class _Form:
    """How the paragraphs of one format become a source file, and how that is read again."""

    suffix: str
    read: Callable[[str], Document]
    write: Callable[[Iterable[str]], str]
    inner_html: Callable[[str], str]


def _write_text(paragraphs: Iterable[str]) -> str:
    # A line break inside a paragraph is written as U+2028, which is read as part of it (C1, C2).
    return "\n\n".join(paragraph.replace("\n", "\u2028") for paragraph in paragraphs) + "\n"


def _write_html(paragraphs: Iterable[str]) -> str:
    return "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)


_FORMS = {
    "text": _Form(".txt", document_from_text, _write_text, lambda text: html.escape(normalise(text), quote=False)),
    "html": _Form(".html", document_from_html, _write_html, normalise),
}


def _check_paragraph(paragraph: AnnotatedParagraph, form: _Form, mistakes: Mistakes) -> None:
    marks = paragraph.marks
    place = marks[0].place if marks else paragraph.place
    if form.suffix == ".html" and not marks and not paragraph.clean.strip():
        return  # HTML may have empty paragraphs
    for text, side in ((paragraph.corrupted, "wrong"), (paragraph.clean, "right")):
        read = [read.inner_html for read in form.read(form.write([text]))]
        if read == [form.inner_html(text)] and read[0]:
            parts = [piece if isinstance(piece, str) else getattr(piece, side) for piece in paragraph.pieces]
            if form.inner_html(text) != "".join(form.inner_html(part) for part in parts):
                mistakes.add(place, "a mark begins or ends inside a composed character; take the whole of it in")
        elif not text.strip():
            mistakes.add(place, f"with what is {side} the paragraph is empty")
        elif text != text.strip():
            mistakes.add(place, f"with what is {side} the paragraph begins or ends with white space, which is not read")
        else:
            mistakes.add(place, f"with what is {side} the paragraph is not read again as it is written")


def _issues(
    text: AnnotatedText, document: Document, form: _Form, places: dict[str, Place], mistakes: Mistakes
) -> list[dict[str, Any]]:
    issues: list[dict[str, Any]] = []
    for paragraph, read in zip(text.paragraphs, document, strict=True):
        slots = _slots(paragraph, form)
        for mark, slot in zip(paragraph.marks, slots, strict=True):
            issue_id = mark.id or f"issue-{len(issues) + 1:02d}"
            if issue_id in places:
                mistakes.add(mark.place, f"the issue at {places[issue_id]} has the id {issue_id} as well")
            places.setdefault(issue_id, mark.place)
            issue = _issue(issue_id, mark, slot, read)
            if issue is None:
                mistakes.add(mark.place, "what is wrong cannot be told from the rest of its paragraph")
                issue = {}
            issues.append(issue)
    return issues


def _slots(paragraph: AnnotatedParagraph, form: _Form) -> list[Slot]:
    """Each mark with what stands around it, in the domain of the inner HTML."""
    wrong = [form.inner_html(piece if isinstance(piece, str) else piece.wrong) for piece in paragraph.pieces]
    right = [form.inner_html(piece if isinstance(piece, str) else piece.right) for piece in paragraph.pieces]
    where = [n for n, piece in enumerate(paragraph.pieces) if isinstance(piece, Mark)]
    starts = {n: sum(map(len, wrong[:n])) for n in where}
    return [
        Slot(
            before="".join(wrong[:n]),
            wrong=wrong[n],
            after="".join(wrong[n + 1 :]),
            clean_before="".join(right[:n]),
            right=right[n],
            clean_after="".join(right[n + 1 :]),
            also=tuple(form.inner_html(text) for text in mark.also),
            others=tuple((starts[other], starts[other] + len(wrong[other])) for other in where if other != n),
        )
        for n, mark in zip(where, paragraph.marks, strict=True)
    ]


def _issue(issue_id: str, mark: Mark, slot: Slot, paragraph: Paragraph) -> dict[str, Any] | None:
    anchored = widen(slot, f'<p id="{paragraph.id}">')
    if anchored is None:
        return None
    classification = classify(mark.category, *_whole_words(slot), mark.stated)
    issue: dict[str, Any] = {
        "id": issue_id,
        "category": mark.category,
        "paragraphId": paragraph.id,
        "description": mark.note or usual_description(mark.wrong, mark.right),
        "classification": _as_json(classification),
        "expectedCorrection": {"find": anchored.find, "replace": anchored.replace},
    }
    if anchored.accepted:
        issue["acceptedCorrections"] = list(anchored.accepted)
    return issue


def usual_description(wrong: str, right: str) -> str:
    """The description of an issue that has no note."""
    return f'"{wrong}" stands where "{right}" belongs.'


def _whole_words(slot: Slot) -> tuple[str, str]:
    """Both sides with the rest of the words that they begin or end in."""
    left = slot.before.split(" ")[-1]
    right = slot.after.split(" ", 1)[0]
    return left + slot.wrong + right, left + slot.right + right


def _as_json(classification: Classification | None) -> dict[str, Any] | None:
    return None if classification is None else ClassificationShape(**asdict(classification)).model_dump(by_alias=True)


def _load(content: dict[str, Any], document: Document, file: str, places: dict[str, Place]) -> Case:
    """Load what was built as any case is loaded; its faults, of which few are left, are the marks'."""
    faults = Faults()
    case = make_case(Path(file), CaseShape.model_validate(content), document, {}, faults)
    if case is None:
        raise DatasetError(
            [
                DatasetFault(f"{file}:{places[fault.issue]}" if fault.issue in places else file, fault.problem)
                for fault in faults.found
            ]
        )
    return case
