"""Where case files are, and what JSON they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from errata_bench.cases.schema import DisqualificationsShape
from errata_bench.errors import DatasetFault, UserError

DISQUALIFIED_FILE = "disqualified-issues.json"
_SUFFIXES = (".json", ".jsonl")


@dataclass(slots=True)
class Faults:
    """Collects what is wrong, so that one look tells everything."""

    found: list[DatasetFault] = field(default_factory=list)

    def add(
        self, file: Path, problem: str, *, case: str | None = None, issue: str | None = None, field: str | None = None
    ) -> None:
        """Note one fault."""
        self.found.append(DatasetFault(str(file), problem, case, issue, field))


@dataclass(frozen=True, slots=True)
class RawCase:
    """One JSON object that should be a case; ``where`` tells it from others of its file."""

    file: Path
    where: str
    content: Any


def split_paths(datasets: Iterable[str]) -> list[Path]:
    """Split a repeated, comma-separated ``--dataset``; a comma in the name of a file that exists stays."""
    paths = []
    for dataset in datasets:
        if Path(dataset).exists():
            paths.append(Path(dataset))
        else:
            paths.extend(Path(part.strip()) for part in dataset.split(",") if part.strip())
    return paths


def case_files(paths: Iterable[Path]) -> list[Path]:
    """The case files of these files and directories, each once, in order.

    Directories are walked by name; hidden files and folders, and the file of disqualified issues, are skipped.
    Raises `UserError` for a path that does not exist or is no kind of case file.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = list(_walk(path))
            if not inside:
                raise UserError(f"{path}: the folder holds no case file", mend="a case file ends in .json or .jsonl")
            found.update(dict.fromkeys(inside))
        elif not path.exists():
            raise UserError(f"{path}: there is no such file or folder", mend="give a case file or a folder of them")
        elif path.suffix.lower() not in _SUFFIXES:
            raise UserError(
                f"{path}: a case file ends in .json or .jsonl",
                mend="a text alone is no case: it needs a JSON file beside it that names its issues",
            )
        else:
            found[path] = None
    unique: dict[Path, Path] = {}
    for path in found:
        unique.setdefault(path.resolve(), path)
    return list(unique.values())


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _walk(path)
        elif path.suffix.lower() in _SUFFIXES and path.name != DISQUALIFIED_FILE and _may_be_cases(path):
            yield path


def _may_be_cases(path: Path) -> bool:
    """Whether a file found by walking is meant as cases: it names a source and issues.

    Files that belong to other things (notes of a checker, a package's own JSON) may lie beside them. One that is
    no JSON at all is let through, so that it is reported.
    """
    if path.suffix.lower() == ".jsonl":
        return True
    try:
        content = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return True
    items = content if isinstance(content, list) else [content]
    return any(isinstance(item, dict) and {"issues", "sourcePath"} & item.keys() for item in items)


def read_raw_cases(file: Path, faults: Faults) -> list[RawCase]:
    """Read the JSON objects of a case file: one object, an array, or one object a line."""
    data = _read(file, faults)
    if data is None:
        return []
    if file.suffix.lower() == ".jsonl":
        lines = [(n, line) for n, line in enumerate(data.splitlines(), 1) if line.strip()]
        raw = []
        for n, line in lines:
            try:
                raw.append(RawCase(file, f"line {n}", orjson.loads(line)))
            except orjson.JSONDecodeError as error:
                faults.add(file, f"line {n} is not JSON: {_json_problem(error)}")
        if not lines:
            faults.add(file, "the file is empty")
        return raw
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        faults.add(file, f"this is not JSON: {_json_problem(error)}")
        return []
    if isinstance(content, list):
        if not content:
            faults.add(file, "the array holds no case")
        return [RawCase(file, f"entry {n}", item) for n, item in enumerate(content, 1)]
    return [RawCase(file, "the object", content)]


def read_disqualified(file: Path, faults: Faults) -> dict[tuple[str, str], str | None]:
    """Read the disqualified issues beside a case file: (case id, issue id) to reason.

    They stand in the case file's folder, in the one above it, or in both.
    """
    disqualified: dict[tuple[str, str], str | None] = {}
    folder = file.resolve().parent
    for place in dict.fromkeys((folder.parent, folder)):
        path = place / DISQUALIFIED_FILE
        if path.is_file() and (data := _read(path, faults)) is not None:
            try:
                shape = DisqualificationsShape.model_validate_json(data)
            except ValidationError as error:
                for fault in error.errors():
                    faults.add(path, plain_problem(fault["msg"]), field=field_name(fault["loc"]) or None)
            else:
                disqualified.update({(entry.case_id, entry.issue_id): entry.reason for entry in shape.issues})
    return disqualified


def field_name(location: Iterable[int | str]) -> str:
    """``issues[3].find`` from pydantic's location."""
    name = ""
    for part in location:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            name += f".{part}" if name else part
    return name


def plain_problem(message: str) -> str:
    """Pydantic's message, with a small letter at its beginning."""
    message = re.sub(r"^Field required$", "the field is missing", message)
    return message[:1].lower() + message[1:]


def read_text(file: Path) -> str:
    """Read a text file as UTF-8, with or without a byte-order mark. Raises `OSError` or `UnicodeDecodeError`."""
    return file.read_bytes().decode("utf-8-sig")


def _read(file: Path, faults: Faults) -> bytes | None:
    try:
        return file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        faults.add(file, f"cannot be read: {error.strerror or error}")
        return None


def _json_problem(error: orjson.JSONDecodeError) -> str:
    return f"{error.msg} (line {error.lineno}, column {error.colno})"
