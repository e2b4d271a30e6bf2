"""Issues and misses: what was hard, and what was done wrongly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from errata_bench.results.detail.entries import Entry, entry_labels
from errata_bench.results.detail.issues import IssueRow
from errata_bench.results.detail.marking import Piece
from errata_bench.results.detail.misses import Miss
from errata_bench.results.detail.selection import child_of
from errata_bench.store.judgments import Judgment
from errata_bench.views.marked import change, marked_text, verdict_style, verdict_word
from errata_bench.views.terminal import NOT_AVAILABLE, count, percent, plain

_INDENT = "      "


def print_issues(console: Console, rows: Sequence[IssueRow]) -> None:
    """Print each issue: how many fixed it, what kind it is, and its sentence with the right fix marked."""
    for row in rows:
        console.print(_head(row))
        line = Text(plain(row.sentence.left))
        line.append_text(change(row.sentence.wrong, row.right))
        line.append(plain(row.sentence.right))
        _indented(console, line)
    never, always = sum(row.never_fixed for row in rows), sum(row.always_fixed for row in rows)
    console.print(
        Text(
            f"{count(len(rows), 'issue')}: {never} never fixed, {always} always fixed. Percent of runs that fixed it, "
            "mean over models; then models that fixed it at least once of those with a run. The oracle and the "
            "untouched text do not count.",
            "dim",
        )
    )


def _head(row: IssueRow) -> Text:
    rate = NOT_AVAILABLE if row.rate is None else percent(row.rate)
    head = Text(f"{rate:>5} {row.fixed_by}/{row.entries}  ", "bold")
    head.append(f"{plain(row.case_id)} {plain(row.issue_id)}  ")
    head.append(plain(child_of(row.category)), "cyan")
    for flag, told in ((row.never_fixed, "never fixed"), (row.always_fixed, "always fixed")):
        if flag:
            head.append(f"  {told}", "yellow")
    return head


def _indented(console: Console, line: Text) -> None:
    for part in line.wrap(console, max(20, console.width - len(_INDENT))):
        part.rstrip()
        console.print(Text(_INDENT).append_text(part), soft_wrap=True)


def issues_json(group_id: str, rows: Sequence[IssueRow]) -> str:
    """The issues as JSON (ASCII), with what each model made of them."""
    labels = entry_labels(entry for row in rows for entry in row.solved_by)
    return json.dumps({"group": group_id, "issues": [_issue(row, labels) for row in rows]}, indent=2)


def _issue(row: IssueRow, labels: Any) -> dict[str, Any]:
    return {
        "case": row.case_id,
        "fingerprint": row.fingerprint,
        "issue": row.issue_id,
        "category": row.category,
        "severity": row.severity,
        "paragraph": row.paragraph_id,
        "description": row.description,
        "sentence": asdict(row.sentence),
        "right": row.right,
        "accepted": list(row.accepted),
        "rate": row.rate,
        "models_with_a_run": row.entries,
        "models_that_fixed_it": row.fixed_by,
        "never_fixed": row.never_fixed,
        "always_fixed": row.always_fixed,
        "outcomes": asdict(row.outcomes),
        "models": {labels[entry]: asdict(outcomes) for entry, outcomes in row.solved_by.items()},
    }


def print_misses(console: Console, found: Sequence[Miss]) -> None:
    """Print each altered issue: who, where, the sentence as it was left, the right fix, and the judge's reason."""
    labels = entry_labels(miss.entry for miss in found)
    for miss in found:
        head = Text(f"{plain(labels[miss.entry])}", "bold")
        head.append(f"  run {miss.run_id}  {plain(miss.case_id)} {plain(miss.issue_id)}  ")
        head.append(plain(child_of(miss.category)), "cyan")
        head.append("  ")
        head.append(verdict_word(miss.verdict), verdict_style(miss.verdict))
        console.print(head)
        _indented(console, marked_text(miss.pieces, name_issues=False))
        _indented(console, Text("right:  ", "dim").append_text(change(miss.wrong, miss.right)))
        if miss.judgment is not None:
            _indented(console, Text(f"judge:  {plain(miss.judgment.reason)} ({plain(miss.judgment.judge)})"))
    console.print(
        Text(
            f"{count(len(found), 'issue')} altered and not accepted. [-taken out-]{{+put in+}}; unjudged ones no judge "
            "has seen.",
            "dim",
        )
    )


def misses_json(group_id: str, found: Iterable[Miss]) -> str:
    """The misses as JSON (ASCII)."""
    return json.dumps({"group": group_id, "misses": [_miss(miss) for miss in found]}, indent=2)


def _miss(miss: Miss) -> dict[str, Any]:
    return {
        "run": miss.run_id,
        **model_fields(miss.entry),
        "sample": miss.sample,
        "case": miss.case_id,
        "fingerprint": miss.fingerprint,
        "issue": miss.issue_id,
        "category": miss.category,
        "verdict": miss.verdict,
        "aligned_verdict": miss.aligned,
        "wrong": miss.wrong,
        "right": miss.right,
        "description": miss.description,
        "text": "".join(piece.after for piece in miss.pieces),
        "pieces": [piece_fields(piece) for piece in miss.pieces],
        "judgment": None if miss.judgment is None else judgment_fields(miss.judgment),
    }


def model_fields(entry: Entry) -> dict[str, Any]:
    """What a record in JSON says of its variant."""
    return {
        "model": str(entry.variant),
        "base_model": entry.variant.model,
        "reasoning_effort": entry.variant.effort,
    }


def piece_fields(piece: Piece) -> dict[str, Any]:
    """A piece of a text in JSON; fields that say nothing are left out."""
    fields = asdict(piece)
    return {name: value for name, value in fields.items() if value is not None}


def judgment_fields(judgment: Judgment) -> dict[str, Any]:
    """A judgment in JSON."""
    return {
        "judge": judgment.judge,
        "prompt_version": judgment.prompt_version,
        "valid": judgment.valid,
        "conclusion": judgment.conclusion.value,
        "reason": judgment.reason,
        "cost_usd": judgment.use.cost_usd,
    }
