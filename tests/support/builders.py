"""Small cases, settings and figures, of which a test names only what it is about."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.restraint import Restraint
from errata_bench.store.records import RunSettings

SHARED = Path(__file__).parents[3] / "shared"
"""Recorded runs of the upstream project and scoring cases; not part of the repository."""


def shared(name: str) -> Path:
    """A file beside the repository; skips the test where it is absent."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    return path


def make_case(case_id: str = "letter", paragraphs: int = 3, *, issues: bool = True, **fields: Any) -> Case:
    """A case with one error, ``teh``, in each paragraph ``para01``, ``para02``, …: one chunk each at one word a chunk.

    Without ``issues`` it is a control: the text is the same and held to be right.
    """
    wrong = [
        Paragraph(f"para{n:02}", f"Here is teh sentence of {case_id}, number {n}.") for n in range(1, paragraphs + 1)
    ]
    right = [Paragraph(p.id, p.inner_html.replace("teh", "the")) for p in wrong] if issues else wrong
    planted = tuple(
        Issue(f"issue-{n:02}", "spelling", p.id, "teh", "the", p.inner_html.index("teh"))
        for n, p in enumerate(wrong, 1)
    )
    case = Case(
        case_id, "Correct the errors.", Document(tuple(wrong)), Document(tuple(right)), planted if issues else ()
    )
    return dataclasses.replace(case, **fields)


def make_settings(**fields: Any) -> RunSettings:
    """Settings under which each paragraph of `make_case` is a chunk of its own."""
    settings = RunSettings("test.example/v1", 1, 3, "prompt-1", "", 8192)
    return dataclasses.replace(settings, **fields)


def make_figures(fixed: int = 0, issues: int = 10, **fields: Any) -> RunFigures:
    """The figures of a run: issues that are not fixed are missed; one chunk, one minute, one dollar."""
    figures = RunFigures(
        issues=issues,
        fixed=fixed,
        bad_fixes=0,
        unjudged=0,
        missed=issues - fixed,
        words=1000,
        changed_paragraphs=fixed,
        unexpected_paragraphs=0,
        exact_match=fixed == issues,
        benchmark_calls=fixed,
        benchmark_chars=100 * fixed,
        off_target_calls=0,
        off_target_chars=0,
        benchmark_rewrite_chars=0,
        chunks=1,
        completed_chunks=1,
        turns=1,
        duration_seconds=60.0,
        prompt_tokens=1000,
        completion_tokens=100,
        reasoning_tokens=0,
        cached_prompt_tokens=0,
        candidate_cost_usd=1.0,
        aligned_fixed=fixed,
        restraint=Restraint(words=1000, issues=issues, hits=fixed, clean_paragraphs=4, untouched_clean_paragraphs=4),
    )
    return dataclasses.replace(figures, **fields)
