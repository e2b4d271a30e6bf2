"""The server: which address leads to what, with the headers that every answer gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from errata_bench.errors import UserError
from errata_bench.results.published import all_published, load_published
from errata_bench.store.group import read_group
from errata_bench.store.open import RESERVED_IDS, group_ids, group_path
from errata_bench.views.web.data import Facts
from errata_bench.views.web.fresh import GroupData
from errata_bench.views.web.render import VEGA, asset
from errata_bench.views.web.security import HEADERS, host_is_ours
from errata_bench.views.web.site import Answer, PublishedSite, Site, message_page, static_file

_FOR_EVER = "public, max-age=31536000, immutable"


class OpenGroups:
    """The groups of a folder, each opened when it is first asked for. Used by one thread alone.

    ``only`` is the one group that may be seen; None for all of the folder.
    """

    def __init__(self, results_dir: Path, only: str | None) -> None:
        self._results_dir = results_dir
        self._only = only
        self._open: dict[str, tuple[ExitStack, GroupData, int]] = {}

    @property
    def ids(self) -> list[str]:
        """The groups that can be seen."""
        found = [self._only] if self._only else group_ids(self._results_dir)
        return [group_id for group_id in found if group_id not in RESERVED_IDS]

    def facts(self, group_id: str) -> Facts:
        """What holds of a group now. Raises `StoreError`."""
        path = group_path(self._results_dir, group_id)
        there = path.stat().st_ino if path.is_file() else 0
        if group_id in self._open and self._open[group_id][2] != there:
            self._close(group_id)  # another file has taken its place
        if group_id not in self._open:
            stack = ExitStack()
            group = stack.enter_context(read_group(path))
            self._open[group_id] = (stack, GroupData(group), there)
        try:
            facts = self._open[group_id][1].facts
            if facts.records:
                return facts
        except UserError:
            self._close(group_id)
            raise
        # An empty file is read as a group without runs and would stay one, whatever is written into it.
        stack, data, _ = self._open[group_id]
        self._open[group_id] = (stack, data, -1)
        return facts

    def close(self) -> None:
        """Close all files."""
        for group_id in list(self._open):
            self._close(group_id)

    def _close(self, group_id: str) -> None:
        self._open.pop(group_id)[0].close()


def make_app(results_dir: Path, group_id: str | None, host: str) -> Starlette:
    """The application. ``host`` is the address that it will be bound to.

    Without a group it shows all of the folder, and what was published elsewhere; ``group_id`` may name either.
    """
    groups = OpenGroups(results_dir, group_id)
    # SQLite's connections and what is kept of a group belong to one thread; pages are quick, and readers few.
    worker = ThreadPoolExecutor(1, "pages")

    async def answer(work: Callable[[], Answer], request: Request) -> Response:
        if not host_is_ours(request.headers.get("host", ""), host):
            return _response(message_page("Not this server", "The request names another host.", status=421))
        return _response(await asyncio.get_running_loop().run_in_executor(worker, _told, work))

    async def home(request: Request) -> Response:
        if group_id is not None:
            return RedirectResponse(f"/{group_id}/index.html", headers=dict(HEADERS))
        return await answer(lambda: message_page("Groups", groups=groups.ids, published=all_published()), request)

    async def shared(request: Request) -> Response:
        name = request.path_params["name"]
        return await answer(lambda: static_file(name) or _no_page(), request)

    async def folder(request: Request) -> Response:
        return RedirectResponse(request.url.path.rstrip("/") + "/index.html", headers=dict(HEADERS))

    async def page(request: Request) -> Response:
        group, path = request.path_params["group"], request.path_params["path"]
        query = dict(request.query_params)

        def work() -> Answer:
            if group_id in (None, group) and (published := load_published(group)) is not None:
                return PublishedSite(published, other_groups=group_id is None).get(path, query)
            if group not in groups.ids:
                return _no_page()
            return Site(group, other_groups=group_id is None).get(groups.facts(group), path, query)

        return await answer(work, request)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # Vega's bundle takes a second to put together; nobody has to wait for it.
        made = asyncio.get_running_loop().run_in_executor(None, asset, VEGA)
        yield
        await made
        worker.submit(groups.close).result()
        worker.shutdown()

    routes = [
        Route("/", home),
        Route("/static/{name}", shared),
        Route("/{group}", folder),
        Route("/{group}/", folder),
        Route("/{group}/{path:path}", page),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _told(work: Callable[[], Answer]) -> Answer:
    try:
        return work()
    except UserError as error:
        return message_page("This cannot be shown", error.message, error.mend, status=503)


def _no_page() -> Answer:
    return message_page("There is no such page", "Nothing is at that address.", status=404)


def _response(answer: Answer) -> Response:
    headers = dict(HEADERS) | {"Cache-Control": _FOR_EVER if answer.lasting else "no-cache"}
    return Response(answer.body, answer.status, headers, answer.content_type)
