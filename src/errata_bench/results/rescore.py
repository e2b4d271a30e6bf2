"""Verdicts and figures again, from the documents that are stored; no model is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.results.disqualifying import Disqualified, apply_disqualified
from errata_bench.results.rescorer import (
    Prepare,
    Progress,
    Rescorer,
    Scorer,
    VariantChange,
    no_preparation,
    no_progress,
)
from errata_bench.store.group import Group
from errata_bench.store.records import RunStatus


@dataclass(frozen=True, slots=True)
class RescoreReport:
    """What changed: disqualified issues, and verdicts and figures by variant.

    ``without_documents`` runs were made elsewhere and stay as they are.
    """

    disqualified: Disqualified
    variants: tuple[VariantChange, ...]
    without_documents: int

    @property
    def changed_runs(self) -> int:
        """How many runs have other verdicts or figures now."""
        return sum(variant.changed_runs for variant in self.variants)


def rescore_group(
    group: Group,
    score: Scorer,
    dataset: Iterable[Case] = (),
    *,
    prepare: Prepare = no_preparation,
    progress: Progress = no_progress,
) -> RescoreReport:
    """Score all successful runs again, under the disqualified issues of a dataset.

    Each run, and each case whose disqualified issues change, is written by itself: broken off at any point, all that is
    written is right, and doing it again does the rest. Raises `StoreError`.
    """
    rescorer = Rescorer(group, score, prepare)
    disqualified = apply_disqualified(group, rescorer, dataset)
    rescorer.without_documents = 0
    records = [record for record in group.runs() if record.status is RunStatus.SUCCEEDED]
    for done, record in enumerate(records, 1):
        rescorer.rescore(record)
        progress(done, len(records))
    return RescoreReport(disqualified, rescorer.changes(), rescorer.without_documents)
