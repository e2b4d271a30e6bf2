"""Errors being planted: progress while it lasts, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from errata_bench.cases.check import Report
from errata_bench.generation.estimate import ASSUMPTIONS
from errata_bench.generation.invocation import Made, Prepared
from errata_bench.generation.options import Roles
from errata_bench.generation.progress import Progress
from errata_bench.generation.proposals import Fate
from errata_bench.generation.solver import Solved, SolverReport
from errata_bench.runs.estimate import Estimate
from errata_bench.variants import Variant
from errata_bench.views.estimate import estimate_lines
from errata_bench.views.terminal import count, dollars, percent, plain, spent_words

_REFRESH_PER_SECOND = 4
_SHOWN_AT_WORK = 4
_SHOWN_FINDINGS = 12
_ALWAYS_TOLD = frozenset({"outage", "outage_over"})


class _Live:
    """Renders the progress anew each time it is asked to."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __rich__(self) -> RenderableType:
        progress = self._progress
        bar = Table.grid(padding=(0, 2, 0, 0))
        bar.add_row(
            ProgressBar(total=max(1, progress.target), completed=progress.accepted, width=40),
            Text(
                f"{progress.accepted}/{count(progress.target, 'error')}, {count(progress.attempts, 'attempt')}, "
                f"{percent(progress.acceptance_rate)} accepted, {dollars(progress.spent_usd)}"
                + ("+" if progress.unpriced else "")
            ),
        )
        at_work = list(progress.at_work.items())
        lines: list[RenderableType] = [bar]
        lines.extend(Text(f"{key}: {plain(what)}", style="dim") for key, what in at_work[:_SHOWN_AT_WORK])
        if len(at_work) > _SHOWN_AT_WORK:
            lines.append(Text(f"+{len(at_work) - _SHOWN_AT_WORK} more at work", style="dim"))
        if progress.refusals:
            lines.append(Text("Refused lately:"))
            lines.extend(
                Text(plain(f"  {settled.key} {settled.fate}: {settled.reason}"), no_wrap=True, overflow="ellipsis")
                for settled in progress.refusals
            )
        return Group(*lines)


class GenerationDisplay:
    """Shows what is planted: live on a terminal, a line for each attempt elsewhere or if ``verbose``."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._lines = verbose or not console.is_terminal
        self.progress: Progress | None = None

    @contextmanager
    def showing(self, target: int) -> Iterator[Progress]:
        """Show the progress while the context lasts."""
        self.progress = Progress(target, self._said)
        if not self._console.is_terminal:
            yield self.progress
            return
        with Live(_Live(self.progress), console=self._console, refresh_per_second=_REFRESH_PER_SECOND, transient=True):
            yield self.progress

    def happened(self, kind: str, details: Mapping[str, object]) -> None:
        """Tell of outages always, of waits and adaptations if ``verbose``."""
        if self._verbose or kind in _ALWAYS_TOLD:
            told = ", ".join(f"{name} {value}" for name, value in details.items())
            self.remark(f"{kind}: {told}")

    def remark(self, text: str) -> None:
        """Say something worth knowing."""
        self._console.print(Text(plain(text)), soft_wrap=True)

    def interrupted(self, at_once: bool) -> None:
        """Say that an interrupt was heard."""
        if at_once:
            self.remark("Stopping now; every answer so far is kept.")
        else:
            self.remark("Stopping: attempts at work are finished. Press Ctrl-C again to stop at once.")

    def _said(self, line: str) -> None:
        if self._lines:
            self.remark(line)


def print_estimate(console: Console, roles: Roles, estimate: Estimate) -> None:
    """Print requests, tokens and cost by role, and what they rest on."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("role")
    table.add_column("model")
    for head in ("requests", "tokens in", "tokens out", "cost", "at most"):
        table.add_column(head, justify="right")
    for (role, variant), line in zip(_named(roles), estimate.lines, strict=True):
        amounts = (line.expected.requests, line.expected.prompt_tokens, line.expected.completion_tokens)
        costs = (line.expected.cost_usd, line.most.cost_usd)
        cells = [*(f"{round(amount):,}" for amount in amounts), *map(dollars, costs)]
        table.add_row(role, Text(plain(str(variant))), *map(Text, cells))
    console.print(table)
    for text in estimate_lines(estimate):
        console.print(Text(text), soft_wrap=True)
    console.print(Text("Assumed:"))
    for assumption in ASSUMPTIONS:
        console.print(Text(f"  {assumption}"), soft_wrap=True)


def _named(roles: Roles) -> list[tuple[str, Variant]]:
    named = [
        ("corruptor", roles.corruptor),
        ("reviewer", roles.reviewer),
        ("second reviewer", roles.second_reviewer),
        ("solver", roles.solver),
    ]
    return [(role, variant) for role, variant in named if variant is not None]


def prepared_line(prepared: Prepared) -> str:
    """What is going to be made, in a line."""
    source = prepared.source
    return (
        f"{prepared.options.source}: {source.words:,} words in {count(len(source.paragraphs), 'paragraph')}, "
        f"{count(len(prepared.windows), 'window')}; {count(prepared.spread.target, 'error')} wanted, "
        f"to be written to {plain(str(prepared.place.case))}."
    )


def made_lines(made: Made, progress: Progress | None) -> Iterator[str]:
    """How it ended, and what to do next."""
    place, target = made.prepared.place, made.prepared.spread.target
    fault, no_money = made.outcome.fault, made.outcome.no_money
    fates = made.outcome.fates
    attempts = sum(fates.values())
    yield f"{len(made.changes)} of {count(target, 'error')} planted in {count(attempts, 'attempt')}{_spent(progress)}."
    if fault is not None:
        yield f"Stopped: {plain(str(fault))}"
        if fault.mend is not None:
            yield f"  {plain(fault.mend)}"
    if no_money is not None:
        yield f"Stopped by --max-cost: {no_money}"
    if made.short and not made.outcome.stopped and fault is None:
        yield from _why_short(made)
    if made.outcome.stopped or fault is not None or no_money is not None:
        yield f"The same command goes on where this stopped; every answer is kept in {plain(str(place.journal))}"
    if made.built is not None:
        yield f"Written: {plain(str(place.case))}, both texts, and the annotated source {plain(str(place.annotated))}"
        yield f"Every proposal and its fate: {plain(str(place.journal))}"
        build = f"errata-bench cases build {place.annotated} --out {place.folder}"
        yield f"Correct and rebuild: {plain(build)}"
        yield f"Try it:              errata-bench run --baselines --dataset {plain(str(place.case))} --group-id trial"
    elif not made.changes and fault is None and not made.outcome.stopped:
        yield "Nothing was planted, so no case was written."


def _spent(progress: Progress | None) -> str:
    if progress is None or not progress.requests:
        return ""
    return f"; {count(progress.requests, 'request')}, spent {spent_words(progress.spent_usd, progress.unpriced)}"


def _why_short(made: Made) -> Iterator[str]:
    """Which categories were refused, and why."""
    refused: dict[str, Counter[Fate]] = {}
    for settled in made.outcome.settled:
        if settled.fate is not Fate.ACCEPTED:
            label = settled.categories[0] if len(settled.categories) == 1 else "several on offer"
            refused.setdefault(label.rpartition(".")[2], Counter())[settled.fate] += 1
    yield f"{count(made.short, 'error')} fewer than wanted. Refused:"
    for name, fates in sorted(refused.items(), key=lambda item: (-item[1].total(), item[0])):
        yield f"  {name}: {', '.join(f'{fate} {number}' for fate, number in fates.most_common())}"
    yield "More attempts (--max-attempts-per-issue), other categories or a higher cap on money may help."


def solver_lines(made: Made) -> Iterator[str]:
    """What the author should look at after the solver check."""
    if made.solver_fault is not None:
        yield f"The solver check was not finished: {plain(str(made.solver_fault))}"
        yield "The same command goes on with it."
    if made.reports is None:
        return
    found = sum(report.solved is Solved.FOUND for report in made.reports)
    yield f"Solver check: {found} of {count(len(made.reports), 'error')} mended as expected."
    for report in made.reports:
        if report.solved is not Solved.FOUND:
            yield f"  {_solver_line(report)}"


def _solver_line(report: SolverReport) -> str:
    issue = report.issue
    what = f"{issue.id} ({issue.find!r} for {issue.replace!r})"
    if report.solved is Solved.NOT_FOUND:
        return plain(f"{what}: not mended in {count(report.tries, 'try', 'tries')}; can it be found at all?")
    return plain(f"{what}: another valid mending, to be added as `also:` perhaps: {report.paragraph}")


def check_lines(report: Report) -> Iterator[str]:
    """What `cases check` finds in the result."""
    if report.is_clean:
        yield "cases check: no findings."
        return
    yield f"cases check: {count(len(report.findings), 'finding')}:"
    for finding in report.findings[:_SHOWN_FINDINGS]:
        yield plain(f"  {finding}")
    if len(report.findings) > _SHOWN_FINDINGS:
        yield f"  and {len(report.findings) - _SHOWN_FINDINGS} more: errata-bench cases check"
    if any(finding.kind == "complaint" for finding in report.findings):
        yield "A complaint is a flaw of your own text, to be mended in the source, or a false alarm, to be recorded"
        yield "with `errata-bench cases check --record`."
