"""Figures that others have published: shipped as data, shown as they are, and never ranked with runs of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from errata_bench.errors import UserError
from errata_bench.results.aggregate import FIGURES, RESTRAINT_FIGURES, VariantSummary
from errata_bench.results.detail.narrowing import Narrowed
from errata_bench.results.detail.selection import Selection, choose_cases, choose_variants
from errata_bench.store.open import RESERVED_IDS
from errata_bench.store.records import RunSettings
from errata_bench.variants import parse_variant

_DATA = Path(__file__).parents[1] / "data"
PUBLISHED_ELSEWHERE = "published elsewhere, on other texts; not comparable with runs of your own"
"""Stands wherever such figures are shown."""

PUBLISHED_IDS = RESERVED_IDS
"""The published results that ship with this program; each is named like a group, so no group has such a name."""


@dataclass(frozen=True, slots=True)
class PublishedCase:
    """A text that was run elsewhere, and the attempts on it."""

    case_id: str
    attempts: int
    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True)
class Published:
    """Results as they were published: what they are, where from, of which day, and under which conditions.

    ``summaries`` are in the published order and have the published figures, rounded as they were; figures that were not
    published are None.
    """

    id: str
    title: str
    source: str
    date: str
    conditions: tuple[str, ...]
    summaries: tuple[VariantSummary, ...]
    cases: tuple[PublishedCase, ...]

    @property
    def models(self) -> int:
        """How many models they are of, whatever the effort."""
        return len({summary.variant.model for summary in self.summaries})

    @property
    def attempts(self) -> int:
        """How often a variant was set to a text, failures included."""
        return sum(case.attempts for case in self.cases)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What has to stand beside these figures wherever they are shown."""
        return (
            f"{self.title}, {self.date}: {PUBLISHED_ELSEWHERE}.",
            f"Source: {self.source}.",
            *(f"{condition[:1].upper()}{condition[1:]}." for condition in self.conditions),
        )


@cache
def load_published(published_id: str) -> Published | None:
    """The published results of that name, or None where there are none."""
    if published_id not in PUBLISHED_IDS:
        return None
    content = orjson.loads((_DATA / f"{published_id}.json").read_bytes())
    settings = RunSettings(prompt_version="published", max_completion_tokens=0, **content["settings"])
    return Published(
        id=content["id"],
        title=content["title"],
        source=content["source"],
        date=content["date"],
        conditions=tuple(content["conditions"]),
        summaries=tuple(_summary(row, settings) for row in content["variants"]),
        cases=tuple(PublishedCase(**row) for row in content["cases"]),
    )


def all_published() -> tuple[Published, ...]:
    """All published results that ship with this program."""
    return tuple(found for found in map(load_published, PUBLISHED_IDS) if found is not None)


def without_runs(published: Published) -> UserError:
    """What is to be said to somebody who asks for the runs of published results."""
    return UserError(
        f"of {published.id} there are no runs here, only figures that were published elsewhere",
        mend=f"errata-bench view rankings {published.id} shows them, and so do view datasets, scatterplot and web",
    )


def _summary(row: Mapping[str, Any], settings: RunSettings) -> VariantSummary:
    return VariantSummary(
        variant=parse_variant(row["model"]),
        settings=settings,
        cases=row["cases"],
        cases_counted=row["cases"],
        controls=0,
        successful_runs=row["successful_runs"],
        total_runs=row["total_runs"],
        unfinished_runs=0,
        figures={name: row.get(name) for name in (*FIGURES, *RESTRAINT_FIGURES)},
        mean_range=row["quality_range"],
        median_range=None,
    )


def published_cases(published: Published, selection: Selection) -> tuple[PublishedCase, ...]:
    """The texts that are selected. Raises `UserError` for a choice of anything but cases: attempts are told of all."""
    if selection.models or selection.providers or selection.efforts or selection.categories:
        raise UserError(
            f"{published.id} has no figures by case for single models or categories",
            mend=f"choose cases alone, or see the models: errata-bench view rankings {published.id}",
        )
    kept = choose_cases(selection, (case.case_id for case in published.cases))
    return tuple(case for case in published.cases if case.case_id in kept)


def narrow_published(published: Published, selection: Selection) -> Narrowed:
    """The variants that are selected. Raises `UserError` for a choice of cases or categories."""
    if selection.cases or selection.categories:
        raise UserError(
            f"{published.id} has no figures by case or category", mend="choose models, providers or efforts"
        )
    variants = choose_variants(selection, (summary.variant for summary in published.summaries))
    return Narrowed(tuple(summary for summary in published.summaries if summary.variant in variants), (), ())
