"""Variants: a model id and a reasoning effort, written ``org/model:effort``."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from errata_bench.errors import UserError

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
"""The reasoning efforts, weakest first."""

DEFAULT_EFFORT = "medium"

BASELINE_ORG = "baseline"


KNOWN_ENDINGS = ("beta", "exacto", "extended", "floor", "free", "nitro", "online", "thinking")
"""What OpenRouter lets stand behind a colon in the id of a model."""

_LIKE_EFFORTS = ("auto", "default", "extreme", "max", "maximum", "normal", "off", "ultra")
"""Words that somebody may take for efforts and that resemble none."""
_RESEMBLES = 0.6
"""The least ratio of `difflib` at which an ending resembles an effort: `med` and `medium` have 0.67."""


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


def ending_remark(variant: Variant, *, any_unknown: bool) -> str | None:
    """What has to be said where a model's id ends in what may have been meant as an effort; None where it does not.

    With ``any_unknown`` every ending is remarked on but `KNOWN_ENDINGS`, as at OpenRouter; elsewhere, where ids end in
    sizes (``llama3.2:1b``), only one that resembles an effort.
    """
    _, colon, ending = variant.model.rpartition(":")
    if not colon or variant.is_baseline or ending in KNOWN_ENDINGS:
        return None
    word = ending.casefold()
    close = difflib.get_close_matches(word, EFFORTS, n=1, cutoff=_RESEMBLES)
    if not (any_unknown or close or word in _LIKE_EFFORTS):
        return None
    meant = f"; did you mean {close[0]}?" if close else "."
    return (
        f"{variant.model} is taken for the whole id of a model, run at {variant.effort}: {ending!r} is no reasoning "
        f"effort ({', '.join(EFFORTS)}){meant}"
    )
