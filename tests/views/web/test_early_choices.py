"""Choices that are made while the scripts of a page are still on their way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import watched_page
from tests.support.web_groups import ALPHA, ALPHA_HIGH, BETA
from tests.views.web.test_states import figure, shown


@contextmanager
def without_scripts_yet(page: Page, address: str) -> Iterator[None]:
    """A page that is there but for its first script, which it gets at the end; the others wait for that one."""
    held: list[Route] = []
    waiting = True

    def hold(route: Route) -> None:
        if waiting:
            held.append(route)
        else:
            route.continue_()

    page.route("**/static/core.js*", hold)
    page.goto(address, wait_until="commit")
    page.locator("footer").wait_for()
    yield
    assert len(held) == 1 and page.locator("body.scripted").count() == 0
    waiting = False
    held[0].continue_()


def test_a_model_and_a_case_chosen_early_narrow_the_runs(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        with without_scripts_yet(page, f"{site}/runs.html"):
            page.get_by_label("Model").select_option(str(BETA))
            page.get_by_label("Case").select_option("memo")
        rows = page.locator("[data-list] tbody tr:visible")
        expect(rows).to_have_count(1)
        page.wait_for_url("**case=memo**")
        assert "model=beta" in page.url
        page.goto(page.url)
        expect(rows).to_have_count(1)


def test_an_early_choice_goes_before_the_address(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        with without_scripts_yet(page, f"{site}/index.html?provider=alpha&best=1"):
            page.get_by_label("Provider").select_option("beta")
        page.wait_for_url("**provider=beta**")  # the page as served has one row, too, of the other provider
        expect(page.locator("tbody tr[data-label]:visible")).to_have_count(1)
        assert shown(page) == [str(BETA)]
        assert "best=1" in page.url


def test_a_category_chosen_early_takes_the_place_of_the_case(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        with without_scripts_yet(page, f"{site}/index.html?case=memo"):
            page.get_by_label("Category").select_option("grammar_and_syntax")
        expect(figure(page, str(BETA), "quality")).to_contain_text(f"{(1 / 6 + 1 / 2) / 2:.3f}")
        page.wait_for_url("**category=grammar_and_syntax**")
        assert "case=" not in page.url


def test_an_early_search_is_made(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        with without_scripts_yet(page, f"{site}/issues.html"):
            page.get_by_label("Search").fill("sentence of memo, number 3")
        expect(page.locator("[data-list] tbody tr:visible")).to_have_count(1)


@pytest.mark.parametrize(
    ("path", "menu", "value", "place", "text"),
    [
        ("categories.html", "Kinds", "all", "thead th:visible", "missing word"),
        ("issues.html", "Model", str(BETA), "[data-mine-head]", str(BETA)),
        ("efficiency.html", "Across", "cost_per_run_usd", "[data-x-head]", "cost of a run (USD)"),
        ("compare.html", "One", str(ALPHA_HIGH), "[data-difference]", str(ALPHA_HIGH)),
    ],
)
def test_an_early_choice_acts_on_every_page(
    site: str, browser: Browser, path: str, menu: str, value: str, place: str, text: str
) -> None:
    with watched_page(browser) as page:
        with without_scripts_yet(page, f"{site}/{path}"):
            page.get_by_label(menu, exact=True).select_option(value)
        expect(page.locator(place).filter(has_text=text).first).to_be_visible()
        expect(page.get_by_label(menu, exact=True)).to_have_value(value)


def test_going_back_shows_what_the_address_says(server: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{server}/sample/index.html")
        page.get_by_label("Case", exact=True).select_option("memo")
        page.wait_for_url("**case=memo**")
        page.goto(f"{server}/sample/runs.html")
        page.go_back()
        expect(figure(page, str(ALPHA), "quality")).to_contain_text("0.750")
        page.go_back()
        expect(page.get_by_label("Case", exact=True)).to_have_value("")
        assert "case=" not in page.url
