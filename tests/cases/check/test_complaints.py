"""Complaints of offline checkers about clean texts, and the record of those that are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.check import Report, check_cases
from errata_bench.cases.check.complaints import alarms_path
from errata_bench.errors import UserError

INSTRUCTION = {"instruction": "Do it.", "sourcePath": "text.txt"}


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    replacement: str


async def wants_cat(paragraphs: Sequence[str]) -> list[list[Edit]]:
    """A checker that would write `cat` for each `cot`, letter by letter."""
    return [[Edit(n + 1, n + 2, "a") for n in range(len(text)) if text.startswith("cot", n)] for text in paragraphs]


CHECKERS = {"strict": wants_cat}


def write(folder: Path, *texts: str) -> Path:
    """One file with a case for each text."""
    cases = []
    for n, text in enumerate(texts):
        (folder / f"{n}.txt").write_text(text)
        cases.append({**INSTRUCTION, "id": f"case-{n}", "sourcePath": f"{n}.txt", "issues": []})
    file = folder / "docs.json"
    file.write_text(json.dumps(cases))
    return file


def record(file: Path, *alarms: dict[str, Any]) -> None:
    alarms_path(file).write_text(json.dumps({"version": 1, "alarms": list(alarms)}))


async def check(file: Path, *, record: bool = False) -> Report:
    return await check_cases([str(file)], checkers=CHECKERS, record=record)


ALARM = {"checker": "strict", "complaint": "cot, → cat,", "excerpt": "A & b cot, as it was", "reason": "it is a bed"}


async def test_complaint_is_told_in_whole_words_with_those_around_it(tmp_path: Path) -> None:
    (finding,) = (await check(write(tmp_path, "Once more: A & b cot, as it was before."))).findings
    assert (finding.kind, finding.case) == ("complaint", "case-0")
    assert finding.message == "strict would write cot, → cat, in 'A & b cot, as it was'"


async def test_without_checkers_nobody_complains(tmp_path: Path) -> None:
    assert (await check_cases([str(write(tmp_path, "A cot."))])).is_clean


async def test_checkers_read_the_clean_text_and_not_the_corrupted_one(tmp_path: Path) -> None:
    file = write(tmp_path, "A cot and a dog sat.")
    content = json.loads(file.read_text())
    content[0]["issues"] = [
        {"id": "1", "category": "misused_word", "expectedCorrection": {"find": "cot", "replace": "bed"}}
    ]
    file.write_text(json.dumps(content))
    assert (await check(file)).is_clean


async def test_recorded_false_alarm_is_no_finding(tmp_path: Path) -> None:
    file = write(tmp_path, "Once more: A & b cot, as it was before.")
    record(file, ALARM)
    report = await check(file)
    assert report.is_clean
    assert report.notes == ()


@pytest.mark.parametrize("change", [{"excerpt": "other words"}, {"checker": "lax"}, {"complaint": "cot → cut"}])
async def test_record_of_something_else_covers_nothing(tmp_path: Path, change: dict[str, str]) -> None:
    file = write(tmp_path, "Once more: A & b cot, as it was before.")
    record(file, ALARM | change)
    report = await check(file)
    assert [finding.kind for finding in report.findings] == ["complaint"]
    # A checker that was not asked may still complain.
    assert [note.kind for note in report.notes] == ([] if "checker" in change else ["stale_alarm"])


async def test_record_without_an_excerpt_holds_everywhere_in_its_case(tmp_path: Path) -> None:
    file = write(tmp_path, "One cot here.\n\nAnother cot there.", "A third cot too.")
    record(file, {"checker": "strict", "complaint": "cot → cat", "reason": "beds", "case": "case-0"})
    (finding,) = (await check(file)).findings
    assert (finding.case, finding.message) == ("case-1", "strict would write cot → cat in 'A third cot too.'")


async def test_record_without_a_reason_is_a_finding(tmp_path: Path) -> None:
    file = write(tmp_path, "Once more: A & b cot, as it was before.")
    record(file, ALARM | {"reason": " "})
    (finding,) = (await check(file)).findings
    assert (finding.kind, finding.file) == ("alarm", str(alarms_path(file)))


async def test_faults_of_a_record_are_findings(tmp_path: Path) -> None:
    file = write(tmp_path, "No bed.")
    record(file, ALARM | {"why": "?"}, {"checker": "strict"})
    found = (await check(file)).findings
    assert {finding.kind for finding in found} == {"alarm"}
    assert {finding.field for finding in found} == {"alarms[0].why", "alarms[1].complaint", "alarms[1].reason"}
    alarms_path(file).write_text("{")
    assert len((await check(file)).findings) == 1


async def test_new_complaints_are_recorded_to_be_given_a_reason(tmp_path: Path) -> None:
    file = write(tmp_path, "Once more: A & b cot, as it was before. A new cot.", "A third cot.")
    record(file, ALARM)
    await check(file, record=True)
    content = json.loads(alarms_path(file).read_text())
    assert content["alarms"][0] == ALARM
    assert [(alarm["case"], alarm["complaint"], alarm["reason"]) for alarm in content["alarms"][1:]] == [
        ("case-0", "cot. → cat.", ""),
        ("case-1", "cot. → cat.", ""),
    ]
    before = alarms_path(file).read_bytes()
    report = await check(file, record=True)
    assert alarms_path(file).read_bytes() == before
    assert [finding.kind for finding in report.findings] == ["alarm", "alarm"]


async def test_faulty_record_is_not_written_over(tmp_path: Path) -> None:
    file = write(tmp_path, "A cot.")
    alarms_path(file).write_text("{")
    with pytest.raises(UserError):
        await check(file, record=True)
    assert alarms_path(file).read_text() == "{"


async def test_record_beside_the_cases_is_not_taken_for_a_case(tmp_path: Path) -> None:
    file = write(tmp_path, "A cot.")
    await check(file, record=True)
    report = await check_cases([str(tmp_path)], checkers=CHECKERS)
    assert [finding.kind for finding in report.findings] == ["alarm"]
