"""Pages of a group whose runs were made elsewhere: figures, verdicts where a report was read, and no texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from markupsafe import escape
from playwright.sync_api import Browser

from errata_bench.results.imports.artifact import Artifact, AttemptShape
from errata_bench.results.imports.group import import_files
from errata_bench.results.imports.reports import reports_from
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.views.web.data import Facts
from errata_bench.views.web.export import export_site
from errata_bench.views.web.site import Answer, Site
from tests.support.browser import accessibility_violations, watched_page
from tests.support.reports import attempt, report
from tests.support.web_groups import ALPHA, HOSTILE, Doing, add_run, plain_case
from tests.views.web.conftest import serving

PAGES = (
    "index.html",
    "efficiency.html",
    "categories.html",
    "cases.html",
    "issues.html",
    "runs.html",
    "compare.html",
    "method.html",
)
METHODS = ["exact", "exact", "exact", "attempted_invalid"]
OTHER = {"model": "org/other", "modelLabel": "org/other:high"}


def fill(group: Group) -> None:
    """Runs with a report, with figures alone, with unknown settings, a failed one, and one with a planted script."""
    unnamed: dict[str, Any] = {
        "baseModel": None,
        "reasoningEffort": None,
        "maxWordsPerChunk": None,
        "maxTurnsPerChunk": None,
    }
    attempts = [
        attempt(),
        attempt(None, model="org/bare:low", datasetName="memo", qualityAxis=0.25, correctedIssues=None, **unnamed),
        attempt(None, model="org/bare:low", baseModel="org/bare", datasetName="memo"),
        attempt(None, runNumber=2, succeeded=False, error=HOSTILE, correctedIssues=None, totalIssues=None),
        attempt(None, model=f"evil/{HOSTILE}", datasetName=HOSTILE, **unnamed),
    ]
    results = Artifact("results.json", None, tuple((AttemptShape.model_validate(one), one) for one in attempts))
    reports = reports_from(Path("reports.json"), {"runs": [report(), report("other", METHODS, **OTHER)]})
    import_files(group, [results, reports], 1_750_000_000.0, "1.0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups: one that was made elsewhere alone, one with a run of our own as well."""
    made = tmp_path_factory.mktemp("imported")
    with write_group(made / "elsewhere.sqlite") as group:
        fill(group)
    with write_group(made / "mixed.sqlite") as group:
        add_run(group, plain_case("letter"), ALPHA, Doing(fixed=(1, 2)))
        fill(group)
    return made


@pytest.fixture(scope="module", params=["elsewhere", "mixed"])
def facts(request: pytest.FixtureRequest, folder: Path) -> Iterator[Facts]:
    with read_group(folder / f"{request.param}.sqlite") as group:
        yield Facts(group)


@pytest.fixture(scope="module")
def elsewhere(folder: Path) -> Iterator[Facts]:
    with read_group(folder / "elsewhere.sqlite") as group:
        yield Facts(group)


def get(facts: Facts, path: str, *, static: bool = False) -> Answer:
    parts = urlsplit(path)
    return Site(facts.group.id, static).get(facts, parts.path, dict(parse_qsl(parts.query)))


def words(answer: Answer) -> str:
    """What a page says, without its tags."""
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", answer.body.decode(), flags=re.DOTALL)
    return " ".join(text.split())


def row(facts: Facts, path: str, label: str) -> str:
    """The words of the row of a model."""
    found = re.search(
        rf'<tr[^>]*data-(?:label|model)="{re.escape(str(escape(label)))}".*?</tr>',
        get(facts, path).body.decode(),
        re.DOTALL,
    )
    assert found is not None
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_there_and_shows_nothing_of_the_program(facts: Facts, path: str) -> None:
    answer = get(facts, path)
    assert answer.status == 200
    said = words(answer)
    for slip in (r"\bNone\b(?! chosen|\.)", r"(?<!\w)-1\b", r"\bnan\b", r"\{\{(?!7\*7)"):
        assert re.search(slip, said) is None, (slip, re.search(f".{{0,60}}{slip}.{{0,20}}", said))


def test_everything_that_pages_lead_to_is_there_or_says_why_it_is_not(facts: Facts) -> None:
    todo, seen = ["index.html"], set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = get(facts, path)
        if answer.status != 200:
            assert path.startswith(("run/", "case/")), path
            assert re.search("elsewhere", words(answer)), path
        elif answer.content_type.startswith("text/html"):
            for link in re.findall(r'(?:href|src)="([^"#]+)', answer.body.decode()):
                target = urljoin(f"/{path}", link.replace("&amp;", "&"))
                if target.startswith("/"):
                    todo.append(target[1:])
    assert {"runs.html", "cases.html", "run/1.html", "case/1.html"} <= seen


def test_the_ranking_has_published_figures_and_intervals_where_there_are_verdicts(elsewhere: Facts) -> None:
    known = row(elsewhere, "index.html", "org/other:high")
    assert "0.750" in known
    assert "quality" in elsewhere.summaries[0].intervals
    assert re.search(r"\d+–\d+", known)
    bare = next(one for one in elsewhere.summaries if one["quality"] == 0.25)
    assert bare.intervals == {}
    assert "5 runs" in words(get(elsewhere, "index.html"))


def test_what_a_file_does_not_say_of_the_settings_is_left_out(elsewhere: Facts) -> None:
    said = words(get(elsewhere, "method.html")) + words(get(elsewhere, "index.html"))
    assert "chunks of up to 2,000 words, at most 3 turns each, prompt imported" in said
    assert "endpoint openrouter, prompt imported" in said
    assert "replies of up to" not in said


def test_the_list_of_runs_has_whole_counts_and_tells_what_is_not_known(elsewhere: Facts) -> None:
    assert "0.500 2/4 1 1 $0.500 60.0 s" in row(elsewhere, "runs.html", "org/model:low")
    listed = words(get(elsewhere, "runs.html"))
    assert "0.750 3/4 1 0 n/a 60.0 s" in listed
    assert "0.250 n/a n/a n/a $0.500 n/a" in listed
    assert "failed (1 failure)" in listed


def test_the_page_of_an_imported_run_says_that_its_text_is_elsewhere(facts: Facts) -> None:
    elsewhere = [record.id for record in facts.records if record.figures is None]
    assert len(elsewhere) == 6
    for run_id in elsewhere:
        answer = get(facts, f"run/{run_id}.html")
        assert answer.status == 404
        assert "This run was made elsewhere: there are figures of it, but no text" in words(answer)


def test_a_case_of_which_the_name_alone_is_known_counts_no_errors(elsewhere: Facts) -> None:
    said = words(get(elsewhere, "cases.html"))
    assert "(0)" not in said
    assert "letter" in said and "memo" in said
    for number in elsewhere.case_numbers.values():
        assert "its text is elsewhere" in words(get(elsewhere, f"case/{number}.html"))


def test_issues_are_not_said_to_be_missing_yet_where_they_are_elsewhere(elsewhere: Facts) -> None:
    assert "the texts of these runs have none, or are elsewhere" in words(get(elsewhere, "issues.html"))


def test_two_models_without_errors_here_are_not_said_to_have_no_case_in_common(elsewhere: Facts) -> None:
    said = words(get(elsewhere, "compare.html?a=org/model:low&b=org/other:high"))
    assert "no case in common whose errors are here" in said


def test_the_group_is_written_to_disk_as_a_whole(folder: Path, tmp_path: Path) -> None:
    with read_group(folder / "elsewhere.sqlite") as group:
        export_site(group, tmp_path / "site", processes=1)
    for path in (*PAGES, "run/1.html", "case/1.html"):
        text = (tmp_path / "site" / path).read_text("utf-8")
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if not link.startswith(("http:", "https:", "data:")):
                assert (tmp_path / "site" / path).parent.joinpath(link).exists(), (path, link)


@pytest.mark.parametrize("path", [*PAGES, "run/1.html", "case/1.html"])
def test_pages_are_quiet_accessible_and_run_nothing_that_was_planted(folder: Path, browser: Browser, path: str) -> None:
    missing = ("404",) if "/" in path else ()
    with serving(folder, "mixed") as address, watched_page(browser, expected=missing) as page:
        page.goto(f"{address}/mixed/{path.replace('1', '2')}")
        page.wait_for_load_state("load")
        if "efficiency" in path:
            page.wait_for_selector("#chart svg")
        assert page.locator("h1").count() == 1
        assert accessibility_violations(page) == []
