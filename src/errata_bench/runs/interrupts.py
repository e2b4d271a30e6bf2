"""Ctrl-C and the signal to end: the first lets running chunks finish, the second stops at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Stoppable(Protocol):
    """What executes something, and can be stopped."""

    def stop(self) -> None:
        """Begin nothing more; what is being worked on is finished."""

    def cancel(self) -> None:
        """Stop now."""


@contextmanager
def interrupts(engine: Stoppable, on_interrupt: Callable[[bool], None]) -> Iterator[None]:
    """Hand interrupts to an engine while the context lasts; ``on_interrupt`` is told whether it stops at once."""
    loop = asyncio.get_running_loop()
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        at_once, interrupted = interrupted, True
        on_interrupt(at_once)
        if at_once:
            engine.cancel()
        else:
            engine.stop()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            # asyncio leaves the default in its place, which would end the loop in the middle of closing connections.
            signal.signal(number, handler)
