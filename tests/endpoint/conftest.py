from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from tests.endpoint.clients import Client, client_of, settings_for
from tests.support.loopback import Loopback, serve

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting and no proxy of whoever runs the tests gets into them."""
    for name in list(os.environ):
        if name.startswith("ERRATA_BENCH_") or name.lower() in _PROXIES:
            monkeypatch.delenv(name)


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with serve() as running:
        yield running


@pytest.fixture
async def client(server: Loopback) -> AsyncIterator[Client]:
    async with client_of(settings_for(server)) as made:
        yield made
