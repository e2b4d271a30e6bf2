"""Upkeep that is killed at any point loses nothing, and doing it again does the rest."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from errata_bench.results.checking import Trouble, check_group
from errata_bench.store.group import read_group
from tests.support.models import fix_everything, fix_otherwise
from tests.support.stored import content
from tests.support.upkeep import BETA, make_group

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("upkeep_program.py")
NEVER = 1_000_000
DEATHS = 4
"""So often each piece of work is killed, at points spread over it."""


def keep(what: str, path: Path, limit: int, *more: Path) -> subprocess.CompletedProcess[str]:
    arguments = [what, str(path), str(limit), *map(str, more)]
    return subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("what", ["rescore", "refresh", "prune", "merge"])
async def test_killed_at_any_point_nothing_is_lost(tmp_path: Path, what: str) -> None:
    original = await make_group(tmp_path / "original.sqlite", fix_everything, samples=2)
    source = await make_group(tmp_path / "source.sqlite", fix_otherwise, variants=[BETA], begun=50)
    more = (source,) if what == "merge" else ()
    finished = tmp_path / "finished.sqlite"
    shutil.copy(original, finished)
    done = keep(what, finished, NEVER, *more)
    assert done.returncode == 0, done.stderr
    statements = int(done.stdout)
    assert statements > DEATHS
    for death in range(DEATHS):
        path = tmp_path / f"killed-{death}.sqlite"
        shutil.copy(original, path)
        killed = keep(what, path, 1 + death * (statements - 1) // (DEATHS - 1), *more)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        with read_group(path) as group:
            assert [finding for finding in check_group(group) if finding.trouble is Trouble.DAMAGE] == []
            if what in ("prune", "merge"):
                assert len(group.runs()) in (2, 4, 6)
            else:
                assert len(group.runs()) == 4
        again = keep(what, path, NEVER, *more)
        assert again.returncode == 0, again.stderr
        assert content(path) == content(finished)
