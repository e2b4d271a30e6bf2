"""Groups from several machines become one; the same run twice stays once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from errata_bench.errors import StoreError
from errata_bench.store.group import read_group, write_group
from errata_bench.store.merging import Merged


@dataclass(frozen=True, slots=True)
class MergedSource:
    """A file and what came of taking it in; None for the group itself, which there is nothing to take from."""

    source: Path
    merged: Merged | None


def merge_groups(target: Path, sources: Iterable[Path]) -> list[MergedSource]:
    """Take the runs of other groups into one, which is made if there is none. Sources are only read.

    Each source is taken in all or nothing, one after the other; doing it again changes nothing. All sources are looked
    at before anything is written. Raises `StoreError` for a file that cannot be used.
    """
    wanted = list(dict.fromkeys(sources))
    for source in wanted:
        with read_group(source):
            pass
    others = [source for source in wanted if not _is_same_file(source, target)]
    found = {source: MergedSource(source, None) for source in wanted}
    if others:
        with write_group(target) as group:
            for source in others:
                found[source] = MergedSource(source, group.merge(source))
    elif not target.exists():
        raise StoreError(f"there is no group {target.stem!r}", mend="name at least one group to merge")
    return list(found.values())


def _is_same_file(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)
