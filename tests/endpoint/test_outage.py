"""When nothing answers: everybody waits, one small request asks now and then, and no request fails for it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from errata_bench.endpoint.conduct import Controls
from errata_bench.endpoint.events import Event, EventKind
from errata_bench.endpoint.outage import OutageClock, OutageWatch
from errata_bench.endpoint.pacing import Pacer
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.errors import EndpointFault, Reach
from tests.endpoint.clients import Client, client_of, settings_for
from tests.support.loopback import Answer, Cut, Loopback, Recorded, Reset, chat_reply, free_port

LOST = EndpointFault("connect", "no route", reach=Reach.RETRY, mend="check the server")


@dataclass
class Bench:
    """A watch with a clock of its own, on which only waiting takes time."""

    answers: list[bool]
    patience: float = 3600.0
    max_retries: int = 6
    now: float = 100.0
    waits: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    probes: int = 0

    def __post_init__(self) -> None:
        retry = RetryPolicy(max_retries=self.max_retries, random=lambda: 1.0)
        clock = OutageClock(self.patience, retry, self.sleep, lambda: self.now)
        self.watch = OutageWatch(self.probe, clock, tell=self.events.append)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    async def probe(self) -> bool:
        self.probes += 1
        self.now += 0.5
        await asyncio.sleep(0)
        return self.answers.pop(0) if self.answers else False

    async def meet(self, fault: EndpointFault = LOST, started: float | None = None) -> bool:
        return await self.watch.explains(fault, self.now if started is None else started)

    @property
    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.events]


def answered(answers: list[bool], **options: Any) -> Bench:
    """A watch of an endpoint that has answered before."""
    bench = Bench(answers, **options)
    bench.watch.answered()
    bench.now += 1
    return bench


async def test_a_fault_while_the_endpoint_answers_is_the_requests_own() -> None:
    bench = answered([True])
    assert not await bench.meet()
    assert (bench.probes, bench.waits, bench.events) == (1, [], [])


async def test_nobody_asks_where_another_request_was_answered_meanwhile() -> None:
    bench = answered([])
    assert not await bench.meet(started=50.0)
    assert bench.probes == 0


async def test_an_outage_is_waited_out_and_told() -> None:
    bench = answered([False, False, False, True])
    assert await bench.meet()
    assert bench.waits == [1.0, 2.0, 4.0]
    assert bench.kinds == [EventKind.OUTAGE, EventKind.OUTAGE_OVER]
    assert bench.events[1].details == {"seconds": 9.0}
    assert not bench.watch.is_on


async def test_it_is_asked_gently_and_for_as_long_as_patience_lasts() -> None:
    bench = answered([], patience=3600.0)
    with pytest.raises(EndpointFault, match=r"nothing has answered for (5\d|60) min") as caught:
        await bench.meet()
    assert (caught.value.kind, caught.value.reach) == ("outage", Reach.ALL)
    assert "--max-outage" in (caught.value.mend or "")
    assert max(bench.waits) == 60.0
    assert 50 < bench.probes < 80
    assert bench.now < 100.0 + 3700.0


async def test_after_patience_is_lost_nobody_waits_again() -> None:
    bench = answered([], patience=0.0)
    for _ in range(2):
        with pytest.raises(EndpointFault, match="no route"):
            await bench.meet()
    with pytest.raises(EndpointFault, match="no route"):
        await bench.watch.passed()
    assert bench.probes == 1


async def test_many_share_one_who_asks_and_go_on_together() -> None:
    bench = answered([False, True])
    explained = await asyncio.gather(*(bench.meet() for _ in range(30)))
    assert explained == [True] * 30
    assert bench.probes == 2


async def test_one_who_is_cancelled_does_not_end_the_asking() -> None:
    bench = answered([False, True])
    first, second = asyncio.create_task(bench.meet()), asyncio.create_task(bench.meet())
    await asyncio.sleep(0)
    first.cancel()
    assert await second
    assert first.cancelled() or first.cancelling()


async def test_who_comes_during_an_outage_waits_before_sending() -> None:
    bench = answered([False, True])
    meeting = asyncio.create_task(bench.meet())
    await asyncio.sleep(0)
    assert bench.watch.is_on
    await bench.watch.passed()
    assert not bench.watch.is_on
    assert await meeting


@pytest.mark.parametrize("kind", ["timeout", "connection_lost", "cut_body"])
async def test_what_hung_since_before_the_outage_is_excused_when_it_ends(kind: str) -> None:
    bench = answered([False, True])
    started = bench.now
    await bench.meet()
    assert await bench.meet(EndpointFault(kind, "late", reach=Reach.RETRY), started)
    bench.now += 1
    bench.answers = [True]
    assert not await bench.meet(EndpointFault(kind, "later", reach=Reach.RETRY))


@pytest.mark.parametrize(
    "fault",
    [
        EndpointFault("server_error", "no", reach=Reach.RETRY, status=500),
        EndpointFault("rate_limited", "no", reach=Reach.RETRY, status=429),
        EndpointFault("tls", "no", reach=Reach.ALL),
        EndpointFault("proxy", "denied", reach=Reach.ALL),
    ],
)
async def test_other_faults_are_no_outage(fault: EndpointFault) -> None:
    bench = answered([])
    assert not await bench.meet(fault)
    assert bench.probes == 0


async def test_what_has_never_answered_is_asked_as_often_as_a_request_is_tried_again() -> None:
    bench = Bench([], max_retries=3)
    with pytest.raises(EndpointFault, match="no route") as caught:
        await bench.meet()
    assert (caught.value.kind, caught.value.reach, caught.value.mend) == (
        "unreachable",
        Reach.ALL,
        "check the server",
    )
    assert bench.probes == 4


async def test_a_server_that_is_just_starting_is_waited_for() -> None:
    bench = Bench([False, False, True])
    assert await bench.meet()


# With a real server, which goes away and comes back


class Flaky:
    """A server on one port that can be shut down and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.posts = 0
        self.on_request: Callable[[], None] = lambda: None
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._answer)
        application.router.add_get("/v1/models", self._list)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, _: web.Request) -> web.Response:
        self.posts += 1
        self.on_request()
        return web.json_response(chat_reply("Done."))

    async def _list(self, _: web.Request) -> web.Response:
        return web.Response(status=403)  # a refusal is an answer too


@asynccontextmanager
async def flaky() -> AsyncIterator[Flaky]:
    server = Flaky()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def watched(port: int, sleep: Any, **options: Any) -> Any:
    place = Loopback()
    place.port = port
    controls = Controls(Pacer(30), max_outage=3600.0, tell=options.pop("tell"))
    return client_of(settings_for(place), controls=controls, sleep=sleep, **options)


async def complete(client: Client, count: int) -> list[str]:
    results = await asyncio.gather(*(client.complete() for _ in range(count)), return_exceptions=True)
    return [type(result).__name__ if not isinstance(result, EndpointFault) else result.kind for result in results]


async def test_thirty_requests_outlast_a_server_that_is_gone_for_longer_than_retries_would() -> None:
    events: list[Event] = []
    sleeps = itertools.count(1)

    async with flaky() as server:

        async def sleep(_: float) -> None:
            if next(sleeps) == 20:  # far more than the two retries of a request
                await server.start()

        retry = RetryPolicy(max_retries=2)
        async with watched(server.port, sleep, retry=retry, tell=events.append) as client:
            assert await complete(client, 1) == ["ChatReply"]
            await server.stop()
            assert await complete(client, 30) == ["ChatReply"] * 30
    kinds = [event.kind for event in events]
    assert EventKind.OUTAGE in kinds
    assert EventKind.OUTAGE_OVER in kinds
    assert server.posts == 31
    assert all(attempt.cost_usd in (0.0, None) for attempt in client.attempts if attempt.outcome != "ok")


@pytest.mark.parametrize("step", [Reset(), Cut()])
async def test_one_requests_bad_luck_uses_up_its_own_retries(step: Any, server: Loopback) -> None:
    async def answer_lists_only(request: Recorded) -> Any:
        return step if request.method == "POST" else Answer(200, {"data": []})

    server.default = answer_lists_only
    events: list[Event] = []
    retry = RetryPolicy(max_retries=3)

    async def no_wait(_: float) -> None:
        return

    async with watched(server.port, no_wait, retry=retry, tell=events.append) as client:
        fault = await client.fault()
    assert fault.reach is Reach.RETRY
    assert "after 4 attempts" in fault.message
    assert len(client.attempts) == 4
    assert {event.kind for event in events} == {EventKind.WAIT}


async def test_an_address_where_nothing_is_ends_soon_and_for_all() -> None:
    async def no_wait(_: float) -> None:
        return

    events: list[Event] = []
    retry = RetryPolicy(max_retries=3)
    async with watched(free_port(), no_wait, retry=retry, tell=events.append) as client:
        kinds = await complete(client, 30)
    assert kinds == ["unreachable"] * 30
    assert len(client.attempts) == 1
