"""What the store hands out and takes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from errata_bench.scoring.figures import RunFigures
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.variants import Variant

Measured = RunFigures | ImportedFigures
"""The figures of a run: made here, or read in from elsewhere."""


NOT_KNOWN = -1
"""Stands for a limit in the settings of a run that was made elsewhere, of which nobody has said it."""


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    """Begun and not ended: at work now, or interrupted."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What has to agree, besides variant and case, for results to be comparable (C8).

    ``max_words`` is a chunk's limit (0: none), ``judge`` is empty for none, ``reasoning`` the options sent with the
    effort, as JSON.
    """

    endpoint: str
    max_words: int
    max_turns: int
    prompt_version: str
    judge: str
    max_completion_tokens: int
    reasoning: str = "{}"


@dataclass(frozen=True, slots=True)
class RunKey:
    """The identity of a piece of work (C8). Runs that agree in it are repeats of each other."""

    settings: RunSettings
    variant: Variant
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run as it is stored.

    ``failures`` counts how often it could not go on; ``figures`` are there once it has succeeded. A run that was made
    elsewhere has ``imported`` figures in their place, and nothing else: no chunks, no verdicts, no final document.
    """

    id: int
    key: RunKey
    case_id: str
    sample: int
    status: RunStatus
    chunk_count: int
    chunks_done: int
    failures: int
    started_at: float
    ended_at: float | None
    figures: RunFigures | None
    imported: ImportedFigures | None = None

    @property
    def measured(self) -> Measured | None:
        """The figures, wherever it was made."""
        return self.figures if self.figures is not None else self.imported


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run could not go on, at which chunk (from 0), and when (seconds since 1970)."""

    at: float
    chunk: int
    kind: str
    status: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Spend:
    """What requests cost so far: US dollars where known, and how many requests nobody knows the price of."""

    usd: float
    requests: int
    unpriced_requests: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A finished chunk: the inner HTML of the paragraphs that it changed, by id."""

    chunk: int
    completed: bool
    changed: Mapping[str, str]
