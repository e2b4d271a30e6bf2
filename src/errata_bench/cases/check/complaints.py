"""What offline checkers find fault with in the clean text, and which of it is known to be none.

Each complaint is either a real flaw, and the text is to be mended, or a false alarm. False alarms are recorded beside
the case file, in ``<name of the case file>.false-alarms.json``, each with a reason; what is not recorded counts.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from errata_bench.cases.check.report import Finding
from errata_bench.cases.files import field_name, plain_problem
from errata_bench.cases.load import LoadedCase
from errata_bench.errors import UserError

ALARMS_SUFFIX = ".false-alarms.json"
_CONTEXT_WORDS = 3


class Edit(Protocol):
    """What a checker would put in the place of ``inner_html[start:end]``."""

    @property
    def start(self) -> int:
        """Where it begins."""
        ...

    @property
    def end(self) -> int:
        """Where it ends."""
        ...

    @property
    def replacement(self) -> str:
        """What would stand there, as inner HTML."""
        ...


ParagraphChecker = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[Edit]]]]
"""An offline checker: for the paragraphs (inner HTML) of one text, the edits it would make in each."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """One edit that a checker would make in the clean text.

    ``excerpt`` is the place with a few words around it, ``complaint`` the change, as ``had → hard``.
    """

    checker: str
    excerpt: str
    complaint: str


class Alarm(BaseModel):
    """A complaint that is known to be none. Without an ``excerpt`` it holds wherever the text gives rise to it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    checker: str
    complaint: str
    reason: str
    excerpt: str | None = None
    case: str | None = None

    def covers(self, case_id: str, complaint: Complaint) -> bool:
        """Whether this is that complaint in that case."""
        return (
            (self.checker, self.complaint) == (complaint.checker, complaint.complaint)
            and self.excerpt in (None, complaint.excerpt)
            and self.case in (None, case_id)
        )


class AlarmsFile(BaseModel):
    """The file of false alarms beside a case file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: int
    alarms: list[Alarm]


async def collect_complaints(
    cases: Sequence[LoadedCase], checkers: Mapping[str, ParagraphChecker]
) -> list[tuple[LoadedCase, Complaint]]:
    """Let every checker read every clean text."""

    async def read(loaded: LoadedCase, name: str, check: ParagraphChecker) -> list[Complaint]:
        paragraphs = [paragraph.inner_html for paragraph in loaded.case.expected]
        edits = await check(paragraphs)
        return [
            _complaint(name, paragraph, edit)
            for paragraph, found in zip(paragraphs, edits, strict=True)
            for edit in found
        ]

    jobs = [(loaded, read(loaded, name, check)) for loaded in cases for name, check in sorted(checkers.items())]
    answers = await asyncio.gather(*(job for _, job in jobs))
    return [(loaded, complaint) for (loaded, _), found in zip(jobs, answers, strict=True) for complaint in found]


def complaint_findings(
    cases: Sequence[LoadedCase], complaints: Sequence[tuple[LoadedCase, Complaint]], checkers: Iterable[str]
) -> tuple[list[Finding], list[Finding]]:
    """Findings: complaints that are not recorded, and faults of the records. Notes: records of nothing.

    A record is of nothing when its checker was asked and did not complain; another version of it may still do so.
    """
    findings: list[Finding] = []
    notes: list[Finding] = []
    asked = set(checkers)
    for file in dict.fromkeys(loaded.file for loaded in cases):
        alarms, faults = read_alarms(file)
        findings += faults
        here = [(loaded.case.id, complaint) for loaded, complaint in complaints if loaded.file == file]
        for case_id, complaint in here:
            if not any(alarm.covers(case_id, complaint) for alarm in alarms):
                message = f"{complaint.checker} would write {complaint.complaint} in {complaint.excerpt!r}"
                findings.append(Finding("complaint", message, str(file), case_id))
        record = str(alarms_path(file))
        for alarm in alarms:
            if not alarm.reason.strip():
                findings.append(Finding("alarm", f"{alarm.complaint} is recorded without a reason", record, alarm.case))
            elif alarm.checker in asked and not any(alarm.covers(case_id, complaint) for case_id, complaint in here):
                message = f"{alarm.checker} does not complain of {alarm.complaint} ({alarm.excerpt or 'anywhere'})"
                notes.append(Finding("stale_alarm", message, record, alarm.case))
    return findings, notes


def record_complaints(cases: Sequence[LoadedCase], complaints: Sequence[tuple[LoadedCase, Complaint]]) -> list[Path]:
    """Write complaints that are not recorded into the files beside the cases, each with an empty reason.

    Returns the files written. Raises `UserError` for a file of alarms that has faults or cannot be written.
    """
    written = []
    for file in dict.fromkeys(loaded.file for loaded, _ in complaints):
        alarms, faults = read_alarms(file)
        if faults:
            raise UserError("\n".join(map(str, faults)), mend="mend the file first")
        several = len({loaded.case.id for loaded in cases if loaded.file == file}) > 1
        new = [
            Alarm(
                checker=complaint.checker,
                complaint=complaint.complaint,
                reason="",
                excerpt=complaint.excerpt,
                case=loaded.case.id if several else None,
            )
            for loaded, complaint in complaints
            if loaded.file == file and not any(alarm.covers(loaded.case.id, complaint) for alarm in alarms)
        ]
        if new:
            path = alarms_path(file)
            content = {"version": 1, "alarms": [_alarm_json(alarm) for alarm in [*alarms, *dict.fromkeys(new)]]}
            try:
                path.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            except OSError as error:
                raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
            written.append(path)
    return written


def alarms_path(case_file: Path) -> Path:
    """Where the false alarms of a case file are recorded."""
    return case_file.with_name(case_file.stem + ALARMS_SUFFIX)


def read_alarms(case_file: Path) -> tuple[list[Alarm], list[Finding]]:
    """The false alarms recorded beside a case file, and what is wrong with the record."""
    path = alarms_path(case_file)
    try:
        return AlarmsFile.model_validate_json(path.read_bytes()).alarms, []
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [Finding("alarm", f"cannot be read: {error.strerror or error}", str(path))]
    except ValidationError as error:
        return [], [
            Finding("alarm", plain_problem(fault["msg"]), str(path), field=field_name(fault["loc"]) or None)
            for fault in error.errors()
        ]


def _alarm_json(alarm: Alarm) -> dict[str, Any]:
    keys = ("case", "checker", "complaint", "excerpt", "reason")
    return {key: value for key in keys if (value := getattr(alarm, key)) is not None}


def _complaint(checker: str, paragraph: str, edit: Edit) -> Complaint:
    start, end = edit.start, edit.end
    while start > 0 and not paragraph[start - 1].isspace():
        start -= 1
    while end < len(paragraph) and not paragraph[end].isspace():
        end += 1
    before, after = paragraph[start:end], paragraph[start : edit.start] + edit.replacement + paragraph[edit.end : end]
    left, right = paragraph[:start].split()[-_CONTEXT_WORDS:], paragraph[end:].split()[:_CONTEXT_WORDS]
    excerpt = " ".join([*left, *before.split(), *right])
    return Complaint(checker, html.unescape(excerpt), html.unescape(f"{before} → {after}"))
