"""How figures are taken and shown: medians with their spread, beside the target where there is one."""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

MET, MISSED = "✓", "✗"


@dataclass(frozen=True, slots=True)
class Spread:
    """Some measurements of the same thing: their median, the least and the most."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the values."""
        return statistics.median(self.values)

    def shown(self, unit: str, scale: float = 1.0) -> str:
        """The median and, in brackets, the range, in that unit; ``scale`` turns a value into it."""
        low, high = min(self.values) * scale, max(self.values) * scale
        return f"{_short(self.median * scale)} {unit} ({_short(low)}–{_short(high)})"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table of targets. ``target`` is the most that ``value`` may be; None: there is none."""

    what: str
    shown: str
    value: float | None = None
    target: float | None = None
    target_shown: str = ""
    at_least: bool = False

    @property
    def mark(self) -> str:
        """Whether the target is met."""
        if self.value is None or self.target is None:
            return ""
        met = self.value >= self.target if self.at_least else self.value <= self.target
        return MET if met else MISSED


def show_targets(title: str, rows: Iterable[Row]) -> None:
    """Print what was measured beside what was wanted."""
    show(title, ("what", "measured", "target", ""), [(r.what, r.shown, r.target_shown, r.mark) for r in rows])


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, in Markdown that is readable as it stands."""
    lines = [tuple(columns), *(tuple(row) for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns))]
    print(f"\n{title}\n")
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
        if number == 0:
            print("| " + " | ".join("-" * width for width in widths) + " |")
    sys.stdout.flush()


def repeat(work: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> Spread:
    """Take the time of some work again and again; it is done once before, so that caches are as they will be."""
    work()
    return Spread(tuple(once(work, clock) for _ in range(times)))


def once(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Take the time of some work, in seconds of that clock, with no collection of garbage left from before."""
    gc.collect()
    begun = clock()
    work()
    return clock() - begun


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended: seconds on the wall, seconds of CPU, and the most memory it held, in MB."""

    wall: float
    cpu: float
    peak_mb: float


def command(arguments: Sequence[str | Path], folder: Path | None = None) -> Ended:
    """Run a command of the program in a process of its own. Raises `RuntimeError` with its output if it fails."""
    return process([sys.executable, "-m", "errata_bench", *arguments], folder)


def process(arguments: Sequence[str | Path], folder: Path | None = None) -> Ended:
    """Run a process to its end. Raises `RuntimeError` with its output if it fails."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [str(argument) for argument in arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as child:
        assert child.stdout is not None
        output = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if child.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}:\n{output.decode(errors='replace')}")
    return Ended(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def peak_mb() -> float:
    """The most memory that this process has held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
