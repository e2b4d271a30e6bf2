"""The words in which an alignment is told: one step a token, and marks where a core begins and ends."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from errata_bench.scoring.aligned.tokens import is_space

CORRUPTED = -1
"""The branch of a core that is the wrong text; the others are numbered as in `Core.branches`."""
NOWHERE = -1


class Operation(IntEnum):
    """What happened to a token."""

    MATCH = 0
    CASE = 1
    """The same word in other capitals."""
    SUBSTITUTE = 2
    DELETE = 3
    INSERT = 4
    ENTER = 5
    """A core begins."""
    LEAVE = 6
    """A core ends."""


class Step(NamedTuple):
    """One step of a path through the lattice.

    ``before`` is the lattice's token (empty for an insertion), ``after`` the final one (empty for a deletion), ``at``
    the corrupted token's number or `NOWHERE`, ``core`` the core's number in its paragraph or `NOWHERE`, ``branch``
    the branch taken there.
    """

    operation: Operation
    before: str = ""
    after: str = ""
    at: int = NOWHERE
    core: int = NOWHERE
    branch: int = CORRUPTED

    @property
    def is_mark(self) -> bool:
        """Whether it only says where a core begins or ends."""
        return self.operation >= Operation.ENTER

    @property
    def is_space(self) -> bool:
        """Whether it is about white space."""
        return is_space(self.before or self.after)
