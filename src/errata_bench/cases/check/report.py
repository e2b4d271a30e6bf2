"""What the checker reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from errata_bench.cases.load import LoadedCase
from errata_bench.taxonomy import CATEGORIES, find_category


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where, what kind of thing, and what it is in words."""

    kind: str
    message: str
    file: str
    case: str | None = None
    issue: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        where = [self.file]
        where += [f"case {self.case}"] if self.case is not None else []
        where += [f"issue {self.issue}"] if self.issue is not None else []
        where += [self.field] if self.field is not None else []
        return f"{', '.join(where)}: {self.message} [{self.kind}]"


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """One case in figures; ``issues`` are those that count, title and genre None where the file does not say."""

    id: str
    file: str
    title: str | None
    genre: str | None
    paragraphs: int
    words: int
    issues: int
    per_1000_words: float
    disqualified: int
    is_control: bool


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, what is only worth knowing, and the set in figures.

    ``categories`` counts the issues that count by label, with a zero for each that is missing.
    """

    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    cases: tuple[CaseFigures, ...]
    categories: Mapping[str, int]

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "findings": [asdict(finding) for finding in self.findings],
            "notes": [asdict(note) for note in self.notes],
            "cases": [asdict(case) for case in self.cases],
            "totals": {
                "cases": len(self.cases),
                "controls": sum(case.is_control for case in self.cases),
                "words": sum(case.words for case in self.cases),
                "issues": sum(case.issues for case in self.cases),
                "genres": len({case.genre for case in self.cases if case.genre}),
            },
            "categories": dict(self.categories),
        }


def case_figures(loaded: LoadedCase) -> CaseFigures:
    """The figures of one case."""
    case = loaded.case
    words = case.document.words
    issues = len(case.scored_issues)
    return CaseFigures(
        id=case.id,
        file=str(loaded.file),
        title=_said(loaded.content.get("title")),
        genre=_said(loaded.content.get("genre")),
        paragraphs=len(case.document),
        words=words,
        issues=issues,
        per_1000_words=1000 * issues / words if words else 0.0,
        disqualified=len(case.issues) - issues,
        is_control=case.is_control,
    )


def count_categories(cases: Iterable[LoadedCase]) -> dict[str, int]:
    """How many issues that count there are of each category, those of the taxonomy first and in its order."""
    counted: Counter[str] = Counter()
    for loaded in cases:
        for issue in loaded.case.scored_issues:
            category = find_category(issue.category)
            counted[issue.category if category is None else category.label] += 1
    known = {category.label: counted.pop(category.label, 0) for category in CATEGORIES}
    return known | dict(sorted(counted.items()))


def _said(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
