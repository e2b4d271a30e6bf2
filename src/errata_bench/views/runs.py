"""The runs of a group as a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from errata_bench.results.detail.entries import entry_labels, entry_of
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import NOT_AVAILABLE, count, dollars, duration, number, plain

STATUS_WORDS = {RunStatus.SUCCEEDED: "ok", RunStatus.FAILED: "failed", RunStatus.RUNNING: "unfinished"}


def print_runs(console: Console, records: Sequence[RunRecord]) -> None:
    """Print one line a run: its number first, by which it can be looked at."""
    labels = entry_labels(entry_of(record) for record in records)
    digits = max([len("run"), *(len(str(record.id)) for record in records)])
    rows = []
    for record in records:
        figures = record.measured
        label = f"{record.id:>{digits}} {plain(labels[entry_of(record)])} {plain(record.case_id)}"
        rows.append(
            (
                label,
                (
                    str(record.sample),
                    STATUS_WORDS[record.status],
                    NOT_AVAILABLE if record.imported is not None else f"{record.chunks_done}/{record.chunk_count}",
                    str(record.failures),
                    number(figures.quality if figures else None),
                    duration(figures.duration_seconds if figures else None),
                    dollars(figures.cost_usd if figures else None),
                ),
            )
        )
    heads = ("sample", "state", "chunks", "faults", "quality", "time", "cost")
    print_figures(console, FigureTable(heads, f"{'run':>{digits}} model, case", rows))
    console.print(Text(f"{count(len(records), 'run')}. One of them wholly: errata-bench view run GROUP RUN", "dim"))


def runs_json(group_id: str, records: Sequence[RunRecord]) -> str:
    """The runs as JSON (ASCII)."""
    return json.dumps({"group": group_id, "runs": [run_fields(record) for record in records]}, indent=2)


def run_fields(record: RunRecord) -> dict[str, Any]:
    """A run's record in JSON, with the rates that follow from its counts."""
    figures, measured = record.figures, record.measured
    return {
        "run": record.id,
        "model": str(record.key.variant),
        "base_model": record.key.variant.model,
        "reasoning_effort": record.key.variant.effort,
        "case": record.case_id,
        "fingerprint": record.key.fingerprint,
        "sample": record.sample,
        "status": record.status.value,
        "chunks": record.chunk_count if record.imported is None else None,
        "chunks_done": record.chunks_done if record.imported is None else None,
        "faults": record.failures,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "settings": asdict(record.key.settings),
        "imported": record.imported is not None,
        "quality": measured.quality if measured else None,
        "cost_usd": measured.cost_usd if measured else None,
        "figures": asdict(figures) if figures else None,
    }
