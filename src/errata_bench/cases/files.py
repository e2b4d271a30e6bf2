"""Where case files are, and what JSON they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from errata_bench.cases.schema import DisqualificationsShape
from errata_bench.errors import DatasetError, DatasetFault

DISQUALIFIED_FILE = "disqualified-issues.json"
_SUFFIXES = (".json", ".jsonl")
_TELLING_KEYS = {"issues", "sourcePath", "source_path", "instruction"}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


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
        parts = dataset.split(",")
        while parts:
            # As many parts as make the name of something that exists, else one.
            taken = next((n for n in range(len(parts), 1, -1) if _exists(Path(",".join(parts[:n]).strip()))), 1)
            name = ",".join(parts[:taken]).strip()
            if name:
                paths.append(Path(name))
            del parts[:taken]
    return paths


def case_files(paths: Iterable[Path]) -> list[Path]:
    """The case files of these files and directories, each once, in order.

    Directories are walked by name; hidden files and folders, and the file of disqualified issues, are skipped.
    Raises `DatasetError` with all paths that do not exist, cannot be read, or are no kind of case file.
    """
    faults = Faults()
    found: dict[Path, Path] = {}
    for path in paths:
        if not _exists(path):
            faults.add(path, "there is no such file or folder")
        elif path.is_dir():
            before = len(faults.found)
            inside = list(_walk(path, faults, set()))
            if not inside and len(faults.found) == before:
                faults.add(path, "the folder holds no case file; one ends in .json or .jsonl")
            for file in inside:
                found.setdefault(file.resolve(), file)
        elif path.suffix.lower() not in _SUFFIXES:
            need = "a text alone is no case, it needs a JSON file that names its issues"
            faults.add(path, f"a case file ends in .json or .jsonl; {need}")
        else:
            found.setdefault(path.resolve(), path)
    if faults.found:
        raise DatasetError(faults.found)
    return list(found.values())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder that must not be looked into
        return False


def _walk(folder: Path, faults: Faults, seen: set[Path]) -> Iterator[Path]:
    """The case files below a folder; ``seen`` keeps links from leading in circles."""
    real = folder.resolve()
    if real in seen:
        return
    seen.add(real)
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        faults.add(folder, f"the folder cannot be read: {error.strerror or error}")
        return
    for path in inside:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _walk(path, faults, seen)
        elif path.suffix.lower() in _SUFFIXES and path.name != DISQUALIFIED_FILE and _may_be_cases(path):
            yield path


def _may_be_cases(path: Path) -> bool:
    """Whether a file found by walking is meant as cases: it names a source, an instruction, or issues.

    Files that belong to other things (notes of a checker, a package's own JSON) may lie beside them. One that is
    no JSON at all is let through, so that it is reported.
    """
    if path.suffix.lower() == ".jsonl":
        return True
    try:
        content = orjson.loads(path.read_bytes().removeprefix(_BYTE_ORDER_MARK))
    except (OSError, orjson.JSONDecodeError):
        return True
    items = content if isinstance(content, list) else [content]
    return any(isinstance(item, dict) and _TELLING_KEYS & item.keys() for item in items)


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


Disqualified = Mapping[tuple[str, str], str | None]
"""The issues that do not count: (case id, issue id) to reason."""


class DisqualifiedIssues:
    """The files of disqualified issues beside case files; each is read, and its faults noted, once."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._read: dict[Path, Disqualified] = {}

    def beside(self, file: Path) -> Disqualified:
        """Those that hold for a case file: they stand in its folder, in the one above it, or in both."""
        folder = file.resolve().parent
        found: dict[tuple[str, str], str | None] = {}
        for place in (folder.parent, folder):
            path = place / DISQUALIFIED_FILE
            if path not in self._read:
                self._read[path] = _read_disqualified(path, self._faults)
            found.update(self._read[path])
        return found


def _read_disqualified(path: Path, faults: Faults) -> Disqualified:
    if not _exists(path) or (data := _read(path, faults)) is None:
        return {}
    try:
        shape = DisqualificationsShape.model_validate_json(data)
    except ValidationError as error:
        for fault in error.errors():
            faults.add(path, plain_problem(fault["msg"]), field=field_name(fault["loc"]) or None)
        return {}
    return {(entry.case_id, entry.issue_id): entry.reason for entry in shape.issues}


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
    """Pydantic's message in the words of someone who writes JSON, with a small letter at its beginning."""
    message = re.sub(r"^Field required$", "the field is missing", message)
    message = re.sub(r"^Input should be a valid dictionary or .*", "Input should be a valid JSON object", message)
    return message[:1].lower() + message[1:]


def read_text(file: Path) -> str:
    """Read a text file as UTF-8, with or without a byte-order mark.

    Raises `OSError`, `UnicodeDecodeError`, or `ValueError` for a name that no file can have.
    """
    return file.read_bytes().decode("utf-8-sig")


def _read(file: Path, faults: Faults) -> bytes | None:
    try:
        return file.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    except OSError as error:
        faults.add(file, f"cannot be read: {error.strerror or error}")
        return None


def _json_problem(error: orjson.JSONDecodeError) -> str:
    return f"{error.msg} (line {error.lineno}, column {error.colno})"
