"""Whether a group is whole, and whether its figures can be compared and believed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from statistics import median

from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunSettings, RunStatus
from errata_bench.variants import Variant

FAR_OFF = 10.0
"""So many times longer or shorter than the median of the same work is far off."""
_ENOUGH = 3
"""So many runs of the same work make a median."""
_NAMED = 8
"""So many runs or cases are named; more are only counted."""


class Trouble(StrEnum):
    """What kind of thing was found."""

    DAMAGE = "damage"
    """The file, or a run in it, is not whole."""
    MISSING = "missing runs"
    UNJUDGED = "unjudged issues"
    MIXED = "mixed settings"
    """Variants ran under different conditions, so their figures cannot be compared."""
    SUSPICIOUS = "suspicious runs"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: what it is about (empty for the whole group), in words, and the runs meant, by id."""

    trouble: Trouble
    about: str
    text: str
    runs: tuple[int, ...] = ()


def check_group(group: Group) -> list[Finding]:
    """Look for everything that makes figures of a group doubtful; reads all of the file. Raises `StoreError`."""
    findings = [Finding(Trouble.DAMAGE, "", text) for text in group.upkeep.damage()]
    records = group.runs()
    by_id = {record.id: record for record in records}
    for run_id, lack in group.upkeep.incomplete():
        findings.append(
            Finding(Trouble.DAMAGE, _name(by_id[run_id]), f"it counts as successful and lacks {lack}", (run_id,))
        )
    findings += _missing(records)
    findings += _unjudged(records)
    findings += _mixed(records)
    findings += _suspicious(group, records)
    return findings


# Missing


def _missing(records: Sequence[RunRecord]) -> Iterator[Finding]:
    """What each variant lacks of the samples that most of the group has."""
    cases = {record.key.fingerprint: record.case_id for record in records}
    works: dict[tuple[Variant, RunSettings], dict[str, list[RunRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        works[record.key.variant, record.key.settings][record.key.fingerprint].append(record)
    wanted = {
        offline: _usual(len(_successful(runs)) for by_case, runs in _cells(works, offline=offline))
        for offline in (True, False)
    }
    for (variant, _), by_case in works.items():
        samples = wanted[variant.is_baseline]
        lacking = {
            case_id: samples - len(_successful(by_case.get(fingerprint, ())))
            for fingerprint, case_id in cases.items()
            if len(_successful(by_case.get(fingerprint, ()))) < samples
        }
        if lacking:
            total = sum(lacking.values())
            text = f"{_runs(total)} missing to {samples} on each case: {_listed(lacking)}"
            yield Finding(Trouble.MISSING, str(variant), text)
    for status, words in ((RunStatus.RUNNING, "unfinished"), (RunStatus.FAILED, "failed for good so far")):
        for variant, group in _by_variant(record for record in records if record.status is status):
            yield Finding(Trouble.MISSING, str(variant), f"{_runs(len(group))} {words}", _ids(group))


def _cells(
    works: dict[tuple[Variant, RunSettings], dict[str, list[RunRecord]]], *, offline: bool
) -> Iterator[tuple[str, list[RunRecord]]]:
    for (variant, _), by_case in works.items():
        if variant.is_baseline == offline:
            yield from by_case.items()


def _usual(counts: Iterator[int]) -> int:
    """The commonest number of samples above 0, the largest of equally common ones; 1 where there is none."""
    seen = Counter(count for count in counts if count)
    return max(seen, key=lambda count: (seen[count], count)) if seen else 1


def _successful(records: Sequence[RunRecord]) -> list[RunRecord]:
    return [record for record in records if record.status is RunStatus.SUCCEEDED]


# Unjudged and mixed


def _unjudged(records: Sequence[RunRecord]) -> Iterator[Finding]:
    gaps = [record for record in records if record.figures is not None and record.figures.unjudged]
    for variant, group in _by_variant(gaps):
        count = sum(record.figures.unjudged for record in group if record.figures is not None)
        issues, counts = ("1 fix is", "counts") if count == 1 else (f"{count:,} fixes are", "count")
        yield Finding(
            Trouble.UNJUDGED, str(variant), f"{issues} unjudged in {_runs(len(group))} and {counts} as bad", _ids(group)
        )


def _mixed(records: Sequence[RunRecord]) -> Iterator[Finding]:
    """Settings of which the runs of language models have more than one."""
    asked = [record for record in records if not record.key.variant.is_baseline]
    for setting in fields(RunSettings):
        values: dict[str, list[RunRecord]] = {}
        for record in asked:
            values.setdefault(str(getattr(record.key.settings, setting.name)), []).append(record)
        if len(values) > 1:
            parts = [f"{value or 'none'} ({_runs(len(group))})" for value, group in values.items()]
            yield Finding(Trouble.MIXED, setting.name.replace("_", " "), ", ".join(parts))
    versions: dict[str, set[str]] = defaultdict(set)
    for record in records:
        versions[record.case_id].add(record.key.fingerprint)
    for case_id, fingerprints in versions.items():
        if len(fingerprints) > 1:
            text = f"{len(fingerprints)} versions of its text or its issues were run"
            yield Finding(Trouble.MIXED, f"case {case_id}", text)


# Suspicious


def _suspicious(group: Group, records: Sequence[RunRecord]) -> Iterator[Finding]:
    done = [record for record in records if record.figures is not None and not record.key.variant.is_baseline]
    yield from _identical(group, done)
    for text, is_odd in _ODDITIES:
        for variant, odd in _by_variant(record for record in done if is_odd(record)):
            yield Finding(Trouble.SUSPICIOUS, str(variant), f"{_runs(len(odd))} {text}", _ids(odd))
    yield from _far_off(done)


def _identical(group: Group, records: Sequence[RunRecord]) -> Iterator[Finding]:
    """Samples that answered alike to the letter and took the same time: one of them is a copy, or a cache spoke."""
    works: dict[object, list[RunRecord]] = defaultdict(list)
    for record in records:
        works[record.key, _in_all(record)].append(record)
    for repeats in works.values():
        if len(repeats) < 2:
            continue
        by_digest: dict[bytes, list[int]] = defaultdict(list)
        for run_id, digest in group.upkeep.digests([record.id for record in repeats]):
            by_digest[digest].append(run_id)
        for run_ids in by_digest.values():
            if len(run_ids) > 1:
                alike = [record for record in repeats if record.id in run_ids]
                samples = ", ".join(str(record.sample) for record in alike)
                about = f"{alike[0].key.variant} on {alike[0].case_id}"
                text = f"samples {samples} are the same to the letter and the millisecond"
                yield Finding(Trouble.SUSPICIOUS, about, text, tuple(run_ids))


def _in_all(record: RunRecord) -> object:
    """What is the same in sum where every turn is the same: turns themselves are long to read.

    Seconds are left out, because a sum of them depends on how it was summed.
    """
    figures = record.figures
    return figures and (figures.turns, figures.prompt_tokens, figures.completion_tokens)


def _has_no_tokens(record: RunRecord) -> bool:
    return record.figures is not None and (record.figures.prompt_tokens == 0 or record.figures.completion_tokens == 0)


def _reports_no_tokens(record: RunRecord) -> bool:
    figures = record.figures
    return figures is not None and figures.prompt_tokens is None and figures.completion_tokens is None


def _edited_nothing(record: RunRecord) -> bool:
    figures = record.figures
    if figures is None or figures.is_control:
        return False
    return not figures.benchmark_calls and not figures.off_target_calls and not figures.changed_paragraphs


def _took_no_time(record: RunRecord) -> bool:
    return record.figures is not None and record.figures.duration_seconds <= 0


def _ended_before_it_began(record: RunRecord) -> bool:
    return record.ended_at is not None and record.ended_at < record.started_at


_ODDITIES: tuple[tuple[str, Callable[[RunRecord], bool]], ...] = (
    ("with 0 tokens", _has_no_tokens),
    ("of which the endpoint counted no tokens", _reports_no_tokens),
    ("without any edit, though there are errors to correct", _edited_nothing),
    ("that took no time", _took_no_time),
    ("that ended before they began", _ended_before_it_began),
)


def _far_off(records: Sequence[RunRecord]) -> Iterator[Finding]:
    works: dict[object, list[tuple[RunRecord, float]]] = defaultdict(list)
    for record in records:
        if record.figures is not None and record.figures.duration_seconds > 0:
            works[record.key].append((record, record.figures.duration_seconds))
    for repeats in works.values():
        if len(repeats) < _ENOUGH:
            continue
        middle = median(seconds for _, seconds in repeats)
        for record, seconds in repeats:
            if not middle / FAR_OFF <= seconds <= middle * FAR_OFF:
                text = f"it took {seconds:,.1f} s, and the median of this work is {middle:,.1f} s"
                yield Finding(Trouble.SUSPICIOUS, _name(record), text, (record.id,))


# Words


def _by_variant(records: Iterator[RunRecord] | Sequence[RunRecord]) -> list[tuple[Variant, list[RunRecord]]]:
    groups: dict[Variant, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(record.key.variant, []).append(record)
    return list(groups.items())


def _ids(records: Sequence[RunRecord]) -> tuple[int, ...]:
    return tuple(record.id for record in records)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def _listed(counts: dict[str, int]) -> str:
    named = [name if count == 1 else f"{name} ({count})" for name, count in list(counts.items())[:_NAMED]]
    more = len(counts) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _name(record: RunRecord) -> str:
    return f"{record.key.variant} on {record.case_id}, sample {record.sample}"
