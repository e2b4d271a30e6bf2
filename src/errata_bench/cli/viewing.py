"""What the commands of ``errata-bench view`` share: the group that is meant, and what of it is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata_bench.results.detail.selection import Selection
    from errata_bench.results.published import Published
    from errata_bench.store.group import Group


@contextmanager
def opened(group: str | None, results_dir: Path | None) -> Iterator[Group]:
    """Open the group that is meant, to look at it. Raises `UserError` for results of which there are no runs."""
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.published import without_runs
    from errata_bench.store.group import read_group
    from errata_bench.store.open import group_path

    settings = load_settings(results_dir=results_dir)
    if (published := published_named(group, results_dir)) is not None:
        raise without_runs(published)
    with read_group(group_path(settings.results_dir, group or settings.default_results_id)) as stored:
        yield stored


def published_named(group: str | None, results_dir: Path | None) -> Published | None:
    """The results published elsewhere that are meant, if any."""
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.published import load_published

    return load_published(group or load_settings(results_dir=results_dir).default_results_id)


def selection_of(
    model: list[str] | None,
    provider: list[str] | None,
    effort: list[str] | None,
    case: list[str] | None,
    category: list[str] | None,
) -> Selection:
    """What the options choose."""
    from errata_bench.results.detail.selection import Selection

    return Selection(names_in(model), names_in(provider), names_in(effort), names_in(case), names_in(category))


def names_in(values: list[str] | None) -> tuple[str, ...]:
    """The names in options that may be given again and may hold several with commas."""
    return tuple(name.strip() for value in values or () for name in value.split(",") if name.strip())
