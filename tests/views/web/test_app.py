"""The server without a browser: what it answers, with which headers, and to whom."""

from __future__ import annotations

import http.client
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from errata_bench.store.group import write_group
from errata_bench.views.web.security import host_is_ours
from tests.support.web_groups import ALPHA, Doing, add_run, plain_case
from tests.views.web.conftest import serving


def get(address: str, *, host: str | None = None) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer; redirections are not followed."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", path, headers={"Host": host or parts.netloc})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/", "/sample/index.html", "/sample/nothing.html", "/static/core.js", "/sample"])
def test_every_answer_carries_a_strict_policy(server: str, path: str) -> None:
    _, headers, _ = get(server + path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_page_is_the_same_whatever_order_it_is_asked_in(server: str) -> None:
    first = get(f"{server}/sample/index.html")
    get(f"{server}/sample/index.html?case=memo")
    get(f"{server}/sample/index.html?category=grammar_and_syntax")
    assert get(f"{server}/sample/index.html")[2] == first[2]


@pytest.mark.parametrize(
    "path",
    [
        "/nobody/index.html",
        "/sample/run/999.html",
        "/sample/run/0.html",
        "/sample/run/1e3.html",
        "/sample/run/99999999999999999999.html",
        "/sample/issue/99.html",
        "/sample/case/99.html",
        "/sample/data/text-99.js",
        "/sample/data/marked-99.js",
        "/sample/data/other.js",
        "/sample/static/../../app.py",
        "/sample/..%2f..%2fetc/passwd",
        "/%2e%2e/sample.sqlite",
        "/static/style.css%00",
        "/static/..%2fapp.py",
    ],
)
def test_what_is_not_there_is_not_found(server: str, path: str) -> None:
    status, headers, text = get(server + path)
    assert status == 404
    assert headers["content-type"].startswith("text/html")
    assert "There is no such page" in text


def test_addresses_without_a_page_lead_to_the_rankings(server: str) -> None:
    for path in ("/sample", "/sample/"):
        status, headers, _ = get(server + path)
        assert (status, headers["location"]) == (307, "/sample/index.html")


def test_all_groups_of_the_folder_are_listed(server: str) -> None:
    _, _, text = get(f"{server}/")
    assert "/sample/index.html" in text and "/empty/index.html" in text


def test_one_group_alone_hides_the_others(results_dir: Path) -> None:
    with serving(results_dir, "sample") as address:
        assert get(f"{address}/")[1]["location"] == "/sample/index.html"
        assert get(f"{address}/sample/index.html")[0] == 200
        assert get(f"{address}/empty/index.html")[0] == 404


@pytest.mark.parametrize("path", ["index", "efficiency", "categories", "cases", "issues", "runs", "compare", "method"])
def test_empty_group_has_all_pages_and_says_that_it_is_empty(server: str, path: str) -> None:
    status, _, text = get(f"{server}/empty/{path}.html")
    assert status == 200
    assert "yet" in text or "needed" in text


def test_request_that_names_another_host_is_refused(server: str) -> None:
    status, headers, text = get(f"{server}/sample/index.html", host="evil.example")
    assert status == 421
    assert "beta/two" not in text
    assert "content-security-policy" in headers


@pytest.mark.parametrize(
    ("host", "bound_to", "ours"),
    [
        ("127.0.0.1:8000", "127.0.0.1", True),
        ("localhost:8000", "127.0.0.1", True),
        ("LOCALHOST", "localhost", True),
        ("[::1]:8000", "::1", True),
        ("evil.example:8000", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("bench.example:8000", "0.0.0.0", True),
    ],
)
def test_loopback_answers_to_its_own_names_alone(host: str, bound_to: str, ours: bool) -> None:
    assert host_is_ours(host, bound_to) is ours


def test_new_runs_are_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "growing.sqlite"
    path.touch()
    case = plain_case()
    with serving(tmp_path) as address:
        assert "holds no runs yet" in get(f"{address}/growing/index.html")[2]
        with write_group(path) as group:
            add_run(group, case, ALPHA, Doing(fixed=(1,)))
            assert "1 run, 1 of them finished" in get(f"{address}/growing/index.html")[2]
            add_run(group, case, ALPHA, Doing(fixed=(2,)), sample=2)
            assert "2 runs, 2 of them finished" in get(f"{address}/growing/index.html")[2]


def test_file_that_takes_the_place_of_another_is_seen(tmp_path: Path, results_dir: Path) -> None:
    path = tmp_path / "moved.sqlite"
    shutil.copy(results_dir / "sample.sqlite", path)
    with serving(tmp_path) as address:
        assert "12 runs" in get(f"{address}/moved/index.html")[2]
        with write_group(tmp_path / "other.sqlite") as group:
            add_run(group, plain_case(), ALPHA, Doing(fixed=(1,)))
        (tmp_path / "other.sqlite").replace(path)
        assert "1 run, 1 of them finished" in get(f"{address}/moved/index.html")[2]


def test_file_that_cannot_be_read_is_told_on_a_page_and_the_rest_still_works(tmp_path: Path, results_dir: Path) -> None:
    shutil.copy(results_dir / "sample.sqlite", tmp_path / "sample.sqlite")
    (tmp_path / "broken.sqlite").write_bytes(b"not a results file at all" * 100)
    with serving(tmp_path) as address:
        status, headers, text = get(f"{address}/broken/index.html")
        assert status == 503
        assert "broken.sqlite" in text
        assert "content-security-policy" in headers
        assert get(f"{address}/sample/index.html")[0] == 200


def test_shared_files_may_be_kept_and_pages_may_not(server: str) -> None:
    assert "immutable" in get(f"{server}/static/style.css")[1]["cache-control"]
    assert get(f"{server}/sample/index.html")[1]["cache-control"] == "no-cache"


def test_command_serves_until_it_is_interrupted(results_dir: Path) -> None:
    command = [sys.executable, "-m", "errata_bench", "view", "web", "sample", "--results-dir", str(results_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
        status, _, text = get(address)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert status == 200 and "alpha/one" in text
    assert process.returncode == 0
    assert errors == ""


def test_command_tells_a_group_that_is_not_there_and_an_address_that_is_taken(results_dir: Path, server: str) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "errata_bench", "view", "web", *arguments, "--results-dir", str(results_dir)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    missing = run("nobody")
    assert missing.returncode == 2
    assert "no group 'nobody'" in missing.stderr
    taken = run("sample", "--port", str(urlsplit(server).port))
    assert taken.returncode == 2
    assert "cannot be taken" in taken.stderr and "Traceback" not in taken.stderr
