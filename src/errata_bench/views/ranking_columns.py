"""The columns of a ranking: what each means, its value, and how it is shown. One list serves table, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errata_bench.results.aggregate import VariantSummary
from errata_bench.views.terminal import dollars, number, percent, plain, significant

Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in JSON and CSV, what it means, its value, and how it is shown.

    ``head`` is its head in the table, with a line break where it may be broken; one without a head is in JSON and CSV
    alone. An optional column is shown only where there is room. ``less_first`` puts small values first when it is
    sorted by: for what is better the less there is of it, and for names.
    """

    name: str
    head: str
    meaning: str
    value: Callable[[VariantSummary], Value]
    show: Callable[[Any], str] = str
    optional: bool = False
    less_first: bool = False

    @property
    def title(self) -> str:
        """The head on one line."""
        return self.head.replace("-\n", "").replace("\n", " ") or self.name.replace("_", " ")


def _figure(name: str) -> Callable[[VariantSummary], Value]:
    return lambda summary: summary[name]


def _half_width(name: str) -> Callable[[VariantSummary], Value]:
    return lambda summary: summary.intervals[name].half_width if name in summary.intervals else None


def _end(name: str, end: str) -> Callable[[VariantSummary], Value]:
    return lambda summary: getattr(summary.intervals[name], end) if name in summary.intervals else None


def _place(summary: VariantSummary) -> Value:
    place = summary.place
    if place is None:
        return None
    return f"{place.low}" if place.low == place.high else f"{place.low}–{place.high}"


COLUMNS: tuple[Column, ...] = (
    Column(
        "model",
        "model",
        "The model and, after the colon, the reasoning effort. baseline/… are offline proofreaders.",
        lambda s: str(s.variant),
        plain,
        less_first=True,
    ),
    Column(
        "runs",
        "ok /\nruns",
        "Successful attempts of all attempts. Failed ones count in stability only.",
        lambda s: f"{s.successful_runs}/{s.total_runs}",
    ),
    Column(
        "cases",
        "cases",
        "Cases with a successful run, of all cases with issues. Cases without one are left out of every mean.",
        lambda s: f"{s.cases_counted}/{s.cases}",
    ),
    Column(
        "quality",
        "qual-\nity",
        "Fixed issues of all issues, 0 to 1: the mean over cases of the mean over each case's successful runs.",
        _figure("quality"),
        number,
    ),
    Column(
        "quality_half_width",
        "±",
        "95% interval of quality: the longer of its two sides.",
        _half_width("quality"),
        number,
        less_first=True,
    ),
    Column(
        "quality_range",
        "range",
        "Best less worst quality among the runs of a case, mean over cases. Smaller is steadier.",
        lambda s: s.mean_range,
        number,
        less_first=True,
    ),
    Column(
        "stability",
        "stab-\nility",
        "Share of attempts that succeeded × (1 − range), 0 to 1.",
        lambda s: s.stability,
        number,
    ),
    Column(
        "bad_fix_rate",
        "bad\nfixes",
        "Issues that were changed but not fixed, of all issues; those that no judge has seen included.",
        _figure("bad_fix_rate"),
        percent,
        less_first=True,
    ),
    Column(
        "missed_rate",
        "missed",
        "Issues whose wrong text is still there, of all issues.",
        _figure("missed_rate"),
        percent,
        less_first=True,
    ),
    Column(
        "unjudged_rate",
        "unjud-\nged",
        "The bad fixes that no judge has seen: some of them may be valid.",
        _figure("unjudged_rate"),
        percent,
        less_first=True,
    ),
    Column(
        "issues_per_usd",
        "issues\n/ USD",
        "Fixed issues for each US dollar, candidate and judge. n/a where nothing is spent or no price is known.",
        _figure("issues_per_usd"),
        significant,
    ),
    Column(
        "issues_per_minute",
        "issues\n/ min",
        "Fixed issues for each minute in which the model was at work, without waits and retries.",
        _figure("issues_per_minute"),
        significant,
    ),
    Column(
        "tool_chars_per_issue",
        "chars/\nissue",
        "Characters of edits that helped to fix planted errors, for each one fixed. Less is more economical.",
        _figure("tool_chars_per_issue"),
        significant,
        less_first=True,
    ),
    Column(
        "cost_per_run_usd",
        "cost\n/ run",
        "US dollars for one run of one case, candidate and judge. Baselines cost nothing.",
        _figure("cost_per_run_usd"),
        dollars,
        less_first=True,
    ),
    Column(
        "place",
        "place",
        "95% interval of the place in the ranking.",
        _place,
        optional=True,
        less_first=True,
    ),
    Column(
        "unneeded_per_1000_words",
        "extra\nedits",
        "Edits away from all planted errors, for 1,000 words. Some may be harmless; less is more restrained.",
        _figure("unneeded_per_1000_words"),
        significant,
        optional=True,
        less_first=True,
    ),
    Column(
        "f05",
        "F0.5",
        "Precision and recall of all edits, precision counting double, 0 to 1.",
        _figure("f05"),
        number,
        optional=True,
    ),
    Column(
        "edit_precision",
        "preci-\nsion",
        "Edits that mended a planted error, of all edits, 0 to 1. It depends on how dense the errors are.",
        _figure("edit_precision"),
        number,
        optional=True,
    ),
    Column(
        "aligned_quality",
        "aligned\nquality",
        "Quality by the aligned verdict, which looks at the place of the error rather than searching the paragraph.",
        _figure("aligned_quality"),
        number,
        optional=True,
    ),
    Column(
        "off_target_share",
        "off\ntarget",
        "Characters of edits that fixed no planted error, of all edit characters.",
        _figure("off_target_share"),
        percent,
        optional=True,
        less_first=True,
    ),
    Column(
        "unexpected_paragraphs",
        "other\nparas",
        "Paragraphs changed in which nothing was planted, for each run.",
        _figure("unexpected_paragraphs"),
        significant,
        optional=True,
        less_first=True,
    ),
    Column(
        "turns_per_chunk",
        "turns\n/ chunk",
        "Requests made for each chunk.",
        _figure("turns_per_chunk"),
        significant,
        optional=True,
        less_first=True,
    ),
    Column(
        "duration_seconds_per_run",
        "sec.\n/ run",
        "Seconds the model was at work in one run.",
        _figure("duration_seconds_per_run"),
        significant,
        optional=True,
        less_first=True,
    ),
    Column(
        "output_tokens_per_run",
        "tokens\n/ run",
        "Tokens the model wrote in one run.",
        _figure("output_tokens_per_run"),
        significant,
        optional=True,
        less_first=True,
    ),
    Column("quality_low", "", "Lower end of the 95% interval of quality.", _end("quality", "low")),
    Column("quality_high", "", "Upper end of the 95% interval of quality.", _end("quality", "high")),
    Column(
        "aligned_quality_half_width",
        "",
        "95% interval of aligned quality: the longer of its sides.",
        _half_width("aligned_quality"),
        number,
        less_first=True,
    ),
    Column(
        "unneeded_half_width",
        "",
        "95% interval of extra edits: the longer of its sides.",
        _half_width("unneeded_per_1000_words"),
        number,
        less_first=True,
    ),
    Column("f05_half_width", "", "95% interval of F0.5: the longer of its sides.", _half_width("f05"), number),
    Column(
        "quality_failures_as_zero",
        "",
        "Quality with each failed attempt as a run that fixed nothing.",
        lambda s: s.quality_failures_as_zero,
        number,
    ),
    Column(
        "changed_words_per_1000",
        "",
        "Words changed away from the errors, of 1,000.",
        _figure("changed_words_per_1000"),
        significant,
        less_first=True,
    ),
    Column(
        "untouched_share",
        "",
        "Paragraphs without errors that stayed as they were, 0 to 1.",
        _figure("untouched_share"),
        percent,
    ),
    Column(
        "drift_per_1000_words",
        "",
        "Numbers, negations, modal verbs and names changed away from the errors, for 1,000 words.",
        _figure("drift_per_1000_words"),
        significant,
        less_first=True,
    ),
    Column("error_density", "", "Planted errors in 1,000 words, on which precision depends.", _figure("error_density")),
    Column(
        "control_unneeded_per_1000_words",
        "",
        "Edits of control documents, for 1,000 words.",
        lambda s: s.control_unneeded_per_1000_words,
        significant,
        less_first=True,
    ),
    Column("successful_runs", "", "Successful runs.", lambda s: s.successful_runs),
    Column("total_runs", "", "Attempts, failed ones included.", lambda s: s.total_runs),
    Column(
        "unfinished_runs",
        "",
        "Runs that are at work or were interrupted.",
        lambda s: s.unfinished_runs,
        less_first=True,
    ),
    Column("cases_counted", "", "Cases with a successful run.", lambda s: s.cases_counted),
    Column("cases_total", "", "Cases with issues in the group.", lambda s: s.cases),
    Column("controls", "", "Control cases, which hold no issue.", lambda s: s.controls),
    Column("median_quality_range", "", "Range, median over cases.", lambda s: s.median_range, number, less_first=True),
    Column(
        "rewrite_share",
        "",
        "Characters of replaced paragraphs of those that fixed.",
        _figure("rewrite_share"),
        percent,
        less_first=True,
    ),
    Column(
        "tool_calls_per_issue",
        "",
        "Edit calls for each fixed issue.",
        _figure("tool_calls_per_issue"),
        significant,
        less_first=True,
    ),
    Column(
        "control_unexpected_paragraphs",
        "",
        "Paragraphs changed in a run of a control case.",
        lambda s: s.control_unexpected_paragraphs,
        significant,
        less_first=True,
    ),
)
