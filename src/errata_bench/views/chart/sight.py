"""What is being looked at: variants, two axes, and what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from errata_bench.results.aggregate import VariantSummary
from errata_bench.results.detail.narrowing import best_variants
from errata_bench.views.chart.axes import Axis, all_axes
from errata_bench.views.chart.points import Scatter, scatter


@dataclass(frozen=True, slots=True)
class Sight:
    """A group's variants, best first, on two axes.

    ``best_only`` keeps of each model the effort that ranks first, ``dominant`` highlights the Pareto front. ``remark``
    stands beside the chart wherever it is shown, if there is one.
    """

    group_id: str
    summaries: tuple[VariantSummary, ...]
    x: Axis
    y: Axis
    best_only: bool = False
    dominant: bool = False
    remark: str | None = None

    @property
    def shown(self) -> tuple[VariantSummary, ...]:
        """The variants that are shown."""
        return tuple(best_variants(self.summaries)) if self.best_only else self.summaries

    def chart(self) -> Scatter:
        """The points on the axes."""
        return scatter(self.shown, self.x, self.y)

    def turn(self, *, x: int = 0, y: int = 0) -> Sight:
        """Go so many axes further, in a circle."""
        axes = all_axes()
        names = [axis.name for axis in axes]
        return replace(
            self,
            x=axes[(names.index(self.x.name) + x) % len(axes)],
            y=axes[(names.index(self.y.name) + y) % len(axes)],
        )
