from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import errata_bench
from errata_bench.errors import StoreError, UserError
from tests.support.models import fix_everything, fix_otherwise
from tests.support.upkeep import ALPHA, BETA, make_group

DOCS = Path(__file__).parents[1] / "docs" / "python-api.md"


@pytest.fixture
async def results(tmp_path: Path) -> Path:
    """Alpha fixes everything, beta everything in another way."""
    path = await make_group(tmp_path / "first-run.sqlite", fix_everything, variants=[ALPHA])
    from errata_bench.store.group import write_group
    from tests.support.upkeep import run

    with write_group(path) as group:
        await run(group, fix_otherwise, variants=[BETA])
    return tmp_path


def test_a_group_gives_runs_issues_and_variants_as_plain_records(results: Path) -> None:
    group = errata_bench.open_group("first-run", results_dir=results)
    assert [(run["model"], run["case"], run["quality"]) for run in group.runs()] == [
        ("org/alpha:low", "letter", 1.0),
        ("org/alpha:low", "memo", 1.0),
        ("org/beta:high", "letter", 0.0),
        ("org/beta:high", "memo", 0.0),
    ]
    assert [issue["verdict"] for issue in group.issues()] == ["fixed"] * 5 + ["unjudged"] * 5
    assert list(group.iter_issues()) == group.issues()
    assert [(row["rank"], row["model"], row["quality"]) for row in group.variants()] == [
        (1, "org/alpha:low", 1.0),
        (2, "org/beta:high", 0.0),
    ]
    assert [len(trajectory["chunks"]) for trajectory in group.iter_trajectories()] == [3, 2, 3, 2]


def test_a_group_is_opened_by_its_path_too(results: Path) -> None:
    path = results / "first-run.sqlite"
    assert errata_bench.open_group(path).runs() == errata_bench.open_group(str(path)).runs() != []


def test_an_id_is_looked_for_where_the_command_line_looks(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_BENCH_RESULTS_DIR", str(results))
    assert errata_bench.open_group("first-run").path == results / "first-run.sqlite"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_the_same_rows_and_types_that_know_missing_values(results: Path, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    group = errata_bench.open_group("first-run", results_dir=results)
    runs, issues, variants = group.runs_frame(library), group.issues_frame(library), group.variants_frame(library)
    assert (runs.shape[0], issues.shape[0], variants.shape[0]) == (4, 10, 2)
    assert list(runs.columns) == list(group.runs()[0])
    kinds = [str(runs[name].dtype) for name in ("model", "fixed", "quality", "exact_match")]
    expected = {
        "pandas": ["string", "Int64", "Float64", "boolean"],
        "polars": ["String", "Int64", "Float64", "Boolean"],
    }
    assert kinds == expected[library]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_group_without_runs_gives_frames_without_rows(tmp_path: Path, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    from errata_bench.store.group import write_group

    with write_group(tmp_path / "empty.sqlite"):
        pass
    group = errata_bench.open_group("empty", results_dir=tmp_path)
    assert group.runs_frame(library).shape[0] == 0
    assert group.variants_frame(library).shape[0] == 0


def test_without_a_library_for_frames_records_are_named_instead(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    group = errata_bench.open_group("first-run", results_dir=results)
    with pytest.raises(UserError, match="neither pandas nor polars is installed"):
        group.runs_frame()
    with pytest.raises(UserError, match="pandas is not installed"):
        group.runs_frame("pandas")
    with pytest.raises(UserError, match="no data frames of 'excel'"):
        group.runs_frame("excel")  # type: ignore[arg-type]


def test_a_group_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no group 'nothing'"):
        errata_bench.open_group("nothing", results_dir=tmp_path)


def test_published_figures_have_variants_alone(tmp_path: Path) -> None:
    published = errata_bench.open_group("published-v1", results_dir=tmp_path)
    assert (len(published.variants()), published.runs(), published.issues()) == (51, [], [])


def test_reading_writes_nothing(results: Path) -> None:
    path = results / "first-run.sqlite"
    before = path.read_bytes()
    group = errata_bench.open_group(path)
    group.runs(), group.issues(), group.variants(), list(group.iter_trajectories())
    assert path.read_bytes() == before


def test_the_example_of_the_documentation_runs(results: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    code = "\n".join(blocks if _has_pandas() else blocks[:1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ERRATA_BENCH_RESULTS_DIR": str(results)},
        cwd=results,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["org/alpha:low 1.0", "spelling 5 of 10 fixed"]


def _has_pandas() -> bool:
    from importlib.util import find_spec

    return find_spec("pandas") is not None


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, errata_bench; print(*(m for m in sys.modules if m.startswith('errata_bench')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["errata_bench"]
    assert {"open_group", "OpenGroup", "__version__"} <= set(dir(errata_bench))
    with pytest.raises(AttributeError, match="beauty"):
        _ = errata_bench.beauty
