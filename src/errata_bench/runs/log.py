"""The log of an invocation: one JSON object a line, by which a person can follow a run turn by turn.

It holds no text of a document and no secret: what a model did to a text is in the store.
"""

from __future__ import annotations

import io
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from errata_bench.chat import Attempt
from errata_bench.endpoint.events import Event, EventKind
from errata_bench.errors import EndpointFault, UserError
from errata_bench.proofreading.loop import ChunkResult
from errata_bench.runs.budget import Budget
from errata_bench.runs.engine import RunObserver
from errata_bench.runs.plan import PlannedRun
from errata_bench.scoring.figures import RunFigures

Record = Mapping[str, Any]
"""A line of the log: ``at`` (ISO 8601, UTC), ``kind``, and what belongs to the kind."""

_ANY_KEYS = orjson.OPT_NON_STR_KEYS

_OF_NO_RUN = frozenset({EventKind.OUTAGE, EventKind.OUTAGE_OVER, EventKind.PACE})

_place: ContextVar[Record] = ContextVar("place", default=MappingProxyType({}))
"""The run, chunk and turn that the current task is about."""


def log_path(group: Path, at: float) -> Path:
    """Where the log of an invocation is kept, beside the group's file."""
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return group.parent / "logs" / f"{group.stem}-{moment}.jsonl"


class RunLog:
    """Writes records as they come, each redacted; before `opened` they are only told."""

    def __init__(
        self,
        redact: Callable[[str], str],
        listen: Callable[[Record], None],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.budget: Budget | None = None
        self._redact = redact
        self._listen = listen
        self._clock = clock
        self._file: io.FileIO | None = None

    @contextmanager
    def opened(self, group: Path) -> Iterator[None]:
        """Keep a file while the context lasts; raises `UserError` when it cannot be written."""
        self._open(group)
        try:
            yield
        finally:
            self._close()

    def _open(self, group: Path) -> None:
        path = log_path(group, self._clock())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb", buffering=0)  # a record is on its way at once, or its fault is known at once
        except OSError as error:
            raise UserError(f"the log {path} cannot be written ({error.strerror})") from None

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def write(self, kind: str, details: Record, place: Record | None = None) -> None:
        """Write a record; ``place`` is the run it is about, by default that of the current task."""
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        where = _place.get() if place is None else place
        record: Record = {"at": at, "kind": kind, **where, **details}
        line = orjson.dumps(record, default=_plain, option=_ANY_KEYS)
        text = line.decode()
        # Nearly all records hold no secret, which one look at the line shows. Only what is escaped in it (a line break
        # before a key, say) could hide one there.
        if "\\" in text or self._redact(text) != text:
            record = _redacted(record, self._redact)
            line = orjson.dumps(record, default=_plain, option=_ANY_KEYS)
        if self._file is not None:
            try:
                self._file.write(line + b"\n")
            except OSError as error:
                # Results matter more than the log of how they came about.
                self._close()
                self._listen({"at": at, "kind": "log_lost", "reason": error.strerror})
        self._listen(record)

    def event(self, event: Event) -> None:
        """Write what the endpoint tells: an `EventSink`."""
        self.write(event.kind, event.details, {} if event.kind in _OF_NO_RUN else None)


class LoggedRuns:
    """A `RunObserver` that writes to a log and hands everything on."""

    def __init__(self, log: RunLog, inner: RunObserver) -> None:
        self._log = log
        self._inner = inner

    def started(self, run: PlannedRun) -> None:
        """Note which run the task is about."""
        _place.set(_of(run))
        self._log.write("run_started", {"chunks": len(run.chunks), "chunks_done": run.chunks_done})
        self._inner.started(run)

    def turn_started(self, run: PlannedRun, chunk: int, turn: int) -> None:
        """Note which turn the task is about; chunks count from 1 in the log."""
        _place.set({**_of(run), "chunk": chunk + 1, "turn": turn})
        self._log.write("turn_started", {})
        self._inner.turn_started(run, chunk, turn)

    def attempted(self, run: PlannedRun, attempt: Attempt) -> None:
        """Log a request and what is spent after it."""
        usage = attempt.usage
        details: dict[str, Any] = {
            "outcome": attempt.outcome,
            "status": attempt.status,
            "seconds": round(attempt.duration_seconds, 3),
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "cached_prompt_tokens": usage.cached_prompt_tokens,
            "cost_usd": attempt.cost_usd,
        }
        if attempt.message is not None:
            details["message"] = attempt.message
        if self._log.budget is not None:
            state = self._log.budget.state
            details |= {"spent_usd": round(state.spent_usd, 6), "reserved_usd": round(state.reserved_usd, 6)}
        self._log.write("attempt", details)
        self._inner.attempted(run, attempt)

    def chunk_ended(self, run: PlannedRun, chunk: int, result: ChunkResult) -> None:
        """Log what the turns of a chunk came to."""
        place = {**_of(run), "chunk": chunk + 1}
        for number, turn in enumerate(result.turns, 1):
            calls = Counter(f"{call.name} {'ok' if call.ok else 'refused'}" for call in turn.calls)
            details = {"calls": dict(calls), "oddities": dict(turn.oddities), "finish_reason": turn.finish_reason}
            self._log.write("turn_ended", details, {**place, "turn": number})
        self._log.write("chunk_ended", {"completed": result.completed}, place)
        self._inner.chunk_ended(run, chunk, result)

    def judging_started(self, run: PlannedRun) -> None:
        """Note that what follows is about the judge."""
        _place.set({**_of(run), "purpose": "judge"})
        self._log.write("judging_started", {})
        self._inner.judging_started(run)

    def succeeded(self, run: PlannedRun, figures: RunFigures) -> None:
        """Log the end of a run."""
        self._log.write("run_succeeded", {"fixed": figures.fixed, "issues": figures.issues}, _of(run))
        self._inner.succeeded(run, figures)

    def failed(self, run: PlannedRun, fault: EndpointFault) -> None:
        """Log why a run cannot go on."""
        self._log.write("run_failed", {"fault": str(fault), "reach": fault.reach, "mend": fault.mend}, _of(run))
        self._inner.failed(run, fault)

    def left(self, run: PlannedRun) -> None:
        """Log that a run was left to be taken up again."""
        self._log.write("run_left", {}, _of(run))
        self._inner.left(run)


def _of(run: PlannedRun) -> Record:
    return {"variant": str(run.variant), "case": run.case.id, "sample": run.sample}


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, (int, float)):  # most values, and no secrets
        return value
    if isinstance(value, Mapping):
        return {str(key): _redacted(item, redact) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(item, redact) for item in value]
    return value
