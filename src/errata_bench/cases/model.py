"""What a case is: a document, its issues, and the document it should become."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from errata_bench.document import Document
from errata_bench.taxonomy import Dimension, EditScope, OperationType, Severity


@dataclass(frozen=True, slots=True)
class Classification:
    """What kind of error an issue is."""

    label: str
    parent: str
    child: str
    severity: Severity
    edit_scope: EditScope
    operation_type: OperationType
    creates_valid_word: bool | None
    dimension: Dimension


@dataclass(frozen=True, slots=True)
class Issue:
    """One planted error.

    ``find`` stands in the corrupted paragraph exactly once, at character offset ``start`` of its inner HTML;
    ``replace`` is the right text. ``accepted`` are further texts that are right in place of ``find``. All are
    normalised (C1).
    """

    id: str
    category: str
    paragraph_id: str
    find: str
    replace: str
    start: int
    description: str = ""
    accepted: tuple[str, ...] = ()
    classification: Classification | None = None
    disqualified: bool = False

    @property
    def end(self) -> int:
        """The offset behind ``find``."""
        return self.start + len(self.find)

    @property
    def core(self) -> tuple[int, int, str]:
        """What really changes: start and end offset in the corrupted inner HTML, and the text to put there.

        ``find`` and ``replace`` without the text they share at their beginnings and ends.
        """
        shorter = min(len(self.find), len(self.replace))
        head = next((n for n in range(shorter) if self.find[n] != self.replace[n]), shorter)
        rest = shorter - head
        tail = next((n for n in range(rest) if self.find[-1 - n] != self.replace[-1 - n]), rest)
        return self.start + head, self.end - tail, self.replace[head : len(self.replace) - tail]


@dataclass(frozen=True)
class Case:
    """One document with its issues.

    ``document`` is what a model gets, ``expected`` the same with every issue corrected, disqualified ones
    included. A case without issues is a control.
    """

    id: str
    instruction: str
    document: Document
    expected: Document
    issues: tuple[Issue, ...]
    source_name: str = ""

    def __hash__(self) -> int:
        # Equal cases have equal fingerprints, and that of a case is made once, not each time it is looked up.
        return hash(self.fingerprint)

    @property
    def scored_issues(self) -> tuple[Issue, ...]:
        """The issues that count: all but the disqualified ones."""
        return tuple(issue for issue in self.issues if not issue.disqualified)

    @property
    def is_control(self) -> bool:
        """Whether no issue counts."""
        return not self.scored_issues

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of what decides about a run's work and its verdicts.

        Paragraphs, instruction, issues and disqualifications; not the case's name, its path, the order of its
        issues, or the words that describe them.
        """
        content: dict[str, Any] = {
            "instruction": self.instruction,
            "paragraphs": [[paragraph.id, paragraph.inner_html] for paragraph in self.document],
            "issues": sorted(
                [issue.id, issue.paragraph_id, issue.find, issue.replace, list(issue.accepted), issue.disqualified]
                for issue in self.issues
            ),
        }
        return hashlib.sha256(orjson.dumps(content)).hexdigest()
