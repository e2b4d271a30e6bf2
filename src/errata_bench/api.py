"""Results in Python, for notebooks: runs, issues and variants of a group as plain records or data frames.

Everything is read from the group's file at each call, so a group that is being written shows its latest state; nothing
stays open and nothing is ever written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from errata_bench.errors import UserError
from errata_bench.results.aggregate import VariantSummary, ranked, summarise_runs
from errata_bench.results.exports.columns import ISSUE_COLUMNS, RUN_COLUMNS, Cell, Kind
from errata_bench.results.exports.rows import issue_rows, run_rows
from errata_bench.results.exports.trajectories import trajectories
from errata_bench.results.published import load_published
from errata_bench.store.group import Group, read_group
from errata_bench.store.open import group_path

Library = Literal["pandas", "polars"]
Record = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """The results of one group, or results that were published elsewhere.

    Records are dictionaries; their fields and units stand in ``docs/exports.md``. What is not known is None.
    """

    id: str
    path: Path | None
    """The group's file; None for published results, which have variants alone."""

    def runs(self) -> list[Record]:
        """One record a run. Raises `errata_bench.errors.StoreError`."""
        with self._read() as group:
            return [] if group is None else list(run_rows(group))

    def issues(self) -> list[Record]:
        """One record an issue of each successful run; for large groups see `iter_issues`."""
        return list(self.iter_issues())

    def iter_issues(self) -> Iterator[Record]:
        """The records of `issues` one after the other."""
        with self._read() as group:
            if group is not None:
                yield from issue_rows(group)

    def iter_trajectories(self) -> Iterator[dict[str, Any]]:
        """Everything that each run did, one run after the other."""
        with self._read() as group:
            if group is not None:
                yield from trajectories(group)

    def variants(self) -> list[Record]:
        """One record a variant under each set of settings, best first: the figures of the ranking."""
        if (published := load_published(self.id)) is not None and self.path is None:
            summaries: Sequence[VariantSummary] = published.summaries
        else:
            with self._read() as group:
                summaries = [] if group is None else ranked(summarise_runs(group.runs()))
        return [_variant_record(rank, summary) for rank, summary in enumerate(summaries, 1)]

    def runs_frame(self, library: Library | None = None) -> Any:
        """`runs` as a data frame of pandas or polars: of the one that is installed, pandas first, or of ``library``.

        Raises `errata_bench.errors.UserError` where it is not installed.
        """
        return _frame(self.runs(), {column.name: column.kind for column in RUN_COLUMNS}, library)

    def issues_frame(self, library: Library | None = None) -> Any:
        """`issues` as a data frame; see `runs_frame`."""
        return _frame(self.issues(), {column.name: column.kind for column in ISSUE_COLUMNS}, library)

    def variants_frame(self, library: Library | None = None) -> Any:
        """`variants` as a data frame; see `runs_frame`."""
        records = self.variants()
        kinds = {name: _kind([record[name] for record in records]) for name in (records[0] if records else ())}
        return _frame(records, kinds, library)

    @contextmanager
    def _read(self) -> Iterator[Group | None]:
        if self.path is None:
            yield None
        else:
            with read_group(self.path) as group:
                yield group


def open_group(group: str | Path, results_dir: str | Path | None = None) -> OpenGroup:
    """Open a group by its id, or by the path of its ``.sqlite`` file.

    An id is looked for in ``results_dir``; by default, as on the command line, in the folder that
    ``ERRATA_BENCH_RESULTS_DIR`` or ``.env`` names, else in ``results``. ``published-v1`` are the figures that ship with
    this package. Raises `errata_bench.errors.StoreError` for a group that is not there or cannot be used.
    """
    if isinstance(group, Path) or group.endswith(".sqlite"):
        path = Path(group).expanduser()
    else:
        if load_published(group) is not None:
            return OpenGroup(group, None)
        path = group_path(_results_dir(results_dir), group)
    with read_group(path):  # says now what is wrong, not at the first question
        return OpenGroup(path.stem, path)


def _results_dir(given: str | Path | None) -> Path:
    if given is not None:
        return Path(given).expanduser()
    from errata_bench.endpoint.settings import load_settings

    return load_settings().results_dir


def _variant_record(rank: int, summary: VariantSummary) -> Record:
    settings = summary.settings
    return {
        "rank": rank,
        "model": str(summary.variant),
        "base_model": summary.variant.model,
        "reasoning_effort": summary.variant.effort,
        "successful_runs": summary.successful_runs,
        "total_runs": summary.total_runs,
        "unfinished_runs": summary.unfinished_runs,
        "imported_runs": summary.imported_runs,
        "cases_counted": summary.cases_counted,
        "cases": summary.cases,
        "controls": summary.controls,
        "stability": summary.stability,
        "success_rate": summary.success_rate,
        "mean_quality_range": summary.mean_range,
        "median_quality_range": summary.median_range,
        **summary.figures,
        "endpoint": settings.endpoint,
        "judge": settings.judge,
        "max_words": settings.max_words,
        "max_turns": settings.max_turns,
        "prompt_version": settings.prompt_version,
    }


def _kind(cells: Sequence[Cell]) -> Kind:
    """The type of a column of these cells; a number where none is known."""
    known = [cell for cell in cells if cell is not None]
    if any(isinstance(cell, str) for cell in known):
        return "text"
    return "integer" if known and all(isinstance(cell, int) for cell in known) else "number"


def _frame(records: list[Record], kinds: Mapping[str, Kind], library: Library | None) -> Any:
    if library not in (None, "pandas", "polars"):
        raise UserError(f"there are no data frames of {library!r}", mend="use 'pandas' or 'polars'")
    if library != "polars":
        try:
            import pandas
        except ImportError as error:
            if library == "pandas":
                raise _not_installed("pandas is not installed") from error
        else:
            # Types that know "not there", so that a count that is missing makes no fractions of the others.
            types = {"text": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}
            frame = pandas.DataFrame(records, columns=list(kinds))
            return frame.astype({name: types[kind] for name, kind in kinds.items()})
    try:
        import polars
    except ImportError as error:
        raise _not_installed(
            "neither pandas nor polars is installed" if library is None else "polars is not installed"
        ) from error
    classes = {"text": polars.String, "integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean}
    return polars.DataFrame(records, schema={name: classes[kind] for name, kind in kinds.items()})


def _not_installed(message: str) -> UserError:
    return UserError(message, mend="install one of them with pip, or use the plain records: runs(), issues()")
