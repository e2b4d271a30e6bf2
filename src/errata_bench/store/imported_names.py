"""Which imported runs are the same by what their files call them, and whether what is said of one hangs together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from errata_bench.store.imported import KeptRun
from errata_bench.store.imported_figures import ImportedFigures
from errata_bench.store.imported_identity import IDENTITY_FIELD
from errata_bench.variants import Variant

_COUNTS = {"issues": "issues", "fixed": "fixed", "bad_fixes": "wrongly changed", "missed": "not addressed"}


class NamedRuns:
    """Imported runs that are found by their names."""

    def __init__(self, runs: Iterable[KeptRun] = ()) -> None:
        self._by_name: dict[tuple[object, ...], list[KeptRun]] = defaultdict(list)
        for run in runs:
            self.note(run)

    def note(self, run: KeptRun) -> None:
        """Let a run be found by what its attempt calls it now, too."""
        for name in names_of(run.attempt):
            of_name = self._by_name[run.case_id, run.variant, name]
            if not any(known is run for known in of_name):
                of_name.append(run)

    def same(self, case_id: str, variant: Variant, attempt: Mapping[str, Any]) -> list[KeptRun]:
        """The runs that an attempt is about, of the same case and variant."""
        names = names_of(attempt)
        found: dict[int, KeptRun] = {}
        for kind, name in names:
            for known in self._by_name.get((case_id, variant, (kind, name)), ()):
                # The name of a file tells only where nobody says what the run itself is called.
                by_file_alone = kind == "file" and _has_id(names) and _has_id(names_of(known.attempt))
                if not by_file_alone and _may_be_same(known.attempt.get("runNumber"), attempt.get("runNumber")):
                    found[id(known)] = known
        return list(found.values())


def names_of(attempt: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What an attempt calls its run: ids, and the name of its report's file, without its ending; kind and name."""
    names = [("id", attempt.get("runId")), ("id", attempt.get(IDENTITY_FIELD))]
    for field in ("reportArtifact", "runArtifact"):
        stem = _stem(attempt.get(field))
        run_id, told, _ = stem.partition("--")
        names.append(("id", run_id if told else None))
        if field == "reportArtifact":
            names.append(("file", stem))
    return list(dict.fromkeys((kind, name) for kind, name in names if isinstance(name, str) and name))


def together(of_report: ImportedFigures, of_attempt: ImportedFigures) -> ImportedFigures:
    """The figures of a run that both speak of: those of the attempt, which was published, and what it does not say."""
    return ImportedFigures({**of_report.values, **of_attempt.values})


def contradiction(said: ImportedFigures | None, other_said: ImportedFigures | None) -> str | None:
    """What an attempt and a report of one run disagree about, in words: the first count, or whether it failed."""
    if said is None or other_said is None:
        return "one of them says that the run failed"
    for name, words in _COUNTS.items():
        here, there = said.values.get(name), other_said.values.get(name)
        if here is not None and there is not None and here != there:
            return f"{here:g} {words} here, {there:g} there"
    return None


def _stem(path: object) -> str:
    name = re.split(r"[\\/]", path)[-1] if isinstance(path, str) else ""
    return name.removesuffix(".json")


def _has_id(names: Iterable[tuple[str, str]]) -> bool:
    return any(kind == "id" for kind, _ in names)


def _may_be_same(one: object, other: object) -> bool:
    return one is None or other is None or one == other
