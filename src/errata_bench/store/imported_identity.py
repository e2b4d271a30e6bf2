"""What tells a run of ours from all others wherever it is taken, so that its export is known when it comes back."""

from __future__ import annotations

import hashlib

import orjson

from errata_bench.store.identity import KEY_COLUMNS, key_values
from errata_bench.store.records import Failure, RunRecord

IDENTITY_FIELD = "errataBenchRun"
"""The field of an exported attempt that holds it."""

# What a run keeps for life: disqualified issues give it another case version, rescoring another judge, and a merge
# another number and sample. The same columns by which `errata_bench.store.merging` knows a run again.
_FOR_LIFE = tuple(column not in ("fingerprint", "judge") for column in KEY_COLUMNS)


def run_identity(record: RunRecord) -> str:
    """SHA-256, in hex, over what a run made here keeps for life."""
    kept = [value for value, stays in zip(key_values(record.key), _FOR_LIFE, strict=True) if stays]
    return hashlib.sha256(orjson.dumps([*kept, record.case_id, record.started_at])).hexdigest()


def failure_identity(record: RunRecord, failure: Failure) -> str:
    """SHA-256, in hex, over a run and one time that it could not go on."""
    what = [run_identity(record), failure.at, failure.kind, failure.message]
    return hashlib.sha256(orjson.dumps(what)).hexdigest()
