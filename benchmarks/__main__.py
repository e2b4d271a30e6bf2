"""Run all benchmarks, each in a process of its own: ``python -m benchmarks [NAME…]``, or ``make benchmarks``.

Ends with what took how long and which targets were missed. ``--inspect PYTHON`` names an interpreter that has
``inspect_ai``, for the comparison in `benchmarks.harness`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import MISSED
from errata_bench import __version__

_ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS: dict[str, tuple[str, ...]] = {
    "harness": (),
    "clients": (),
    "concurrency": (),
    "commits": (),
    "scoring": (),
    "growth": (),
    "startup": (),
    "official": (),
    "intervals": (),
    "coverage": ("200",),
    "web_viewer": (),
    "large_group": ("400",),
}
"""The benchmarks in order, with what keeps all of them within ten minutes; by themselves some can do more."""


def machine() -> str:
    """What a reader has to know of the machine."""
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else platform.machine()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{model}, {cores} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}{load}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--inspect", metavar="PYTHON")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    print(f"ErrataBench {__version__}, {datetime.now(UTC):%Y-%m-%d}, {machine()}")
    missed: list[str] = []
    failed: list[str] = []
    took: list[str] = []
    for name in given.names or BENCHMARKS:
        options = list(BENCHMARKS[name])
        if name in ("harness", "clients") and given.inspect:
            options += ["--inspect", given.inspect]
        begun = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", f"benchmarks.{name}", *options], cwd=_ROOT, stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            for line in running.stdout:
                print(line, end="", flush=True)
                if MISSED in line:
                    missed.append(f"{name}: {line.strip('| ').partition('|')[0].strip()}")
        if running.returncode:
            failed.append(name)
        took.append(f"{name} {time.perf_counter() - begun:.0f} s")
    print(f"\nTime taken: {', '.join(took)}.")
    print(f"Targets missed: {'; '.join(missed) or 'none'}.")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
