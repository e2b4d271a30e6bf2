"""How many requests go out at a time: one until something has answered, fewer where too much is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.endpoint.conduct import Controls
from errata_bench.endpoint.events import Event, EventKind
from errata_bench.endpoint.pacing import Pacer, Turn
from errata_bench.errors import EndpointFault, Reach
from errata_bench.variants import Variant
from tests.endpoint.clients import BUSY, REQUEST, client_of, settings_for
from tests.support.loopback import Answer, Loopback, Recorded, chat_reply

NEVER = 1e6
BUSY_FAULT = EndpointFault("rate_limited", "slow down", reach=Reach.RETRY, status=429)
BAD_KEY = EndpointFault("invalid_key", "no", reach=Reach.ALL, status=401)


async def settle() -> None:
    """Let all tasks go on until each of them waits."""
    for _ in range(10):
        await asyncio.sleep(0)


@dataclass
class Crowd:
    """Many who want turns of a pacer; those who got one keep it until it is given back."""

    pacer: Pacer
    turns: dict[str, list[Turn]] = field(default_factory=dict)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def come(self, model: str, count: int) -> None:
        async def one() -> None:
            turn = await self.pacer.enter(model)
            self.turns.setdefault(model, []).append(turn)

        self.tasks += [asyncio.create_task(one()) for _ in range(count)]
        await settle()

    def at_work(self, model: str) -> int:
        return len(self.turns.get(model, ()))

    async def end(self, model: str, count: int = 1, fault: EndpointFault | None = None) -> None:
        for _ in range(count):
            self.pacer.leave(self.turns[model].pop(0), fault)
        await settle()


@asynccontextmanager
async def crowd(concurrency: int, *proven: str, patience: float = NEVER) -> AsyncIterator[Crowd]:
    events: list[Event] = []
    pacer = Pacer(concurrency, patience=patience, tell=events.append)
    for model in proven:
        pacer.leave(await pacer.enter(model))
    made = Crowd(pacer)
    yield made
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)
    pacer.close()


# Before anything has answered


async def test_until_the_endpoint_has_answered_one_request_goes_out_in_all() -> None:
    async with crowd(30) as all_:
        await all_.come("a", 10)
        await all_.come("b", 10)
        assert (all_.at_work("a"), all_.at_work("b")) == (1, 0)
        await all_.end("a")
        # a is known to work and gets what it wants; of b nothing is known yet.
        assert (all_.at_work("a"), all_.at_work("b")) == (9, 1)


async def test_a_refused_request_of_one_model_opens_the_endpoint_and_not_the_model() -> None:
    async with crowd(30) as all_:
        await all_.come("a", 3)
        await all_.come("b", 3)
        await all_.end("a", fault=EndpointFault("unknown_model", "no", reach=Reach.VARIANT, status=404))
        assert (all_.at_work("a"), all_.at_work("b")) == (1, 1)


@pytest.mark.parametrize("fault", [None, EndpointFault("content_refused", "no", reach=Reach.RUN)])
async def test_any_answer_about_the_request_itself_proves_the_model(fault: EndpointFault | None) -> None:
    async with crowd(30) as all_:
        await all_.come("a", 5)
        await all_.end("a", fault=fault)
        assert all_.at_work("a") == 4


async def test_a_transient_fault_proves_nothing() -> None:
    async with crowd(30) as all_:
        await all_.come("a", 5)
        await all_.end("a", fault=EndpointFault("server_error", "no", reach=Reach.RETRY, status=500))
        assert all_.at_work("a") == 1


async def test_what_stops_the_endpoint_is_met_by_all_who_wait_and_all_who_come() -> None:
    async with crowd(30) as all_:
        await all_.come("a", 5)
        await all_.end("a", fault=BAD_KEY)
        assert all_.at_work("a") == 0
        refused = [task.exception() for task in all_.tasks if task.exception() is not None]
        assert [getattr(fault, "kind", None) for fault in refused] == ["invalid_key"] * 4
        assert len({id(fault) for fault in refused}) == 4
        with pytest.raises(EndpointFault, match="no"):
            await all_.pacer.enter("b")


async def test_a_slow_first_answer_holds_nobody_up_for_long() -> None:
    async with crowd(30, patience=0.0) as all_:
        await all_.come("a", 4)
        await all_.come("b", 3)
        for _ in range(5):
            await settle()
        assert (all_.at_work("a"), all_.at_work("b")) == (4, 3)


async def test_silence_is_that_of_a_request_in_flight() -> None:
    loop = asyncio.get_running_loop()
    async with crowd(30, patience=60.0) as all_:
        await all_.come("a", 3)
        timers = [handle.when() for handle in scheduled(loop)]
        assert len(timers) == 2  # the endpoint's and the model's
        await all_.end("a", fault=EndpointFault("server_error", "no", reach=Reach.RETRY, status=500))
        # The next one goes alone, and its own silence counts.
        assert all_.at_work("a") == 1
        assert all(handle.when() > max(timers) for handle in scheduled(loop))
        await all_.end("a")
        assert all_.at_work("a") == 1
        assert scheduled(loop) == []


def scheduled(loop: asyncio.AbstractEventLoop) -> list[asyncio.TimerHandle]:
    """The timers of a loop that are still to come."""
    return [handle for handle in getattr(loop, "_scheduled") if not handle.cancelled()]  # noqa: B009


# Too much is asked


async def test_overload_halves_the_number_once_for_all_that_were_in_flight_together() -> None:
    async with crowd(16, "a") as all_:
        await all_.come("a", 40)
        assert (all_.at_work("a"), all_.pacer.limit("a")) == (16, 16)
        await all_.end("a", 16, BUSY_FAULT)
        assert all_.pacer.limit("a") == 8
        assert all_.at_work("a") == 8
        await all_.end("a", 1, BUSY_FAULT)
        assert all_.pacer.limit("a") == 4


@pytest.mark.parametrize("kind", ["server_error", "connection_lost", "timeout", "no_choices"])
async def test_other_faults_do_not(kind: str) -> None:
    async with crowd(16, "a") as all_:
        await all_.come("a", 1)
        await all_.end("a", fault=EndpointFault(kind, "no", reach=Reach.RETRY))
        assert all_.pacer.limit("a") == 16


async def test_the_number_counts_from_what_was_really_in_flight() -> None:
    async with crowd(100, "a") as all_:
        await all_.come("a", 4)
        await all_.end("a", fault=BUSY_FAULT)
        assert all_.pacer.limit("a") == 2


async def test_one_request_always_goes_out() -> None:
    async with crowd(2, "a") as all_:
        for _ in range(5):
            await all_.come("a", 1)
            await all_.end("a", fault=BUSY_FAULT)
        assert all_.pacer.limit("a") == 1


async def test_it_recovers_by_one_for_each_round_of_answers_and_never_beyond_the_concurrency() -> None:
    async with crowd(4, "a") as all_:
        await all_.come("a", 4)
        await all_.end("a", 4, BUSY_FAULT)
        seen = [all_.pacer.limit("a")]
        for _ in range(20):
            await all_.come("a", 1)
            await all_.end("a")
            seen.append(all_.pacer.limit("a"))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1], max(seen)) == (2, 4, 4)
    assert seen.index(3) >= 2  # not at the first answer


# Several models


async def test_an_overloaded_model_takes_no_places_of_another() -> None:
    async with crowd(8, "a", "b") as all_:
        await all_.come("a", 8)
        await all_.end("a", 8, BUSY_FAULT)
        await all_.end("a", 0)
        await all_.come("a", 20)
        assert (all_.at_work("a"), all_.pacer.held_back) == (4, 16)
        await all_.come("b", 4)
        assert all_.at_work("b") == 4


async def test_no_more_are_in_flight_than_the_concurrency_over_all_models() -> None:
    async with crowd(5, "a", "b", "c") as all_:
        for model in ("a", "b", "c"):
            await all_.come(model, 5)
        assert sum(all_.at_work(model) for model in "abc") == 5


async def test_the_model_with_the_fewest_in_flight_is_next() -> None:
    async with crowd(6, "a", "b") as all_:
        await all_.come("a", 12)
        await all_.come("b", 12)
        await all_.end("a", 3)
        assert (all_.at_work("a"), all_.at_work("b")) == (3, 3)


async def test_who_backs_off_counts_as_held_back_and_listeners_are_told() -> None:
    async with crowd(8, "a") as all_:
        told: list[int] = []
        all_.pacer.subscribe(lambda: told.append(all_.pacer.held_back))
        with all_.pacer.backing_off("a"):
            assert all_.pacer.held_back == 1
        assert told == [1, 0]


# Cancellation


async def test_who_is_cancelled_while_waiting_leaves_no_gap() -> None:
    async with crowd(1, "a") as all_:
        await all_.come("a", 3)
        all_.tasks[1].cancel()
        await settle()
        await all_.end("a")
        assert all_.at_work("a") == 1
        assert all_.tasks[2].done()
        assert not all_.tasks[2].cancelled()


async def test_a_turn_that_came_at_the_moment_of_cancellation_goes_to_the_next() -> None:
    async with crowd(1, "a") as all_:
        await all_.come("a", 3)
        all_.pacer.leave(all_.turns["a"].pop())
        all_.tasks[1].cancel()  # the turn is given, and not yet taken
        await settle()
        assert all_.at_work("a") == 1
        assert all_.tasks[2].done()


@given(
    concurrency=st.integers(1, 5),
    steps=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["come", "ok", "busy", "error", "cancel"]))),
)
def test_whatever_happens_the_bounds_hold_and_nobody_is_forgotten(
    concurrency: int, steps: list[tuple[str, str]]
) -> None:
    async def play() -> None:
        async with crowd(concurrency, "a", "b") as all_:
            wanted = dict.fromkeys("abc", 0)
            for model, step in steps:
                waiting = [task for task in all_.tasks if not task.done()]
                if step == "come":
                    await all_.come(model, 1)
                    wanted[model] += 1
                elif step == "cancel" and waiting:
                    waiting[0].cancel()
                    await settle()
                elif step in ("ok", "busy", "error") and all_.at_work(model):
                    fault = {"ok": None, "busy": BUSY_FAULT}.get(step, EndpointFault("x", "x", reach=Reach.RETRY))
                    await all_.end(model, fault=fault)
                assert sum(all_.at_work(name) for name in "abc") <= concurrency
                assert all(1 <= all_.pacer.limit(name) <= concurrency for name in "abc")
                assert 0 <= all_.pacer.held_back <= len(all_.tasks)
            # Once all at work are through, again and again, everybody has had a turn.
            while any(all_.at_work(name) for name in "abc"):
                for name in "abc":
                    await all_.end(name, all_.at_work(name))
            assert all(task.done() for task in all_.tasks)

    asyncio.run(play())


# With a real server


async def test_a_bad_key_is_refused_once_and_not_thirty_times(server: Loopback) -> None:
    server.default = Answer(401, {"error": {"message": "Incorrect API key provided"}})
    async with client_of(settings_for(server), controls=Controls(Pacer(30))) as client:
        models = [client.endpoint.chat_model(Variant(f"org/m{n % 3}", "low")) for n in range(30)]
        ended = await asyncio.gather(*(model.complete(REQUEST) for model in models), return_exceptions=True)
    assert len(server.requests) == 1
    assert [getattr(fault, "kind", None) for fault in ended] == ["invalid_key"] * 30


async def test_a_model_that_bears_two_at_a_time_gets_through(server: Loopback) -> None:
    events: list[Event] = []

    async def bear_two(_: Recorded) -> Answer:
        busy = server.in_flight > 2
        await settle()  # so that requests meet here
        return BUSY if busy else Answer(body=chat_reply("Fine."))

    server.default = bear_two
    pacer = Pacer(20, tell=events.append)
    async with client_of(settings_for(server), controls=Controls(pacer, tell=events.append)) as client:
        replies = await asyncio.gather(*(client.complete() for _ in range(60)), return_exceptions=True)
    assert [type(reply).__name__ for reply in replies] == ["ChatReply"] * 60
    assert {event.kind for event in events} >= {EventKind.PACE, EventKind.WAIT}
    assert server.most_in_flight <= 20
