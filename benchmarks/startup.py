"""What commands cost before they do anything, and the offline proofreaders on the bundled texts.

    python -m benchmarks.startup

CPU is that of the whole process: interpreter, imports, work.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Row, Spread, command, show_targets

_TIMES = 10


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run = ["run", "--baselines", "--samples", "1", "--no-judge", "-g", "first-run"]
        baselines = command(run, here)
        shown = f"{baselines.wall:.1f} s on the wall, {baselines.cpu:.1f} s of CPU"
        rows.append(Row("all baselines on the bundled texts", shown, baselines.wall, 180, "at most 3 min"))
        again = command(run, here)
        rows.append(Row("the same command again, nothing left to do", f"{again.wall:.1f} s on the wall"))
        for name, asked, target in (
            ("--help", ["--help"], 0.25),
            ("view rankings of a small group", ["view", "rankings", "first-run"], 0.5),
        ):
            command(asked, here)
            times = Spread(tuple(command(asked, here).cpu for _ in range(_TIMES)))
            rows.append(Row(name, f"{times.shown('s')} of CPU", times.median, target, f"at most {target:g} s of CPU"))
    show_targets("Start-up and baselines", rows)


if __name__ == "__main__":
    main()
