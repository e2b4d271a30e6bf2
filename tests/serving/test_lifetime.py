from __future__ import annotations

import socket

import aiohttp
import pytest

from errata_bench.errors import UserError
from errata_bench.serving.lifetime import ListenAddress, listening, loopback
from errata_bench.serving.server import Server


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("127.1.2.3", "127.1.2.3"), ("localhost", "127.0.0.1"), ("[::1]", "::1")],
)
def test_loopback_hosts_are_taken(host: str, address: str) -> None:
    assert loopback(host) == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", "", "127.0.0.1.example.org"])
def test_all_others_are_refused(host: str) -> None:
    with pytest.raises(UserError, match="loopback") as caught:
        loopback(host)
    assert "127.0.0.1" in (caught.value.mend or "")


async def test_a_free_port_is_taken_and_given_back() -> None:
    async with listening(Server({}), ListenAddress()) as url, aiohttp.ClientSession() as session:
        async with session.get(f"{url}/models") as response:
            assert (await response.json()) == {"object": "list", "data": []}
        port = int(url.removesuffix("/v1").rpartition(":")[2])
    async with listening(Server({}), ListenAddress(port=port)) as again:
        assert again == url


async def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} of 127.0.0.1 is in use") as caught:
            async with listening(Server({}), ListenAddress(port=port)):
                raise AssertionError("it listens")
    assert "--port" in (caught.value.mend or "")
