"""Asking a judge what edits away from all issues are worth: each pair once, kept as soon as it is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from errata_bench.chat import ChatModel
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, ErrataBenchError, Reach
from errata_bench.runs.judging import FAULTS_IN_A_ROW
from errata_bench.runs.rejudging import AskingLimits, JudgePlace, at_a_time, ledger, open_judges
from errata_bench.scoring.judge.comparing import COMPARING_PROMPT_VERSION, judge_edit
from errata_bench.scoring.judge.edits import EditPair
from errata_bench.store.group import Group
from errata_bench.store.judgments import EditJudgment
from errata_bench.variants import Variant


@dataclass
class EditDesk:
    """One judge for edits. ``fault`` is set once asking makes no sense any more, as in `JudgeDesk`."""

    group: Group
    judge: Variant
    model: ChatModel
    clock: Callable[[], float] = time.time
    fault: EndpointFault | None = None
    _faults_in_a_row: int = 0

    async def judge_pairs(self, pairs: Iterable[EditPair], limits: AskingLimits) -> None:
        """Have these pairs judged, those that are not yet. Raises `StoreError`."""
        by_key = {pair.key(str(self.judge), COMPARING_PROMPT_VERSION): pair for pair in pairs}
        known = self.group.judgments.edits(by_key)
        missing = [(key, pair) for key, pair in by_key.items() if key not in known]
        await at_a_time(limits.concurrency, [partial(self._judge, key, pair, limits) for key, pair in missing])

    async def _judge(self, key: str, pair: EditPair, limits: AskingLimits) -> None:
        if self.fault is not None:
            return
        judged = await judge_edit(self.model, pair, ledger(self.group, None, limits.on_attempt))
        if judged.edit_class is not None:
            kept = EditJudgment(
                judge=str(self.judge),
                prompt_version=COMPARING_PROMPT_VERSION,
                edit_class=judged.edit_class,
                agreed=judged.agreed,
                reason=judged.reason,
                use=judged.use,
                at=self.clock(),
            )
            self.group.judgments.add_edit(key, kept)
        fault = judged.fault
        if fault is None:
            self._faults_in_a_row = 0
            return
        self._faults_in_a_row += fault.reach is Reach.RETRY
        if fault.reach in (Reach.VARIANT, Reach.ALL) or self._faults_in_a_row >= FAULTS_IN_A_ROW:
            self.fault = self.fault or fault


async def ask_about_edits(
    group: Group, judge: Variant, pairs: Iterable[EditPair], place: JudgePlace
) -> ErrataBenchError | None:
    """Have these pairs judged at an endpoint; returns why the judge was not asked any more, if so."""
    async with open_judges(place, [judge]) as models:
        desk = EditDesk(group, judge, models[judge], place.limits.clock)
        try:
            await desk.judge_pairs(pairs, place.limits)
        except SpendRefused as refused:
            return refused
        return desk.fault
