"""The columns of every comparison: a variant under one set of settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from errata_bench.store.records import NOT_KNOWN, RunRecord, RunSettings
from errata_bench.variants import Variant

YARDSTICKS = ("baseline/oracle", "baseline/untouched")
"""Baselines that know the answers or do nothing: they say nothing about how hard an issue is."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A variant under one set of settings, as a row of the ranking."""

    variant: Variant
    settings: RunSettings

    @property
    def is_yardstick(self) -> bool:
        """Whether it fixes all or nothing by design."""
        return self.variant.model in YARDSTICKS


def entry_of(record: RunRecord) -> Entry:
    """The entry that a run belongs to."""
    return Entry(record.key.variant, record.key.settings)


def entry_labels(entries: Iterable[Entry]) -> Mapping[Entry, str]:
    """A name for each entry: its variant, and where that is there under several settings, what differs."""
    by_variant: dict[Variant, list[Entry]] = defaultdict(list)
    for entry in dict.fromkeys(entries):
        by_variant[entry.variant].append(entry)
    labels = {}
    for variant, same in by_variant.items():
        differing = [
            field.name for field in fields(RunSettings) if len({getattr(one.settings, field.name) for one in same}) > 1
        ]
        for entry in same:
            told = [f"{name.replace('_', ' ')} {_in_words(getattr(entry.settings, name))}" for name in differing]
            labels[entry] = f"{variant} [{', '.join(told)}]" if told else str(variant)
    return labels


def _in_words(setting: str | int) -> str:
    return "not known" if setting == NOT_KNOWN else str(setting or "none")
