"""The figures of a variant: for each, the mean over cases of the mean over that case's successful runs (C7).

A case without a successful run is left out and counted; so is a run in which a figure does not exist (characters per
fixed issue where nothing was fixed, cost where nobody knows the price).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.restraint import Restraint, total
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.records import Measured, RunRecord, RunSettings, RunStatus
from errata_bench.variants import Variant

if TYPE_CHECKING:  # they need numpy, which a plain ranking does not
    from errata_bench.results.statistics.intervals import Interval
    from errata_bench.results.statistics.ranks import Ranked

FIGURES: Mapping[str, Callable[[Measured], float | None]] = {
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
    "unexpected_paragraphs": lambda run: run.unexpected_paragraphs,
    "aligned_quality": lambda run: run.aligned_quality,
}
"""The per-run figures that are averaged, by name."""

RESTRAINT_FIGURES: Mapping[str, Callable[[Restraint], float | None]] = {
    "unneeded_per_1000_words": lambda counts: counts.unneeded_per_1000_words,
    "changed_words_per_1000": lambda counts: counts.changed_words_per_1000,
    "edit_precision": lambda counts: counts.precision,
    "f05": lambda counts: counts.f05,
    "untouched_share": lambda counts: counts.untouched_share,
    "drift_per_1000_words": lambda counts: counts.drift_per_1000_words,
    "error_density": lambda counts: counts.density,
}
"""The figures of counts that are summed over the runs of a case before they are averaged over cases."""


@dataclass(frozen=True, slots=True)
class CaseRuns:
    """What a variant did on one case. ``failures`` counts attempts that could not go on."""

    case_id: str
    fingerprint: str
    successful: tuple[Measured, ...]
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
    outside quality and every other figure, and counted in ``controls``. ``imported_runs`` of the successful ones were
    made elsewhere. ``quality_failures_as_zero`` is the quality with each failed attempt as a run that fixed nothing.
    ``intervals`` by figure and ``place`` are there once `results.certainty` has added them.
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
    imported_runs: int = 0
    control_unneeded_per_1000_words: float | None = None
    quality_failures_as_zero: float | None = None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    place: Ranked | None = None

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
    successful = sum(len(case.successful) for case in scored)
    return VariantSummary(
        variant=variant,
        settings=settings,
        cases=len(scored),
        cases_counted=sum(bool(case.successful) for case in scored),
        controls=len(controls),
        successful_runs=successful,
        total_runs=successful + sum(case.failures for case in scored),
        unfinished_runs=sum(case.unfinished for case in cases),
        figures={
            **{name: mean_over_cases(scored, figure) for name, figure in FIGURES.items()},
            **{name: mean_of_sums(scored, figure) for name, figure in RESTRAINT_FIGURES.items()},
        },
        mean_range=fmean(ranges) if ranges else None,
        median_range=median(ranges) if ranges else None,
        control_unexpected_paragraphs=mean_over_cases(controls, FIGURES["unexpected_paragraphs"]),
        control_unneeded_per_1000_words=mean_of_sums(controls, RESTRAINT_FIGURES["unneeded_per_1000_words"]),
        quality_failures_as_zero=_with_failures_as_zero(scored),
        imported_runs=sum(isinstance(run, ImportedFigures) for case in cases for run in case.successful),
    )


def mean_over_cases(cases: Iterable[CaseRuns], figure: Callable[[Measured], float | None]) -> float | None:
    """The mean over cases of the mean over the runs that have the figure; None when none has."""
    means = []
    for case in cases:
        values = [value for run in case.successful if (value := figure(run)) is not None]
        if values:
            means.append(fmean(values))
    return fmean(means) if means else None


def mean_of_sums(cases: Iterable[CaseRuns], figure: Callable[[Restraint], float | None]) -> float | None:
    """The mean over cases of a figure of the counts of all of the case's runs together; None when none has it."""
    means = []
    for case in cases:
        counts = [run.restraint for run in case.successful if isinstance(run, RunFigures) and run.restraint is not None]
        if counts and (value := figure(total(counts))) is not None:
            means.append(value)
    return fmean(means) if means else None


def _with_failures_as_zero(cases: Iterable[CaseRuns]) -> float | None:
    means = []
    for case in cases:
        qualities = [run.quality for run in case.successful if run.quality is not None]
        if attempts := len(qualities) + case.failures:
            means.append(sum(qualities) / attempts)
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
        control = known_control or (record.measured is not None and record.measured.is_control)
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
        successful=tuple(record.measured for record in records if record.measured is not None),
        failures=sum(record.failures for record in records),
        unfinished=sum(record.status is RunStatus.RUNNING for record in records),
    )


def ranked(summaries: Iterable[VariantSummary], by: str = "quality") -> list[VariantSummary]:
    """Order by quality, then stability, efficiency, speed (more is better), then cost (less is better), then name.

    ``by`` names another kind of quality: ``aligned_quality`` or ``quality_failures_as_zero``. What has none comes last.
    """

    def descending(value: float | None) -> float:
        return float("inf") if value is None else -value

    def key(summary: VariantSummary) -> tuple[float, float, float, float, float, str]:
        cost = summary["cost_per_run_usd"]
        quality = summary.quality_failures_as_zero if by == "quality_failures_as_zero" else summary[by]
        return (
            descending(quality),
            descending(summary.stability),
            descending(summary["issues_per_usd"]),
            descending(summary["issues_per_minute"]),
            float("inf") if cost is None else cost,
            str(summary.variant),
        )

    return sorted(summaries, key=key)
