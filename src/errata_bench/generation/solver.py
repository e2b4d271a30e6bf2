"""The solver check: a model gets the spoilt text without hints, as in a run, and tries to find what was planted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from errata_bench.cases.model import Case, Issue
from errata_bench.chat import AttemptSink, ChatModel
from errata_bench.document import Document, Paragraph
from errata_bench.generation.journal import Journal
from errata_bench.generation.proposals import Change
from errata_bench.generation.reviewer import judge_fix
from errata_bench.generation.source import SourceText
from errata_bench.generation.windows import Window
from errata_bench.proofreading.loop import LoopSettings, proofread_chunk
from errata_bench.scoring.rule_v1 import Finding, find_verdict

TRIES = 3
"""How often the solver is given a window before what it did not find counts as not to be found."""


class Solved(StrEnum):
    """What the solver made of an issue. The words are written to the log."""

    FOUND = "found"
    OTHER_FIX = "other_fix"
    """It was mended in another way, which the reviewer holds to be as good: the author should accept it too."""
    NOT_FOUND = "not_found"
    """In no try was it mended."""


@dataclass(frozen=True, slots=True)
class SolverReport:
    """What the solver made of one issue.

    ``tries`` is how many there were; ``paragraph`` the paragraph as the solver left it where its fix is another one.
    """

    issue: Issue
    solved: Solved
    tries: int
    paragraph: str | None = None


@dataclass(frozen=True, slots=True)
class SolverModels:
    """The solver, and the reviewer who judges its other fixes; each made for a key of the journal."""

    solver: Callable[[str], ChatModel]
    reviewer: Callable[[str], ChatModel]


async def solve(
    case: Case,
    changes: Mapping[str, Change],
    source: SourceText,
    windows: Sequence[Window],
    models: SolverModels,
    journal: Journal,
    on_attempt: AttemptSink,
    *,
    concurrency: int = 10,
) -> tuple[SolverReport, ...]:
    """Let the solver work on every window with issues; ``changes`` are those of the case by issue id.

    Raises `EndpointFault` when a model gives no reply; what was answered stands in the journal.
    """
    gate = asyncio.Semaphore(max(1, concurrency))

    async def one(window: Window) -> list[SolverReport]:
        chunk = Document(tuple(case.document.paragraphs[paragraph.index] for paragraph in window.paragraphs))
        issues = [issue for issue in case.scored_issues if issue.paragraph_id in chunk]
        if not issues:
            return []
        async with gate:
            solver = _WindowSolver(chunk, issues, changes, source, models, f"w{window.index + 1:03d}", on_attempt)
            return await solver.reports(case.instruction)

    # All are waited for, so that what was answered is kept, whoever fails.
    found = await asyncio.gather(*(one(window) for window in windows), return_exceptions=True)
    for end in found:
        if isinstance(end, BaseException):
            raise end
    reports = tuple(report for of_window in found if not isinstance(of_window, BaseException) for report in of_window)
    for report in reports:
        journal.solver(
            f"solver/{report.issue.id}", solved=report.solved, tries=report.tries, paragraph=report.paragraph
        )
    return reports


@dataclass(slots=True)
class _WindowSolver:
    """The tries at one window."""

    chunk: Document
    issues: Sequence[Issue]
    changes: Mapping[str, Change]
    source: SourceText
    models: SolverModels
    key: str
    on_attempt: AttemptSink

    async def reports(self, instruction: str) -> list[SolverReport]:
        done: dict[str, SolverReport] = {}
        for number in range(1, TRIES + 1):
            key = f"{self.key}-solve-{number}"
            result = await proofread_chunk(
                self.models.solver(key), self.chunk, instruction, LoopSettings(), on_attempt=self.on_attempt
            )
            final = {paragraph.id: paragraph for paragraph in result.paragraphs}
            for issue in self.issues:
                if issue.id not in done:
                    report = await self._look(issue, final[issue.paragraph_id], number, key)
                    if report is not None:
                        done[issue.id] = report
            if len(done) == len(self.issues):
                break
        return [done.get(issue.id) or SolverReport(issue, Solved.NOT_FOUND, TRIES) for issue in self.issues]

    async def _look(self, issue: Issue, final: Paragraph, number: int, key: str) -> SolverReport | None:
        finding = find_verdict(issue, final)
        if finding is Finding.EXACT:
            return SolverReport(issue, Solved.FOUND, number)
        if finding is Finding.NOT_ADDRESSED:
            return None
        change = self.changes[issue.id]
        paragraph = self.source.paragraphs[change.paragraph]
        model = self.models.reviewer(f"{key}-{issue.id}")
        valid = await judge_fix(model, change, paragraph, final.inner_html, self.on_attempt)
        return SolverReport(issue, Solved.OTHER_FIX, number, final.inner_html) if valid else None
