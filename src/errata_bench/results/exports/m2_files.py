"""A group in M2, for ERRANT and its like: a folder a case with a reference and a hypothesis for each run."""

from __future__ import annotations

from collections import defaultdict

from errata_bench.errors import DatasetError
from errata_bench.results.exports.writing import Folder, safe_name
from errata_bench.results.m2 import Hypotheses, format_m2, reference_m2
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus


def export_m2(group: Group, folder: Folder) -> list[str]:
    """Write ``<case>/reference.m2`` and ``<case>/<model>-s<sample>-run<n>.m2`` for each successful run with documents.

    All files of a case have the same ``S`` lines, as ``errant_compare`` needs it. Returns what was left out, in words.
    """
    remarks = []
    runs: dict[str, list[RunRecord]] = defaultdict(list)
    elsewhere = 0
    for record in group.runs():
        if record.status is RunStatus.SUCCEEDED and record.figures is not None:
            runs[record.key.fingerprint].append(record)
        elsewhere += record.imported is not None
    if elsewhere:
        remarks.append(f"{elsewhere:,} imported runs have no documents and are left out")
    names = _names(runs)
    for fingerprint, records in runs.items():
        case = group.case(fingerprint)
        if case is None:
            continue
        try:
            reference = reference_m2(case)
        except DatasetError as error:
            remarks.append(f"case {case.id} is left out: {error.message}")
            continue
        with folder.file(f"{names[fingerprint]}/reference.m2") as stream:
            stream.write(format_m2(reference).encode())
        hypotheses = Hypotheses(case)
        for record in records:
            name = f"{safe_name(str(record.key.variant))}-s{record.sample}-run{record.id}.m2"
            with folder.file(f"{names[fingerprint]}/{name}") as stream:
                stream.write(hypotheses.text(group.changed_paragraphs(record.id)).encode())
    return remarks


def _names(runs: dict[str, list[RunRecord]]) -> dict[str, str]:
    """A folder for each version of each case; where two would be alike, the fingerprint tells them apart."""
    plain: dict[str, list[str]] = defaultdict(list)
    for fingerprint, records in runs.items():
        plain[safe_name(records[0].case_id).casefold()].append(fingerprint)
    return {
        fingerprint: safe_name(runs[fingerprint][0].case_id) + (f"-{fingerprint[:8]}" if len(alike) > 1 else "")
        for alike in plain.values()
        for fingerprint in alike
    }
