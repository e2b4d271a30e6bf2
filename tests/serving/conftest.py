"""Requests as a run sends them, and a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from errata_bench.baselines.engines import close_hosts
from errata_bench.cases.model import Case
from errata_bench.chat import ToolSchema
from errata_bench.proofreading.tools import TOOLS
from errata_bench.serving.lifetime import ListenAddress, listening
from errata_bench.serving.proofreaders import proofreaders
from errata_bench.serving.server import Server, ServingOptions
from tests.support.builders import make_case


@pytest.fixture(scope="session", autouse=True)
def _close_workers() -> Iterator[None]:
    yield
    close_hosts()


@pytest.fixture
def case() -> Case:
    """Three paragraphs with one "teh" each."""
    return make_case("letter", 3)


def tool_json(tool: ToolSchema) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def body_for(case: Case, *later: Any, model: str = "served/oracle", **fields: Any) -> dict[str, Any]:
    """A request as a run sends it; a field given as ``...`` is left out."""
    content = {
        "model": model,
        "messages": [
            {"role": "system", "content": "You proofread."},
            {"role": "user", "content": f"Correct the errors.\n\n{case.document.html}"},
            *later,
        ],
        "max_completion_tokens": 8192,
        "temperature": 0.0,
        "stream": False,
        "tools": [tool_json(tool) for tool in TOOLS],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        **fields,
    }
    return {key: value for key, value in content.items() if value is not ...}


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens, and the waits that it did not wait for."""

    server: Server
    url: str
    waits: list[float]
    session: aiohttp.ClientSession

    async def post(self, body: Any, path: str = "/chat/completions") -> tuple[int, Any]:
        """The status and the JSON of a response."""
        async with self.session.post(f"{self.url}{path}", json=body) as response:
            return response.status, await response.json()

    async def get(self, path: str) -> Any:
        async with self.session.get(self.url.removesuffix("/v1") + path) as response:
            return await response.json()


Serve = Callable[..., AbstractAsyncContextManager[Running]]


@asynccontextmanager
async def running(case: Case, **options: Any) -> AsyncIterator[Running]:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    server = Server(proofreaders([case]), ServingOptions(**options), sleep=note, clock=lambda: 1_750_000_000.0)
    async with (
        listening(server, ListenAddress()) as url,
        # A connection for each request, as one that was reset or cut is not used again.
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session,
    ):
        yield Running(server, url, waits, session)


@pytest.fixture
def serving(case: Case) -> Serve:
    """Runs a server for the case with the given `ServingOptions`."""
    return lambda **options: running(case, **options)


@pytest.fixture(name="body_for")
def body_for_fixture() -> Callable[..., dict[str, Any]]:
    return body_for


BodyFor = Callable[..., dict[str, Any]]
Answers = Callable[..., Awaitable[Any]]
