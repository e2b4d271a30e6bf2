from __future__ import annotations

from pathlib import Path

import pytest

from errata_bench.errors import EndpointFault, Reach, UserError
from errata_bench.results.prune import Filter, backup_path, prune, select
from errata_bench.store.group import Group, read_group
from errata_bench.store.open import group_ids
from tests.support.models import fix_everything
from tests.support.stored import content, only_run
from tests.support.upkeep import ALPHA, BETA, CASES, run, table


def names(group: Group, wanted: Filter) -> list[str]:
    return [f"{one.key.variant} {one.case_id} {one.sample}" for one in select(group.runs(), wanted).runs]


@pytest.fixture
async def filled(group: Group) -> Group:
    await run(group, fix_everything, variants=[ALPHA, BETA])
    await run(group, fix_everything, variants=[ALPHA], cases=CASES[:1], endpoint="other.example", prompt_version="old")
    return group


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(models=("org/beta",)), ["org/beta:high letter 1", "org/beta:high memo 1"]),
        (Filter(models=("org/beta:high",), cases=("memo",)), ["org/beta:high memo 1"]),
        (Filter(models=("org/beta:low",)), []),
        (Filter(endpoints=("other.example",)), ["org/alpha:low letter 1"]),
        (Filter(prompt_versions=("old", "older")), ["org/alpha:low letter 1"]),
        (Filter(current_prompts=frozenset({"prompt-1"})), ["org/alpha:low letter 1"]),
        (Filter(cases=("memo",)), ["org/alpha:low memo 1", "org/beta:high memo 1"]),
        (Filter(failed=True), []),
    ],
)
async def test_runs_that_meet_every_part_are_meant(filled: Group, wanted: Filter, expected: list[str]) -> None:
    assert names(filled, wanted) == expected


def test_nothing_named_is_not_everything() -> None:
    with pytest.raises(UserError, match="nothing is named"):
        select([], Filter())


async def test_failed_runs_go_and_so_do_failures_of_those_that_succeeded(group: Group) -> None:
    def fault(_: object) -> object:
        raise EndpointFault("server_error", "no", reach=Reach.RUN)

    await run(group, fault, variants=[ALPHA])  # type: ignore[arg-type]
    await run(group, fix_everything, variants=[ALPHA], cases=CASES[:1])  # taken up again
    selection = select(group.runs(), Filter(failed=True))
    assert [one.case_id for one in selection.runs] == ["memo"]
    assert [one.case_id for one in selection.failures_of] == ["letter"]
    (loss,) = selection.losses()
    assert (loss.runs, loss.succeeded, loss.failures) == (1, 0, 2)
    pruned = prune(group, selection, backup_path(group.path, 0.0))
    assert (pruned.runs, pruned.failures, pruned.cases) == (1, 2, 1)
    assert (only_run(group).case_id, only_run(group).failures) == ("letter", 0)


async def test_what_goes_is_gone_with_all_that_hangs_on_it_and_its_money_is_not(filled: Group) -> None:
    spent = filled.spend()
    selection = select(filled.runs(), Filter(cases=("memo",)))
    assert [(loss.variant, loss.runs, loss.succeeded, loss.chunks) for loss in selection.losses()] == [
        (ALPHA, 1, 1, 2),
        (BETA, 1, 1, 2),
    ]
    prune(filled, selection, backup_path(filled.path, 0.0))
    assert {one.case_id for one in filled.runs()} == {"letter"}
    for name in ("chunks", "turns", "calls", "verdicts", "figures"):
        assert table(filled.path, f"SELECT count(*) FROM {name} WHERE run_id NOT IN (SELECT id FROM runs)") == [(0,)]
    assert filled.spend() == spent
    assert filled.upkeep.damage() == []


async def test_the_money_of_a_run_that_is_gone_is_no_later_runs(group: Group) -> None:
    await run(group, fix_everything, cases=CASES[:1])
    prune(group, select(group.runs(), Filter(cases=("letter",))), backup_path(group.path, 0.0))
    await run(group, fix_everything, cases=CASES[1:])
    (new,) = group.runs()
    assert len(group.run_attempts(new.id)) == 2
    assert group.spend().requests == 5


async def test_the_group_as_it_was_is_kept_beside_it(filled: Group) -> None:
    before = content(filled.path)
    backup = backup_path(filled.path, 86400.0)
    assert backup.name == "group.19700102T000000Z.bak"
    prune(filled, select(filled.runs(), Filter(models=("org/alpha",))), backup)
    assert content(backup) == before
    assert group_ids(filled.path.parent) == ["group"]
    assert backup_path(filled.path, 86400.0).name == "group.19700102T000000Z-2.bak"
    restored = filled.path.with_name("restored.sqlite")
    backup.rename(restored)
    with read_group(restored) as group:
        assert len(group.runs()) == 5


async def test_without_room_for_a_copy_nothing_goes(filled: Group, tmp_path: Path) -> None:
    before = content(filled.path)
    with pytest.raises(UserError):
        prune(filled, select(filled.runs(), Filter(cases=("memo",))), tmp_path / "nowhere" / "copy.bak")
    assert content(filled.path) == before


async def test_pruned_work_is_done_again_by_the_next_run(filled: Group) -> None:
    prune(filled, select(filled.runs(), Filter(models=("org/beta",))), backup_path(filled.path, 0.0))
    await run(filled, fix_everything, variants=[ALPHA, BETA])
    assert sum(one.key.variant == BETA for one in filled.runs()) == 2
