"""Groups to be rescored, merged, pruned and exported, made by real runs of doubles, and what is in their files."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from errata_bench.cases.model import Case
from errata_bench.store.group import Group, write_group
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings
from tests.support.execution import execute, make_engine, plan_for
from tests.support.models import Answer, FakeModel, fix_otherwise

ALPHA = Variant("org/alpha", "low")
BETA = Variant("org/beta", "high")
CASES = (make_case("letter"), make_case("memo", 2))


async def run(
    group: Group,
    answer: Answer = fix_otherwise,
    *,
    cases: Sequence[Case] = CASES,
    variants: Sequence[Variant] = (ALPHA,),
    samples: int = 1,
    **settings: Any,
) -> None:
    """Run what the group lacks, each paragraph a chunk; failures are left as they are."""
    plan = plan_for(group, cases, variants, samples, lambda _: make_settings(**settings))
    await execute(make_engine(group, FakeModel(answer)), plan)


async def make_group(path: Path, answer: Answer = fix_otherwise, *, begun: float = 0.0, **what: Any) -> Path:
    """Make a group's file; ``begun`` (seconds) tells its runs from those of another machine."""
    with write_group(path) as group:
        await run(group, answer, **what)
    change(path, f"UPDATE runs SET started_at = started_at + {begun} + id / 1000.0, ended_at = ended_at + {begun} + 9")
    return path


def change(path: Path, sql: str) -> None:
    """Change a file behind our back."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def table(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """What a query finds in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def verdicts(group: Group) -> list[list[str]]:
    """The verdicts of each run, in order of issues."""
    return [[verdict for _, verdict in sorted(group.verdicts(run.id).items())] for run in group.runs()]
