"""One run: its figures, its text with every edit marked, the verdict of each issue, its turns and its cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from rich.console import Console
from rich.text import Text

from errata_bench.proofreading.loop import Turn
from errata_bench.results.detail.run import ChunkDetail, IssueVerdict, RunDetail
from errata_bench.results.detail.selection import child_of
from errata_bench.scoring.aligned.plain_text import plain_text
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.marked import MARKS_EXPLAINED, change, marked_text, verdict_style, verdict_word
from errata_bench.views.runs import STATUS_WORDS
from errata_bench.views.terminal import NOT_AVAILABLE, count, dollars, duration, number, plain

_INDENT = "  "


def print_run(console: Console, detail: RunDetail, *, whole: bool = False, calls: bool = False) -> None:
    """Print a run. ``whole`` shows unchanged paragraphs too; ``calls`` shows each tool call with its result."""
    for line in _facts(detail):
        _wrapped(console, Text(line), "")
    for failure in detail.failures:
        told = f"{_time(failure.at)}, chunk {failure.chunk + 1}: {failure.kind}"
        status = "" if failure.status is None else f" (HTTP {failure.status})"
        _wrapped(console, Text(f"Fault, {plain(told)}{status}: {plain(failure.message)}", "red"), "")
    _title(console, "Issues")
    for issue in detail.issues:
        _print_issue(console, issue)
    if not detail.issues:
        console.print(Text("None: this is a control, and every edit in it is one too many."))
    _title(console, "Text")
    _print_text(console, detail, whole=whole)
    _title(console, "Turns")
    _print_turns(console, detail, calls=calls)


def _facts(detail: RunDetail) -> Iterator[str]:
    record, case = detail.record, detail.case
    settings = record.key.settings
    yield f"Run {record.id}: {plain(str(record.key.variant))} on {plain(case.id)}, sample {record.sample}"
    ended = "" if record.ended_at is None else f", ended {_time(record.ended_at)}"
    done = "" if record.chunks_done == record.chunk_count else f" ({record.chunks_done}/{record.chunk_count} chunks)"
    version = plain(detail.origin.version)
    yield f"State {STATUS_WORDS[record.status]}{done}, begun {_time(record.started_at)}{ended}, version {version}"
    chunk = f"{settings.max_words} words a chunk" if settings.max_words else "one chunk"
    judge = f", judge {plain(settings.judge)}" if settings.judge else ", no judge"
    yield f"At {plain(settings.endpoint)}, {chunk}, at most {count(settings.max_turns, 'turn')} a chunk{judge}"
    if detail.origin.adaptations:
        yield f"Requests were changed because the endpoint refused them: {plain(', '.join(detail.origin.adaptations))}"
    figures = record.figures
    if figures is not None:
        yield (
            f"Quality {number(figures.quality)}: {figures.fixed} of {count(figures.issues, 'issue')} fixed, "
            f"{count(figures.bad_fixes, 'bad fix', 'bad fixes')} ({figures.unjudged} unjudged), {figures.missed} missed"
        )
        tokens = "tokens unknown"
        if figures.prompt_tokens is not None and figures.completion_tokens is not None:
            tokens = f"{figures.prompt_tokens:,} tokens read, {figures.completion_tokens:,} written"
        yield (
            f"At work {duration(figures.duration_seconds)}, {tokens}, cost {dollars(figures.cost_usd)} "
            f"(judge {dollars(figures.judge_cost_usd)})"
        )
    if detail.restraint is not None:
        restraint = detail.restraint
        clean = count(restraint.clean_paragraphs, "clean paragraph")
        yield (
            f"Beside the issues: {count(restraint.unneeded, 'edit')} "
            f"({number(restraint.unneeded_per_1000_words, 2)} in 1,000 words), "
            f"edit precision {number(restraint.precision)}, F0.5 {number(restraint.f05)}, "
            f"{restraint.untouched_clean_paragraphs} of {clean} untouched"
        )
    unknown = f"; {detail.unpriced_attempts:,} of unknown cost" if detail.unpriced_attempts else ""
    failed = sum(attempt.outcome != "ok" for attempt in detail.attempts)
    requests = count(len(detail.attempts), "request")
    yield f"Paid {dollars(detail.spent_usd)} for {requests}, {failed} of them failed{unknown}"
    if detail.oddities:
        told = ", ".join(f"{kind.replace('_', ' ')} {times}×" for kind, times in sorted(detail.oddities.items()))
        yield f"Oddities in replies: {plain(told)}"


def _print_issue(console: Console, one: IssueVerdict) -> None:
    issue = one.issue
    line = Text(f"{plain(issue.id)}  ")
    word = "disqualified" if issue.disqualified else verdict_word(one.verdict)
    line.append(f"{word:<15}", verdict_style(one.verdict))
    line.append(f"  {plain(child_of(one.category))}  ", "cyan")
    line.append_text(change(plain_text(issue.find), plain_text(issue.replace)))
    if one.after is not None and one.verdict not in (None, "fixed", "not_addressed"):
        line.append(f"  left as: {plain(one.after) or '(nothing)'}")
    _wrapped(console, line, _INDENT)
    if one.judgment is not None:
        reason = f"judge {plain(one.judgment.judge)}: {plain(one.judgment.reason)}"
        _wrapped(console, Text(_INDENT + reason), _INDENT)


def _print_text(console: Console, detail: RunDetail, *, whole: bool) -> None:
    shown = [one for one in detail.paragraphs if whole or one.changed or one.issue_ids or one.edits]
    for paragraph in shown:
        _wrapped(console, Text(f"<{plain(paragraph.id)}> ", "dim").append_text(marked_text(paragraph.pieces)), _INDENT)
    left_out = len(detail.paragraphs) - len(shown)
    notes = [MARKS_EXPLAINED]
    if left_out:
        notes.append(f"{count(left_out, 'paragraph')} without issues and without edits not shown (--whole shows all).")
    if any(not paragraph.located for paragraph in shown):
        notes.append("The errors of this case cannot be located exactly, so none is named in the text.")
    _wrapped(console, Text(" ".join(notes), "dim"), "")


def _print_turns(console: Console, detail: RunDetail, *, calls: bool) -> None:
    rows = []
    for chunk in detail.chunks:
        rows += [(f"{chunk.chunk + 1}.{n}", _turn_cells(turn)) for n, turn in enumerate(chunk.turns, 1)]
    heads = ("calls", "refused", "tokens\nread", "written", "seconds", "cost", "ended by")
    if rows:
        print_figures(console, FigureTable(heads, "chunk.turn", rows))
    for chunk in detail.chunks:
        if not chunk.done:
            console.print(Text(f"Chunk {chunk.chunk + 1} is not done.", "yellow"))
        elif not chunk.completed:
            console.print(Text(f"Chunk {chunk.chunk + 1} ended at the limit of turns.", "yellow"))
    if calls:
        for chunk in detail.chunks:
            _print_calls(console, chunk)
    elif rows:
        console.print(Text("--calls shows each tool call with its result.", "dim"))


def _turn_cells(turn: Turn) -> tuple[str, ...]:
    usage = turn.usage
    return (
        str(len(turn.calls)),
        str(sum(not call.ok for call in turn.calls)),
        NOT_AVAILABLE if usage.prompt_tokens is None else f"{usage.prompt_tokens:,}",
        NOT_AVAILABLE if usage.completion_tokens is None else f"{usage.completion_tokens:,}",
        number(turn.duration_seconds, 1),
        dollars(turn.cost_usd),
        plain(turn.finish_reason or NOT_AVAILABLE),
    )


def _print_calls(console: Console, chunk: ChunkDetail) -> None:
    for n, turn in enumerate(chunk.turns, 1):
        _wrapped(console, Text(f"Chunk {chunk.chunk + 1}, turn {n}", "bold"), "")
        said = turn.message.get("content")
        if isinstance(said, str) and said.strip():
            _wrapped(console, Text(f"{_INDENT}said: {plain(said)}"), _INDENT * 2)
        for call in turn.calls:
            given = json.dumps(dict(call.arguments), ensure_ascii=False) if call.arguments else call.raw_arguments
            line = Text(f"{_INDENT}{plain(call.name)} {plain(given)} → ")
            line.append(plain(call.message), "green" if call.ok else "red")
            _wrapped(console, line, _INDENT * 2)


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold"))


def _wrapped(console: Console, line: Text, indent: str) -> None:
    """Print a line as wide as the console, what follows indented."""
    for n, part in enumerate(line.wrap(console, max(20, console.width - len(indent)))):
        part.rstrip()
        console.print(Text(indent if n else "").append_text(part), soft_wrap=True)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
