"""A site in a folder: what is in it, and what is left alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from errata_bench.errors import UserError
from errata_bench.store.group import read_group, write_group
from errata_bench.views.web import export
from errata_bench.views.web.export import MARK, export_site
from errata_bench.views.web.security import CONTENT_SECURITY_POLICY
from tests.support.web_groups import ALPHA, Doing, add_run, plain_case


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_page_carries_the_policy_and_names_no_other_host(static_site: Path) -> None:
    pages = list(static_site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text("utf-8")
        escaped = CONTENT_SECURITY_POLICY.replace("'", "&#39;")
        assert f'<meta http-equiv="Content-Security-Policy" content="{escaped}">' in text
        assert not re.search(r'(?:href|src)="(?:https?:)?//', text), page
        assert not re.search(r"(?:href|src|action)=\"/", text), page
        assert not re.search(r"<script(?![^>]* src=| type=\"application/json\")", text), page
        assert not re.search(r"\son[a-z]+\s*=\s*\"", re.sub(r"&[#\w]+;", "", text)), page


def test_unchanged_paragraphs_stand_in_one_file_of_their_case(static_site: Path) -> None:
    sentence = "Nothing at all is wrong with the last one of letter."
    assert sentence in (static_site / "data" / "text-1.js").read_text("utf-8")
    for run in range(1, 5):
        assert sentence not in (static_site / "run" / f"{run}.html").read_text("utf-8")


def test_several_processes_write_the_same(
    results_dir: Path, static_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PARTS", 0)
    with read_group(results_dir / "sample.sqlite") as group:
        done = export_site(group, tmp_path / "site", processes=2)
    assert contents(tmp_path / "site") == contents(static_site)
    assert done.files == len(contents(static_site)) - 1  # all but the mark


def test_folder_with_anything_else_is_left_alone(results_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with read_group(results_dir / "sample.sqlite") as group:
        with pytest.raises(UserError, match="holds files that are no exported site"):
            export_site(group, tmp_path)
        with pytest.raises(UserError, match="is a file"):
            export_site(group, tmp_path / "thesis.txt")
    assert contents(tmp_path) == {"thesis.txt": b"years of work"}


def test_new_site_replaces_an_older_one_and_pages_that_are_gone_go(results_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    with read_group(results_dir / "sample.sqlite") as group:
        export_site(group, folder, processes=1)
    (folder / "notes.txt").write_text("mine")
    with write_group(tmp_path / "small.sqlite") as group:
        add_run(group, plain_case(), ALPHA, Doing(fixed=(1,)))
        export_site(group, folder, processes=1)
    assert sorted(path.name for path in (folder / "run").iterdir()) == ["1.html"]
    assert "beta/two" not in (folder / "index.html").read_text("utf-8")
    assert (folder / "notes.txt").read_text() == "mine" and (folder / MARK).is_file()


def test_empty_group_can_be_exported(results_dir: Path, tmp_path: Path) -> None:
    with read_group(results_dir / "empty.sqlite") as group:
        export_site(group, tmp_path / "site", processes=1)
    assert "holds no runs yet" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_names_from_files_become_no_paths(static_site: Path) -> None:
    for name in contents(static_site):
        assert re.fullmatch(r"(?:[a-z]+/)?(?:[a-z]+-)?[a-z0-9]+\.(?:html|js|css|svg)|\.errata-bench-site", name), name
