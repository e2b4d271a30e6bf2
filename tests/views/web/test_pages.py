"""Every page, served and from disk, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import PHONE, accessibility_violations, watched_page
from tests.support.web_groups import HOSTILE, SCRIPT

PAGES = (
    "index.html",
    "efficiency.html",
    "categories.html",
    "categories.html?kind=all",
    "cases.html",
    "issues.html",
    "runs.html",
    "compare.html",
    "method.html",
    "published.html",
    "case/1.html",
    "case/3.html",
    "issue/1.html",
    "issue/5.html",
    "run/1.html",
    "run/8.html",
    "run/9.html",
    "run/11.html",
    "run/12.html",
)


def ready(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("load")
    if "efficiency" in address or "published" in address:
        page.wait_for_selector("#chart svg")


@pytest.mark.parametrize("path", PAGES)
def test_page_is_quiet_accessible_and_runs_nothing_that_was_planted(site: str, browser: Browser, path: str) -> None:
    with watched_page(browser) as page:
        ready(page, f"{site}/{path}")
        assert page.title().endswith("ErrataBench")
        assert page.locator("h1").count() == 1
        assert accessibility_violations(page) == []
        assert page.locator("script:not([src]):not([type='application/json'])").count() == 0
        assert page.locator("style, [style]:not(#chart [style]):not(#chart):not(#vg-tooltip-element)").count() == 0


@pytest.mark.parametrize("path", PAGES)
def test_page_is_accessible_in_dark_mode(server: str, browser: Browser, path: str) -> None:
    with watched_page(browser, scheme="dark") as page:
        ready(page, f"{server}/sample/{path}")
        assert accessibility_violations(page) == []
        light = "rgb(252, 251, 248)"
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light


@pytest.mark.parametrize("path", PAGES)
def test_page_fits_a_phone(server: str, browser: Browser, path: str) -> None:
    with watched_page(browser, size=PHONE) as page:
        ready(page, f"{server}/sample/{path}")
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_planted_text_is_shown_as_text(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, f"{site}/run/9.html")
        for summary in page.locator("details.chunk summary").all():
            summary.click()
        text = page.locator("main").inner_text()
        for planted in (SCRIPT, HOSTILE.strip().split("\u2028")[0]):
            assert planted in text
        ready(page, f"{site}/runs.html")
        assert f"evil/{SCRIPT}:low" in page.locator("main").inner_text()
        ready(page, f"{site}/issue/1.html")
        assert "beta/two:high" not in page.locator(".answers").inner_text()
        assert HOSTILE.split("\u2028")[0] in page.locator(".judge").inner_text()


def test_every_link_of_every_page_leads_somewhere(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        todo, seen = [f"{site}/index.html"], set[str]()
        while todo:
            address = todo.pop()
            if address in seen:
                continue
            seen.add(address)
            page.goto(address)
            assert page.locator("h1").inner_text() != "There is no such page", address
            for link in page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)"):
                path, _, fragment = link.partition("#")
                if path.partition("?")[0] == address and fragment:
                    assert page.evaluate("id => document.getElementById(id) !== null", fragment), link
                assert path.startswith((f"{site}/", "http://127.0.0.1")), link
                todo.append(path.partition("?")[0])
        assert len(seen) > 30


def test_menu_marks_the_page_it_is_on(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, f"{site}/index.html")
        for name in (
            "Efficiency",
            "Categories",
            "Cases",
            "Issues",
            "Runs",
            "Compare",
            "Method",
            "Published figures",
            "Rankings",
        ):
            page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
            expect(page.locator("nav [aria-current=page]")).to_have_text(name)


def test_keyboard_reaches_the_content_past_the_menu(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, f"{site}/index.html")
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to the content")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_a_verdict_is_told_by_letter_and_words_and_not_by_colour_alone(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, f"{site}/run/1.html")
        flags = page.locator("[data-text] .flag")
        assert flags.all_inner_texts() == ["F", "F", "F", "F", "B", "M"]
        assert flags.nth(4).get_attribute("aria-label") == "bad fix: issue 6"
        ready(page, f"{site}/index.html")
        bar = page.locator("tbody tr svg.bar").first
        assert "fixed" in (bar.get_attribute("aria-label") or "")
        fills = bar.locator("rect").evaluate_all("all => all.map(one => one.getAttribute('fill'))")
        assert fills[1:] == ["url(#fill-bad)", "url(#fill-unjudged)", "url(#fill-missed)"]
