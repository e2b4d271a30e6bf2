"""What ``--help`` says of every command there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from errata_bench.cli import app


def paths(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and family of commands."""
    command = typer.main.get_command(app) if command is None else command
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    result = CliRunner().invoke(app, [*path, "--help"])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("path", list(paths()), ids=" ".join)
def test_help_is_written_for_people(path: tuple[str, ...]) -> None:
    text = help_of(path)
    usage = text.split("\n\n")[0]
    assert "[[" not in usage and "...]" not in usage and "...}" not in usage
    # A choice such as <csv|json> says what can be given; a type of Python does not.
    assert not re.search(r" <(?:list\[.*\]|str|int|float|path|Path)(?: range)?>", text)
    for summary in re.findall(r"(?m)^  \S+  +(\S.*)$", text.partition("Commands:\n")[2].split("\n\n")[0]):
        assert summary.endswith((".", "?")) and not summary.endswith("..."), summary


@pytest.mark.parametrize(
    "path", [("view", "rankings"), ("results", "check"), ("pricing", "show"), ("run",)], ids=" ".join
)
def test_the_group_that_is_meant_without_one_is_named(path: tuple[str, ...]) -> None:
    assert "Default: ERRATA_BENCH_DEFAULT_RESULTS_ID, else official-v1." in " ".join(help_of(path).split())


@pytest.mark.parametrize("path", [("run",), ("generate",), ("results", "judge")], ids=" ".join)
def test_a_cap_is_in_dollars_wherever_there_is_one(path: tuple[str, ...]) -> None:
    assert "--max-cost USD" in help_of(path)


def test_what_offline_ignores_is_said() -> None:
    assert "--offline ignores it" in " ".join(help_of(("generate",)).split())
