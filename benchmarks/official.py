"""The official matrix: 51 variants on 11 cases, three runs each, through the whole harness, and the rankings of it.

    python -m benchmarks.official [--runs 1683] [--words 3000]

Memory is that of this process, which drives the runs as ``errata-bench run`` does: the most it has held after a
quarter, half and all of the runs. The rankings are timed as commands, start-up included. The cases together have 487
issues, as the published ones have; the server answers at once.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from benchmarks.driving import drive, settings_for, variants
from benchmarks.endpoint import Manner, running
from benchmarks.invented import case
from benchmarks.measure import Row, Spread, command, peak_mb, show_targets
from errata_bench.runs.invocation import RunOptions

_VARIANTS, _CASES, _SAMPLES, _ISSUES = 51, 11, 3, 487


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=3000, help="words of a case")
    parser.add_argument("--variants", type=int, default=_VARIANTS)
    given = parser.parse_args()
    each = [_ISSUES // _CASES + (n < _ISSUES % _CASES) for n in range(_CASES)]
    cases = [case(given.words, issues, name=f"case-{n:02}") for n, issues in enumerate(each)]
    models = variants(given.variants)
    rows = []
    with running(Manner(turns=3)) as url, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results", "official.sqlite")
        before = peak_mb()
        requests, cpu = 0, 0.0
        peaks = []
        for share in (4, 2, 1):
            some = models[: max(1, len(models) // share)]
            driven = drive(path, cases, some, settings_for(url), RunOptions(samples=_SAMPLES))
            cpu += driven.cpu
            requests = driven.requests
            peaks.append((len(some) * _CASES * _SAMPLES, peak_mb()))
        shown = ", ".join(f"{peak:.0f} MB after {runs:,} runs" for runs, peak in peaks)
        runs, most = peaks[-1]
        rows.append(Row("peak memory of the harness", shown, most, 300, "at most 300 MB"))
        growth = (most - peaks[0][1]) / (runs - peaks[0][0]) * 1000 if runs > peaks[0][0] else 0.0
        rows.append(Row("its growth", f"{growth:.1f} MB for each 1,000 runs; {before:.0f} MB before the first"))
        rows.append(
            Row("CPU for each request, scoring included", f"{1000 * cpu / requests:.2f} ms, {requests:,} requests")
        )
        size = path.stat().st_size / 1e6
        for name, more, target in (("with intervals", (), 2.0), ("without intervals", ("--no-intervals",), 0.5)):
            asked = ["view", "rankings", "official", *more, "--results-dir", str(path.parent)]
            times = [command(asked) for _ in range(6)][1:]
            wall = Spread(tuple(one.wall for one in times))
            memory = max(one.peak_mb for one in times)
            shown = f"{wall.shown('s')}, {memory:.0f} MB, file of {size:.0f} MB"
            rows.append(Row(f"rankings {name}", shown, wall.median, target, f"at most {target:g} s"))
        shutil.rmtree(path.parent)
    show_targets(f"The official matrix: {given.variants} variants × {_CASES} cases × {_SAMPLES} runs", rows)


if __name__ == "__main__":
    main()
