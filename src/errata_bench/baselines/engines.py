"""Where the checkers run: each in one worker process of its own, started lazily, never on the event loop's thread.

A thread would not do, as measured on two cores: LanguageTool's engine keeps the interpreter lock for the 1.5 s of its
construction, symspellpy held the loop for 0.14 s at a stretch while loading, and Harper, which lets go of the lock
while it checks, still for 0.04 s round a check of 5,600 words. With processes the loop is held for a few milliseconds,
the sending of the text included.

A check returns with the time that the work itself took: reading the text out of the HTML, checking it, and finding the
places of the corrections again. Waiting for the worker, starting it and building the checker are outside it. Nothing is
kept from one check to the next: a paragraph seen again is checked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Protocol

from errata_bench.baselines.plain_text import Correction, HtmlEdit, html_edits, read_plain_text
from errata_bench.errors import EndpointFault, InternalError, Reach


class Engine(StrEnum):
    """The checkers."""

    SPELLING = "spelling"
    HARPER = "harper"
    LANGUAGETOOL = "languagetool"


class Checker(Protocol):
    """A checker, built. Not safe for use by two threads at once."""

    def check(self, paragraphs: Sequence[str]) -> list[list[Correction]]:
        """The corrections of each paragraph of a text, given without tags and entities."""
        ...


@dataclass(frozen=True, slots=True)
class Checked:
    """The edits of each paragraph, and the seconds that finding them took."""

    edits: tuple[tuple[HtmlEdit, ...], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Task:
    executor: ProcessPoolExecutor
    future: Future[Checked]


class EngineHost:
    """One checker and the worker that it lives in, started with the first check."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._executor: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()

    async def check(self, inner_htmls: Sequence[str]) -> Checked:
        """Check the paragraphs of one text, given as inner HTML.

        A worker that died is replaced once. Raises `EndpointFault` when the second dies too, and when the checker
        cannot be built.
        """
        paragraphs = tuple(inner_htmls)
        fault: Exception | None = None
        for _ in range(2):
            task = self._submit(paragraphs) if self._executor else await asyncio.to_thread(self._submit, paragraphs)
            try:
                return await asyncio.wrap_future(task.future)
            except BrokenExecutor as error:
                self._discard(task.executor)
                fault = error
            except Exception as error:
                raise EndpointFault("engine_failed", f"{self.engine}: {error}", reach=Reach.VARIANT) from error
        raise EndpointFault(
            "engine_died",
            f"the worker process of {self.engine} ended twice in a row (out of memory?)",
            reach=Reach.RUN,
        ) from fault

    def close(self) -> None:
        """Stop the worker once its present check is done; a later check starts another one."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, inner_htmls: tuple[str, ...]) -> _Task:
        """Hand over the work. Starts the worker if there is none, which takes some hundredths of a second."""
        with self._lock:
            for _ in range(2):
                if self._executor is None:
                    self._executor = _new_executor()
                with contextlib.suppress(BrokenExecutor), _interrupts_held():
                    return _Task(self._executor, self._executor.submit(_check, self.engine, inner_htmls))
                self._executor = None  # it broke while idle
        raise InternalError(f"a new worker process of {self.engine} takes no work")

    def _discard(self, executor: ProcessPoolExecutor) -> None:
        """Forget a broken executor, unless another request has done so and there is a new one."""
        with self._lock:
            if self._executor is executor:
                self._executor = None
        executor.shutdown(wait=False, cancel_futures=True)


@cache
def engine_host(engine: Engine) -> EngineHost:
    """The one host of that checker in this process."""
    return EngineHost(engine)


def close_hosts() -> None:
    """Stop all workers. At the end of the process this happens by itself."""
    for engine in Engine:
        engine_host(engine).close()


def _new_executor() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        max_workers=1, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )


def _check(engine: Engine, inner_htmls: tuple[str, ...]) -> Checked:
    """Check in the worker."""
    checker = _checker(engine)
    started = time.perf_counter()
    plain = [read_plain_text(inner_html) for inner_html in inner_htmls]
    # A line break in the source of a paragraph is white space like any other.
    corrections = checker.check([paragraph.text.translate(_SPACES) for paragraph in plain])
    edits = tuple(html_edits(paragraph, tuple(found)) for paragraph, found in zip(plain, corrections, strict=True))
    return Checked(edits, time.perf_counter() - started)


_SPACES = str.maketrans("\n\t", "  ")


@cache
def _checker(engine: Engine) -> Checker:
    """The checker of this worker, built and warmed up: its first check loads what later ones have."""
    checker = _builder(engine)()
    checker.check(["This is a sentance to warm up with."])
    return checker


def _builder(engine: Engine) -> Callable[[], Checker]:
    match engine:
        case Engine.SPELLING:
            from errata_bench.baselines.spelling import SpellingChecker

            return SpellingChecker
        case Engine.HARPER:
            from errata_bench.baselines.harper_checker import HarperChecker

            return HarperChecker
        case Engine.LANGUAGETOOL:
            from errata_bench.baselines.languagetool_checker import LanguageToolChecker

            return LanguageToolChecker


def _end_with_parent() -> None:
    """Let a worker process end when its parent does, however that ends; by itself it would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back SIGINT, so that a process started meanwhile never gets one.

    A signal mask is inherited, other than a handler. Ctrl-C reaches every process of a terminal's group; the workers
    have to outlive it, because running chunks are finished after it, and would write a traceback each. A SIGINT held
    back here arrives as soon as the block is left.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
