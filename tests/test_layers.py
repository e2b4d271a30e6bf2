"""Imports point downwards only, and the command line starts light.

Every import of a module counts, those inside functions and under ``TYPE_CHECKING`` included.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import errata_bench

ROOT = Path(errata_bench.__file__).parent
PACKAGE = "errata_bench"

BASE = {"errors", "chat", "variants"}
"""The words that all layers share: errors, the seam to models, the names of variants."""
PURE = {"text", "document", "taxonomy"}

ALLOWED: dict[str, set[str]] = {
    # What a module or package may import of the project beside itself; "" is the package itself (its version).
    "": {"api"},  # for type checkers, and late: see test_api
    "api": BASE | {"endpoint", "store", "results"},
    "text": set(),
    "taxonomy": set(),
    "document": {"text", "taxonomy"},
    "errors": set(),
    "chat": set(),
    "variants": {"errors"},
    "bundled": {"errors"},
    "cases": PURE | {"errors"},
    "endpoint": BASE | {""},
    "proofreading": PURE | BASE,
    "baselines": PURE | BASE | {"proofreading"},
    "serving": PURE | BASE | {"cases", "baselines", "proofreading", ""},
    "scoring": PURE | BASE | {"cases", "proofreading"},
    "store": PURE | BASE | {"cases", "proofreading", "scoring", ""},
    "runs": PURE | BASE | {"cases", "endpoint", "baselines", "proofreading", "scoring", "store", ""},
    "generation": PURE | BASE | {"cases", "endpoint", "proofreading", "scoring", "runs", ""},
    "results": PURE | BASE | {"cases", "proofreading", "scoring", "store"},
    "views": PURE | BASE | {"cases", "proofreading", "scoring", "store", "runs", "generation", "results", ""},
    "cli": {"*"},
    "__main__": {"cli"},
}
NETWORK = {"aiohttp", "httpx", "requests", "socket", "ssl", "urllib.request", "http.client", "http.server"}
FILES = {"sqlite3", "tempfile", "shutil", "glob", "io"}


@cache
def modules() -> tuple[Path, ...]:
    found = tuple(sorted(ROOT.rglob("*.py")))
    assert len(found) > 40
    return found


def name_of(file: Path) -> str:
    parts = (PACKAGE, *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    """``cases`` for ``errata_bench.cases.load``; empty for the package itself."""
    return module.removeprefix(PACKAGE).lstrip(".").partition(".")[0]


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"), str(file))


def imports_of(tree: ast.Module) -> Iterator[str]:
    """The full names of what is imported; ``from a import b`` gives ``a.b``, for b may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports_of(file: Path) -> set[str]:
    """The modules of the project that a file imports, by their full names."""
    known = {name_of(other) for other in modules()}
    found = set()
    for name in imports_of(tree_of(file)):
        if name == PACKAGE or name.startswith(f"{PACKAGE}."):
            found.add(name if name in known else name.rpartition(".")[0])
    assert found <= known, f"{name_of(file)} imports what is not there: {found - known}"
    return found


def imports_any(file: Path, wanted: set[str]) -> set[str]:
    return {
        name for name in imports_of(tree_of(file)) if any(name == one or name.startswith(f"{one}.") for one in wanted)
    }


def files_of(layer: str) -> list[Path]:
    found = [file for file in modules() if layer_of(name_of(file)) == layer]
    assert found, f"there is no {layer}"
    return found


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_module_imports_only_what_lies_below_it(file: Path) -> None:
    layer = layer_of(name_of(file))
    assert layer in ALLOWED, f"say in ALLOWED what {layer} may import"
    allowed = ALLOWED[layer]
    imported = {layer_of(name) for name in own_imports_of(file)} - {layer}
    assert "*" in allowed or imported <= allowed, f"{name_of(file)} must not import {sorted(imported - allowed)}"


def test_no_two_layers_import_each_other() -> None:
    below: dict[str, set[str]] = {}
    for file in modules():
        layer = layer_of(name_of(file))
        below.setdefault(layer, set()).update({layer_of(name) for name in own_imports_of(file)} - {layer})
    below[""] = set()  # it hands out `open_group`, and loads nothing for it before it is asked
    seen: set[str] = set()

    def visit(layer: str, path: tuple[str, ...]) -> None:
        assert layer not in path, f"in a circle: {' -> '.join((*path, layer))}"
        if layer not in seen:
            for lower in below[layer]:
                visit(lower, (*path, layer))
            seen.add(layer)

    for layer in below:
        visit(layer, ())


@pytest.mark.parametrize("layer", sorted(PURE | {"errors", "chat", "variants", "scoring"}))
def test_what_is_pure_touches_neither_files_nor_network(layer: str) -> None:
    for file in files_of(layer):
        forbidden = NETWORK | FILES | {"os", "pathlib", "asyncio", "time", "random", "subprocess"}
        assert not imports_any(file, forbidden), name_of(file)
        assert not _calls(file, {"open", "input", "print", "exec", "eval"}), name_of(file)


@pytest.mark.parametrize("layer", ["cases", "proofreading", "results", "views"])
def test_layer_knows_no_network(layer: str) -> None:
    for file in files_of(layer):
        assert not imports_any(file, NETWORK | {f"{PACKAGE}.endpoint"}), name_of(file)


def test_only_the_store_speaks_sql() -> None:
    speaking = {layer_of(name_of(file)) for file in modules() if imports_any(file, {"sqlite3"})}
    assert speaking == {"store"}


def test_only_the_client_and_the_test_server_speak_http() -> None:
    speaking = {layer_of(name_of(file)) for file in modules() if imports_any(file, {"aiohttp", "requests", "httpx"})}
    assert speaking <= {"endpoint", "serving"}
    assert "endpoint" in speaking


def test_command_line_is_imported_by_nothing() -> None:
    for file in modules():
        if layer_of(name_of(file)) not in {"cli", "__main__"}:
            assert not any(layer_of(name) == "cli" for name in own_imports_of(file)), name_of(file)


def test_no_module_is_too_long_to_be_read() -> None:
    lengths = {name_of(file): len(file.read_text("utf-8").splitlines()) for file in modules()}
    assert {name: length for name, length in lengths.items() if length > 500} == {}


def _calls(file: Path, names: set[str]) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    }


HEAVY = (
    "aiohttp",
    "altair",
    "numpy",
    "rich",
    "pydantic",
    "pydantic_settings",
    "orjson",
    "symspellpy",
    "harper",
    "rapidfuzz",
    "sqlite3",
    "textual",
    "vl_convert",
    "asyncio",
    "starlette",
    "uvicorn",
    "jinja2",
    "vl_convert",
)


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter holds after running this."""
    script = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_importing_the_command_line_pulls_in_nothing_heavy() -> None:
    loaded = loaded_by(f"import {PACKAGE}.cli")
    assert f"{PACKAGE}.cli.run" in loaded
    assert sorted(name for name in HEAVY if name in loaded) == []


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["view", "scatterplot", "--help"], ["--version"]])
def test_help_pulls_in_nothing_heavy(arguments: list[str]) -> None:
    loaded = loaded_by(
        f"import sys\nsys.argv = ['errata-bench', *{arguments!r}]\n"
        f"from {PACKAGE}.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
    )
    # typer takes pydantic to read a command's options.
    assert sorted(name for name in HEAVY if name in loaded and name != "pydantic") == []


def test_importing_a_library_module_starts_nothing() -> None:
    names = [name_of(file) for file in modules() if name_of(file) != f"{PACKAGE}.__main__"]
    code = "\n".join(f"import {name}" for name in names)
    code += "\nimport threading\nassert threading.active_count() == 1, threading.enumerate()"
    loaded = loaded_by(code)
    assert not {"harper", "lt_py"} & loaded  # the engines are loaded when they are wanted
