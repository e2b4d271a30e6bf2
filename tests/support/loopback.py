"""A real HTTP server on loopback that answers as a test tells it to, and remembers what it was asked.

    async with serve() as server:
        server.script(Answer(503), Answer(body=chat_reply("Done.")))
        …a client of server.url…
        assert len(server.requests) == 2

A script is used up one step a request; when it is used up, `Loopback.default` answers.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response; a body that is no bytes and no text is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset without a response."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends after the first part of the body."""

    body: bytes = b'{"choices": [{"message": {"content": "half'
    chunked: bool = False


@dataclass(frozen=True, slots=True)
class Hang:
    """No response ever; with ``trickle``, white space keeps coming as keep-alive."""

    trickle: bool = False


Custom = Callable[["Recorded"], Awaitable[Answer]]
Step = Answer | Reset | Cut | Hang | Custom


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came in."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> dict[str, Any]:
        parsed = json.loads(self.raw)
        assert isinstance(parsed, dict)
        return parsed


class Loopback:
    """The running server."""

    def __init__(self) -> None:
        self.port = 0
        self.requests: list[Recorded] = []
        self.default: Step = Answer(body=chat_reply("Done."))
        self.in_flight = 0
        self.most_in_flight = 0
        self._steps: deque[Step] = deque()
        self._closing = asyncio.Event()
        self.arrived = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def script(self, *steps: Step) -> None:
        self._steps.extend(steps)

    def close(self) -> None:
        self._closing.set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        recorded = Recorded(
            request.method, request.path, request.query_string, dict(request.headers), await request.read()
        )
        self.requests.append(recorded)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.arrived.set()
        try:
            step = self._steps.popleft() if self._steps else self.default
            if callable(step):
                step = await step(recorded)
            return await self._perform(step, request)
        finally:
            self.in_flight -= 1

    async def _perform(self, step: Answer | Reset | Cut | Hang, request: web.Request) -> web.StreamResponse:
        if isinstance(step, Answer):
            return _response(step)
        transport = request.transport
        assert transport is not None
        if isinstance(step, Reset):
            raw: socket.socket = transport.get_extra_info("socket")
            # Lingering for no time at all makes the kernel send RST.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
            return web.Response()
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        if isinstance(step, Cut):
            if step.chunked:
                response.enable_chunked_encoding()
            else:
                response.content_length = len(step.body) + 100
            await response.prepare(request)
            await response.write(step.body)
            transport.close()
            return response
        if step.trickle:
            response.enable_chunked_encoding()
            await response.prepare(request)
        while not self._closing.is_set():
            try:
                await asyncio.wait_for(self._closing.wait(), 0.01)
            except TimeoutError:
                if step.trickle:
                    try:
                        await response.write(b" ")
                    except ConnectionError:
                        break
        return response if step.trickle else web.Response()


def _response(answer: Answer) -> web.Response:
    body = answer.body
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **answer.headers}
    return web.Response(status=answer.status, body=body, headers=headers)


@asynccontextmanager
async def serve() -> AsyncIterator[Loopback]:
    """Run a server on a free port of 127.0.0.1."""
    server = Loopback()
    application = web.Application(client_max_size=1 << 26)
    application.router.add_route("*", "/{path:.*}", server.handle)
    # No access log: it would hold what a test of secrets looks for in the client's own records.
    runner = web.AppRunner(application, shutdown_timeout=1.0, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    server.port = runner.addresses[0][1]
    try:
        yield server
    finally:
        server.close()
        await runner.cleanup()


def chat_reply(
    content: Any = None,
    calls: Sequence[Mapping[str, Any]] = (),
    *,
    finish: str | None = "",
    usage: Mapping[str, Any] | None = None,
    message: Mapping[str, Any] | None = None,
    **payload: Any,
) -> dict[str, Any]:
    """Make the body of a chat completion; ``message`` adds fields to the assistant message."""
    said: dict[str, Any] = {"role": "assistant", "content": content, **(message or {})}
    if calls:
        said["tool_calls"] = list(calls)
    reason = ("tool_calls" if calls else "stop") if finish == "" else finish
    counts = {"prompt_tokens": 100, "completion_tokens": 20} if usage is None else dict(usage)
    return {"choices": [{"index": 0, "message": said, "finish_reason": reason}], "usage": counts, **payload}


def tool_call(arguments: Any, name: Any = "find_and_replace", call_id: Any = "call_1", **extra: Any) -> dict[str, Any]:
    """Make an entry of ``tool_calls``; arguments that are a mapping are encoded, anything else goes as it is."""
    encoded = json.dumps(arguments) if isinstance(arguments, dict) else arguments
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": encoded}, **extra}


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
