"""What a person can ask of an invocation of ``run``, besides the endpoint's settings."""

from __future__ import annotations

from dataclasses import dataclass

from errata_bench.endpoint.outage import DEFAULT_PATIENCE_SECONDS
from errata_bench.endpoint.retry import RetryPolicy
from errata_bench.variants import Variant


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is to be run and how.

    ``chunk_size`` is the words of a chunk (0: the whole document), ``concurrency`` the requests in flight at a time,
    ``request_timeout`` seconds for one attempt. ``max_retries`` attempts follow a failed one, the first of them after
    about ``retry_wait`` seconds; an outage may last ``max_outage`` seconds. ``max_cost`` is a cap in USD on what is
    spent; ``allow_unpriced`` lets models run under it whose price nobody knows. ``judge`` decides on fixes that differ
    from the expected ones; None: nobody does.
    """

    samples: int = 3
    chunk_size: int = 2000
    max_turns: int = 3
    concurrency: int = 30
    max_completion_tokens: int = 8192
    request_timeout: float = 600.0
    max_retries: int = 6
    retry_wait: float = 1.0
    max_outage: float = DEFAULT_PATIENCE_SECONDS
    max_cost: float | None = None
    allow_unpriced: bool = False
    reasoning_exclude: bool = False
    reasoning_max_tokens: int | None = None
    judge: Variant | None = None

    @property
    def retry(self) -> RetryPolicy:
        """How a failed request is tried again."""
        return RetryPolicy(max_retries=self.max_retries, base_seconds=self.retry_wait)
