"""How often Python looks for garbage in cycles while thousands of requests are under way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLD = (50_000, 20, 20)
"""Python's own numbers (700 or 2,000 objects to begin with) are for small programs: the harness makes thousands of
objects for each reply, nearly all of them freed by their reference counts. Searching for the rest was a sixth of its
processor time (`benchmarks.concurrency`)."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage seldom while the context lasts, and never among what was there before."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
