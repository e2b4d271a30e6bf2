"""Which kind of file it is, by what is in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from errata_bench.errors import UserError
from errata_bench.results.imports.artifact import Artifact, artifact_from
from errata_bench.results.imports.reading import read_json
from errata_bench.results.imports.reports import Reports, is_report, reports_from

ImportFile = Artifact | Reports
"""A file that can be read in."""


def read_files(paths: Iterable[Path]) -> list[ImportFile]:
    """Read files, each of any kind. Raises `UserError` for the first one that is none or has faults."""
    return [read_file(path) for path in paths]


def read_file(path: Path) -> ImportFile:
    """Read a results artifact (``attempts``), a report, or a collection of reports (``runs``). Raises `UserError`."""
    content = read_json(path)
    if isinstance(content, dict):
        if content.get("format") == "errata-bench-group":
            raise UserError(
                f"{path} is an export of this program that holds no attempts",
                mend="export it with --format upstream-json, or use: errata-bench results merge",
            )
        if isinstance(content.get("attempts"), list):
            return artifact_from(path, content)
        if is_report(content) or isinstance(content.get("runs"), list):
            return reports_from(path, content)
        if "finalParagraphs" in content or "chunks" in content:
            raise UserError(
                f"{path} is a run without `issues`: nothing says what it fixed", mend="give the report of the same run"
            )
    raise UserError(
        f"{path} is neither a results file (it has no list of `attempts`), nor a report (with `issues` and `model`), "
        "nor a collection of reports (with `runs`)",
        mend="give a results file or reports of the existing project",
    )
