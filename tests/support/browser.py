"""A real browser for tests of pages: Chromium, headless, driven by Playwright; told on when a page misbehaves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def chromium_path() -> str:
    """The Chromium of this machine; skips the test where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    return found


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A running browser."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What a page did that it must not do."""

    complaints: list[str] = field(default_factory=list)

    def look_at(self, page: Page) -> None:
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append("a dialog")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "file:///")):
            self.complaints.append(f"request: {request.url}")


@contextmanager
def watched_page(
    browser: Browser,
    *,
    size: dict[str, int] = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
    expected: tuple[str, ...] = (),
) -> Iterator[Page]:
    """A page that in the end has written nothing to its console, asked no other host, and run no planted script.

    ``expected`` are parts of complaints that are meant to come.
    """
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    page = context.new_page()
    watch = Watch()
    watch.look_at(page)
    try:
        yield page
        assert page.evaluate("typeof window.planted") == "undefined", "a planted script has run"
        left = [one for one in watch.complaints if not any(part in one for part in expected)]
        assert left == []
    finally:
        context.close()


def accessibility_violations(page: Page) -> list[str]:
    """What axe-core has to say against a page: rule, and the elements that break it."""
    page.evaluate(files("axe_core_python").joinpath("axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{one['id']}: {' | '.join(' '.join(node['target']) for node in one['nodes'][:4])}"
        for one in found["violations"]
    ]
