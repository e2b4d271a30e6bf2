"""What can be chosen on pages: it acts, it stands in the address, and the address brings it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from errata_bench.results.aggregate import ranked, summarise_runs
from errata_bench.store.group import read_group
from errata_bench.views.chart.axes import find_axis
from errata_bench.views.chart.points import scatter
from tests.support.browser import watched_page
from tests.support.web_groups import ALPHA, ALPHA_HIGH, BETA, EVIL, FAILING, UNFINISHED


def shown(page: Page) -> list[str]:
    """The models that a table shows, in order."""
    rows = page.locator("tbody tr[data-label]:visible")
    return list(rows.evaluate_all("all => all.map(one => one.dataset.label)"))


def figure(page: Page, label: str, name: str) -> Locator:
    return page.locator(f"tbody tr[data-label='{label}'] td[data-c='{name}']")


def test_rankings_narrow_to_what_is_searched_for_and_the_address_keeps_it(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        assert len(shown(page)) == 6
        page.get_by_label("Search").fill("ALPHA")
        assert shown(page) == [str(ALPHA), str(ALPHA_HIGH)]
        expect(page.get_by_role("status")).to_have_text("2 of 6 variants")
        page.get_by_label("Best variant only").check()
        assert shown(page) == [str(ALPHA)]
        assert "q=ALPHA" in page.url and "best=1" in page.url
        page.goto(page.url)
        assert shown(page) == [str(ALPHA)]
        page.get_by_role("link", name="Reset").click()
        assert len(shown(page)) == 6


@pytest.mark.parametrize(
    ("field", "value", "models"),
    [
        ("Provider", "beta", [str(BETA)]),
        ("Effort", "high", [str(ALPHA_HIGH), str(BETA)]),
    ],
)
def test_rankings_narrow_to_a_provider_and_an_effort(
    site: str, browser: Browser, field: str, value: str, models: list[str]
) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        page.get_by_label(field, exact=True).select_option(value)
        assert sorted(shown(page)) == sorted(models)
        assert f"{field.lower()}={value}" in page.url


def test_rankings_sort_by_a_head_with_mouse_and_keyboard_and_unknown_figures_come_last(
    site: str, browser: Browser
) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        by_rank = shown(page)
        head = page.locator("th[data-sort=missed_rate]")
        head.get_by_role("link").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        missed = [figure(page, label, "missed_rate").get_attribute("data-v") for label in shown(page)]
        known = [float(value) for value in missed if value]
        assert known == sorted(known) and missed[len(known) :] == ["", ""]
        head.get_by_role("link").focus()
        page.keyboard.press("Enter")
        expect(head).to_have_attribute("aria-sort", "descending")
        assert "sort=missed_rate" in page.url
        descending = shown(page)
        page.goto(page.url)
        assert shown(page) == descending != by_rank


def test_rankings_of_one_case_have_that_case_s_figures(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        page.get_by_label("Case", exact=True).select_option("memo")
        expect(figure(page, str(BETA), "quality")).to_contain_text("0.250")
        expect(figure(page, str(ALPHA), "quality")).to_contain_text("0.750")
        assert "case=memo" in page.url
        assert "Only 1 case: memo." in page.locator("[data-notes]").inner_text()
        page.get_by_label("Case", exact=True).select_option("")
        expect(figure(page, str(BETA), "quality")).to_contain_text("0.250")


def test_rankings_of_one_category_know_no_figures_of_whole_runs(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html?category=grammar_and_syntax")
        # Issues 2, 4, 6 of the letter and 2, 4 of the memo: beta fixed issue 6 in one of two runs, and 4 of the memo.
        expect(figure(page, str(BETA), "quality")).to_contain_text(f"{(1 / 6 + 1 / 2) / 2:.3f}")
        expect(figure(page, str(BETA), "cost_per_run_usd")).to_have_text("n/a")
        page.get_by_label("Case", exact=True).select_option("memo")
        expect(figure(page, str(BETA), "cost_per_run_usd")).not_to_have_text("n/a")
        assert "category" not in page.url


def test_model_of_the_rankings_leads_to_its_runs(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        page.get_by_role("link", name=str(EVIL)).click()
        rows = page.locator("[data-list] tbody tr:visible")
        expect(rows).to_have_count(1)
        expect(page.get_by_role("status")).to_contain_text("1 of ")
        page.wait_for_load_state()  # the server has filtered the rows already; the scripts may still be on their way
        page.get_by_label("Model").select_option(str(BETA))
        expect(rows).to_have_count(3)
        page.get_by_label("Case").select_option("memo")
        expect(rows).to_have_count(1)


def test_cell_of_a_heat_map_leads_to_the_issues_behind_it(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/cases.html?q=beta")
        assert shown(page) == [str(BETA)]
        memo = page.locator("thead th").evaluate_all("all => all.findIndex(one => one.innerText.includes('memo'))")
        page.locator(f"tbody tr[data-label='{BETA}'] > *").nth(memo).get_by_role("link").click()
        rows = page.locator("[data-list] tbody tr:visible")
        expect(rows).to_have_count(4)
        expect(page.locator("[data-mine-head]")).to_have_text(str(BETA))
        expect(rows.locator("[data-mine]:visible")).to_have_count(4)
        assert sorted(rows.locator("[data-mine]").all_inner_texts()) == ["0/1", "0/1", "0/1", "1/1"]


def test_heat_map_is_walked_through_with_arrow_keys(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/cases.html")
        assert page.locator("td a[tabindex='0']").count() == 1
        page.locator("td a[tabindex='0']").focus()

        def place() -> list[int]:
            return page.evaluate(  # type: ignore[no-any-return]
                "[document.activeElement.closest('tr').rowIndex, document.activeElement.closest('td').cellIndex]"
            )

        row, column = place()
        page.keyboard.press("ArrowRight")
        assert place()[1] > column
        page.keyboard.press("ArrowDown")
        assert place()[0] > row
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Issues")


def test_kinds_of_a_category_open_below_it(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/categories.html")
        heads = page.locator("thead th:visible a")
        assert "grammar and syntax" in heads.all_inner_texts()
        page.get_by_role("link", name="grammar and syntax").click()
        expect(heads).to_have_text(["missing word"])
        assert "kind=grammar_and_syntax" in page.url
        page.wait_for_load_state()
        page.get_by_label("Kinds").select_option("all")
        expect(heads).to_have_count(3)
        heads.get_by_text("missing word").click()
        expect(page.locator("[data-list] tbody tr:visible")).to_have_count(5)


def test_issues_narrow_by_text_kind_and_how_often_they_are_fixed(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/issues.html")
        rows = page.locator("[data-list] tbody tr:visible")
        expect(rows).to_have_count(11)
        page.get_by_label("Fixed", exact=True).select_option("sometimes")
        expect(rows).to_have_count(11)
        page.get_by_label("Fixed", exact=True).select_option("never")
        expect(rows).to_have_count(0)
        page.get_by_label("Fixed", exact=True).select_option("")
        page.get_by_label("Search").fill("sentence of memo, number 3")
        expect(rows).to_have_count(1)
        page.goto(page.url)
        expect(rows).to_have_count(1)
        rows.get_by_role("link").click()
        expect(page.locator("blockquote.context")).to_contain_text("Here is teh")


def test_run_is_read_in_four_ways(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/run/1.html")
        text = page.locator("[data-text]")
        first = text.locator("p").first

        def visible_text() -> str:
            return str(
                first.evaluate(
                    "one => [...one.querySelectorAll('del, ins')].filter(it => getComputedStyle(it).display !== 'none')"
                    ".map(it => it.tagName + it.textContent).join()"
                )
            )

        assert visible_text() == "DELteh,INSthe"
        page.get_by_label("original").check()
        assert visible_text() == "DELteh"
        page.get_by_label("as it was left").check()
        assert visible_text() == "INSthe"
        assert "show=corrected" in page.url
        page.get_by_label("side by side").check()
        expect(text.locator(".pair")).to_have_count(7)
        page.goto(page.url)
        expect(text.locator(".pair")).to_have_count(7)
        page.get_by_label("marked up").check()
        expect(text.locator(".pair")).to_have_count(0)
        assert visible_text() == "DELteh,INSthe"
        # What no run has touched is there as well, though a static copy keeps it in a file of its own.
        expect(text.locator("p").last).to_have_text("Nothing at all is wrong with the last one of letter.")
        page.get_by_label("Only paragraphs with something in them").check()
        expect(text.locator("p:visible")).to_have_count(6)


def test_keys_jump_from_miss_to_miss_and_from_edit_to_edit(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/run/1.html")
        here = page.locator(".here")
        said = page.locator(".tools [role=status]")
        page.keyboard.press("n")
        expect(here).to_have_class("issue i-bad here")
        expect(said).to_have_text("Not fixed 1 of 2")
        page.keyboard.press("n")
        expect(here).to_have_class("issue i-missed here")
        expect(page.locator(":focus")).to_have_class("issue i-missed here")
        page.keyboard.press("p")
        expect(here).to_have_class("issue i-bad here")
        page.keyboard.press("e")
        expect(here).to_have_class("edit here")
        expect(said).to_have_text("Other edit 1 of 1")
        page.get_by_role("button", name="Next miss").click()
        expect(said).to_have_text("Not fixed 1 of 2")
        page.goto(f"{site}/run/10.html")
        page.keyboard.press("n")
        expect(said).to_have_text("Nothing was missed.")


def test_comparison_tells_the_difference_and_what_only_one_has_fixed(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/compare.html?a={ALPHA}&b={BETA}")
        told = page.locator("[data-difference]")
        # The letter: 4 of 6 against (2 + 1) / 2 of 6; the memo: 3 of 4 against 1 of 4.
        points = 100 * ((4 / 6 - 1.5 / 6) + (3 / 4 - 1 / 4)) / 2
        expect(told).to_contain_text(f"{ALPHA} fixes {points:.1f} points more than {BETA} (95% interval")
        sections = page.locator("[data-only] section")
        expect(sections.nth(0).locator("h2")).to_have_text(f"Fixed by {ALPHA} alone (7)")
        expect(sections.nth(1).locator("h2")).to_have_text(f"Fixed by {BETA} alone (3)")
        sections.nth(1).get_by_role("button", name="Show the paragraph in both").last.click()
        both = sections.nth(1).locator(".versus > div")
        expect(both.nth(0).locator("h3")).to_have_text(str(ALPHA))
        assert both.nth(0).locator(".flag").inner_text() in ("B", "M")
        assert both.nth(1).locator(".flag").inner_text() in ("F", "M")
        page.get_by_label("One").select_option(str(BETA))
        expect(told).to_contain_text("Choose two different models.")
        page.get_by_label("The other").select_option(str(ALPHA))
        expect(told).to_contain_text(f"{BETA} fixes {points:.1f} points less than {ALPHA} (95% interval")


def test_chart_draws_every_known_model_and_marks_those_that_nothing_beats(
    site: str, browser: Browser, results_dir: Path
) -> None:
    with read_group(results_dir / "sample.sqlite") as group:
        summaries = ranked(summarise_runs(group.runs()))
    x, y = find_axis("missed_rate"), find_axis("quality")
    expected = scatter(summaries, x, y)
    with watched_page(browser) as page:
        page.goto(f"{site}/efficiency.html?x={x.name}&y={y.name}&dominant=1&xscale=linear&yscale=linear")
        symbols = page.locator("#chart .mark-symbol.role-mark path")
        expect(symbols).to_have_count(len(expected.points))
        rows = page.locator("[data-points] tbody tr").filter(has=page.locator("td[data-d]", has_text="yes"))
        found = set(rows.evaluate_all("all => all.map(one => one.dataset.label)"))
        assert found == {str(point.summary.variant) for point in expected.front}
        page.get_by_label("Search").fill("beta")
        expect(symbols).to_have_count(1)
        symbols.first.hover()
        expect(page.locator("#vg-tooltip-element.visible")).to_contain_text(str(BETA))
        page.get_by_label("Across", exact=True).select_option("cost_per_run_usd")
        expect(page.get_by_label("Scale across")).to_have_value("log")
        assert "x=cost_per_run_usd" in page.url
        expect(page.locator("[data-x-head]")).to_have_text("cost of a run (USD)")


def test_chart_says_when_nothing_can_be_drawn(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/efficiency.html?q=nobody")
        expect(page.locator("#chart")).to_contain_text("No model has both figures")


def test_failed_and_unfinished_runs_say_so(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html")
        expect(page.locator(".lead")).to_contain_text("12 runs, 10 of them finished so far, 1 failed, 1 unfinished.")
        for variant in (FAILING, UNFINISHED):
            expect(figure(page, str(variant), "quality")).to_have_text("n/a")
        page.goto(f"{site}/run/11.html")
        expect(page.locator(".lead")).to_contain_text("This run has failed after 0 of 1 chunk")
        expect(page.locator(".faults")).to_contain_text("server error (HTTP 502)")
        page.goto(f"{site}/run/12.html")
        expect(page.locator(".lead")).to_contain_text("This run has not ended")


def test_senseless_states_are_as_if_they_were_not_there(site: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        page.goto(f"{site}/index.html?provider=nobody&sort=%3Cscript%3E&case=none&category=x&effort=7&dir=up&best=yes")
        assert len(shown(page)) == 6
        page.goto(f"{site}/efficiency.html?x=nothing&y=%22&xscale=cubic")
        page.wait_for_selector("#chart svg")
        page.goto(f"{site}/compare.html?a=nobody&b=nobody")
        expect(page.locator("[data-difference]")).to_contain_text("fixes")
        page.goto(f"{site}/run/1.html?show=upside-down")
        assert page.get_by_label("marked up").is_checked()
