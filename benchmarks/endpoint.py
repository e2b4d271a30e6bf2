"""A model server in a process of its own: it answers after a given time, with edits of the text it was sent.

Each reply holds as many tool calls as it is told to: the planted errors of `benchmarks.invented` first, then stray
edits; the last turn of a chunk ends it. So a conversation has a fixed number of turns, and the work of making replies
is not counted among the harness's.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import orjson
from aiohttp import web

_PARAGRAPH = re.compile(r'<p id="([^"]+)">(.*?)</p>')
_WRONG = re.compile(r"\bwrod\d+\b")


@dataclass(frozen=True, slots=True)
class Manner:
    """How the server answers: seconds until a reply, tool calls in each, turns until a chunk is ended."""

    latency: float = 0.0
    calls: int = 10
    turns: int = 3


@contextmanager
def running(manner: Manner) -> Iterator[str]:
    """Run a server while the context lasts; gives its base URL."""
    options = [f"--latency={manner.latency}", f"--calls={manner.calls}", f"--turns={manner.turns}"]
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.endpoint", *options], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()


@lru_cache(maxsize=4096)
def read_prompt(prompt: str) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, str], ...]]:
    """The paragraphs of a prompt with their words, and the planted errors with the ids of their paragraphs."""
    paragraphs = _PARAGRAPH.findall(prompt)
    wrong = tuple((p, found) for p, text in paragraphs for found in _WRONG.findall(text))
    return tuple((p, tuple(text.split())) for p, text in paragraphs), wrong


def edits(prompt: str, turn: int, manner: Manner) -> list[tuple[str, str, str]]:
    """The edits of a turn (from 0): paragraph id, the text to find, the text to put there.

    Planted errors are mended in order, as far as the turn has room. What room is left is taken by stray edits, which
    differ from run to run, so that no two final documents are the same.
    """
    paragraphs, wrong = read_prompt(prompt)
    last = turn == manner.turns - 1
    begin = turn * manner.calls
    found = [(p, one, one.replace("wrod", "word")) for p, one in wrong[begin : begin + manner.calls - last]]
    while len(found) < manner.calls - last:
        paragraph_id, words = random.choice(paragraphs)
        place = random.randrange(max(1, len(words) - 3))
        stray = " ".join(words[place : place + 3])
        found.append((paragraph_id, stray, f"{stray}x"))
    return found


def reply(request: bytes, manner: Manner) -> bytes:
    """The body of the answer to a request."""
    asked = orjson.loads(request)
    messages = asked["messages"]
    turn = sum(message["role"] == "assistant" for message in messages)
    prompt = next(message["content"] for message in messages if message["role"] == "user")
    if not isinstance(prompt, str):
        prompt = "".join(part["text"] for part in prompt)
    calls = [
        _call(n, turn, "find_and_replace", {"paragraphId": p, "find": find, "replace": put})
        for n, (p, find, put) in enumerate(edits(prompt, turn, manner))
    ]
    if turn >= manner.turns - 1:
        calls.append(_call(len(calls), turn, "proofreading_complete", {}))
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return orjson.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 3000, "completion_tokens": 400, "total_tokens": 3400},
        }
    )


def _call(number: int, turn: int, name: str, arguments: dict[str, str]) -> dict[str, object]:
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    return {"id": f"call_{turn}_{number}", "type": "function", "function": function}


async def serve(manner: Manner) -> None:
    """Answer until the process is ended; the port is printed first."""

    async def chat(request: web.Request) -> web.Response:
        body = await request.read()
        if manner.latency:
            await asyncio.sleep(manner.latency)
        return web.Response(body=reply(body, manner), content_type="application/json")

    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=4096)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    asyncio.run(serve(Manner(given.latency, given.calls, given.turns)))
