"""Running invented cases against the server of `benchmarks.endpoint`, by the code that ``errata-bench run`` runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata_bench.cases.model import Case
from errata_bench.endpoint.settings import Settings, load_settings
from errata_bench.runs.engine import Outcome, RunObserver
from errata_bench.runs.invocation import RunOptions, run_group
from errata_bench.runs.plan import Plan
from errata_bench.runs.progress import Progress
from errata_bench.store.group import read_group
from errata_bench.variants import Variant


class Silent:
    """A `RunDisplay` that counts and shows nothing."""

    def remark(self, text: str) -> None:
        """Say nothing."""

    @contextmanager
    def showing(self, plan: Plan) -> Iterator[RunObserver]:
        """Count."""
        yield Progress(plan, time.time())

    def interrupted(self, at_once: bool) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What an invocation took: seconds on the wall and of this process's CPU, and the requests that it made."""

    wall: float
    cpu: float
    requests: int

    @property
    def cpu_per_request(self) -> float:
        """Seconds of CPU for each request, everything from planning to scoring included."""
        return self.cpu / self.requests


def settings_for(base_url: str) -> Settings:
    """Settings that name the server and nothing else."""
    return load_settings(
        None, api_provider="openai-compatible", api_base_url=base_url, api_key="none", api_endpoint_label="benchmark"
    )


def variants(count: int) -> tuple[Variant, ...]:
    """So many variants of invented models."""
    return tuple(Variant(f"bench/model-{n}", "low") for n in range(count))


def drive(
    path: Path, cases: Sequence[Case], models: Sequence[Variant], settings: Settings, options: RunOptions
) -> Driven:
    """Run cases into a group. Raises `RuntimeError` unless every run succeeds."""
    begun, used = time.perf_counter(), time.process_time()
    outcome: Outcome = asyncio.run(run_group(path, cases, models, settings, options, Silent()))
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    if outcome.failed or outcome.left or outcome.bugs:
        raise RuntimeError(f"not every run succeeded: {outcome}")
    with read_group(path) as group:
        return Driven(wall, cpu, group.spend().requests)
