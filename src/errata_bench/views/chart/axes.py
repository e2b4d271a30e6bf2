"""The figures that can be an axis: columns of the ranking that are numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.errors import UserError
from errata_bench.results.aggregate import VariantSummary
from errata_bench.views.ranking_columns import COLUMNS, Column

_NAMES = (
    "quality",
    "aligned_quality",
    "cost_per_run_usd",
    "issues_per_usd",
    "issues_per_minute",
    "duration_seconds_per_run",
    "quality_range",
    "stability",
    "bad_fix_rate",
    "missed_rate",
    "unjudged_rate",
    "unneeded_per_1000_words",
    "edit_precision",
    "f05",
    "tool_chars_per_issue",
    "tool_calls_per_issue",
    "off_target_share",
    "rewrite_share",
    "turns_per_chunk",
    "output_tokens_per_run",
)
"""In the order in which they are gone through; those that the ranking does not have are no axes."""
_LOGARITHMIC = frozenset(
    {
        "cost_per_run_usd",
        "issues_per_usd",
        "issues_per_minute",
        "duration_seconds_per_run",
        "unneeded_per_1000_words",
        "tool_chars_per_issue",
        "output_tokens_per_run",
    }
)
_LABELS = {
    "quality": "quality (share of issues fixed)",
    "aligned_quality": "aligned quality (share of issues fixed)",
    "unneeded_per_1000_words": "unneeded edits per 1,000 words",
    "edit_precision": "edit precision",
    "f05": "F0.5 of edits",
    "cost_per_run_usd": "cost of a run (USD)",
    "issues_per_usd": "issues fixed per USD",
    "issues_per_minute": "issues fixed per minute",
    "duration_seconds_per_run": "seconds of a run",
    "quality_range": "range of quality over runs",
    "stability": "stability",
    "bad_fix_rate": "bad fixes (share of issues)",
    "missed_rate": "missed (share of issues)",
    "unjudged_rate": "unjudged (share of issues)",
    "tool_chars_per_issue": "edit characters per issue fixed",
    "tool_calls_per_issue": "edit calls per issue fixed",
    "off_target_share": "off target (share of edit characters)",
    "rewrite_share": "rewritten (share of edit characters)",
    "turns_per_chunk": "turns per chunk",
    "output_tokens_per_run": "tokens written in a run",
}


@dataclass(frozen=True, slots=True)
class Axis:
    """A figure as an axis. ``logarithmic`` says that its values may lie decades apart."""

    column: Column
    label: str
    logarithmic: bool

    @property
    def name(self) -> str:
        """Its name in JSON, CSV and on the command line."""
        return self.column.name

    @property
    def less_is_better(self) -> bool:
        """Whether the best are those with little of it."""
        return self.column.less_first

    def value(self, summary: VariantSummary) -> float | None:
        """The figure of a variant; None where nobody knows it."""
        value = self.column.value(summary)
        return float(value) if isinstance(value, (int, float)) else None

    def show(self, value: float | None) -> str:
        """A value of it in words."""
        return self.column.show(value)


def all_axes() -> tuple[Axis, ...]:
    """Every axis there is, in order."""
    columns = {column.name: column for column in COLUMNS}
    return tuple(
        Axis(columns[name], _LABELS.get(name, columns[name].title), name in _LOGARITHMIC)
        for name in _NAMES
        if name in columns
    )


def find_axis(name: str) -> Axis:
    """The axis of that name. Raises `UserError` with all names for one that there is not."""
    axes = all_axes()
    for axis in axes:
        if name in (axis.name, axis.column.title):
            return axis
    raise UserError(f"there is no axis {name!r}", mend=f"axes are {', '.join(axis.name for axis in axes)}")


def usual_x(summaries: Sequence[VariantSummary]) -> Axis:
    """Cost, or speed where cost does not tell the variants apart."""
    cost = find_axis("cost_per_run_usd")
    return cost if any(cost.value(summary) for summary in summaries) else find_axis("issues_per_minute")
