"""The rounds in which errors are proposed, checked, reviewed and planted.

In each round every window that lacks errors gets one attempt, all at the same time; at the end of the round they are
settled in the order of the text. So what is offered next depends on the seed and on what models answered, never on
which of them answered first, and a session that is taken up again with its journal goes the same way.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from errata_bench.chat import Attempt, ChatModel
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.generation.attempts import Attempted, OpenWindow, Settled, logged
from errata_bench.generation.balance import Chooser
from errata_bench.generation.corruptor import Assignment, Corruptor
from errata_bench.generation.draft import Checked, Draft
from errata_bench.generation.journal import Journal
from errata_bench.generation.placing import place
from errata_bench.generation.proposals import Fate, Proposal, Refused
from errata_bench.generation.reviewer import Confidence, Review, review
from errata_bench.generation.windows import Window
from errata_bench.taxonomy import find_category


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session goes on.

    ``attempts_per_issue`` bounds all attempts together; a window that was refused ``give_up_after`` times in a row is
    left, and what it lacks goes to another.
    """

    seed: int = 0
    attempts_per_issue: int = 6
    give_up_after: int = 6
    concurrency: int = 10
    least_confidence: Confidence = Confidence.MEDIUM


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plants and who judges; each is made for the key of one attempt. Reviewers are named."""

    corruptor: Callable[[str], Corruptor]
    reviewers: Sequence[tuple[str, Callable[[str], ChatModel]]] = ()


class Observer(Protocol):
    """Is told what happens, as it happens."""

    def attempted(self, attempt: Attempt) -> None:
        """A request has ended, well or not."""

    def began(self, assignment: Assignment) -> None:
        """An attempt begins."""

    def settled(self, settled: Settled) -> None:
        """An attempt has ended."""


@dataclass(slots=True)
class Outcome:
    """How a session ended.

    ``fault`` is what stopped it, ``no_money`` that the cap on spending did, ``stopped`` that the user did.
    """

    settled: list[Settled] = field(default_factory=list)
    fault: EndpointFault | None = None
    no_money: SpendRefused | None = None
    stopped: bool = False

    @property
    def fates(self) -> Counter[Fate]:
        """How many attempts had each fate."""
        return Counter(settled.fate for settled in self.settled)


class Session:
    """Plants errors in one text until there are enough, or it cannot go on."""

    def __init__(
        self,
        draft: Draft,
        windows: Sequence[Window],
        chooser: Chooser,
        cast: Cast,
        journal: Journal,
        observer: Observer,
        options: SessionOptions,
    ) -> None:
        self.draft = draft
        self._chooser = chooser
        self._cast = cast
        self._journal = journal
        self._observer = observer
        self._options = options
        self._windows = [OpenWindow(window, quota) for window, quota in zip(windows, draft.spread.quotas, strict=True)]
        self._stopping = False
        self._gate = asyncio.Semaphore(max(1, options.concurrency))
        self._tasks: list[asyncio.Task[Attempted]] = []

    def stop(self) -> None:
        """Begin no further round; the attempts at work are finished."""
        self._stopping = True

    def cancel(self) -> None:
        """Stop now: requests in flight are given up."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()

    async def run(self) -> Outcome:
        """Go on until every window has its errors, the attempts are used up, or something prevents it."""
        outcome = Outcome()
        most = self._options.attempts_per_issue * self.draft.spread.target
        while (left := most - len(outcome.settled)) > 0:
            self._redistribute()
            due = [window for window in self._windows if not window.closed and window.planted < window.quota]
            assignments = [made for window in due[:left] if (made := self._assign(window)) is not None]
            if not assignments:
                break
            if self._stopping:
                outcome.stopped = True
                break
            results = await self._round(assignments, outcome)
            if outcome.fault is not None or outcome.no_money is not None or outcome.stopped:
                break
            for result in results:
                outcome.settled.append(self._settle(result))
        return outcome

    async def _round(self, assignments: Sequence[Assignment], outcome: Outcome) -> list[Attempted]:
        """Make all attempts of a round. When one cannot be made, the others are finished, and nothing is settled."""
        self._tasks = [asyncio.create_task(self._attempt(assignment)) for assignment in assignments]
        try:
            ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        except asyncio.CancelledError:
            self.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            raise
        results = []
        for end in ended:
            if isinstance(end, asyncio.CancelledError):
                outcome.stopped = True
            elif isinstance(end, EndpointFault):
                if outcome.fault is None or end.reach is Reach.ALL:
                    outcome.fault = end
            elif isinstance(end, SpendRefused):
                outcome.no_money = end
            elif isinstance(end, BaseException):
                raise end
            else:
                results.append(end)
        return results

    def _assign(self, state: OpenWindow) -> Assignment | None:
        """The next attempt in a window; None, and the window closed, where there is no room or no category."""
        open_ones = tuple(paragraph for paragraph in state.window.paragraphs if self.draft.room(paragraph) > 0)
        number = state.attempts + 1
        rng = random.Random(f"{self._options.seed}/{state.window.index}/{number}")
        avoid = {label for label, count in state.failed.items() if count > 1}
        categories = self._chooser.offer(rng, avoid) if open_ones else ()
        if not categories:
            state.closed = True
            return None
        state.attempts = number
        (preferred,) = rng.choices(open_ones, [paragraph.words for paragraph in open_ones])
        return Assignment(
            window=state.window.index,
            number=number,
            paragraphs=state.window.paragraphs,
            open=open_ones,
            preferred=preferred,
            categories=categories,
            planted=self.draft.planted_in(state.window.paragraphs),
            last=state.last,
            refusal=state.refusal,
        )

    async def _attempt(self, assignment: Assignment) -> Attempted:
        async with self._gate:
            self._observer.began(assignment)
            proposal: Proposal | None = None
            try:
                proposed = await self._cast.corruptor(assignment.key).propose(assignment, self._observer.attempted)
                if isinstance(proposed, Refused):
                    return Attempted(assignment, None, proposed)
                proposal = proposed
                checked = self._check(proposal, assignment)
                if isinstance(checked, Refused):
                    return Attempted(assignment, proposal, checked)
                return await self._review(assignment, proposal, checked)
            except EndpointFault as fault:
                if fault.reach is not Reach.RUN:
                    raise
                return Attempted(assignment, proposal, Refused(Fate.FAULT, f"the endpoint refused it: {fault}"))

    def _check(self, proposal: Proposal, assignment: Assignment) -> Checked | Refused:
        change = place(proposal, assignment.paragraphs, assignment.categories)
        return change if isinstance(change, Refused) else self.draft.check(change)

    async def _review(self, assignment: Assignment, proposal: Proposal, checked: Checked) -> Attempted:
        """Let each reviewer judge in turn; the first refusal decides. Further fixes of all of them are taken."""
        reviews: list[tuple[str, Review]] = []
        for name, model_of in self._cast.reviewers:
            role = f"{assignment.key}/review-{len(reviews) + 1}"
            said = await review(model_of(role), checked.change, assignment.paragraphs, self._observer.attempted)
            if said is None:
                refused = Refused(Fate.UNREVIEWED, f"{name} gave no answer that can be read")
                return Attempted(assignment, proposal, refused, tuple(reviews))
            reviews.append((name, said))
            if (refusal := said.refusal(self._options.least_confidence)) is not None:
                return Attempted(assignment, proposal, refusal, tuple(reviews))
        also = tuple(dict.fromkeys(text for _, said in reviews for text in said.also))
        change = replace(checked.change, also=also)
        return Attempted(assignment, proposal, self.draft.check(change) if also else checked, tuple(reviews))

    def _settle(self, result: Attempted) -> Settled:
        """Plant what was accepted, unless what this round planted before it speaks against it."""
        state = self._windows[result.assignment.window]
        outcome = result.outcome
        if isinstance(outcome, Checked):
            outcome = self._once_more(outcome)
        offered = tuple(category.label for category in result.assignment.categories)
        category = find_category(result.proposal.category) if result.proposal is not None else None
        named = (category.label,) if category is not None and category.label in offered else offered
        if isinstance(outcome, Checked):
            self.draft.add(outcome.change)
            self._chooser.planted[outcome.change.category] += 1
            state.planted += 1
            state.refused_in_a_row, state.last, state.refusal = 0, None, None
            settled = Settled(result.assignment.key, Fate.ACCEPTED, "", named, outcome.change)
        else:
            state.refused_in_a_row += 1
            state.last, state.refusal = result.proposal, outcome.reason
            state.failed.update(dict.fromkeys(named, 2) if outcome.fate is Fate.DECLINED else named)
            everything = outcome.fate is Fate.DECLINED and len(offered) == len(self._chooser.open_categories())
            state.closed = everything or state.refused_in_a_row >= self._options.give_up_after
            settled = Settled(result.assignment.key, outcome.fate, outcome.reason, named)
        self._journal.fate(settled.key, **logged(result, outcome, settled))
        self._observer.settled(settled)
        return settled

    def _once_more(self, checked: Checked) -> Checked | Refused:
        """Windows share no paragraph, but errors at their edges may be too near, and words may be planted too often."""
        again = self.draft.check(checked.change)
        most = self._chooser.options.max_count
        category = find_category(checked.change.category)
        assert category is not None
        if most is not None and self._chooser.count(category) >= most:
            return Refused(Fate.CAP_REACHED, f"there are {most} of {category.child} already")
        return again if isinstance(again, Refused) else checked

    def _redistribute(self) -> None:
        """What a window that was left lacks goes to the open one with the most room for it."""
        for state in self._windows:
            while state.closed and state.planted < state.quota:
                others = [other for other in self._windows if not other.closed and self._room(other) > 0]
                if not others:
                    return
                other = max(others, key=lambda other: (self._room(other) / other.window.words, -other.window.index))
                other.quota += 1
                state.quota -= 1

    def _room(self, state: OpenWindow) -> int:
        room = sum(self.draft.room(paragraph) for paragraph in state.window.paragraphs)
        return room - (state.quota - state.planted)
