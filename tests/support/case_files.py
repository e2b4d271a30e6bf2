"""Case files on disk, of which a test names only what it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.load import load_cases
from errata_bench.errors import DatasetError, DatasetFault

TEXT = "Teh first paragraph is about a dog.\n\nThe second one is about an cat & a mouse."

CLASSIFICATION: dict[str, Any] = {
    "label": "orthography_and_word_form.transposition",
    "parent": "orthography_and_word_form",
    "child": "transposition",
    "severity": "minor",
    "editScope": "token",
    "operationType": "transposition",
    "createsValidWord": False,
    "dimension": "orthographic",
}


def issue_json(issue_id: str = "issue-01", find: str = "Teh first", replace: str = "The first", **more: Any) -> Any:
    """An issue of `TEXT`; a field given as None is left out."""
    content = {
        "id": issue_id,
        "category": "orthography_and_word_form.transposition",
        "expectedCorrection": {"find": find, "replace": replace},
        **more,
    }
    return {key: value for key, value in content.items() if value is not None}


def case_json(case_id: str = "letter", **more: Any) -> Any:
    """A sound case of `TEXT` with one issue; a field given as None is left out."""
    content = {
        "id": case_id,
        "instruction": "Proofread the text.",
        "sourcePath": "text.txt",
        "issues": [issue_json()],
        **more,
    }
    return {key: value for key, value in content.items() if value is not None}


def write_case(folder: Path, content: Any, *, name: str = "case.json", text: str | bytes | None = TEXT) -> Path:
    """Write a case file (a string as it stands, else as JSON) and its source."""
    folder.mkdir(parents=True, exist_ok=True)
    if text is not None:
        (folder / "text.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    file = folder / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def faults_of(*datasets: Path | str) -> tuple[DatasetFault, ...]:
    """All faults that loading these reports."""
    with pytest.raises(DatasetError) as caught:
        load_cases([str(dataset) for dataset in datasets])
    return caught.value.faults


def the_fault_of(*datasets: Path | str) -> DatasetFault:
    """The only fault that loading these reports."""
    faults = faults_of(*datasets)
    assert len(faults) == 1, faults
    return faults[0]
