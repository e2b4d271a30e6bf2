"""The library that the harness sends requests with, beside others: CPU of one request and its reply.

    python -m benchmarks.clients [--inspect PYTHON]

Most of what a request costs is spent in the HTTP library, so the choice of it is measured. Each library posts a body of
the size of a 2,000-word chunk, 30 at a time over kept connections, and reads the reply; `httpx` comes with
``inspect_ai``, so with ``PYTHON`` both are run by that interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

Post = Callable[[], Awaitable[bytes]]

_AT_A_TIME, _REQUESTS, _ROUNDS = 30, 1500, 5


async def with_aiohttp(url: str, body: bytes) -> float:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def post() -> bytes:
            async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
                return await response.read()

        return await _cpu(post)


async def with_httpx(url: str, body: bytes) -> float:
    import httpx

    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=60) as client:

        async def post() -> bytes:
            response = await client.post(url, content=body, headers={"Content-Type": "application/json"})
            return bytes(response.content)

        return await _cpu(post)


async def _cpu(post: Post) -> float:
    """Seconds of this process's CPU for each request."""

    async def loop() -> None:
        for _ in range(_REQUESTS // _AT_A_TIME):
            await post()

    await post()
    used = time.process_time()
    await asyncio.gather(*(loop() for _ in range(_AT_A_TIME)))
    return (time.process_time() - used) / _REQUESTS


_LIBRARIES = {"aiohttp": with_aiohttp, "httpx": with_httpx}


def worker() -> None:
    """Measure what is installed for this interpreter; it may lack all else that this project needs."""
    asked = json.load(sys.stdin)
    found: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        for name, measure in _LIBRARIES.items():
            try:
                found.setdefault(name, []).append(asyncio.run(measure(asked["url"], asked["body"].encode())))
            except ImportError:
                found.pop(name, None)
    json.dump(found, sys.stdout)


def main() -> None:
    from benchmarks.endpoint import Manner, running
    from benchmarks.invented import case
    from benchmarks.measure import Row, Spread, show_targets
    from errata_bench.chat import ChatRequest, Reasoning
    from errata_bench.endpoint.payload import build_body, encode
    from errata_bench.proofreading.prompts import SYSTEM, user_prompt
    from errata_bench.proofreading.tools import TOOLS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inspect", metavar="PYTHON", default=sys.executable)
    given = parser.parse_args()
    made = case(2000, 15)
    messages = (
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": user_prompt(made.instruction, made.document)},
    )
    request = ChatRequest(messages=messages, tools=TOOLS, max_completion_tokens=8192, reasoning=Reasoning())
    body = encode(build_body(request, model="m", effort=None, send_reasoning=False, adaptations=frozenset()))
    with running(Manner()) as url:
        asked = json.dumps({"url": f"{url}/chat/completions", "body": body.decode()})
        done = subprocess.run(
            [given.inspect, __file__, "--worker"], input=asked, capture_output=True, text=True, check=True
        )
    found = {name: Spread(tuple(times)) for name, times in json.loads(done.stdout).items()}
    rows = [Row(f"{name}{' (used)' * (name == 'aiohttp')}", times.shown("ms", 1000)) for name, times in found.items()]
    show_targets(f"HTTP libraries: CPU for each request of {len(body) / 1000:.0f} kB, {_AT_A_TIME} at a time", rows)


if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()
