from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from errata_bench.baselines.engines import Engine, EngineHost

TEXT = ["The accomodation was good."]


def worker_of(host: EngineHost) -> int:
    assert host._executor is not None
    (pid,) = host._executor._processes
    return pid


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    # Harper's is the checker that is built the fastest.
    host = EngineHost(Engine.HARPER)
    yield host
    host.close()


async def test_a_check_gives_the_edits_of_each_paragraph_and_its_time(host: EngineHost) -> None:
    checked = await host.check(["All is well.", *TEXT])
    assert [len(edits) for edits in checked.edits] == [0, 1]
    assert checked.seconds > 0


async def test_a_worker_is_started_once_and_lives_in_another_process(host: EngineHost) -> None:
    await asyncio.gather(*(host.check(TEXT) for _ in range(5)))
    first = worker_of(host)
    await host.check(TEXT)
    assert worker_of(host) == first != os.getpid()


async def test_a_worker_outlives_ctrl_c(host: EngineHost) -> None:
    await host.check(TEXT)
    worker = worker_of(host)
    os.kill(worker, signal.SIGINT)
    assert len((await host.check(TEXT)).edits[0]) == 1
    assert worker_of(host) == worker


async def test_a_worker_that_was_killed_is_replaced_for_all_who_wait(host: EngineHost) -> None:
    await host.check(TEXT)
    killed = worker_of(host)
    waiting = [asyncio.create_task(host.check(TEXT * 20)) for _ in range(4)]
    await asyncio.sleep(0)
    os.kill(killed, signal.SIGKILL)
    assert [len(checked.edits) for checked in await asyncio.gather(*waiting)] == [20] * 4
    assert worker_of(host) != killed


async def test_a_late_report_of_a_dead_worker_leaves_its_successor_alone(host: EngineHost) -> None:
    await host.check(TEXT)
    dead = host._executor
    assert dead is not None
    os.kill(worker_of(host), signal.SIGKILL)
    await host.check(TEXT)
    successor = worker_of(host)
    host._discard(dead)
    await host.check(TEXT)
    assert worker_of(host) == successor


async def test_a_closed_host_starts_again_when_asked(host: EngineHost) -> None:
    host.close()
    assert len((await host.check(TEXT)).edits[0]) == 1


async def test_closing_engines_that_never_ran_is_harmless() -> None:
    host = EngineHost(Engine.SPELLING)
    host.close()
    host.close()


async def test_interrupts_come_through_in_the_parent_after_a_worker_was_started(host: EngineHost) -> None:
    host.close()
    await host.check(TEXT)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")
def test_a_worker_ends_when_its_parent_is_killed() -> None:
    script = (
        "import asyncio, sys, time\n"
        "from errata_bench.baselines.engines import Engine, EngineHost\n"
        "host = EngineHost(Engine.HARPER)\n"
        "asyncio.run(host.check(['Well.']))\n"
        "print(*host._executor._processes, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        worker = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.kill()
            ended, _, _ = select.select([worker], [], [], 30)
            assert ended, "the worker is still there"
        finally:
            os.close(worker)
