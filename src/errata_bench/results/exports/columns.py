"""What stands in a row of an export: names, types, units and meanings. ``docs/exports.md`` shows it as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from typing import Literal

from errata_bench.results.aggregate import RESTRAINT_FIGURES
from errata_bench.scoring.figures import RunFigures
from errata_bench.store.records import NOT_KNOWN, RunRecord

Kind = Literal["text", "integer", "number", "boolean"]
Cell = str | int | float | bool | None
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A column of the runs: name, type, unit (empty for none), meaning, and where its value comes from."""

    name: str
    kind: Kind
    unit: str
    meaning: str
    value: Callable[[RunRecord], Cell]


@dataclass(frozen=True, slots=True)
class IssueColumn:
    """A column of the issues: name, type and meaning."""

    name: str
    kind: Kind
    meaning: str


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _setting(name: str) -> Callable[[RunRecord], Cell]:
    get = attrgetter(f"key.settings.{name}")

    def value(record: RunRecord) -> Cell:
        found: str | int = get(record)
        return found if found != NOT_KNOWN else None

    return value


def _figure(name: str, kind: Kind) -> Callable[[RunRecord], Cell]:
    def value(record: RunRecord) -> Cell:
        found: Cell = None if record.measured is None else getattr(record.measured, name)
        # Imported counts have gone through JSON as floats.
        return round(found) if kind == "integer" and isinstance(found, float) else found

    return value


_IDENTITY = (
    RunColumn("run", "integer", "", "Number of the run in its group.", lambda r: r.id),
    RunColumn("model", "text", "", "Model id and, after the colon, reasoning effort.", lambda r: str(r.key.variant)),
    RunColumn("base_model", "text", "", "Model id.", lambda r: r.key.variant.model),
    RunColumn("reasoning_effort", "text", "", "Reasoning effort; empty for baselines.", lambda r: r.key.variant.effort),
    RunColumn("case", "text", "", "Id of the case.", lambda r: r.case_id),
    RunColumn("sample", "integer", "", "Number of the repeat, from 1.", lambda r: r.sample),
    RunColumn("status", "text", "", "succeeded, failed, or running (at work or interrupted).", lambda r: str(r.status)),
    RunColumn("imported", "boolean", "", "Made elsewhere: no documents.", lambda r: r.imported is not None),
    RunColumn("failures", "integer", "", "How often the run could not go on.", lambda r: r.failures),
    RunColumn("endpoint", "text", "", "Label of the endpoint; offline for baselines.", _setting("endpoint")),
    RunColumn("max_words", "integer", "words", "Limit of a chunk; 0: the whole document.", _setting("max_words")),
    RunColumn("max_turns", "integer", "turns", "Limit of turns a chunk.", _setting("max_turns")),
    RunColumn("prompt_version", "text", "", "Version of prompts and tool schemas.", _setting("prompt_version")),
    RunColumn("judge", "text", "", "The judge; empty for none.", _setting("judge")),
    RunColumn(
        "max_completion_tokens", "integer", "tokens", "Limit of a reply; 0: none.", _setting("max_completion_tokens")
    ),
    RunColumn("reasoning", "text", "JSON", "Options sent with the reasoning effort.", _setting("reasoning")),
    RunColumn("fingerprint", "text", "", "Content of the case: SHA-256, in hex.", lambda r: r.key.fingerprint),
    RunColumn("started_at", "text", "UTC, ISO 8601", "When the run was begun.", lambda r: _moment(r.started_at)),
    RunColumn("ended_at", "text", "UTC, ISO 8601", "When it ended.", lambda r: _moment(r.ended_at)),
)

_FIGURES: tuple[tuple[str, Kind, str, str], ...] = (
    ("issues", "integer", "issues", "Planted errors that count."),
    ("fixed", "integer", "issues", "Fixed, in the expected way or in another that a judge accepted."),
    ("fixed_alternative", "integer", "issues", "Of the fixed ones, those that rest on a judge's verdict."),
    ("bad_fixes", "integer", "issues", "Changed and not fixed, unjudged ones included."),
    ("unjudged", "integer", "issues", "Changed and judged by nobody."),
    ("missed", "integer", "issues", "Left as they were."),
    ("quality", "number", "0–1", "Fixed issues of all; empty for a control."),
    ("bad_fix_rate", "number", "0–1", "Bad fixes of all issues."),
    ("missed_rate", "number", "0–1", "Missed issues of all."),
    ("unjudged_rate", "number", "0–1", "Unjudged issues of all."),
    ("issues_per_usd", "number", "issues/USD", "Fixed issues for each US dollar, candidate and judge."),
    ("issues_per_minute", "number", "issues/min", "Fixed issues for each minute of candidate time."),
    ("tool_chars_per_issue", "number", "characters", "Argument characters of benchmark work for each fixed issue."),
    ("tool_calls_per_issue", "number", "calls", "Calls of benchmark work for each fixed issue."),
    ("off_target_share", "number", "0–1", "Edit characters that fixed no planted error, of all."),
    ("rewrite_share", "number", "0–1", "Characters of paragraph replacements of the benchmark characters."),
    ("turns_per_chunk", "number", "turns", "Requests made for each chunk."),
    ("words", "integer", "words", "Words of the document."),
    ("changed_paragraphs", "integer", "paragraphs", "Paragraphs whose text is another."),
    ("unexpected_paragraphs", "integer", "paragraphs", "Of these, those in which nothing was planted."),
    ("exact_match", "boolean", "", "The final document is the expected one."),
    ("benchmark_calls", "integer", "calls", "Edit calls that helped to fix a planted error."),
    ("benchmark_chars", "integer", "UTF-16 units", "Argument characters of these calls."),
    ("benchmark_rewrite_chars", "number", "UTF-16 units", "Of these, those of paragraph replacements."),
    ("off_target_calls", "integer", "calls", "All other edit calls."),
    ("off_target_chars", "integer", "UTF-16 units", "Argument characters of these calls."),
    ("chunks", "integer", "chunks", "Chunks of the document."),
    ("completed_chunks", "integer", "chunks", "Chunks that the model ended itself."),
    ("turns", "number", "turns", "Requests that were answered."),
    ("duration_seconds", "number", "seconds", "Candidate time: successful requests alone, no waits, no retries."),
    ("prompt_tokens", "integer", "tokens", "Tokens the candidate read."),
    ("completion_tokens", "integer", "tokens", "Tokens the candidate wrote, reasoning included."),
    ("reasoning_tokens", "integer", "tokens", "Of these, those of reasoning."),
    ("cached_prompt_tokens", "integer", "tokens", "Of the tokens read, those from a cache."),
    ("candidate_cost_usd", "number", "USD", "Cost of the candidate's successful requests."),
    ("judge_cost_usd", "number", "USD", "What it takes to judge this run's fixes."),
    ("cost_usd", "number", "USD", "Candidate and judge."),
    ("judge_prompt_tokens", "integer", "tokens", "Tokens the judge read."),
    ("judge_completion_tokens", "integer", "tokens", "Tokens the judge wrote."),
    ("aligned_fixed", "integer", "issues", "Fixed by the aligned verdict, or altered and accepted by a judge."),
    ("aligned_quality", "number", "0–1", "These, of all issues."),
)

_RESTRAINT: tuple[tuple[str, str, str], ...] = (
    ("unneeded_per_1000_words", "per 1,000 words", "Edits away from all errors."),
    ("changed_words_per_1000", "per 1,000 words", "Words that these edits changed."),
    ("edit_precision", "0–1", "Edits that fixed an error, of all edits."),
    ("f05", "0–1", "F0.5 of edit precision and recall."),
    ("untouched_share", "0–1", "Paragraphs without errors that were left as they were."),
    ("drift_per_1000_words", "per 1,000 words", "Numbers, negations, modals and names changed away from errors."),
    ("error_density", "per 1,000 words", "Planted errors: precision depends on it."),
)


def _restraint(name: str) -> Callable[[RunRecord], Cell]:
    def value(record: RunRecord) -> Cell:
        counts = None if record.figures is None else record.figures.restraint
        return None if counts is None else RESTRAINT_FIGURES[name](counts)

    return value


def _further_figures() -> list[tuple[str, Kind, str, str]]:
    """Figures that this list does not describe (yet): exported all the same."""
    described = {name for name, *_ in _FIGURES}
    kinds: dict[str, Kind] = {"int": "integer", "float": "number", "bool": "boolean", "str": "text"}
    further: list[tuple[str, Kind, str, str]] = []
    for field in fields(RunFigures):
        kind = kinds.get(str(field.type).removesuffix(" | None"))
        if field.name not in described and kind is not None:
            further.append((field.name, kind, "", "See `docs/metrics.md`."))
    return further


RUN_COLUMNS: tuple[RunColumn, ...] = (
    *_IDENTITY,
    *(
        RunColumn(name, kind, unit, meaning, _figure(name, kind))
        for name, kind, unit, meaning in (*_FIGURES, *_further_figures())
    ),
    *(RunColumn(name, "number", unit, meaning, _restraint(name)) for name, unit, meaning in _RESTRAINT),
)
"""One row a run. What is not known is empty (null), never 0."""

ISSUE_COLUMNS: tuple[IssueColumn, ...] = (
    IssueColumn("run", "integer", "Number of the run, as in the runs."),
    IssueColumn("model", "text", "Model id and reasoning effort."),
    IssueColumn("case", "text", "Id of the case."),
    IssueColumn("sample", "integer", "Number of the repeat, from 1."),
    IssueColumn("issue", "text", "Id of the issue."),
    IssueColumn("category", "text", "Category of the error; empty for imported runs."),
    IssueColumn("severity", "text", "minor or major; empty where the case does not say."),
    IssueColumn("paragraph", "text", "Id of its paragraph."),
    IssueColumn("finding", "text", "What rule v1 finds: exact, candidate, or not_addressed."),
    IssueColumn("verdict", "text", "fixed, fixed_alternative, bad_fix, unjudged, or not_addressed."),
    IssueColumn("fixed", "boolean", "Whether it counts as fixed."),
    IssueColumn("aligned", "text", "The aligned verdict: fixed, altered, deleted or untouched; empty for none."),
    IssueColumn("judge_reason", "text", "What the judge said of it; empty where none was asked."),
)
"""One row an issue of a successful run with verdicts; disqualified issues have none."""


def run_row(record: RunRecord) -> dict[str, Cell]:
    """The row of a run."""
    return {column.name: column.value(record) for column in RUN_COLUMNS}
