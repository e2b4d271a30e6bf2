"""Starts the server, and ends it on Ctrl-C with everything closed."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from aiohttp import web

from errata_bench.baselines import close_engines
from errata_bench.errors import UserError
from errata_bench.serving.server import Server

_SHUTDOWN_SECONDS = 1.0
"""Time that replies under way are given at the end."""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where to listen; port 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 0


def loopback(host: str) -> str:
    """The address of a loopback host. Raises `UserError` for any other: the server asks nobody for a key."""
    mend = "leave --host out, or give 127.0.0.1 or ::1"
    if host.lower() == "localhost":
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        raise UserError(f"--host {host!r} is no loopback address", mend=mend) from None
    if not address.is_loopback:
        raise UserError(f"--host {host}: the server listens on loopback addresses only", mend=mend)
    return str(address)


@contextlib.asynccontextmanager
async def listening(server: Server, address: ListenAddress) -> AsyncIterator[str]:
    """Run the server while the context lasts; gives its base URL. Raises `UserError` where it cannot listen."""
    host = loopback(address.host)
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, address.port, backlog=2048).start()
        except OSError as error:
            raise _cannot_listen(host, address.port, error) from error
        port = runner.addresses[0][1]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    finally:
        await runner.cleanup()
        await close_engines()


async def serve_until_interrupted(server: Server, address: ListenAddress, announce: Callable[[str], None]) -> None:
    """Run the server until SIGINT or SIGTERM; ``announce`` is told its base URL once it listens."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    async with listening(server, address) as url:
        # In place before anybody is told that there is something to stop.
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in before:
            loop.add_signal_handler(number, ended.set)
        try:
            announce(url)
            await ended.wait()
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)


def _cannot_listen(host: str, port: int, error: OSError) -> UserError:
    if error.errno == errno.EADDRINUSE:
        return UserError(f"port {port} of {host} is in use", mend="name another --port, or 0 for a free one")
    if error.errno == errno.EACCES:
        return UserError(f"port {port} may not be used", mend="name a --port above 1023, or 0 for a free one")
    return UserError(f"cannot listen on {host}, port {port}: {error.strerror or error}", mend="try --port 0")
