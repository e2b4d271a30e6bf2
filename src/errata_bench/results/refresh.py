"""What is stored brought up to date: disqualified issues and prices; no model is asked, and no run is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from errata_bench.cases.model import Case
from errata_bench.chat import Usage
from errata_bench.results.disqualifying import CaseChange, Disqualified, apply_disqualified
from errata_bench.results.rescorer import Progress, Rescorer, Scorer, VariantChange, no_progress
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.store.upkeep import TurnCost
from errata_bench.variants import Variant, parse_variant

PriceOf = Callable[[str, Usage], float | None]
"""The cost in US dollars of these tokens of a model, or None where nobody knows its price."""


def no_prices(_model: str, _usage: Usage) -> None:
    """A `PriceOf` that knows no price."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Where costs come from. With ``reported_too`` the price list goes before what replies reported."""

    price_of: PriceOf = no_prices
    reported_too: bool = False


@dataclass(slots=True)
class RefreshReport:
    """What refreshing changed.

    ``priced`` turns have a cost that had none, ``repriced`` another one; ``unpriced`` have none, for nobody knows their
    model's price or their tokens. ``kept`` have the cost that their reply reported.
    """

    disqualified: Disqualified = field(default_factory=Disqualified)
    priced: int = 0
    repriced: int = 0
    unpriced: int = 0
    kept: int = 0
    judgments_priced: int = 0
    variants: tuple[VariantChange, ...] = ()

    @property
    def cases(self) -> Sequence[CaseChange]:
        """The cases that have other disqualified issues now."""
        return self.disqualified.cases


def refresh_group(
    group: Group, score: Scorer, dataset: Iterable[Case], prices: Prices, *, progress: Progress = no_progress
) -> RefreshReport:
    """Bring disqualified issues and costs up to date.

    A case is changed together with all its runs in one transaction, a run's costs together with its figures; broken off
    at any point, all that is written is right, and doing it again does the rest. Raises `StoreError`.
    """
    report = RefreshReport()
    rescorer = Rescorer(group, score)
    report.disqualified = apply_disqualified(group, rescorer, dataset)
    _price_judgments(group, prices, report)
    records = [record for record in group.runs() if record.chunks_done and not record.key.variant.is_baseline]
    for done, record in enumerate(records, 1):
        _price_run(group, rescorer, record, prices, report)
        progress(done, len(records))
    report.variants = rescorer.changes()
    return report


def _price_judgments(group: Group, prices: Prices, report: RefreshReport) -> None:
    with group.upkeep.transaction():
        for judgment in group.upkeep.unpriced_judgments():
            cost = prices.price_of(parse_variant(judgment.judge).model, judgment.usage)
            if cost is not None:
                group.upkeep.price_judgment(judgment, cost)
                report.judgments_priced += 1


def _price_run(group: Group, rescorer: Rescorer, record: RunRecord, prices: Prices, report: RefreshReport) -> None:
    changed = _repriced(record.key.variant, group.upkeep.turn_costs(record.id), prices, report)
    judging_unpriced = record.figures is not None and record.figures.judge_cost_usd is None
    if changed or judging_unpriced:
        with group.upkeep.transaction():
            group.upkeep.reprice(changed)
            if record.status is RunStatus.SUCCEEDED:
                rescorer.rescore(record)


def _repriced(variant: Variant, costs: Sequence[TurnCost], prices: Prices, report: RefreshReport) -> list[TurnCost]:
    changed = []
    for turn in costs:
        # A cost that is there and of which nobody recorded the source may be the reply's own word.
        own_word = turn.cost_usd is not None and turn.reported is not False
        if own_word and not prices.reported_too:
            report.kept += 1
            continue
        cost = prices.price_of(variant.model, turn.usage)
        if cost is None:
            report.unpriced += turn.cost_usd is None
        elif turn.cost_usd is None:
            report.priced += 1
            changed.append(turn._replace(cost_usd=cost, reported=False))
        elif cost != turn.cost_usd:
            report.repriced += 1
            changed.append(turn._replace(cost_usd=cost, reported=False))
    return changed
