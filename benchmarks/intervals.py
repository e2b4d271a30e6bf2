"""How long intervals, ranks and comparisons take: 51 variants, 11 cases, some 44 issues each.

python -m benchmarks.intervals
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from errata_bench.results.statistics.compare import compare_all
from errata_bench.results.statistics.intervals import intervals
from errata_bench.results.statistics.ranks import rank
from errata_bench.results.statistics.scores import Question, VariantScores, issue_scores


def make_group(variants: int, cases: int, issues: int, runs: int = 3) -> list[VariantScores]:
    rng = np.random.default_rng(5)
    ease = rng.normal(0.6, 1.2, (cases, issues))
    group = []
    for number in range(variants):
        chance = 1 / (1 + np.exp(-(ease + rng.normal(0, 0.8))))
        means = rng.binomial(runs, chance) / runs
        group.append(
            issue_scores(
                f"variant-{number:02}",
                {f"case-{d}": {f"issue-{i}": float(means[d, i]) for i in range(issues)} for d in range(cases)},
            )
        )
    return group


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    for variants, cases, issues in ((51, 11, 44), (51, 11, 440), (510, 11, 44)):
        group = make_group(variants, cases, issues)
        print(f"{variants} variants, {cases} cases, {issues} issues each")
        total = 0.0
        for question in Question:
            for name, work in (
                ("intervals", lambda: intervals(group, question)),  # noqa: B023
                ("ranks", lambda: rank(group, question)),  # noqa: B023
            ):
                taken = seconds(work)
                total += taken
                print(f"  {name:<12}{question.value:<14}{taken:8.3f} s")
        print(f"  all of these              {total:8.3f} s")
    group = make_group(51, 11, 44)
    for question in Question:
        taken = seconds(lambda: compare_all([(group[0], other) for other in group[1:]], question))  # noqa: B023
        print(f"50 comparisons with one variant, {question.value}: {taken:.3f} s")


if __name__ == "__main__":
    main()
