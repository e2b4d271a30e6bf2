"""A group as a static site: every page and every shared file, in a folder of its own."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata_bench.errors import UserError
from errata_bench.results.published import Published
from errata_bench.store.group import Group, read_group
from errata_bench.views.web import shared_data
from errata_bench.views.web.data import Facts
from errata_bench.views.web.pages import all_paths
from errata_bench.views.web.render import asset_names
from errata_bench.views.web.site import Answer, PublishedSite, Site

MARK = ".errata-bench-site"
"""Stands in every folder that we wrote: only such a folder, or an empty one, is written into."""
_FOLDERS = ("static", "data", "case", "issue", "run")
_PARTS = 400
"""From so many files on, processes share the work."""
_SLOW = ("data/scopes.js", "compare.html")
"""Hold intervals and tests for everything that can be chosen on a page."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: files, and their bytes."""

    files: int
    size: int


def export_site(group: Group, folder: Path, *, processes: int | None = None) -> Exported:
    """Write a group's pages into a folder, which is made; its ``index.html`` opens from disk or any web server.

    A site that we wrote there before is replaced. ``processes`` at most share the work (default: one a processor).
    Raises `UserError` when the folder holds anything else or cannot be written.
    """
    with _writing(folder, _FOLDERS):
        facts = Facts(group)
        paths = _all_files(facts)
        written = _write_all(group, facts, folder, paths, processes)
        _clear(folder, paths)
        return written


def export_published(published: Published, folder: Path) -> Exported:
    """Write the page of figures that were published elsewhere into a folder, under the rules of `export_site`."""
    with _writing(folder, ("static",)):
        paths = [*_shared_files(), "index.html"]
        site = PublishedSite(published, static=True)
        written = _write(site.get, folder, paths)
        _clear(folder, paths)
        return written


@contextmanager
def _writing(folder: Path, parts: Sequence[str]) -> Iterator[None]:
    try:
        _prepare(folder, parts)
        yield
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}", mend="name another folder") from error


def _prepare(folder: Path, parts: Sequence[str]) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file", mend="name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UserError(
            f"{folder} holds files that are no exported site", mend="name a new or an empty folder; nothing was written"
        )
    for part in ("", *parts):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text("A site written by errata-bench; the next export into this folder replaces it.\n")


def _all_files(facts: Facts) -> list[str]:
    """All paths; those of one case stand together, because what they share is kept for one case at a time."""
    return [
        *_shared_files(),
        *all_paths(facts),
        *sorted((f"data/{name}" for name in shared_data.names(facts)), key=lambda path: _place(facts, path)),
    ]


def _shared_files() -> list[str]:
    return [f"static/{name}" for name in asset_names()]


def _place(facts: Facts, path: str) -> tuple[str, str]:
    number = path.partition("-")[2].removesuffix(".js")
    record = facts.by_id.get(int(number)) if path.startswith("data/marked-") else None
    return (record.key.fingerprint if record else "", path)


def _write_all(group: Group, facts: Facts, folder: Path, paths: Sequence[str], processes: int | None) -> Exported:
    workers = processes or len(os.sched_getaffinity(0))
    if workers < 2 or len(paths) < _PARTS:
        return _write_pages(facts, group.id, folder, paths)
    # The slowest are begun first, one by one. Then whole stretches, so that a process reads a case once; more of them
    # than processes, so that none waits long for the others.
    rest = [path for path in paths if path not in _SLOW]
    step = -(-len(rest) // (4 * workers))
    parts = [[path] for path in _SLOW] + [rest[at : at + step] for at in range(0, len(rest), step)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _open_group, (group.path,)) as pool:
        done = list(pool.map(_write_part, [group.id] * len(parts), [folder] * len(parts), parts))
    return Exported(sum(one.files for one in done), sum(one.size for one in done))


_facts: list[Facts] = []
"""A worker's own view of the group."""


def _open_group(path: Path) -> None:
    # Open as long as the process lives: its end closes the file.
    context = read_group(path)
    _facts.append(Facts(context.__enter__()))
    _contexts.append(context)


_contexts: list[object] = []


def _write_part(group_id: str, folder: Path, paths: Sequence[str]) -> Exported:
    return _write_pages(_facts[0], group_id, folder, paths)


def _write_pages(facts: Facts, group_id: str, folder: Path, paths: Sequence[str]) -> Exported:
    site = Site(group_id, static=True)
    return _write(lambda path: site.get(facts, path), folder, paths)


def _write(get: Callable[[str], Answer], folder: Path, paths: Sequence[str]) -> Exported:
    size = 0
    for path in paths:
        answer = get(path)
        (folder / path).write_bytes(answer.body)
        size += len(answer.body)
    return Exported(len(paths), size)


def _clear(folder: Path, paths: Sequence[str]) -> None:
    """Take out what an earlier export wrote: pages of runs that are no longer there would lead nowhere."""
    for old in _own_files(folder) - {folder / path for path in paths}:
        old.unlink()


def _own_files(folder: Path) -> set[Path]:
    return {path for path in _files(folder) if path.suffix in (".html", ".js", ".css", ".svg")}


def _files(folder: Path) -> Iterator[Path]:
    yield from folder.glob("*.html")
    for part in _FOLDERS:
        if (folder / part).is_dir():
            yield from (folder / part).iterdir()
