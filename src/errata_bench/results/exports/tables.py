"""Runs and issues as tables: CSV, Parquet, and both in one JSON file. All are written row by row."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson

from errata_bench.errors import UserError
from errata_bench.results.exports.columns import ISSUE_COLUMNS, RUN_COLUMNS, Cell, IssueColumn, Row, RunColumn
from errata_bench.results.exports.rows import issue_rows, run_rows
from errata_bench.results.exports.writing import Folder
from errata_bench.store.group import Group

_ROWS_AT_A_TIME = 5_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Columns = tuple[RunColumn, ...] | tuple[IssueColumn, ...]


def export_csv(group: Group, folder: Folder) -> None:
    """Write ``runs.csv`` and ``issues.csv``: UTF-8, a line of names, then the rows.

    What is not known is empty; true and false are 1 and 0. A text that a spreadsheet would take for a formula has an
    apostrophe before it: some come from models.
    """
    for name, columns, rows in _tables(group):
        names = [column.name for column in columns]
        with folder.file(f"{name}.csv") as stream:
            writer = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
            writer.writerow(names)
            for row in rows:
                writer.writerow([_csv_cell(row[name]) for name in names])


def export_json(group: Group, folder: Folder) -> None:
    """Write ``group.json``: one object with ``runs`` and ``issues``."""
    with folder.file("group.json") as stream:
        stream.write(b'{"format": "errata-bench-group", "version": 1, "group": ' + orjson.dumps(group.id))
        for name, _, rows in _tables(group):
            stream.write(b',\n"' + name.encode() + b'": [')
            separator = b"\n"
            for row in rows:
                stream.write(separator + orjson.dumps(row))
                separator = b",\n"
            stream.write(b"\n]")
        stream.write(b"\n}\n")


def export_parquet(group: Group, folder: Folder) -> None:
    """Write ``runs.parquet`` and ``issues.parquet``. Raises `UserError` where pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise UserError(
            "Parquet needs pyarrow, which is not installed",
            mend="install it with: pip install 'errata-bench[parquet]'; or choose --format csv",
        ) from error
    kinds = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }
    for name, columns, rows in _tables(group):
        schema = pyarrow.schema([(column.name, kinds[column.kind]) for column in columns])
        with folder.file(f"{name}.parquet") as stream, parquet.ParquetWriter(stream, schema) as writer:
            for batch in _batches(rows):
                writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))


def _tables(group: Group) -> Iterator[tuple[str, Columns, Iterable[Row]]]:
    yield "runs", RUN_COLUMNS, run_rows(group)
    yield "issues", ISSUE_COLUMNS, issue_rows(group)


def _csv_cell(value: Cell) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _ROWS_AT_A_TIME)):
        yield batch
