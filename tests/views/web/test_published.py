"""The page of figures that were published elsewhere: whole, marked as such, and apart from every group."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from errata_bench.results.published import PUBLISHED_ELSEWHERE, Published, all_published
from errata_bench.store.group import read_group, write_group
from errata_bench.views.web.export import MARK, export_published, export_site
from errata_bench.views.web.security import CONTENT_SECURITY_POLICY
from tests.support.browser import PHONE, accessibility_violations, watched_page
from tests.views.web.conftest import serving
from tests.views.web.test_app import get

FIGURES: Published = all_published()[0]
MODELS = [str(one.variant) for one in FIGURES.summaries]


@pytest.fixture(scope="module", params=["in a group", "in a group's files", "alone", "alone as files"])
def place(
    request: pytest.FixtureRequest, results_dir: Path, static_site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of the page in each place that it has."""
    if request.param == "in a group's files":
        yield f"{static_site.as_uri()}/published.html"
    elif request.param == "alone as files":
        folder = tmp_path_factory.mktemp("published") / "site"
        export_published(FIGURES, folder)
        yield f"{folder.as_uri()}/index.html"
    else:
        alone = request.param == "alone"
        with serving(results_dir, FIGURES.id if alone else "sample") as address:
            yield f"{address}/{FIGURES.id}/index.html" if alone else f"{address}/sample/published.html"


def ready(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#chart svg")


def shown(page: Page) -> list[str]:
    rows = page.locator("tbody tr[data-label]:visible")
    return list(rows.evaluate_all("all => all.map(one => one.dataset.label)"))


def listed(text: str) -> list[str]:
    """The models of the table that are not hidden, in order."""
    return re.findall(r'<tr data-label="([^"]+)"[^>]*data-rank="\d+">', text)


# What it says


def test_page_says_first_that_its_figures_come_from_elsewhere_and_how_they_were_made(
    place: str, browser: Browser
) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        first = page.locator("main p").first
        expect(first).to_have_text(PUBLISHED_ELSEWHERE[0].upper() + PUBLISHED_ELSEWHERE[1:])
        text = page.locator("main").inner_text()
        for told in (FIGURES.title, FIGURES.source, "7 April 2026", "on 11 texts: 1,736 attempts"):
            assert told in text
        for condition in FIGURES.conditions:
            assert condition[1:] in text
        assert shown(page) == MODELS


def test_mark_stays_in_sight_and_stands_on_every_table_and_on_the_chart(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        for part in ("[data-rankings]", "#chart", "[data-texts]"):
            page.locator(part).scroll_into_view_if_needed()
            expect(page.locator(".band")).to_be_in_viewport()
        for table in page.locator("table").all():
            expect(table.locator("caption")).to_contain_text("Published elsewhere")
        expect(page.locator("figcaption")).to_contain_text("Published elsewhere")


def test_page_is_coloured_otherwise_than_those_of_a_group(server: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        colours = []
        for path in ("index.html", "published.html"):
            page.goto(f"{server}/sample/{path}")
            colours.append(page.locator("form.filters").evaluate("one => getComputedStyle(one).backgroundColor"))
        assert colours[0] != colours[1]
        assert page.locator(".elsewhere").evaluate("one => getComputedStyle(one).borderLeftWidth") != "0px"


def test_figures_are_the_published_ones_and_what_was_not_published_has_no_column(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        page.get_by_label("All figures").check()
        row = page.locator("tbody tr[data-label]").first
        texts = dict(row.locator("td[data-c]").evaluate_all("all => all.map(one => [one.dataset.c, one.innerText])"))
        assert texts == {
            "quality": "0.925",
            "quality_range": "0.020",
            "stability": "0.896",
            "bad_fix_rate": "1.1%",
            "missed_rate": "6.4%",
            "issues_per_usd": "107",
            "issues_per_minute": "3.88",
            "tool_chars_per_issue": "108",
            "cost_per_run_usd": "$0.594",
            "off_target_share": "43.9%",
            "turns_per_chunk": "1.31",
            "duration_seconds_per_run": "1,134",
            "output_tokens_per_run": "167k",
            "rewrite_share": "22.5%",
            "runs": "32/35",
            "cases": "11/11",
        }
        bar = row.locator("svg.bar")
        assert bar.get_attribute("aria-label") == "fixed 92.5%, bad fix 1.1%, missed 6.4%"


def test_each_text_has_its_attempts(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        rows = page.locator("[data-texts] tbody tr").evaluate_all("all => all.map(one => one.innerText.split('\\t'))")
        assert rows == [[one.case_id, *map(str, (one.attempts, one.succeeded, one.failed))] for one in FIGURES.cases]


# What it does


def test_heads_sort_by_click_and_the_address_keeps_it(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        head = page.locator("th[data-sort=cost_per_run_usd]")
        head.get_by_role("link").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        cheapest = sorted(FIGURES.summaries, key=lambda one: one["cost_per_run_usd"] or 0.0)
        assert shown(page) == [str(one.variant) for one in cheapest]
        assert page.locator("tbody tr[data-label] td.rank").first.inner_text() == str(
            1 + MODELS.index(str(cheapest[0].variant))
        )
        ready(page, page.url)
        assert shown(page)[0] == str(cheapest[0].variant)


def test_what_is_searched_for_narrows_table_and_chart(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        symbols = page.locator("#chart .mark-symbol.role-mark path")
        expect(symbols).to_have_count(len(MODELS))
        page.get_by_label("Search").fill("gpt-5.4-nano")
        chosen = [model for model in MODELS if "gpt-5.4-nano" in model]
        assert shown(page) == chosen
        expect(symbols).to_have_count(len(chosen))
        expect(page.locator("[data-status]")).to_have_text(f"{len(chosen)} of {len(MODELS)} variants")
        page.get_by_label("Best variant only").check()
        assert shown(page) == chosen[:1]
        expect(symbols).to_have_count(1)


def test_chart_takes_other_axes_and_the_address_keeps_them(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        page.get_by_label("Across", exact=True).select_option("duration_seconds_per_run")
        expect(page.locator("[data-caption]")).to_contain_text("against seconds of a run")
        page.get_by_label("Scale up").select_option("log")
        page.get_by_label("Mark dominant models").check()
        ready(page, page.url)
        expect(page.locator("[data-caption]")).to_contain_text("against seconds of a run")
        expect(page.get_by_label("Scale up")).to_have_value("log")
        assert page.get_by_label("Mark dominant models").is_checked()
        assert shown(page) == MODELS


def test_every_model_can_be_seen_in_the_chart(place: str, browser: Browser) -> None:
    """A sign that is a line has no area: it shows by its stroke alone."""
    with watched_page(browser) as page:
        ready(page, place)
        paper = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()")
        strokes = page.locator("#chart .mark-symbol.role-mark path").evaluate_all(
            "all => all.map(one => [one.getAttribute('aria-label'), one.getAttribute('stroke')])"
        )
        lines = [stroke for label, stroke in strokes if ":none:" in label]
        assert len(lines) == sum(model.endswith(":none") for model in MODELS)
        assert paper not in lines


def test_without_scripts_the_server_narrows_and_sorts(server: str) -> None:
    path = f"{server}/sample/published.html"
    text = get(path)[2]
    assert listed(text) == MODELS
    link = re.search(r'data-sort="missed_rate"[^>]*><a href="([^"]+)"', text)
    assert link is not None
    ordered = get(f"{server}/sample/{link[1].replace('&amp;', '&')}")[2]
    least = sorted(FIGURES.summaries, key=lambda one: one["missed_rate"] or 0.0)
    assert listed(ordered) == [str(one.variant) for one in least]
    few = get(f"{path}?provider=openai&effort=none&sort=cost_per_run_usd&dir=desc")[2]
    assert listed(few) == ["openai/gpt-5.4:none", "openai/gpt-5.4-mini:none", "openai/gpt-5.4-nano:none"]
    assert listed(get(f"{path}?provider=nobody&sort=%3Cscript%3E&x=y&effort=9")[2]) == MODELS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_alone_is_accessible_and_fits_a_phone(results_dir: Path, browser: Browser, scheme: str) -> None:
    with serving(results_dir) as address, watched_page(browser, size=PHONE, scheme=scheme) as page:  # type: ignore[arg-type]
        ready(page, f"{address}/{FIGURES.id}/index.html")
        assert accessibility_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        page.goto(f"{address}/")
        assert accessibility_violations(page) == []


# Apart from groups


def test_rows_lead_nowhere_and_no_link_in_it_goes_to_runs_or_issues(place: str, browser: Browser) -> None:
    with watched_page(browser) as page:
        ready(page, place)
        assert page.locator("tbody a").count() == 0
        links = page.locator(".elsewhere a").evaluate_all("all => all.map(one => one.pathname.split('/').pop())")
        assert set(links) <= {"published.html", "index.html"}


def test_published_models_stand_on_no_other_page_and_in_no_file_of_a_group(static_site: Path) -> None:
    name = MODELS[0].partition(":")[0]
    found = {path.name for path in static_site.rglob("*") if path.is_file() and name in path.read_text("utf-8")}
    assert found == {"published.html"}


def test_models_of_a_group_stand_not_on_the_page(static_site: Path) -> None:
    text = (static_site / "published.html").read_text("utf-8")
    assert "alpha/one" not in text and "beta/two" not in text


@pytest.mark.parametrize("page", ["index", "efficiency", "runs", "method", "published"])
def test_menu_of_every_group_leads_to_it(server: str, page: str) -> None:
    for group in ("sample", "empty"):
        status, _, text = get(f"{server}/{group}/{page}.html")
        assert status == 200
        assert re.search(r'<nav.*<a href="published\.html".*</nav>', text, re.DOTALL)


def test_groups_of_a_folder_and_what_was_published_are_listed_apart(server: str) -> None:
    text = get(f"{server}/")[2]
    groups, _, published = text.partition("Published elsewhere")
    assert "/sample/index.html" in groups and FIGURES.id not in groups
    assert f"/{FIGURES.id}/index.html" in published and FIGURES.title in published
    assert get(f"{server}/{FIGURES.id}/index.html")[0] == 200


def test_file_of_that_name_is_no_group_of_the_folder(tmp_path: Path) -> None:
    with write_group(tmp_path / f"{FIGURES.id}.sqlite"):
        pass
    with serving(tmp_path) as address:
        assert "no groups in this folder" in get(f"{address}/")[2]
        assert listed(get(f"{address}/{FIGURES.id}/index.html")[2]) == MODELS


# Alone


def test_server_of_published_figures_has_their_page_and_nothing_else(results_dir: Path) -> None:
    with serving(results_dir, FIGURES.id) as address:
        for path in ("/", f"/{FIGURES.id}", f"/{FIGURES.id}/"):
            status, headers, _ = get(address + path)
            assert (status, headers["location"]) == (307, f"/{FIGURES.id}/index.html")
        status, headers, text = get(f"{address}/{FIGURES.id}/index.html")
        assert status == 200 and "other groups" not in text and "<nav" not in text
        assert "default-src 'none'" in headers["content-security-policy"]
        for path in ("runs.html", "published.html", "run/1.html", "data/scopes.js", "static/..%2fapp.py"):
            assert get(f"{address}/{FIGURES.id}/{path}")[0] == 404
        assert get(f"{address}/sample/index.html")[0] == 404
        assert get(f"{address}/{FIGURES.id}/static/style.css")[0] == 200


def test_server_of_one_group_has_them_on_its_own_page_alone(results_dir: Path) -> None:
    with serving(results_dir, "sample") as address:
        assert get(f"{address}/{FIGURES.id}/index.html")[0] == 404
        assert get(f"{address}/sample/published.html")[0] == 200


def test_files_are_one_page_with_the_policy_and_replace_an_older_site(results_dir: Path, tmp_path: Path) -> None:
    fresh, used = tmp_path / "fresh", tmp_path / "used"
    done = export_published(FIGURES, fresh)
    assert {path.name for path in fresh.iterdir()} == {"index.html", "static", MARK}
    assert done.files == sum(path.is_file() for path in fresh.rglob("*")) - 1
    text = (fresh / "index.html").read_text("utf-8")
    assert CONTENT_SECURITY_POLICY.replace("'", "&#39;") in text
    assert not re.search(r'(?:href|src)="(?:https?:)?//?[^"]', text)
    with read_group(results_dir / "sample.sqlite") as group:
        export_site(group, used, processes=1)
    export_published(FIGURES, used)
    assert [path.name for path in used.rglob("*.html")] == ["index.html"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "errata_bench", "view", "web", *arguments]


def test_command_serves_them_where_there_is_no_group_at_all(tmp_path: Path) -> None:
    arguments = command(FIGURES.id, "--results-dir", str(tmp_path / "nowhere"))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
        status, _, text = get(address)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert status == 200 and listed(text) == MODELS
    assert (process.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_command_writes_them_as_files(tmp_path: Path) -> None:
    arguments = command(FIGURES.id, "--export", "site")
    ended = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "index.html" in ended.stdout
    assert listed((tmp_path / "site" / "index.html").read_text("utf-8")) == MODELS
