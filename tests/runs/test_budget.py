"""The cap on spending: what may be spent is set aside before it is sent, and never exceeded."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.chat import Attempt, Usage
from errata_bench.endpoint.catalogue import Price
from errata_bench.endpoint.client import Endpoint
from errata_bench.endpoint.conduct import Controls
from errata_bench.endpoint.pacing import Pacer
from errata_bench.endpoint.pricing import KnownPrice, PriceBook, PriceSource
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import load_settings
from errata_bench.endpoint.spending import AttemptBound, Reservation, SpendRefused
from errata_bench.errors import InternalError
from errata_bench.proofreading.loop import LoopSettings, proofread_chunk
from errata_bench.runs.budget import Budget
from errata_bench.serving.faults import FaultKind, FaultPlan
from errata_bench.serving.ledger import TokenPrice
from errata_bench.serving.proofreaders import proofreaders
from errata_bench.serving.server import Server, ServingOptions
from errata_bench.variants import Variant
from tests.support.builders import make_case

PRICE = Price(prompt=0.001, completion=0.01)


def bound(cents: int, *, begun: bool = False, model: str = "m") -> AttemptBound:
    """An attempt that may cost so many cents."""
    return AttemptBound(model, 0, cents, begun)


def paid(usd: float | None, usage: Usage = Usage()) -> Attempt:
    return Attempt(0.0, 1.0, "ok" if usd is not None else "timeout", None, usage, usd)


def budget(usd: float) -> Budget:
    return Budget(usd, lambda model: PRICE if model == "m" else None)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_worst_case_is_set_aside_and_the_cost_takes_its_place() -> None:
    money = budget(1.0)
    held = await money.reserve(bound(30))
    assert [money.state.reserved_usd, money.state.left_usd] == pytest.approx([0.3, 0.7])
    held.settle(paid(0.1))
    held.settle(paid(0.1))  # a second time changes nothing
    state = money.state
    assert (state.spent_usd, state.reserved_usd, state.unknown_requests) == (0.1, 0.0, 0)


async def test_the_worst_case_is_prompt_completion_and_the_price_of_a_request() -> None:
    money = Budget(100.0, lambda _: Price(prompt=0.5, completion=2.0, cached_prompt=0.75, request=3.0))
    assert money.worst_case(AttemptBound("m", 4, 5)) == 3.0 + 4 * 0.75 + 5 * 2.0


async def test_what_was_never_sent_costs_nothing() -> None:
    money = budget(1.0)
    (await money.reserve(bound(100))).settle(None)
    assert money.state.left_usd == 1.0


async def test_a_cost_that_nobody_knows_counts_as_its_worst_case() -> None:
    money = budget(1.0)
    (await money.reserve(bound(60))).settle(paid(None))
    state = money.state
    assert (state.spent_usd, state.unknown_usd, state.unknown_requests) == (0.6, 0.6, 1)
    with pytest.raises(SpendRefused) as refused:
        await money.reserve(bound(50))
    assert [refused.value.needed_usd, refused.value.left_usd] == pytest.approx([0.5, 0.4])


async def test_what_does_not_fit_waits_for_what_comes_free() -> None:
    money = budget(1.0)
    first = await money.reserve(bound(80))
    waiting = asyncio.create_task(money.reserve(bound(50)))
    await settle()
    assert not waiting.done()
    first.settle(paid(0.1))
    (await waiting).settle(paid(0.5))
    assert money.state.spent_usd == pytest.approx(0.6)


async def test_what_can_never_fit_is_refused_as_soon_as_that_is_certain() -> None:
    money = budget(1.0)
    with pytest.raises(SpendRefused):
        await money.reserve(bound(101))
    first = await money.reserve(bound(80))
    waiting = asyncio.create_task(money.reserve(bound(50)))
    await settle()
    first.settle(paid(0.7))
    with pytest.raises(SpendRefused):
        await waiting
    (await money.reserve(bound(30))).settle(paid(0.3))  # exactly the cap
    assert money.state.left_usd == pytest.approx(0.0)


async def test_conversations_that_have_begun_go_first_and_the_others_in_turn() -> None:
    money = budget(1.0)
    order: list[str] = []

    async def spend(name: str, *, begun: bool) -> None:
        held = await money.reserve(bound(50, begun=begun))
        order.append(name)
        held.settle(paid(0.0))

    first = await money.reserve(bound(100))
    tasks = []
    for name, begun in (("new 1", False), ("new 2", False), ("begun 1", True), ("begun 2", True)):
        tasks.append(asyncio.create_task(spend(name, begun=begun)))
        await settle()
    first.settle(paid(0.0))
    await asyncio.gather(*tasks)
    assert order == ["begun 1", "begun 2", "new 1", "new 2"]


async def test_a_small_request_does_not_slip_past_one_that_waits() -> None:
    money = budget(1.0)
    first = await money.reserve(bound(60))
    large = asyncio.create_task(money.reserve(bound(90)))
    await settle()
    small = asyncio.create_task(money.reserve(bound(10)))
    await settle()
    assert not small.done()
    first.settle(paid(0.0))
    await large
    assert (await small) is not None


@pytest.mark.parametrize("granted", [False, True])
async def test_who_is_cancelled_leaves_nothing_set_aside(granted: bool) -> None:
    money = budget(1.0)
    first = await money.reserve(bound(100))
    gone = asyncio.create_task(money.reserve(bound(100)))
    other = asyncio.create_task(money.reserve(bound(100)))
    await settle()
    if granted:
        first.settle(paid(0.0))  # granted, and cancelled before it knows
    gone.cancel()
    await settle()
    if not granted:
        first.settle(paid(0.0))
    (await other).settle(paid(0.25))
    assert gone.cancelled()
    assert (money.state.spent_usd, money.state.reserved_usd) == (0.25, 0.0)


async def test_a_model_without_a_price_is_reckoned_by_its_bills_alone() -> None:
    money = budget(1.0)
    (await money.reserve(bound(10**9, model="unknown"))).settle(paid(None))
    assert money.state.spent_usd == 0.0
    (await money.reserve(bound(10**9, model="unknown"))).settle(paid(1.5))
    with pytest.raises(SpendRefused):
        await money.reserve(bound(1, model="unknown"))


async def test_one_bill_above_the_list_makes_the_next_requests_that_much_dearer() -> None:
    money = budget(10.0)
    usage = Usage(prompt_tokens=100, completion_tokens=10)  # 0.2 USD by the list
    (await money.reserve(bound(30))).settle(paid(0.5, usage))
    assert money.worst_case(bound(30)) == pytest.approx(0.75)
    (await money.reserve(bound(30))).settle(paid(0.1, usage))
    assert money.worst_case(bound(30)) == pytest.approx(0.75)


STEP = st.one_of(
    st.tuples(st.just("reserve"), st.integers(1, 60), st.booleans()),
    st.tuples(st.just("settle"), st.integers(0, 100), st.booleans()),
    st.tuples(st.just("cancel"), st.just(0), st.booleans()),
)


@settings(deadline=None)
@given(st.lists(STEP, max_size=60))
def test_spent_and_set_aside_never_exceed_the_cap_and_nobody_waits_in_vain(
    steps: list[tuple[str, int, bool]],
) -> None:
    async def play() -> None:
        money = budget(1.0)
        held: list[tuple[Reservation, int]] = []
        tasks: list[tuple[asyncio.Task[Reservation], int]] = []

        def collect() -> None:
            for task, cents in list(tasks):
                if task.done():
                    tasks.remove((task, cents))
                    if not task.cancelled() and task.exception() is None:
                        held.append((task.result(), cents))

        for kind, amount, flag in steps:
            if kind == "reserve":
                tasks.append((asyncio.create_task(money.reserve(bound(amount, begun=flag))), amount))
            elif kind == "cancel" and tasks:
                tasks[0][0].cancel()
            elif kind == "settle" and held:
                reservation, cents = held.pop(0)
                reservation.settle(paid(None if flag else amount / 100 * cents / 100))
            await settle()
            collect()
            state = money.state
            assert state.spent_usd + state.reserved_usd <= 1.0 + 1e-6
            assert state.reserved_usd == pytest.approx(sum(cents for _, cents in held) / 100)
        while held:
            held.pop(0)[0].settle(paid(0.0))
            await settle()
            collect()
        assert tasks == []

    asyncio.run(play())


# With the project's own server, which keeps its own count


MODEL = "served/oracle"
TOKEN_PRICE = TokenPrice(2.0, 8.0)
CASE = make_case("letter", 6)
TRANSIENT = [kind for kind in FaultKind if kind.is_transient]


@asynccontextmanager
async def billing(faults: FaultPlan) -> AsyncIterator[tuple[Server, str]]:
    server = Server(proofreaders([CASE]), ServingOptions(faults, price=TOKEN_PRICE))
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    try:
        yield server, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("cap", [0.5, 3.0, 1000.0])
async def test_under_faults_and_200_loops_the_count_is_the_servers_own_and_the_cap_holds(cap: float) -> None:
    assert len(TRANSIENT) >= 10
    attempts: list[Attempt] = []
    refused = 0
    async with billing(FaultPlan(dict.fromkeys(TRANSIENT, 0.1), seed=7)) as (server, url):
        price = Price(TOKEN_PRICE.prompt / 1e6, TOKEN_PRICE.completion / 1e6)
        money = Budget(cap, lambda _: price)
        given = load_settings(None, api_provider="openai-compatible", api_base_url=url)

        async def no_wait(_: float) -> None:
            await asyncio.sleep(0)

        endpoint = Endpoint(
            given,
            retry=RetryPolicy(max_retries=60),
            prices=PriceBook({MODEL: KnownPrice(price, PriceSource.FILE)}),
            controls=Controls(Pacer(200), max_outage=3600.0),
            sleep=no_wait,
        )
        async with endpoint:
            endpoint.conduct.guard = money
            model = endpoint.chat_model(Variant(MODEL, "low"))

            async def loop(number: int) -> None:
                # Each loop has a text of its own, so that each draws faults of its own.
                nonlocal refused
                try:
                    await proofread_chunk(
                        model,
                        CASE.document,
                        f"Correct the errors, {number}.",
                        LoopSettings(),
                        on_attempt=attempts.append,
                    )
                except SpendRefused:
                    refused += 1

            await asyncio.gather(*(loop(number) for number in range(200)))
        ledger = server.ledger.summary()

    state = money.state
    # The server has billed no more than the cap, and the budget has never counted less than the server.
    assert ledger["cost_usd"] <= state.spent_usd + 1e-9
    assert state.spent_usd <= cap + 1e-9
    assert state.reserved_usd == pytest.approx(0.0, abs=1e-9)
    assert (refused > 0) == (cap < 1000)
    assert refused < 200
    # Request by request the two agree, wherever the cost came through.
    assert len(attempts) == ledger["requests"]
    ok = [attempt for attempt in attempts if attempt.outcome == "ok"]
    assert len(ok) == ledger["outcomes"]["ok"]["requests"]
    assert math.fsum(attempt.cost_usd or 0.0 for attempt in ok) == pytest.approx(ledger["outcomes"]["ok"]["cost_usd"])
    lost = [attempt for attempt in attempts if attempt.cost_usd is None]
    assert len(lost) == state.unknown_requests
    known = math.fsum(attempt.cost_usd for attempt in attempts if attempt.cost_usd is not None)
    assert known + state.unknown_usd == pytest.approx(state.spent_usd)
    not_known = sum(ledger["outcomes"][kind]["cost_usd"] for kind in ("cut",) if kind in ledger["outcomes"])
    assert known + not_known == pytest.approx(ledger["cost_usd"])


async def test_a_refusal_ends_a_request_before_it_is_sent() -> None:
    async with billing(FaultPlan()) as (server, url):
        given = load_settings(None, api_provider="openai-compatible", api_base_url=url)
        async with Endpoint(given, controls=Controls(Pacer(1))) as endpoint:
            endpoint.conduct.guard = Budget(1e-9, lambda _: PRICE)
            model = endpoint.chat_model(Variant(MODEL, "low"))
            for _ in range(3):  # and gives its turn back
                with pytest.raises(SpendRefused):
                    await proofread_chunk(model, CASE.document, "Correct.", LoopSettings())
            endpoint.conduct.guard = None
            assert server.ledger.summary()["requests"] == 0
            await proofread_chunk(model, CASE.document, "Correct.", LoopSettings())


async def test_what_is_set_aside_for_a_request_that_could_not_be_sent_comes_free_again() -> None:
    given = load_settings(None, api_provider="openai-compatible", api_base_url="http://127.0.0.1:1/v1")
    endpoint = Endpoint(given)  # never opened
    money = Budget(1000.0, lambda _: PRICE)
    endpoint.conduct.guard = money
    with pytest.raises(InternalError, match="not open"):
        await proofread_chunk(endpoint.chat_model(Variant(MODEL, "low")), CASE.document, "Correct.", LoopSettings())
    assert (money.state.spent_usd, money.state.reserved_usd) == (0.0, 0.0)
