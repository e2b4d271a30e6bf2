"""Run the server until it is interrupted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from errata_bench.errors import UserError
from errata_bench.views.web.app import make_app


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; ``port`` 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 0


class _Server(uvicorn.Server):
    """Says when it can be asked."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()


def serve(results_dir: Path, group_id: str | None, address: Address, on_start: Callable[[str], None]) -> None:
    """Serve pages until Ctrl-C; ``on_start`` is told the address as soon as it answers.

    Raises `UserError` where the address cannot be taken.
    """
    config = uvicorn.Config(
        make_app(results_dir, group_id, address.host),
        host=address.host,
        port=address.port,
        log_level="critical",
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    try:
        listening = config.bind_socket()
    except SystemExit as end:  # uvicorn leaves the process where it cannot bind
        raise UserError(
            f"the address {address.host}:{address.port} cannot be taken", mend="name another one with --host or --port"
        ) from end
    host = f"[{address.host}]" if ":" in address.host else address.host
    url = f"http://{host}:{listening.getsockname()[1]}/" + (f"{group_id}/index.html" if group_id else "")
    try:
        with suppress(KeyboardInterrupt):  # uvicorn passes it on when it has ended in good order
            _Server(config, lambda: on_start(url)).run(sockets=[listening])
    finally:
        listening.close()
