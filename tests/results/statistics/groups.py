"""Scores of a few variants, of which a test names only what it is about."""

from __future__ import annotations

import numpy as np

from errata_bench.results.statistics.scores import CaseScores, Unit, VariantScores, issue_scores


def variant(name: str, *cases: list[float]) -> VariantScores:
    """A variant's issues on cases ``c0``, ``c1``, …"""
    return issue_scores(name, {f"c{d}": {f"i{n}": x for n, x in enumerate(case)} for d, case in enumerate(cases)})


def weighted(name: str, *cases: list[tuple[float, float]]) -> VariantScores:
    """A variant's units with their weights."""
    return VariantScores(
        name,
        tuple(
            CaseScores(f"c{d}", {f"u{n}": Unit(*unit) for n, unit in enumerate(case)}) for d, case in enumerate(cases)
        ),
    )


def drawn(name: str, quality: float, cases: int = 5, issues: int = 40, seed: int = 1) -> VariantScores:
    """A variant that fixes each issue with this probability, by a generator of this seed."""
    rng = np.random.default_rng(seed)
    return variant(name, *[[float(x) for x in rng.random(issues) < quality] for _ in range(cases)])
