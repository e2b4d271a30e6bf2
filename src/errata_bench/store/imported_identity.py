"""What tells a run of ours from all others wherever it is taken, by a merge or by the export of its group."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from errata_bench.store.identity import KEY_COLUMNS, key_values
from errata_bench.store.records import Failure, RunRecord

IDENTITY_FIELD = "errataBenchRun"
"""The field of an exported attempt that holds it."""

FOR_LIFE = (*(column for column in KEY_COLUMNS if column not in ("fingerprint", "judge")), "case_id", "started_at")
"""The columns that a run keeps for life.

Disqualified issues give it another version of its case, rescoring another judge, and a merge another number and sample.
"""


def identity_of(row: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over what a run made here keeps for life, by the names of the columns."""
    return hashlib.sha256(orjson.dumps([row[column] for column in FOR_LIFE])).hexdigest()


def run_identity(record: RunRecord) -> str:
    """`identity_of` a run that is not at hand as a row."""
    values = dict(zip(KEY_COLUMNS, key_values(record.key), strict=True))
    return identity_of({**values, "case_id": record.case_id, "started_at": record.started_at})


def failure_identity(record: RunRecord, failure: Failure) -> str:
    """SHA-256, in hex, over a run and one time that it could not go on."""
    return failure_identity_of(run_identity(record), failure.at, failure.kind, failure.message)


def failure_identity_of(run: str, at: float, kind: str, message: str) -> str:
    """`failure_identity` of a run that is known by its identity."""
    return hashlib.sha256(orjson.dumps([run, at, kind, message])).hexdigest()
