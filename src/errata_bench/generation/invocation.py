"""One invocation of ``generate``: from options to the files of a case."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from errata_bench.cases.build import BuiltCase
from errata_bench.chat import ChatModel
from errata_bench.endpoint.events import Event
from errata_bench.endpoint.settings import Settings
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault
from errata_bench.generation.balance import Chooser, allowed_categories, counts_in
from errata_bench.generation.corruptor import ModelCorruptor
from errata_bench.generation.draft import Draft
from errata_bench.generation.estimate import estimate_generation
from errata_bench.generation.journal import Journal, look_before, open_journal, refuse_other_work
from errata_bench.generation.options import GenerateOptions, identity
from errata_bench.generation.output import (
    Place,
    build_output,
    choose_place,
    digests,
    refuse_to_overwrite,
    write_files,
)
from errata_bench.generation.progress import Progress
from errata_bench.generation.proposals import Change
from errata_bench.generation.rules.corruptor import PLANTED_BY_RULES, RuleCorruptor
from errata_bench.generation.session import Cast, Outcome, Session
from errata_bench.generation.solver import SolverModels, SolverReport, solve
from errata_bench.generation.source import SourceText, read_source
from errata_bench.generation.windows import Spread, Window, issue_target, plan_spread, split_into_windows
from errata_bench.runs.budget import Budget, BudgetState
from errata_bench.runs.consent import check_prices
from errata_bench.runs.estimate import Estimate
from errata_bench.runs.interrupts import interrupts
from errata_bench.runs.models import OpenModels, open_models
from errata_bench.runs.open_files import connections_allowed
from errata_bench.taxonomy import CATEGORIES
from errata_bench.variants import Variant


class Display(Protocol):
    """Shows a person what happens."""

    def remark(self, text: str) -> None:
        """Say something worth knowing."""

    def happened(self, kind: str, details: Mapping[str, object]) -> None:
        """Hear of a wait, an adaptation, the pace, or an outage: what the endpoint tells beside its attempts."""

    def showing(self, target: int) -> AbstractContextManager[Progress]:
        """Show the progress while the context lasts."""
        ...

    def interrupted(self, at_once: bool) -> None:
        """Say that an interrupt was heard: attempts at work are finished, or everything stops now."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that is decided before anything is asked."""

    options: GenerateOptions
    source: SourceText
    place: Place
    windows: tuple[Window, ...]
    spread: Spread
    chooser: Chooser
    missing: int
    """How many errors are still to be planted, as far as an earlier journal tells."""


@dataclass(slots=True)
class Made:
    """What an invocation came to. ``built`` is None where nothing was written."""

    prepared: Prepared
    outcome: Outcome
    changes: Sequence[Change] = ()
    built: BuiltCase | None = None
    reports: tuple[SolverReport, ...] | None = None
    solver_fault: EndpointFault | SpendRefused | None = None
    budget: BudgetState | None = None

    @property
    def short(self) -> int:
        """How many errors fewer there are than were wanted."""
        return max(0, self.prepared.spread.target - len(self.changes))


def prepare(options: GenerateOptions) -> Prepared:
    """Read the text and decide everything that no model decides. Nothing is written.

    Raises `UserError` for whatever the options or the text make impossible.
    """
    source = read_source(options.source)
    place = choose_place(options.source, options.output_dir, options.case_id)
    categories = allowed_categories(options.categories, PLANTED_BY_RULES if options.roles.offline else CATEGORIES)
    existing = counts_in(options.balance) if options.balance else {}
    if options.roles.offline and not options.categories.single:
        # Rules know at once whether a category has a place; all are offered, the rare ones first.
        options = replace(options, categories=replace(options.categories, offered=0))
    chooser = Chooser(categories, options.categories, existing)
    windows = split_into_windows(source, options.max_words)
    target = issue_target(source.words, options.per_1000, options.count)
    spread = plan_spread(source, windows, target, random.Random(f"{options.seed}/spread"))
    before = look_before(place.journal)
    if not options.overwrite:
        refuse_to_overwrite(place, before.written)
        refuse_other_work(place.journal, identity(options, source, existing))
    missing = target if options.overwrite else max(0, target - before.accepted)
    return Prepared(options, source, place, windows, spread, chooser, missing)


async def forecast(prepared: Prepared, settings: Settings) -> tuple[Estimate, str | None]:
    """What the work will take, and what is amiss with the prices, if anything; only prices are asked for."""
    if prepared.options.roles.offline:
        return estimate_generation(prepared.options, prepared.windows, prepared.missing, lambda _: None), None
    async with open_models((), prepared.options.roles.variants, settings, prepared.options.run) as models:
        estimate = estimate_generation(prepared.options, prepared.windows, prepared.missing, models.price_of)
        return estimate, models.note


async def generate(
    prepared: Prepared, settings: Settings, display: Display, approve: Callable[[Estimate], None]
) -> Made:
    """Plant errors and write the case.

    ``approve`` is shown the estimate before the first request and raises what is to end it there; it is not asked where
    rules plant. Raises `UserError` for a journal that cannot be gone on with, and for files that cannot be written.
    """
    if prepared.options.roles.offline:
        rules = RuleCorruptor(prepared.options.seed)
        with _journal(prepared) as journal:
            return await _plant(prepared, Cast(lambda _: rules), None, journal, display)
    run = replace(prepared.options.run, concurrency=connections_allowed(prepared.options.run.concurrency))
    roles = prepared.options.roles

    def tell(event: Event) -> None:
        display.happened(event.kind, event.details)

    async with open_models((), roles.variants, settings, run, tell) as models:
        if models.note is not None:
            display.remark(models.note)
        estimate = estimate_generation(prepared.options, prepared.windows, prepared.missing, models.price_of)
        check_prices(estimate, run)
        approve(estimate)
        budget = None if run.max_cost is None else Budget(run.max_cost, models.price_of)
        if budget is not None:
            models.guard_spending(budget)
        with _journal(prepared) as journal:
            if journal.resumed:
                display.remark(f"Going on with {prepared.place.journal}: {journal.replies} replies are there already.")
            made = await _plant(prepared, _cast(prepared, models, journal), models, journal, display)
            made.budget = None if budget is None else budget.state
            return made


def _journal(prepared: Prepared) -> Journal:
    options = prepared.options
    work = identity(options, prepared.source, prepared.chooser.existing)
    return open_journal(prepared.place.journal, work, anew=options.overwrite, replay=not options.roles.offline)


def _cast(prepared: Prepared, models: OpenModels, journal: Journal) -> Cast:
    roles = prepared.options.roles
    assert roles.corruptor is not None
    plants = models.model_of(roles.corruptor)
    reviewers = [variant for variant in (roles.reviewer, roles.second_reviewer) if variant is not None]
    return Cast(
        lambda key: ModelCorruptor(journal.model(plants, f"{key}/corrupt")),
        [(str(variant), _recording(models, journal, variant)) for variant in reviewers],
    )


def _recording(models: OpenModels, journal: Journal, variant: Variant) -> Callable[[str], ChatModel]:
    inner = models.model_of(variant)
    return lambda key: journal.model(inner, key)


async def _plant(prepared: Prepared, cast: Cast, models: OpenModels | None, journal: Journal, display: Display) -> Made:
    draft = Draft(prepared.source, prepared.spread)
    with display.showing(prepared.spread.target) as progress:
        session = Session(draft, prepared.windows, prepared.chooser, cast, journal, progress, prepared.options.session)
        stopping = _Stopping(session)
        with interrupts(stopping, display.interrupted):
            outcome = await session.run()
            made = Made(prepared, outcome, tuple(draft.changes))
            if outcome.fault is None and not outcome.stopped and draft.changes:
                by_id = _write(made, journal)
                stopping.solving = asyncio.create_task(_solve(made, by_id, models, journal, progress))
                await asyncio.wait([stopping.solving])
                if stopping.solving.cancelled():
                    outcome.stopped = True
                else:
                    stopping.solving.result()
    return made


@dataclass(slots=True)
class _Stopping:
    """Hands interrupts to what is at work: a session, or the solver after it, which stops at once."""

    session: Session
    solving: asyncio.Task[None] | None = None

    def stop(self) -> None:
        self.session.stop()
        self._stop_solving()

    def cancel(self) -> None:
        self.session.cancel()
        self._stop_solving()

    def _stop_solving(self) -> None:
        if self.solving is not None:
            self.solving.cancel()


def _write(made: Made, journal: Journal) -> Mapping[str, Change]:
    prepared = made.prepared
    made.built, files, by_id = build_output(prepared.source, made.changes, prepared.options.header, prepared.place)
    # The line goes first: a kill between the two leaves files that are known here.
    journal.append("written", files=digests(files), issues=len(by_id))
    write_files(prepared.place, files)
    return by_id


async def _solve(
    made: Made, by_id: Mapping[str, Change], models: OpenModels | None, journal: Journal, progress: Progress
) -> None:
    prepared, roles = made.prepared, made.prepared.options.roles
    if models is None or roles.solver is None or roles.reviewer is None or made.built is None:
        return
    if made.outcome.no_money is not None:
        return
    solvers = SolverModels(_recording(models, journal, roles.solver), _recording(models, journal, roles.reviewer))
    try:
        made.reports = await solve(
            made.built.case,
            by_id,
            prepared.source,
            prepared.windows,
            solvers,
            journal,
            progress.attempted,
            concurrency=prepared.options.run.concurrency,
        )
    except (EndpointFault, SpendRefused) as fault:
        made.solver_fault = fault
