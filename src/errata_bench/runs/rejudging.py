"""Judging what is stored: the gaps of finished runs, and second opinions. No candidate model is asked anything."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from errata_bench.chat import Attempt, AttemptSink, ChatModel, ignore_attempt
from errata_bench.endpoint.settings import Settings
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, ErrataBenchError, UserError
from errata_bench.proofreading.chunks import split_into_chunks
from errata_bench.runs.budget import Budget
from errata_bench.runs.judge_choice import default_judge, named_judge
from errata_bench.runs.judging import JUDGE, JudgeDesk
from errata_bench.runs.models import open_models
from errata_bench.runs.options import RunOptions
from errata_bench.runs.scoring import final_document, score_stored_run
from errata_bench.scoring.judge.questions import ParagraphQuestions
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunStatus
from errata_bench.variants import Variant, parse_variant

_DEFAULT_OPTIONS = RunOptions()

JudgeOf = Callable[[RunRecord], Variant | None]
"""The judge for a stored run, or None where it is to be left as it is."""


@dataclass(frozen=True, slots=True)
class AskingLimits:
    """How many judge requests are made at a time, and who is told of each."""

    concurrency: int = 30
    on_attempt: AttemptSink = ignore_attempt
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class JudgePlace:
    """Where judges are asked, how patiently and up to what cost, and who is told what is to be known of prices."""

    settings: Settings
    options: RunOptions = _DEFAULT_OPTIONS
    remark: Callable[[str], None] = lambda _: None

    @property
    def limits(self) -> AskingLimits:
        """So many requests at a time as the options say."""
        return AskingLimits(self.options.concurrency)


@dataclass(slots=True)
class GapReport:
    """What came of filling gaps.

    ``runs`` had unjudged fixes, ``before`` of them in all, of which ``after`` are left. ``left_alone`` counts runs with
    gaps that no judge was named for, by the judge they are filed under. ``filed`` runs that had no judge are filed
    under one now. ``without_texts`` have gaps and no texts to judge. ``faults`` are why a judge was not asked any more,
    ``refused`` that the money did not suffice.
    """

    runs: int = 0
    before: int = 0
    after: int = 0
    filed: int = 0
    without_texts: int = 0
    left_alone: Counter[str] = field(default_factory=Counter)
    faults: dict[Variant, EndpointFault] = field(default_factory=dict)
    refused: SpendRefused | None = None


def judge_for(named: Variant | None, default: Variant | None) -> JudgeOf:
    """Which judge fills the gaps of a run: its own, for one judge's verdicts are not mixed with another's.

    A run without a judge gets the one that is named, else the default one. With ``named``, runs of other judges are
    left as they are.
    """

    def choose(record: RunRecord) -> Variant | None:
        own = record.key.settings.judge
        if not own:
            return named or default
        if named is not None:
            return named if str(named) == own else None
        return parse_variant(own)

    return choose


async def judge_group(group: Group, named: Variant | None, place: JudgePlace) -> GapReport:
    """Fill the gaps of a group with the judges that they need, at an endpoint; see `fill_gaps`.

    Without a ``named`` judge, runs that have none get the default one, if the group holds runs of language models.
    """
    records = group.runs()
    some_language_model = any(not record.key.variant.is_baseline for record in records)
    judge_of = judge_for(named, default_judge(place.settings) if some_language_model else None)
    needed = {judge for record in records if _unjudged(record) and (judge := judge_of(record)) is not None}
    if not needed:
        return await fill_gaps(group, judge_of, {}, place.limits)
    for judge in needed:
        named_judge(str(judge), place.settings)
    async with open_judges(place, needed) as models:
        return await fill_gaps(group, judge_of, models, place.limits)


async def fill_gaps(
    group: Group, judge_of: JudgeOf, models: Mapping[Variant, ChatModel], limits: AskingLimits
) -> GapReport:
    """Have the unjudged fixes of finished runs judged, and score these runs anew.

    Runs without a judge are filed under the one that was asked, failed and unfinished ones too, so that a variant's
    runs stay together; but only once it has given any verdict, or none was needed. Raises `StoreError`.
    """
    report = GapReport()
    desks = {judge: JudgeDesk(group, judge, model, limits.clock) for judge, model in models.items()}
    gaps: list[tuple[RunRecord, JudgeDesk]] = []
    unfiled: dict[Variant, list[int]] = {}
    records = group.runs()
    # Runs that were read in from elsewhere have no figures of ours, and were judged or not by others.
    ours = {(record.key.variant, record.key.settings) for record in records if record.figures is not None}
    for record in records:
        judge = judge_of(record)
        unjudged = _unjudged(record)
        if judge is None:
            report.left_alone[record.key.settings.judge] += bool(unjudged)
            continue
        if not record.key.settings.judge and (record.key.variant, record.key.settings) in ours:
            unfiled.setdefault(judge, []).append(record.id)
        if unjudged and record.chunks_done < record.chunk_count:
            report.without_texts += 1
        elif unjudged:
            report.runs += 1
            report.before += unjudged
            gaps.append((record, desks[judge]))

    async def fill(record: RunRecord, desk: JudgeDesk) -> None:
        case = group.case(record.key.fingerprint)
        if case is None:
            return
        chunks = split_into_chunks(case.document, record.key.settings.max_words)
        final = final_document(group.chunk_results(record.id, chunks))
        on_attempt = ledger(group, record.id, limits.on_attempt)
        try:
            await desk.judge_run(record.id, case, final, on_attempt, lambda: report.refused is not None)
        except SpendRefused as refused:
            report.refused = refused
        except EndpointFault as outage:
            desk.fault = outage
        score, figures = score_stored_run(group, record.id, case, chunks)
        group.rescore_run(record.id, score, figures)

    await at_a_time(limits.concurrency, [partial(fill, record, desk) for record, desk in gaps])
    report.after = sum(_unjudged(record) for record in group.runs() if record.id in {gap.id for gap, _ in gaps})
    for judge, run_ids in unfiled.items():
        asked = {record.id for record, desk in gaps if desk.judge == judge} & set(run_ids)
        if not asked or any(group.judgments.of_run(run_id) for run_id in asked):
            group.file_under_judge(run_ids, str(judge))
            report.filed += len(run_ids)
    report.faults = {judge: desk.fault for judge, desk in desks.items() if desk.fault is not None}
    return report


async def second_opinions(desk: JudgeDesk, paragraphs: Sequence[ParagraphQuestions], limits: AskingLimits) -> None:
    """Have a judge answer these questions, each once; no run's verdicts rest on the answers."""
    on_attempt = ledger(desk.group, None, limits.on_attempt)

    async def ask(paragraph: ParagraphQuestions) -> None:
        await desk.judge_issues(None, (paragraph,), on_attempt)

    await at_a_time(limits.concurrency, [partial(ask, paragraph) for paragraph in paragraphs])


async def ask_second_judge(
    group: Group, judge: Variant, paragraphs: Sequence[ParagraphQuestions], place: JudgePlace
) -> ErrataBenchError | None:
    """`second_opinions` at an endpoint; returns why the judge was not asked any more, if so."""
    async with open_judges(place, [judge]) as models:
        desk = JudgeDesk(group, judge, models[judge], place.limits.clock)
        try:
            await second_opinions(desk, paragraphs, place.limits)
        except (SpendRefused, EndpointFault) as error:
            return error
        return desk.fault


@asynccontextmanager
async def open_judges(place: JudgePlace, judges: Iterable[Variant]) -> AsyncIterator[Mapping[Variant, ChatModel]]:
    """The models of these judges at an open endpoint with prices, under the cap on spending if there is one.

    Raises `UserError` where there is a cap and the price of a judge is not known.
    """
    options, judges = place.options, tuple(judges)
    async with open_models((), judges, place.settings, options) as models:
        if models.note is not None:
            place.remark(models.note)
        if options.max_cost is not None:
            unpriced = sorted(judge.model for judge in judges if models.price_of(judge.model) is None)
            if unpriced:
                raise UserError(
                    f"--max-cost cannot be kept to: nobody knows the price of {', '.join(unpriced)}",
                    mend="give it in ERRATA_BENCH_PRICING_FILE",
                )
            models.guard_spending(Budget(options.max_cost, models.price_of))
        yield models.models


async def at_a_time(limit: int, tasks: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Carry out all tasks, at most ``limit`` at a time; the first error ends it."""
    queue = iter(tasks)

    async def work() -> None:
        for task in queue:
            await task()

    workers = [asyncio.create_task(work()) for _ in range(min(max(1, limit), len(tasks)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def ledger(group: Group, run_id: int | None, tell: AttemptSink) -> AttemptSink:
    """Writes each request of a judge into the group's spend, and tells of it."""

    def on_attempt(attempt: Attempt) -> None:
        group.add_attempt(run_id, None, JUDGE, attempt)
        tell(attempt)

    return on_attempt


def _unjudged(record: RunRecord) -> int:
    return record.figures.unjudged if record.status is RunStatus.SUCCEEDED and record.figures is not None else 0
