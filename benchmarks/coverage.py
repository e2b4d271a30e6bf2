"""Do the intervals cover what they say? A simulation with known truth.

    python -m benchmarks.coverage [repetitions]

Issues differ in how hard they are, cases in how hard
they are on the whole; each variant has three runs. *On these texts* the cases stay and their issues are drawn anew;
*on new texts* the cases are drawn anew, too. Prints nominal against measured coverage at several qualities, how often
tests of two equal variants find a difference, how often the best of equals is parted from the group, and the smallest
difference that shows.
"""

from __future__ import annotations

import sys
from statistics import fmean

import numpy as np
import numpy.typing as npt

from errata_bench.results.statistics.compare import compare
from errata_bench.results.statistics.intervals import DEFAULT_SAMPLING, Interval, intervals, percentiles
from errata_bench.results.statistics.power import typical
from errata_bench.results.statistics.ranks import rank
from errata_bench.results.statistics.resample import replicates
from errata_bench.results.statistics.scores import SHARE, Question, VariantScores, issue_scores
from errata_bench.results.statistics.spread import within_cases
from errata_bench.results.statistics.table import make_table

Numbers = npt.NDArray[np.float64]

_ISSUE_SD, _CASE_SD, _RUNS, _CASES = 1.5, 0.5, 3, 11
_MANY = 20_000


class World:
    """Cases and issues that can be drawn from, and what a variant truly scores on them."""

    def __init__(self, level: float, issues: tuple[int, ...], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.level, self.issues = level, issues
        self.fixed_cases = self.rng.normal(0, _CASE_SD, len(issues))

    def chances(self, cases: Numbers, count: int) -> list[Numbers]:
        """How probably each of so many issues of each case is fixed."""
        return [_chance(self.level + case + self.rng.normal(0, _ISSUE_SD, count)) for case in cases]

    def truth(self, question: Question) -> float:
        """The quality that a variant would have over endlessly many issues, or cases."""
        if question is Question.THESE_TEXTS:
            return fmean(float(one.mean()) for one in self.chances(self.fixed_cases, _MANY))
        return fmean(float(one.mean()) for one in self.chances(self.rng.normal(0, _CASE_SD, 2_000), 200))

    def draw(self, question: Question, variants: int) -> list[VariantScores]:
        """Variants that are equally good; an issue is as hard for all of them, but for a part of its own."""
        fixed = question is Question.THESE_TEXTS
        cases = self.fixed_cases if fixed else self.rng.normal(0, _CASE_SD, len(self.issues))
        hard = [self.rng.normal(0, _ISSUE_SD, count) for count in self.issues]
        drawn = []
        for number in range(variants):
            means = {}
            for d, count in enumerate(self.issues):
                chance = _chance(self.level + cases[d] + hard[d])
                fixed_runs = self.rng.binomial(_RUNS, chance) / _RUNS
                means[f"c{d}"] = {f"i{i}": float(fixed_runs[i]) for i in range(count)}
            drawn.append(issue_scores(f"v{number}", means))
        return drawn


def _chance(logits: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float64)


def covered(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


def others(scores: VariantScores, question: Question) -> dict[str, tuple[float, float]]:
    """Intervals that are not used, for comparison."""
    table = make_table([scores], SHARE)
    estimate = float(table.case_scores().mean())
    if question is Question.THESE_TEXTS:
        error = 1.96 * float(within_cases(table).standard_error[0])
        drawn = replicates(table, question, DEFAULT_SAMPLING.resamples, DEFAULT_SAMPLING.seed)[:, 0]
        return {
            "normal alone": (estimate - error, estimate + error),
            "bootstrap alone": percentiles(drawn, DEFAULT_SAMPLING),
        }
    rng = np.random.default_rng(1)
    cases = table.case_scores()[:, 0]
    drawn = cases[rng.integers(len(cases), size=(DEFAULT_SAMPLING.resamples, len(cases)))].mean(axis=1)
    (hierarchical,) = intervals([scores], question, hierarchical=True)
    found = {"bootstrap of cases": percentiles(drawn, DEFAULT_SAMPLING)}
    if hierarchical is not None:
        found["hierarchical"] = (hierarchical.low, hierarchical.high)
    return found


def report_coverage(repetitions: int) -> None:
    shapes = {"44 issues a case": (44,) * _CASES, "6 issues a case": (6,) * _CASES}
    for question in Question:
        print(f"{question.value}: coverage of 95% intervals, {_CASES} cases, {repetitions} repetitions")
        for shape, issues in shapes.items():
            for level in (0.0, 1.5, 3.0, 5.0):
                world = World(level, issues, seed=int(10 * level) + len(issues))
                truth = world.truth(question)
                hits: dict[str, list[bool]] = {}
                widths = []
                for _ in range(repetitions):
                    (scores,) = world.draw(question, 1)
                    (interval,) = intervals([scores], question)
                    hits.setdefault("used", []).append(covered(interval, truth))
                    widths.append(interval.half_width if interval else float("nan"))
                    for name, (low, high) in others(scores, question).items():
                        hits.setdefault(name, []).append(low <= truth <= high)
                shown = ", ".join(f"{name} {100 * fmean(one):.1f}%" for name, one in hits.items())
                print(f"  {shape}, true quality {truth:.3f}: {shown}; used ± {100 * fmean(widths):.1f} points")


def report_tests(repetitions: int) -> None:
    for question in Question:
        world = World(1.5, (44,) * _CASES, seed=3)
        wrong = covers = 0
        smallest = []
        for _ in range(repetitions):
            one, other = world.draw(question, 2)
            comparison = compare(one, other, question)
            if comparison is not None:
                wrong += comparison.p_value <= 0.05
                covers += covered(comparison.difference, 0.0)
                smallest.append(comparison.smallest_difference)
        print(f"{question.value}: two equal variants differ at p <= 0.05 in {100 * wrong / repetitions:.1f}%")
        print(f"  the interval of their difference covers 0 in {100 * covers / repetitions:.1f}%")
        print(f"  the smallest difference that shows at 80% power: {100 * (typical(smallest) or 0):.1f} points")
        parted = 0
        for _ in range(repetitions // 4):
            ranked = rank(world.draw(question, 12), question)
            parted += not all(one.with_best for one in ranked)
        share = 100 * parted / (repetitions // 4)
        print(f"  of 12 equal variants, one is parted from the best in {share:.1f}% (at most 5 is right)")


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    report_coverage(repetitions)
    report_tests(repetitions)


if __name__ == "__main__":
    main()
