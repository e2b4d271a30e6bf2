from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from errata_bench.chat import AttemptSink, ChatModel, ChatReply, ChatRequest, ignore_attempt
from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.generation.balance import CategoryOptions, Chooser, allowed_categories
from errata_bench.generation.corruptor import ModelCorruptor
from errata_bench.generation.draft import Draft
from errata_bench.generation.journal import Journal, open_journal
from errata_bench.generation.proposals import Fate
from errata_bench.generation.reviewer import Confidence
from errata_bench.generation.session import Cast, Outcome, Session, SessionOptions
from errata_bench.generation.windows import plan_spread, split_into_windows
from tests.generation.sketches import (
    TEXT,
    Seen,
    any_error,
    asked_for,
    corrupted_by,
    offered_in,
    reviewed,
    source,
    text_in,
    user_text,
)
from tests.support.doubles import calling, saying, tool_call

Answer = Callable[[ChatRequest], ChatReply]
WORK = {"work": 1}
CATEGORIES = ("misused_word", "awkward_phrasing", "wrong_word_form", "collocation_error")


@dataclass
class Model:
    """Answers with a function, some later than others; keeps what it was asked."""

    answer: Answer
    seed: int = 0
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        self.requests.append(request)
        for _ in range(random.Random(f"{self.seed}{len(self.requests)}").randrange(5)):
            await asyncio.sleep(0)
        return self.answer(request)


@dataclass
class Play:
    """A session with its collaborators, in a folder of its own."""

    folder: Path
    corruptor: Answer
    reviewers: Sequence[Answer] = (lambda _: reviewed(),)
    target: int = 4
    text: str = TEXT
    max_words: int = 50
    options: SessionOptions = field(default_factory=SessionOptions)
    categories: CategoryOptions = field(default_factory=lambda: CategoryOptions(targets=CATEGORIES))
    delays: int = 0
    seen: Seen = field(default_factory=Seen)

    def session(self, journal: Journal) -> tuple[Session, list[Model]]:
        made = source(self.text)
        windows = split_into_windows(made, self.max_words)
        draft = Draft(made, plan_spread(made, windows, self.target, random.Random(0)))
        chooser = Chooser(allowed_categories(self.categories), self.categories)
        models = [Model(answer, self.delays) for answer in (self.corruptor, *self.reviewers)]

        def recorded(model: ChatModel) -> Callable[[str], ChatModel]:
            return lambda key: journal.model(model, key)

        cast = Cast(
            lambda key: ModelCorruptor(journal.model(models[0], f"{key}/corrupt")),
            [(f"reviewer {n}", recorded(model)) for n, model in enumerate(models[1:], 1)],
        )
        return Session(draft, windows, chooser, cast, journal, self.seen, self.options), models

    async def run(self) -> tuple[Outcome, Session, list[Model]]:
        with open_journal(self.folder / "j.ndjson", WORK) as journal:
            session, models = self.session(journal)
            return await session.run(), session, models


def plants(request: ChatRequest) -> ChatReply:
    """A corruptor that always finds something."""
    prompt = user_text(request)
    return calling(tool_call("plant_error", any_error(prompt, _taken(prompt))))


def _taken(prompt: str) -> list[str]:
    """The words in the middle of the passages at which errors are planted already."""
    return [line.split(": ")[1].split()[2] for line in prompt.splitlines() if line.startswith("- paragraph")]


def finds_nothing(request: ChatRequest) -> ChatReply:
    """A corruptor whose passages are from nowhere."""
    return corrupted_by(offered_in(user_text(request))[0], "a passage from nowhere", "nowhere", "somewhere")


async def test_every_window_gets_its_errors_and_every_reviewer_is_asked(tmp_path: Path) -> None:
    outcome, session, models = await Play(tmp_path, plants, [lambda _: reviewed(), lambda _: reviewed()]).run()
    assert outcome.fates == {Fate.ACCEPTED: 4}
    assert {change.paragraph // 2 for change in session.draft.changes} == {0, 1}
    assert [len(model.requests) for model in models] == [4, 4, 4]
    assert asked_for(models[0].requests[0]) == "plant_error"
    assert models[0].requests[0].temperature == 1.0


@pytest.mark.parametrize(
    ("corruptor", "reviewer", "fate"),
    [
        (lambda _: saying("I would rather not."), reviewed(), Fate.MALFORMED),
        (lambda _: corrupted_by("none", "", "", ""), reviewed(), Fate.DECLINED),
        (finds_nothing, reviewed(), Fate.NOT_FOUND),
        (plants, reviewed(accepted=False), Fate.REJECTED),
        (plants, reviewed(confidence="low"), Fate.UNSURE),
        (plants, saying("Fine."), Fate.UNREVIEWED),
    ],
    ids=["malformed", "declined", "not found", "rejected", "unsure", "unreviewed"],
)
async def test_what_is_refused_is_not_planted_and_the_reason_is_kept(
    tmp_path: Path, corruptor: Answer, reviewer: ChatReply, fate: Fate
) -> None:
    play = Play(tmp_path, corruptor, [lambda _: reviewer])
    outcome, session, _ = await play.run()
    assert session.draft.changes == []
    assert set(outcome.fates) == {fate}
    assert all(settled.reason for settled in outcome.settled)
    assert len(outcome.settled) <= 4 * play.options.attempts_per_issue


async def test_a_second_reviewer_has_to_agree(tmp_path: Path) -> None:
    outcome, _, models = await Play(
        tmp_path, plants, [lambda _: reviewed(), lambda _: reviewed(accepted=False, reason="no")]
    ).run()
    assert set(outcome.fates) == {Fate.REJECTED}
    assert len(models[1].requests) == len(models[2].requests)


async def test_the_corruptor_learns_why_it_was_refused_and_where_errors_are(tmp_path: Path) -> None:
    asked: list[str] = []

    def corruptor(request: ChatRequest) -> ChatReply:
        asked.append(user_text(request))
        return plants(request)

    verdicts = iter([False, *[True] * 20])
    outcome, _, _ = await Play(
        tmp_path, corruptor, [lambda _: reviewed(next(verdicts), reason="too loud")], max_words=0
    ).run()
    assert outcome.fates == {Fate.REJECTED: 1, Fate.ACCEPTED: 4}
    assert "too loud" in asked[1] and "was not taken" in asked[1]
    assert "was not taken" not in asked[2]
    assert "planted already" in asked[2] and "planted already" not in asked[1]


async def test_further_fixes_of_all_reviewers_are_accepted(tmp_path: Path) -> None:
    first, second = (lambda _: reviewed(also_right=["some vessel"])), (lambda _: reviewed(also_right=["a ship"]))
    _, session, _ = await Play(tmp_path, plants, [first, second], target=1, max_words=0).run()
    assert session.draft.changes[0].also == ("some vessel", "a ship")


def by_the_question(request: ChatRequest) -> ChatReply:
    """A reviewer whose decision depends on what it is asked, not on when."""
    return reviewed(accepted=len(user_text(request)) % 3 != 0)


async def test_the_order_of_answers_decides_nothing(tmp_path: Path) -> None:
    drafts, prompts = [], []
    for delays in range(4):
        folder = tmp_path / str(delays)
        folder.mkdir()
        play = Play(folder, plants, [by_the_question], max_words=20, delays=delays)
        _, session, models = await play.run()
        drafts.append(session.draft.changes)
        prompts.append(sorted(user_text(request) for request in models[0].requests))
    assert drafts[0] and all(changes == drafts[0] for changes in drafts)
    assert all(asked == prompts[0] for asked in prompts)


async def test_another_seed_offers_other_categories(tmp_path: Path) -> None:
    offered = []
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        play = Play(
            folder, plants, options=SessionOptions(seed=seed), categories=CategoryOptions(offered=2), max_words=20
        )
        await play.run()
        offered.append([[c.child for c in assignment.categories] for assignment in play.seen.assignments])
    assert offered[0] != offered[1] != offered[2]


async def test_an_interrupted_session_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    _, expected, models = await Play(whole, plants, max_words=20).run()
    total = sum(len(model.requests) for model in models)
    for stop_after in range(1, total + 1):
        folder = tmp_path / str(stop_after)
        folder.mkdir()
        left = stop_after

        def until_killed(answer: Answer) -> Answer:
            def give(request: ChatRequest) -> ChatReply:
                nonlocal left
                if left == 0:
                    raise KeyboardInterrupt
                left -= 1
                return answer(request)

            return give

        killed = Play(folder, until_killed(plants), [until_killed(lambda _: reviewed())], max_words=20)
        killed.options = SessionOptions(concurrency=1)
        if stop_after < total:
            with open_journal(folder / "j.ndjson", WORK) as journal:
                await _killed(killed, journal)
        _, session, again = await Play(folder, plants, max_words=20).run()
        asked = sum(len(model.requests) for model in again)
        assert asked == (total - stop_after if stop_after < total else total)
        assert session.draft.changes == expected.draft.changes


async def _killed(play: Play, journal: Journal) -> None:
    """Run a session until a model raises what no code catches; nothing after that is written."""
    session, models = play.session(journal)
    for model in models:
        answer = model.answer

        def give(request: ChatRequest, answer: Answer = answer) -> ChatReply:
            try:
                return answer(request)
            except KeyboardInterrupt:
                raise asyncio.CancelledError from None

        model.answer = give
    outcome = await session.run()
    assert outcome.stopped


@pytest.mark.parametrize("reach", [Reach.ALL, Reach.VARIANT, Reach.RETRY])
async def test_a_fault_that_cannot_be_passed_over_stops_the_session(tmp_path: Path, reach: Reach) -> None:
    def refuse(_: ChatRequest) -> ChatReply:
        raise EndpointFault("invalid_key", "no", reach=reach)

    outcome, session, _ = await Play(tmp_path, refuse).run()
    assert outcome.fault is not None and outcome.fault.reach is reach
    assert outcome.settled == [] and session.draft.changes == []


async def test_a_refused_request_costs_one_attempt_and_no_more(tmp_path: Path) -> None:
    refused = 0

    def filtered(request: ChatRequest) -> ChatReply:
        nonlocal refused
        if refused == 0:
            refused += 1
            raise EndpointFault("content_filter", "no", reach=Reach.RUN)
        return plants(request)

    outcome, _, _ = await Play(tmp_path, filtered).run()
    assert outcome.fates == {Fate.FAULT: 1, Fate.ACCEPTED: 4}


async def test_without_money_the_session_stops_with_what_there_is(tmp_path: Path) -> None:
    left = 3

    def poor(request: ChatRequest) -> ChatReply:
        nonlocal left
        left -= 1
        if left < 0:
            raise SpendRefused(1.0, 0.5)
        return plants(request)

    outcome, session, _ = await Play(tmp_path, poor, max_words=0).run()
    assert outcome.no_money is not None
    assert len(session.draft.changes) == 3


async def test_a_window_that_cannot_have_its_errors_leaves_them_to_another(tmp_path: Path) -> None:
    def only_first(request: ChatRequest) -> ChatReply:
        prompt = user_text(request)
        return plants(request) if "[1]" in prompt else finds_nothing(request)

    outcome, session, _ = await Play(tmp_path, only_first, options=SessionOptions(attempts_per_issue=9)).run()
    assert len(session.draft.changes) == 4
    assert {change.paragraph for change in session.draft.changes} <= {0, 1}
    assert outcome.fates[Fate.NOT_FOUND] == 6


async def test_stopping_finishes_the_round_and_begins_no_other(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j.ndjson", WORK) as journal:
        play = Play(tmp_path, plants, target=6, max_words=20)
        session, models = play.session(journal)
        answer = models[0].answer

        def stopping(request: ChatRequest) -> ChatReply:
            session.stop()
            return answer(request)

        models[0].answer = stopping
        outcome = await session.run()
    assert outcome.stopped
    assert outcome.fates == {Fate.ACCEPTED: 4}  # one in each window; six were wanted


async def test_confidence_that_is_asked_for_can_be_lower(tmp_path: Path) -> None:
    play = Play(tmp_path, plants, [lambda _: reviewed(confidence="low")])
    play.options = SessionOptions(least_confidence=Confidence.LOW)
    outcome, _, _ = await play.run()
    assert set(outcome.fates) == {Fate.ACCEPTED}


async def test_planting_balances_categories(tmp_path: Path) -> None:
    text = "\n\n".join(TEXT.replace("lamp", f"lamp{n}") for n in range(4))
    play = Play(tmp_path, plants, target=12, text=text, max_words=20)
    _, session, _ = await play.run()
    counts = dict.fromkeys(CATEGORIES, 0)
    for change in session.draft.changes:
        counts[change.category.rpartition(".")[2]] += 1
    assert sum(counts.values()) == 12
    assert max(counts.values()) - min(counts.values()) <= 3


async def test_what_one_round_plants_in_all_windows_is_settled_together(tmp_path: Path) -> None:
    text = "\n\n".join(f"On day {n} the boat came in late, and they were told of it all at once." for n in range(3))

    def same_everywhere(request: ChatRequest) -> ChatReply:
        prompt = user_text(request)
        day = text_in(prompt).split()[3]
        return corrupted_by(offered_in(prompt)[0], f"day {day} the boat came", "boat", "boot")

    outcome, session, _ = await Play(tmp_path, same_everywhere, target=3, text=text, max_words=20).run()
    assert len(session.draft.changes) == 2
    assert outcome.fates[Fate.REPEATED] > 0


async def test_a_greatest_number_holds_within_a_round(tmp_path: Path) -> None:
    categories = CategoryOptions(targets=CATEGORIES[:2], max_count=1, single=True)
    _, session, _ = await Play(tmp_path, plants, target=4, max_words=20, categories=categories).run()
    assert sorted(change.category.rpartition(".")[2] for change in session.draft.changes) == sorted(CATEGORIES[:2])


async def test_what_a_window_has_no_place_for_is_not_offered_there_again(tmp_path: Path) -> None:
    def declines_two(request: ChatRequest) -> ChatReply:
        offered = offered_in(user_text(request))
        return corrupted_by("none", "", "", "") if offered[0] in CATEGORIES[:2] else plants(request)

    categories = CategoryOptions(targets=CATEGORIES, single=True)
    play = Play(
        tmp_path, declines_two, max_words=0, categories=categories, options=SessionOptions(attempts_per_issue=3)
    )
    outcome, _, _ = await play.run()
    assert outcome.fates[Fate.ACCEPTED] == 4
    assert outcome.fates[Fate.DECLINED] <= 2


async def test_attempts_end_with_so_many_for_each_error_wanted(tmp_path: Path) -> None:
    options = SessionOptions(attempts_per_issue=3, give_up_after=99)
    outcome, _, _ = await Play(tmp_path, finds_nothing, options=options).run()
    assert len(outcome.settled) == 4 * 3
