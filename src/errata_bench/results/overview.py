"""What a group holds, and how far it has come: for whoever reads its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata_bench.store.records import RunRecord, RunSettings, RunStatus, Spend


@dataclass(frozen=True, slots=True)
class Overview:
    """A group in numbers.

    ``models`` counts model ids, ``variants`` these with their efforts. ``first_at`` and ``last_at`` are seconds since
    1970 (UTC), None for an empty group. ``failures`` counts attempts that could not go on, of runs that succeeded later
    too. ``settings`` are those of runs that ask an endpoint, or of the baselines where there are no others, the
    commonest first. ``whole_cells`` of ``cells`` (variants × cases) have a successful run.
    """

    models: int
    variants: int
    cases: int
    runs: int
    succeeded: int
    failed: int
    running: int
    failures: int
    first_at: float | None
    last_at: float | None
    settings: tuple[RunSettings, ...]
    spend: Spend
    cells: int
    whole_cells: int


def overview_of(records: Sequence[RunRecord], spend: Spend) -> Overview:
    """Count what there is."""
    entries = {(record.key.variant, record.key.settings) for record in records}
    cases = {record.key.fingerprint for record in records}
    by_status = {status: sum(record.status is status for record in records) for status in RunStatus}
    times = [at for record in records for at in (record.started_at, record.ended_at) if at is not None]
    uses: dict[RunSettings, int] = {}
    asked = [record for record in records if not record.key.variant.is_baseline] or records
    for record in asked:
        uses[record.key.settings] = uses.get(record.key.settings, 0) + 1
    whole = {
        (record.key.variant, record.key.settings, record.key.fingerprint)
        for record in records
        if record.status is RunStatus.SUCCEEDED
    }
    return Overview(
        models=len({record.key.variant.model for record in records}),
        variants=len({record.key.variant for record in records}),
        cases=len(cases),
        runs=len(records),
        succeeded=by_status[RunStatus.SUCCEEDED],
        failed=by_status[RunStatus.FAILED],
        running=by_status[RunStatus.RUNNING],
        failures=sum(record.failures for record in records),
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        settings=tuple(sorted(uses, key=lambda one: -uses[one])),
        spend=spend,
        cells=len(entries) * len(cases),
        whole_cells=len(whole),
    )
