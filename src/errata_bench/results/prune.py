"""Taking runs out of a group: what a filter names, never without a copy of the file as it was."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from errata_bench.errors import UserError
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.store.upkeep import Pruned
from errata_bench.variants import Variant


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are meant: those that meet every part that is given; of a part, any of its values.

    ``models`` are model ids (all efforts) or variants. ``current_prompts`` names the runs of any other prompt version.
    ``failed`` names attempts that failed: failed runs, and the failures of runs that succeeded later.
    """

    models: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    prompt_versions: tuple[str, ...] = ()
    current_prompts: frozenset[str] = frozenset()
    failed: bool = False

    def __bool__(self) -> bool:
        return any((self.models, self.cases, self.endpoints, self.prompt_versions, self.current_prompts, self.failed))

    def names(self, record: RunRecord) -> bool:
        """Whether a run meets all parts but ``failed``."""
        variant, settings = record.key.variant, record.key.settings
        return (
            (not self.models or str(variant) in self.models or variant.model in self.models)
            and (not self.cases or record.case_id in self.cases)
            and (not self.endpoints or settings.endpoint in self.endpoints)
            and (not self.prompt_versions or settings.prompt_version in self.prompt_versions)
            and (not self.current_prompts or settings.prompt_version not in self.current_prompts)
        )


@dataclass(frozen=True, slots=True)
class Loss:
    """What a variant would lose: runs, of which so many succeeded, their finished chunks, and recorded failures."""

    variant: Variant
    runs: int = 0
    succeeded: int = 0
    chunks: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs that go, and those that stay but lose their recorded failures."""

    runs: tuple[RunRecord, ...]
    failures_of: tuple[RunRecord, ...]

    def __bool__(self) -> bool:
        return bool(self.runs or self.failures_of)

    def losses(self) -> list[Loss]:
        """What goes, by variant."""
        losses: dict[Variant, Loss] = {}
        for record in (*self.runs, *self.failures_of):
            loss = losses.get(record.key.variant, Loss(record.key.variant))
            losses[loss.variant] = replace(loss, failures=loss.failures + record.failures)
        for record in self.runs:
            loss = losses[record.key.variant]
            losses[loss.variant] = replace(
                loss,
                runs=loss.runs + 1,
                succeeded=loss.succeeded + (record.status is RunStatus.SUCCEEDED),
                chunks=loss.chunks + record.chunks_done,
            )
        return list(losses.values())


@dataclass(frozen=True, slots=True)
class Absent:
    """A name that nothing in the group has, and the names of that kind that there are."""

    what: str
    name: str
    known: tuple[str, ...]


def absent_names(records: Iterable[RunRecord], wanted: Filter) -> list[Absent]:
    """The names of a filter that are in no run. A part of a name is none: what goes is named whole."""
    keys = [(record.key.variant, record.key.settings, record.case_id) for record in records]
    models = {variant.model for variant, _, _ in keys}
    kinds: tuple[tuple[str, tuple[str, ...], set[str], Collection[str]], ...] = (
        ("model", wanted.models, {str(variant) for variant, _, _ in keys}, models),
        ("case", wanted.cases, {case for _, _, case in keys}, ()),
        ("endpoint", wanted.endpoints, {settings.endpoint for _, settings, _ in keys}, ()),
        ("prompt version", wanted.prompt_versions, {settings.prompt_version for _, settings, _ in keys}, ()),
    )
    return [
        Absent(what, name, tuple(sorted(known)))
        for what, names, known, also in kinds
        for name in names
        if name not in known and name not in also
    ]


def select(records: Iterable[RunRecord], wanted: Filter) -> Selection:
    """The runs that a filter names. Raises `UserError` for one that names nothing, which would be all."""
    if not wanted:
        raise UserError(
            "nothing is named that should go",
            mend="name attempts with --failed, --model, --case, --endpoint, --prompt-version or --old-prompts",
        )
    named = [record for record in records if wanted.names(record)]
    if not wanted.failed:
        return Selection(tuple(named), ())
    return Selection(
        tuple(record for record in named if record.status is RunStatus.FAILED),
        tuple(record for record in named if record.status is not RunStatus.FAILED and record.failures),
    )


def backup_path(group: Path, now: float, taken: Collection[str] = ()) -> Path:
    """Where the copy goes: beside the file, named after the time (UTC), and not to be taken for a group."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    names = (f"{group.stem}.{stamp}{suffix}.bak" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return group.with_name(next(name for name in names if name not in taken and not (group.parent / name).exists()))


def prune(group: Group, selection: Selection, backup: Path) -> Pruned:
    """Copy the file, then take out what is selected, all or nothing. Raises `StoreError`.

    Broken off before the end, nothing is lost: the copy is there in whole or not at all, and the runs go in one
    transaction.
    """
    group.upkeep.copy_to(backup)
    return group.upkeep.remove(
        [record.id for record in selection.runs], [record.id for record in selection.failures_of]
    )
