from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser

from errata_bench.store.group import read_group, write_group
from errata_bench.views.web.app import make_app
from errata_bench.views.web.export import export_site
from tests.support.browser import open_browser
from tests.support.web_groups import fill


@contextmanager
def serving(results_dir: Path, group_id: str | None = None) -> Iterator[str]:
    """The address of a server over a folder of groups, in a thread."""
    config = uvicorn.Config(
        make_app(results_dir, group_id, "127.0.0.1"), port=0, log_level="critical", access_log=False, ws="none"
    )
    listening = config.bind_socket()
    listening.listen()  # who comes before the server is ready waits for it
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def results_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample group and an empty one; nobody writes into it."""
    folder = tmp_path_factory.mktemp("results")
    fill(folder / "sample.sqlite")
    with write_group(folder / "empty.sqlite"):
        pass
    return folder


@pytest.fixture(scope="session")
def static_site(results_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample group as files."""
    folder = tmp_path_factory.mktemp("exported") / "site"
    with read_group(results_dir / "sample.sqlite") as group:
        export_site(group, folder, processes=1)
    return folder


@pytest.fixture(scope="module")
def server(results_dir: Path) -> Iterator[str]:
    with serving(results_dir) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # For a module at a time: while it runs, Playwright keeps an event loop in this thread, which async tests need.
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module", params=["served", "static"])
def site(request: pytest.FixtureRequest, results_dir: Path, static_site: Path) -> Iterator[str]:
    """The address of the sample group's pages: from a server, and from disk."""
    if request.param == "static":
        yield static_site.as_uri()
        return
    with serving(results_dir, "sample") as address:
        yield f"{address}/sample"
