"""What the taxonomy says of a kind of error, and the closed sets of words it says it with (contract C3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["minor", "major"]
EditScope = Literal["character", "token", "phrase", "clause", "sentence", "discourse"]
OperationType = Literal[
    "substitution", "omission", "insertion", "transposition", "duplication", "agreement_mismatch", "boundary_error"
]
Dimension = Literal["orthographic", "lexical", "grammatical", "punctuation", "semantic", "stylistic"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
EDIT_SCOPES: tuple[EditScope, ...] = get_args(EditScope)
OPERATION_TYPES: tuple[OperationType, ...] = get_args(OperationType)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

ValidWord = Literal["always", "usually", "seldom", "never", "no_word"]
"""Whether the error leaves words that a dictionary has; ``no_word`` where no word's letters change."""


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of error.

    ``edit_scope``, ``operation`` and ``severity`` are the usual ones: a single error may have others. ``operation``
    names what was done to the right text to spoil it, so that an *omission* is mended by putting something in.
    """

    parent: str
    child: str
    definition: str
    wrong: str
    """An example, as it stands in a spoilt text."""
    right: str
    """The same example, mended."""
    edit_scope: EditScope
    operation: OperationType
    dimension: Dimension
    severity: Severity
    valid_word: ValidWord

    @property
    def label(self) -> str:
        """``parent.child``, as case files name it."""
        return f"{self.parent}.{self.child}"

    @property
    def creates_valid_word(self) -> bool | None:
        """True or false where the kind of error alone decides it, else None."""
        return {"always": True, "never": False}.get(self.valid_word)
