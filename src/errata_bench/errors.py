"""Every error this project raises on purpose.

::

    ErrataBenchError
    ├── UserError              something the user can mend: a flag, a file, a setting, a key (exit code 2)
    │   ├── SettingsError      a setting is missing or has a value that cannot be used
    │   ├── DatasetError       case files with faults; carries all of them
    │   └── StoreError         a results file is locked, foreign, newer than this version, or damaged
    ├── EndpointFault          a request to a model failed; says what kind and what that stops
    └── InternalError          a bug in this program

A fault that could be judged, priced or counted as something else is never swallowed into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ErrataBenchError(Exception):
    """Base of all errors of this project."""


class UserError(ErrataBenchError):
    """A mistake that the user can mend.

    ``mend`` says what to do about it; it is printed on a line of its own.
    """

    def __init__(self, message: str, *, mend: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class SettingsError(UserError):
    """A setting is missing or unusable."""


@dataclass(frozen=True, slots=True)
class DatasetFault:
    """One fault of a case file: where it is and what is wrong."""

    file: str
    problem: str
    case: str | None = None
    issue: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.case is not None:
            parts.append(f"case {self.case}")
        if self.issue is not None:
            parts.append(f"issue {self.issue}")
        if self.field is not None:
            parts.append(self.field)
        return f"{', '.join(parts)}: {self.problem}"


class DatasetError(UserError):
    """Case files have faults; ``faults`` holds all of them, so that they can be mended in one go."""

    def __init__(self, faults: Sequence[DatasetFault]) -> None:
        self.faults = tuple(faults)
        head = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__(f"{head} in the dataset:\n" + "\n".join(f"  {fault}" for fault in self.faults))


class StoreError(UserError):
    """A results file cannot be used; it has been left as it was."""


class Reach(StrEnum):
    """How far a fault of an endpoint reaches."""

    RETRY = "retry"
    """The same request may succeed later."""
    RUN = "run"
    """This run has failed; others may succeed."""
    VARIANT = "variant"
    """No run of this variant can succeed (unknown model, no tool support, context too small)."""
    ALL = "all"
    """No run at this endpoint can succeed (bad key, no credit, wrong URL, TLS)."""


class EndpointFault(ErrataBenchError):
    """A request to a model failed.

    ``kind`` is a short stable word such as ``rate_limited`` or ``invalid_key``; ``status`` the HTTP status, if
    there was one; ``retry_after`` seconds the server asked to wait. ``message`` is short and holds no secret.
    ``chunk`` is the chunk (from 0) that was being worked on, as far as whoever raised it knows.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        reach: Reach,
        status: int | None = None,
        retry_after: float | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.reach = reach
        self.status = status
        self.retry_after = retry_after
        self.mend = mend
        self.chunk = 0

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status is not None else ""
        return f"{self.kind}{status}: {self.message}"


class InternalError(ErrataBenchError):
    """A bug in this program, not a mistake of its user."""
