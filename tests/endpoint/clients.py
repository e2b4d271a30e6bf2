"""A model behind a real endpoint on loopback, with what was told of it, for the tests of the client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from errata_bench.chat import Attempt, ChatRequest, ToolSchema
from errata_bench.endpoint.client import Endpoint, HttpChatModel
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.endpoint.settings import Settings, load_settings
from errata_bench.errors import EndpointFault
from errata_bench.variants import Variant
from tests.support.loopback import Answer, Loopback

NOW = 1_750_000_000.0
REQUEST = ChatRequest(
    ({"role": "user", "content": "Proofread."},),
    (ToolSchema("find_and_replace", "Edits.", {"type": "object", "properties": {}, "additionalProperties": False}),),
)
BUSY = Answer(503, {"error": {"message": "busy"}})


def settings_for(server: Loopback, **overrides: Any) -> Settings:
    given = {"api_provider": "openai-compatible", "api_base_url": f"{server.url}/v1", "api_key": "k3y-0123456789"}
    return load_settings(None, **{**given, **overrides})


@dataclass
class Client:
    """A model behind an endpoint, and what was told of it."""

    endpoint: Endpoint
    model: HttpChatModel
    attempts: list[Attempt] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def complete(self, request: ChatRequest = REQUEST) -> Any:
        return await self.model.complete(request, self.attempts.append)

    async def fault(self, request: ChatRequest = REQUEST) -> EndpointFault:
        with pytest.raises(EndpointFault) as caught:
            await self.complete(request)
        return caught.value

    @property
    def outcomes(self) -> list[str]:
        return [attempt.outcome for attempt in self.attempts]


@asynccontextmanager
async def client_of(settings: Settings, **options: Any) -> AsyncIterator[Client]:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    options = {"retry": RetryPolicy(random=lambda: 0.0), "sleep": note, "clock": lambda: NOW, **options}
    async with Endpoint(settings, **options) as endpoint:
        yield Client(endpoint, endpoint.chat_model(Variant("org/m", "low")), waits=waits)
