"""Variants: a model id and a reasoning effort, written ``org/model:effort``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from errata_bench.errors import UserError

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
"""The reasoning efforts, weakest first."""

DEFAULT_EFFORT = "medium"

BASELINE_ORG = "baseline"


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    """A model id with a reasoning effort; baselines have no effort."""

    model: str
    effort: str | None = DEFAULT_EFFORT

    @property
    def is_baseline(self) -> bool:
        """Whether this names an offline proofreader of this project."""
        return self.model.startswith(f"{BASELINE_ORG}/")

    def __str__(self) -> str:
        return self.model if self.effort is None else f"{self.model}:{self.effort}"


def parse_variant(text: str) -> Variant:
    """Read ``org/model:effort``.

    A suffix after the last colon that is no effort belongs to the model id (QUIRKS Q87), as in
    ``qwen/qwen3.6-plus:free``; without an effort it is ``medium``. Raises `UserError` when no model is left.
    """
    text = text.strip()
    head, colon, tail = text.rpartition(":")
    if colon and tail in EFFORTS:
        model, effort = head, tail
    else:
        model, effort = text, DEFAULT_EFFORT
    if not model or re.search(r"\s|[\x00-\x1f\x7f\ud800-\udfff]", model):
        raise UserError(
            f"{text!r} is no model variant",
            mend=f"write org/model or org/model:effort; efforts are {', '.join(EFFORTS)}",
        )
    variant = Variant(model, effort)
    return Variant(model, None) if variant.is_baseline else variant
