"""What a group lacks: the runs that are still to be made, and those to be taken up again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.store.records import RunKey, RunRecord, RunSettings, RunStatus
from errata_bench.variants import Variant


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """One run to make, or to go on with: its first ``chunks_done`` chunks are stored. Equal to itself alone."""

    case: Case
    key: RunKey
    sample: int
    chunks: tuple[Document, ...]
    chunks_done: int = 0

    @property
    def variant(self) -> Variant:
        """The variant that is to do it."""
        return self.key.variant

    def __str__(self) -> str:
        return f"{self.variant} on {self.case.id}, sample {self.sample}"


@dataclass(frozen=True, slots=True)
class Plan:
    """All the work that was asked for: runs to do, in order, and runs that are stored."""

    todo: tuple[PlannedRun, ...]
    done: tuple[RunRecord, ...]

    @property
    def total(self) -> int:
        """How many runs were asked for."""
        return len(self.todo) + len(self.done)

    @property
    def resumed(self) -> int:
        """How many of the runs to do have stored chunks."""
        return sum(run.chunks_done > 0 for run in self.todo)


def make_plan(
    cases: Sequence[Case],
    variants: Sequence[Variant],
    settings_of: Callable[[Variant], RunSettings],
    samples: int,
    records: Iterable[RunRecord],
) -> Plan:
    """Work out what is missing for ``samples`` successful runs of each variant on each case.

    Runs come sample by sample and alternate between the variants, so that every variant has a first run on every
    case early, and one slow provider does not hold up the rest. What is the same work (a variant named twice, a case
    that another one repeats word for word) is planned once.
    """
    stored = {(record.key, record.sample): record for record in records}
    chunks: dict[tuple[str, int], tuple[Document, ...]] = {}
    planned: set[tuple[RunKey, int]] = set()
    todo: list[PlannedRun] = []
    done: list[RunRecord] = []
    for sample in range(1, samples + 1):
        for case in cases:
            for variant in variants:
                settings = settings_of(variant)
                key = RunKey(settings, variant, case.fingerprint)
                if (key, sample) in planned:
                    continue
                planned.add((key, sample))
                record = stored.get((key, sample))
                if record is not None and record.status is RunStatus.SUCCEEDED:
                    done.append(record)
                    continue
                size = (case.fingerprint, settings.max_words)
                if size not in chunks:
                    chunks[size] = split_into_chunks(case.document, settings.max_words)
                todo.append(PlannedRun(case, key, sample, chunks[size], record.chunks_done if record else 0))
    return Plan(tuple(todo), tuple(done))
