"""The figures of a variant: for each, the mean over cases of the mean over that case's successful runs (C7).

A case without a successful run is left out and counted; so is a run in which a figure does not exist (characters per
fixed issue where nothing was fixed, cost where nobody knows the price).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from errata_bench.scoring.figures import RunFigures
from errata_bench.store.records import RunRecord, RunSettings, RunStatus
from errata_bench.variants import Variant

FIGURES: Mapping[str, Callable[[RunFigures], float | None]] = {
    "quality": lambda run: run.quality,
    "bad_fix_rate": lambda run: run.bad_fix_rate,
    "missed_rate": lambda run: run.missed_rate,
    "unjudged_rate": lambda run: run.unjudged_rate,
    "issues_per_usd": lambda run: run.issues_per_usd,
    "issues_per_minute": lambda run: run.issues_per_minute,
    "tool_chars_per_issue": lambda run: run.tool_chars_per_issue,
    "tool_calls_per_issue": lambda run: run.tool_calls_per_issue,
    "off_target_share": lambda run: run.off_target_share,
    "rewrite_share": lambda run: run.rewrite_share,
    "turns_per_chunk": lambda run: run.turns_per_chunk,
    "cost_per_run_usd": lambda run: run.cost_usd,
    "output_tokens_per_run": lambda run: run.completion_tokens,
    "duration_seconds_per_run": lambda run: run.duration_seconds,
    "unexpected_paragraphs": lambda run: float(run.unexpected_paragraphs),
}
"""The per-run figures that are averaged, by name."""


@dataclass(frozen=True, slots=True)
class CaseRuns:
    """What a variant did on one case. ``failures`` counts attempts that could not go on."""

    case_id: str
    fingerprint: str
    successful: tuple[RunFigures, ...]
    failures: int = 0
    unfinished: int = 0
    known_control: bool = False

    @property
    def is_control(self) -> bool:
        """Whether the case has no issue; unknown, and taken as no, before any run has succeeded."""
        return self.known_control or (bool(self.successful) and all(run.is_control for run in self.successful))

    @property
    def quality_range(self) -> float | None:
        """Best less worst quality of its runs, 0 for one run; None without a run that has a quality."""
        qualities = [run.quality for run in self.successful if run.quality is not None]
        return max(qualities) - min(qualities) if qualities else None


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """A variant's figures under one set of settings.

    Rates and shares lie between 0 and 1; None stands for what nobody knows. ``successful_runs`` of ``total_runs``
    attempts succeeded. ``cases_counted`` of ``cases`` have a successful run; only these are in the means. Controls are
    outside quality and every other figure, and counted in ``controls``.
    """

    variant: Variant
    settings: RunSettings
    cases: int
    cases_counted: int
    controls: int
    successful_runs: int
    total_runs: int
    unfinished_runs: int
    figures: Mapping[str, float | None]
    mean_range: float | None
    median_range: float | None
    control_unexpected_paragraphs: float | None = None

    @property
    def success_rate(self) -> float | None:
        """Successful attempts of all, 0 to 1."""
        return self.successful_runs / self.total_runs if self.total_runs else None

    @property
    def stability(self) -> float | None:
        """Success rate × (1 − min(1, mean range of quality)), 0 to 1."""
        if self.success_rate is None or self.mean_range is None:
            return None
        return self.success_rate * (1 - min(1.0, self.mean_range))

    def __getitem__(self, name: str) -> float | None:
        return self.figures[name]


def summarise(variant: Variant, settings: RunSettings, cases: Sequence[CaseRuns]) -> VariantSummary:
    """Average what a variant did."""
    controls = [case for case in cases if case.is_control]
    scored = [case for case in cases if not case.is_control]
    ranges = [case.quality_range for case in scored if case.quality_range is not None]
    successful = sum(len(case.successful) for case in cases)
    return VariantSummary(
        variant=variant,
        settings=settings,
        cases=len(scored),
        cases_counted=sum(bool(case.successful) for case in scored),
        controls=len(controls),
        successful_runs=successful,
        total_runs=successful + sum(case.failures for case in cases),
        unfinished_runs=sum(case.unfinished for case in cases),
        figures={name: mean_over_cases(scored, figure) for name, figure in FIGURES.items()},
        mean_range=fmean(ranges) if ranges else None,
        median_range=median(ranges) if ranges else None,
        control_unexpected_paragraphs=mean_over_cases(controls, FIGURES["unexpected_paragraphs"]),
    )


def mean_over_cases(cases: Iterable[CaseRuns], figure: Callable[[RunFigures], float | None]) -> float | None:
    """The mean over cases of the mean over the runs that have the figure; None when none has."""
    means = []
    for case in cases:
        values = [value for run in case.successful if (value := figure(run)) is not None]
        if values:
            means.append(fmean(values))
    return fmean(means) if means else None


def summarise_runs(records: Iterable[RunRecord]) -> list[VariantSummary]:
    """Summarise a group: one summary for each variant under each set of settings, in no particular order.

    Every case of the group counts as one of each variant's cases, so that a variant that lacks a case shows it.
    """
    runs: dict[tuple[Variant, RunSettings], dict[str, list[RunRecord]]] = defaultdict(lambda: defaultdict(list))
    cases: dict[str, CaseRuns] = {}
    for record in records:
        fingerprint = record.key.fingerprint
        runs[record.key.variant, record.key.settings][fingerprint].append(record)
        known_control = fingerprint in cases and cases[fingerprint].known_control
        control = known_control or (record.figures is not None and record.figures.is_control)
        cases[fingerprint] = CaseRuns(record.case_id, fingerprint, (), known_control=control)
    return [
        summarise(
            variant, settings, [_with_runs(case, by_case.get(fingerprint, ())) for fingerprint, case in cases.items()]
        )
        for (variant, settings), by_case in runs.items()
    ]


def _with_runs(case: CaseRuns, records: Sequence[RunRecord]) -> CaseRuns:
    return replace(
        case,
        successful=tuple(record.figures for record in records if record.figures is not None),
        failures=sum(record.failures for record in records),
        unfinished=sum(record.status is RunStatus.RUNNING for record in records),
    )


def ranked(summaries: Iterable[VariantSummary]) -> list[VariantSummary]:
    """Order by quality, then stability, efficiency, speed (more is better), then cost (less is better), then name.

    What has no quality comes last.
    """

    def descending(value: float | None) -> float:
        return float("inf") if value is None else -value

    def key(summary: VariantSummary) -> tuple[float, float, float, float, float, str]:
        cost = summary["cost_per_run_usd"]
        return (
            descending(summary["quality"]),
            descending(summary.stability),
            descending(summary["issues_per_usd"]),
            descending(summary["issues_per_minute"]),
            float("inf") if cost is None else cost,
            str(summary.variant),
        )

    return sorted(summaries, key=key)
