"""By which verdict variants can be ranked; imports nothing, because the command line needs it at its start."""

from __future__ import annotations

from enum import StrEnum


class Rule(StrEnum):
    """By what variants are ranked."""

    V1 = "v1"
    """Quality by rule v1: comparable with published results."""
    ALIGNED = "aligned"
    """Quality by the aligned verdict."""
