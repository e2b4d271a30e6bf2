"""Taking issues out of scoring without touching their case: the file of disqualified issues, read and written.

The file lies beside the case file, or in the folder above it; one that is there is gone on with, otherwise it is made
beside the case file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from errata_bench.cases.files import DISQUALIFIED_FILE, DisqualifiedIssues, Faults, field_name, plain_problem
from errata_bench.cases.load import LoadedCase, read_cases
from errata_bench.cases.schema import DisqualificationsShape
from errata_bench.errors import DatasetError, DatasetFault, UserError

FORM = 1


@dataclass(frozen=True, slots=True)
class Disqualification:
    """One issue that does not count."""

    case_id: str
    issue_id: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Disqualified:
    """What an edit of the file changed; issues that were as wanted already are not in ``changed``."""

    path: Path
    changed: tuple[str, ...]


def one_case(file: Path) -> LoadedCase:
    """The one case of a case file. Raises `DatasetError` for its faults, `UserError` for a file of several."""
    if file.is_dir():
        raise UserError(f"{file}: this is a folder", mend="give one case file")
    loaded = read_cases([str(file)])
    if loaded.faults:
        raise DatasetError(loaded.faults)
    if len(loaded.cases) != 1:
        raise UserError(f"{file}: {len(loaded.cases)} cases are in it", mend="give a file with one case")
    return loaded.cases[0]


def disqualify(file: Path, issue_ids: Sequence[str], reason: str) -> Disqualified:
    """Disqualify issues of a case for a reason; one that is disqualified already gets the new reason.

    Raises `UserError` for unknown issues and an empty reason; nothing is written then.
    """
    if not (said := " ".join(reason.split())):
        raise UserError("a disqualification needs a reason", mend="say with --reason why the issue is no fair one")
    loaded = one_case(file)
    wanted = _known(loaded, issue_ids)
    path, content = _read(file)
    entries = content["issues"]
    changed = []
    for issue_id in wanted:
        place = _find(entries, loaded.case.id, issue_id)
        if place is None:
            entries.append({"caseId": loaded.case.id, "issueId": issue_id, "reason": said})
        elif entries[place].get("reason") == said:
            continue
        else:
            entries[place]["reason"] = said
        changed.append(issue_id)
    return _write(path, content, changed)


def requalify(file: Path, issue_ids: Sequence[str]) -> Disqualified:
    """Let disqualified issues of a case count again.

    Raises `UserError` for unknown issues, and for those that another file than the one written here disqualifies.
    """
    loaded = one_case(file)
    wanted = _known(loaded, issue_ids)
    path, content = _read(file)
    entries = content["issues"]
    held = [issue_id for issue_id in wanted if _find(entries, loaded.case.id, issue_id) is not None]
    elsewhere = [
        issue.id for issue in loaded.case.issues if issue.id in wanted and issue.id not in held and issue.disqualified
    ]
    if elsewhere:
        raise UserError(
            f"{', '.join(elsewhere)}: disqualified by another file than {path}",
            mend=f"look for {DISQUALIFIED_FILE} in the folder above",
        )
    content["issues"] = [
        entry
        for entry in entries
        if not (_of(entry, "caseId", "case_id") == loaded.case.id and _of(entry, "issueId", "issue_id") in held)
    ]
    return _write(path, content, held)


def disqualifications(file: Path) -> tuple[Disqualification, ...]:
    """The issues of a case that do not count, in the order of the case."""
    loaded = one_case(file)
    faults = Faults()
    reasons = DisqualifiedIssues(faults).beside(file)
    if faults.found:
        raise DatasetError(faults.found)
    return tuple(
        Disqualification(loaded.case.id, issue.id, reasons.get((loaded.case.id, issue.id)))
        for issue in loaded.case.issues
        if issue.disqualified
    )


def _known(loaded: LoadedCase, issue_ids: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(issue_ids))
    if not wanted:
        raise UserError("no issue is named", mend="name issues by their ids, as in the case file")
    known = {issue.id for issue in loaded.case.issues}
    if unknown := [issue_id for issue_id in wanted if issue_id not in known]:
        shown = ", ".join(sorted(known)[:12]) + (" …" if len(known) > 12 else "")
        raise UserError(f"the case {loaded.case.id} has no issue {', '.join(unknown)}", mend=f"its issues are {shown}")
    return wanted


def _read(file: Path) -> tuple[Path, dict[str, Any]]:
    """The file that is to be written, and its content: unknown fields are kept."""
    folder = file.resolve().parent
    path = next(
        (place / DISQUALIFIED_FILE for place in (folder, folder.parent) if (place / DISQUALIFIED_FILE).exists()),
        folder / DISQUALIFIED_FILE,
    )
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return path, {"version": FORM, "issues": []}
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        DisqualificationsShape.model_validate_json(data)
        content = orjson.loads(data)
    except ValidationError as error:
        raise DatasetError(
            [
                DatasetFault(str(path), plain_problem(fault["msg"]), field=field_name(fault["loc"]) or None)
                for fault in error.errors()
            ]
        ) from error
    assert isinstance(content, dict)  # it has the shape
    return path, content


def _find(entries: Sequence[dict[str, Any]], case_id: str, issue_id: str) -> int | None:
    for n, entry in enumerate(entries):
        if (_of(entry, "caseId", "case_id"), _of(entry, "issueId", "issue_id")) == (case_id, issue_id):
            return n
    return None


def _of(entry: dict[str, Any], *names: str) -> Any:
    return next((entry[name] for name in names if name in entry), None)


def _write(path: Path, content: dict[str, Any], changed: Sequence[str]) -> Disqualified:
    if changed:
        replace_file(path, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return Disqualified(path, tuple(changed))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises `UserError` where that cannot be done."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
