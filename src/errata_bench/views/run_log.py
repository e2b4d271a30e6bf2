"""The records of a log in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from errata_bench.views.terminal import dollars, duration, plain

Record = Mapping[str, Any]


def record_line(record: Record) -> str | None:
    """A record as one line; None for what is said elsewhere."""
    tell = _WORDS.get(str(record["kind"]))
    if tell is None:
        return None
    return plain(f"{_place(record)}{tell(record)}")


def _place(record: Record) -> str:
    if "variant" not in record:
        return ""
    where = f"{record['variant']} on {record['case']}, sample {record['sample']}"
    if "chunk" in record:
        where += f", chunk {record['chunk']}"
    if "turn" in record:
        where += f", turn {record['turn']}"
    if "purpose" in record:
        where += f", {record['purpose']}"
    return f"{where}: "


def _attempt(record: Record) -> str:
    status = f" (HTTP {record['status']})" if record["status"] is not None and record["outcome"] != "ok" else ""
    said = f"{record['outcome']}{status} in {record['seconds']:.1f} s"
    if record["prompt_tokens"] is not None or record["completion_tokens"] is not None:
        said += f", {_known(record['prompt_tokens'])} tokens in, {_known(record['completion_tokens'])} out"
    said += f", {dollars(record['cost_usd'])}" if record["cost_usd"] is not None else ", cost unknown"
    if "spent_usd" in record:
        said += f" (spent {dollars(record['spent_usd'])}, set aside {dollars(record['reserved_usd'])})"
    return f"{said}: {record['message']}" if "message" in record else said


def _known(amount: int | None) -> str:
    return "?" if amount is None else f"{amount:,}"


def _turn_ended(record: Record) -> str:
    parts = [f"{number} × {what}" for what, number in {**record["calls"], **record["oddities"]}.items()]
    return ", ".join(parts) or "no calls"


def _started(record: Record) -> str:
    done = f", {record['chunks_done']} of them done" if record["chunks_done"] else ""
    return f"begins, {record['chunks']} chunks{done}"


_WORDS: Mapping[str, Callable[[Record], str]] = {
    "run_started": _started,
    "attempt": _attempt,
    "wait": lambda record: f"attempt {record['attempt']} failed, next in {record['seconds']:.1f} s",
    "adaptation": lambda record: f"requests adapted: {record['change']}, because of {record['fault']}",
    "pace": lambda record: f"{record['model']}: {record['at_a_time']} at a time",
    "outage": lambda record: f"Nothing answers; all requests wait until it does. {record['fault']}",
    "outage_over": lambda record: f"It answers again, after {duration(record['seconds'])}.",
    "turn_ended": _turn_ended,
    "chunk_ended": lambda record: "ended" if record["completed"] else "ended by the limit of turns",
    "judging_started": lambda _: "begins",
    "run_left": lambda _: "left; it can be taken up again",
    "log_lost": lambda record: f"The log could not be written any further: {record['reason']}.",
}

ALWAYS_TOLD = frozenset({"outage", "outage_over", "log_lost"})
"""Kinds of record that a person has to know of."""
