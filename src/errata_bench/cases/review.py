"""A pass of the author over a case's issues, one at a time, each decision written at once.

What is decided goes into the case file (the wording of an issue, further accepted corrections) and into the file of
disqualified issues. The annotated source, where there is one, is not changed; ``errata-bench cases annotate`` writes a
new one of the case. Nothing is asked or shown here: `cli` does that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from errata_bench.cases.disqualify import disqualify, one_case, replace_file, requalify
from errata_bench.cases.model import Case, Issue
from errata_bench.errors import UserError
from errata_bench.text import normalise

_CONTEXT = 160
"""So many characters on each side of an issue are shown."""


@dataclass(frozen=True, slots=True)
class InContext:
    """An issue as it stands in its paragraph: what is before, what is wrong, what belongs there, and what follows."""

    number: int
    total: int
    issue: Issue
    before: str
    wrong: str
    right: str
    after: str


class Review:
    """The case file under review; every method that changes something has written it when it returns."""

    def __init__(self, file: Path) -> None:
        loaded = one_case(file)
        if file.suffix.lower() != ".json" or not isinstance(loaded.content, dict):
            raise UserError(f"{file}: only a .json file with one case can be reviewed")
        self.file = file
        self.case: Case = loaded.case

    @property
    def issues(self) -> tuple[InContext, ...]:
        """The issues in the order of the document."""
        place = {paragraph.id: n for n, paragraph in enumerate(self.case.document)}
        ordered = sorted(self.case.issues, key=lambda issue: (place[issue.paragraph_id], issue.start))
        return tuple(self._in_context(issue, n, len(ordered)) for n, issue in enumerate(ordered, 1))

    def _in_context(self, issue: Issue, number: int, total: int) -> InContext:
        paragraph = self.case.document.get(issue.paragraph_id)
        assert paragraph is not None  # it is anchored there
        text = paragraph.inner_html
        before, after = text[: issue.start], text[issue.end :]
        if len(before) > _CONTEXT:
            before = "…" + before[-_CONTEXT:].partition(" ")[2]
        if len(after) > _CONTEXT:
            after = after[:_CONTEXT].rpartition(" ")[0] + "…"
        return InContext(number, total, issue, before, issue.find, issue.replace, after)

    def reword(self, issue_id: str, description: str) -> None:
        """Give an issue another description, which is for people alone. Raises `UserError` for an empty one."""
        if not (said := " ".join(description.split())):
            raise UserError("a description cannot be empty")
        self._change(issue_id, lambda entry: entry.update(description=said))

    def accept(self, issue_id: str, text: str) -> None:
        """Add an accepted correction: what may stand in the place of the whole wrong text.

        Raises `UserError` for one that is there already, and for the wrong text itself.
        """
        issue = next(issue for issue in self.case.issues if issue.id == issue_id)
        said = normalise(text)
        if not said.strip():
            raise UserError("an accepted correction cannot be empty")
        if said == issue.find:
            raise UserError("that is the wrong text itself")
        if said == issue.replace or said in issue.accepted:
            raise UserError("that is accepted already")

        def add(entry: dict[str, Any]) -> None:
            key = "accepted_corrections" if "accepted_corrections" in entry else "acceptedCorrections"
            entry[key] = [*(entry.get(key) or ()), said]

        self._change(issue_id, add)

    def disqualify(self, issue_id: str, reason: str) -> None:
        """Take an issue out of scoring. Raises `UserError` for an empty reason."""
        disqualify(self.file, [issue_id], reason)
        self._read()

    def requalify(self, issue_id: str) -> None:
        """Let an issue count again."""
        requalify(self.file, [issue_id])
        self._read()

    def _change(self, issue_id: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Change one issue of the file as it is now."""
        try:
            data = self.file.read_bytes()
        except OSError as error:
            raise UserError(f"{self.file}: cannot be read: {error.strerror or error}") from error
        content = orjson.loads(data)
        entries = content[0]["issues"] if isinstance(content, list) else content["issues"]
        change(next(entry for entry in entries if entry["id"] == issue_id))
        replace_file(self.file, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        self._read()

    def _read(self) -> None:
        self.case = one_case(self.file).case
