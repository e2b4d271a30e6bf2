"""The figures of a run that was made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errata_bench.scoring.figures import RunFigures


@dataclass(frozen=True, slots=True)
class ImportedFigures:
    """The figures of a run that was made elsewhere, as far as they were published.

    It answers to the names of `RunFigures`; what was not published is None, never 0. ``values`` are by these names and
    in the same units.
    """

    values: Mapping[str, float]

    @property
    def is_control(self) -> bool:
        """Whether the case has no issue that counts."""
        return self.values.get("issues") == 0

    def __getattr__(self, name: str) -> float | None:
        if name.startswith("_") or not hasattr(RunFigures, name):
            raise AttributeError(name)
        return self.values.get(name)
