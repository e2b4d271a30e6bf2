"""How often Python looks for garbage in cycles while thousands of requests are under way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLD = (50_000, 20, 20)
"""Python's own numbers (700 or 2,000 objects to begin with) are for small programs: the harness makes thousands of
objects for each reply, nearly all of them freed by their reference counts. Searching for the rest was a sixth of its
processor time (`benchmarks.concurrency`)."""


_within: list[tuple[int, int, int]] = []
"""What held before, once for each context that lasts: those of one process may overlap."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage seldom while the context, or another one, lasts; and never among what was there before."""
    if not _within:
        gc.collect()
        gc.freeze()
    _within.append(_within[0] if _within else gc.get_threshold())
    gc.set_threshold(*_THRESHOLD)
    try:
        yield
    finally:
        before = _within.pop()
        if not _within:
            gc.set_threshold(*before)
            gc.unfreeze()
