"""The README and the pages of `docs`: their links lead somewhere, and their commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "datasets/v1/README.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")
_COMMAND = re.compile(r"^(?:\$ )?errata-bench ((?:[a-z-]+ ?)+)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text()) if "://" not in link]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_nothing_is_left_to_be_filled_in(page: Path) -> None:
    text = page.read_text()
    assert "@@" not in text
    assert "TODO" not in text


def test_every_command_that_is_shown_exists() -> None:
    shown = {match.strip() for page in PAGES for match in _COMMAND.findall(page.read_text())}
    families = {"view", "results", "cases", "endpoint", "pricing", "models"}
    names = {tuple(words[: 2 if words[0] in families else 1]) for text in shown if (words := text.split())}
    assert ("run",) in names
    program = (
        "import sys\n"
        "from errata_bench.cli import app\n"
        "import typer\n"
        "root = typer.main.get_command(app)\n"
        "for line in sys.stdin:\n"
        "    command = root\n"
        "    for word in line.split():\n"
        "        command = getattr(command, 'commands', {}).get(word)\n"
        "    print(line.strip() if command is None else '')\n"
    )
    asked = "\n".join(" ".join(name) for name in sorted(names))
    ended = subprocess.run([sys.executable, "-c", program], input=asked, capture_output=True, text=True, check=True)
    assert [line for line in ended.stdout.splitlines() if line] == []


def test_the_readme_names_the_two_commands_first() -> None:
    text = (ROOT / "README.md").read_text()
    first = text[text.index("```") : text.index("```", text.index("```") + 3)]
    assert first.splitlines()[1].startswith("make bench")
    assert first.splitlines()[2].startswith("make test")


def test_every_benchmark_that_is_named_exists() -> None:
    from benchmarks.__main__ import BENCHMARKS

    named = {name for page in PAGES for name in re.findall(r"python -m benchmarks\.(\w+)", page.read_text())}
    missing = [name for name in sorted(named | set(BENCHMARKS)) if not (ROOT / "benchmarks" / f"{name}.py").is_file()]
    assert named
    assert not missing
    assert "python benchmarks/" not in "".join(page.read_text() for page in PAGES)
