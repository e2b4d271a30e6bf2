"""What all kinds of files share on the way in: JSON, and telling everything that is wrong at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import Field, ValidationError

from errata_bench.cases.files import field_name, plain_problem
from errata_bench.errors import UserError

_FAULTS_SHOWN = 10

Count = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=0, le=10**9)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1)]


def read_json(path: Path) -> Any:
    """The content of a file. Raises `UserError` for one that cannot be read or is no JSON."""
    try:
        return orjson.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}", mend="name JSON files that are there"
        ) from error
    except orjson.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{path} is not JSON: {error.msg} ({where})", mend="name JSON files") from error


def faults_of(where: str, error: ValidationError) -> Iterator[str]:
    """What is wrong with one object, field by field; ``where`` names it within its file."""
    for fault in error.errors(include_url=False):
        yield fault_line(where, field_name(fault["loc"]), plain_problem(fault["msg"]))


def fault_line(where: str, field: str, problem: str) -> str:
    """One line on one field; ``where`` is empty for a file that is one object."""
    return f"  {'.'.join(part for part in (where, field) if part) or 'the file'}: {problem}"


def refuse_if(path: Path, faults: Sequence[str], mend: str) -> None:
    """Raise `UserError` with these faults, if there are any; the first ones in full, the others counted."""
    if faults:
        shown = list(faults[:_FAULTS_SHOWN])
        if len(faults) > len(shown):
            shown.append(f"  and {len(faults) - len(shown)} more")
        raise UserError(f"{path} cannot be read in:\n" + "\n".join(shown), mend=mend)
