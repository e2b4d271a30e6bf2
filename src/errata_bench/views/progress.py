"""Progress while runs execute: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from errata_bench.runs.plan import Plan
from errata_bench.runs.progress import Progress
from errata_bench.views.run_log import ALWAYS_TOLD, record_line
from errata_bench.views.terminal import count, duration, number, plain, spending

_REFRESH_PER_SECOND = 4
_SHOWN_IN_FLIGHT = 4


class _Table:
    """Renders the progress anew each time it is asked to."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __rich__(self) -> RenderableType:
        progress = self._progress
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for head in ("model", "done", "failed", "in flight (case chunk/turn)", "quality", "spent"):
            table.add_column(head, justify="right" if head in ("done", "failed", "quality", "spent") else "left")
        for variant, state in progress.variants.items():
            at_work = [
                f"{plain(run.case.id)} {chunk}/{len(run.chunks)}.{turn}"
                for run, (chunk, turn) in list(state.in_flight.items())[:_SHOWN_IN_FLIGHT]
            ]
            more = len(state.in_flight) - len(at_work)
            table.add_row(
                Text(plain(str(variant))),
                Text(f"{state.done}/{state.total}"),
                Text(str(state.failed or ""), style="red"),
                Text("  ".join(at_work) + (f"  +{more}" if more > 0 else ""), style="dim"),
                Text("" if state.quality is None else number(state.quality)),
                Text(spending(state.spent_usd, state.unpriced)),
            )
        ended = progress.runs_done + progress.runs_failed
        left = progress.seconds_left(time.monotonic())
        bar = Table.grid(padding=(0, 2, 0, 0))
        bar.add_row(
            ProgressBar(total=max(1, progress.total), completed=ended, width=40),
            Text(
                f"{ended}/{count(progress.total, 'run')}, {spending(progress.spent_usd, progress.unpriced)}"
                + ("" if left is None or ended >= progress.total else f", about {duration(left)} left")
            ),
        )
        return Group(table, bar)


class ProgressDisplay:
    """Shows runs as they execute: a live table on a terminal, a line for each ended run elsewhere."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._lines = verbose or not console.is_terminal
        self.progress: Progress | None = None

    @contextmanager
    def showing(self, plan: Plan) -> Iterator[Progress]:
        """Show the progress of a plan while the context lasts."""
        resumed = f", {plan.resumed} taken up again" if plan.resumed else ""
        stored = f", {len(plan.done)} already stored" if plan.done else ""
        self._say(f"{count(len(plan.todo), 'run')} to do{resumed}{stored}.")
        self.progress = Progress(plan, time.monotonic(), self._ended)
        if not self._console.is_terminal:
            yield self.progress
            return
        with Live(_Table(self.progress), console=self._console, refresh_per_second=_REFRESH_PER_SECOND, transient=True):
            yield self.progress

    def remark(self, text: str) -> None:
        """Say something worth knowing."""
        self._say(text)

    def logged(self, record: Mapping[str, Any]) -> None:
        """Say what the log says, as far as a person has to know it, or wants to."""
        if self._verbose or record["kind"] in ALWAYS_TOLD:
            line = record_line(record)
            if line is not None:
                self._say(line)

    def interrupted(self, at_once: bool) -> None:
        """Say that an interrupt was heard."""
        if at_once:
            self._say("Stopping now; finished chunks are stored.")
        else:
            self._say("Stopping: chunks that are being worked on are finished. Press Ctrl-C again to stop at once.")

    def _ended(self, line: str, failed: bool) -> None:
        if self._lines or failed:
            self._say(line)

    def _say(self, line: str) -> None:
        self._console.print(Text(plain(line)), soft_wrap=True)
