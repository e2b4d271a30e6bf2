"""The bundled dataset is what its annotated sources build, and it is good to benchmark on."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata_bench.baselines import close_engines
from errata_bench.cases.annotated import read_annotated
from errata_bench.cases.build import build_case
from errata_bench.cases.check import Limits, check_cases
from errata_bench.cases.check.complaints import ALARMS_SUFFIX
from errata_bench.cli.cases import offline_checkers

DATASET = Path(__file__).parents[2] / "datasets" / "v1"
SOURCES = sorted((DATASET / "annotated").glob("*.txt"))
LIMITS = Limits(least_per_1000=4.5, most_per_1000=5.5, least_of_each_category=3, largest_category_share=0.08)

pytestmark = pytest.mark.skipif(not SOURCES, reason="the dataset is not in this checkout")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_committed_case_is_what_its_source_builds(source: Path) -> None:
    built = build_case(source.read_bytes().decode(), source.stem, str(source))
    committed = {name: (DATASET / "cases" / name).read_bytes() for name in built.files}
    assert committed == built.files, "run `errata-bench cases build`"


def test_every_committed_file_has_a_source() -> None:
    files = [path for path in (DATASET / "cases").iterdir() if path.suffix == ".json"]
    stems = {path.name.removesuffix(ALARMS_SUFFIX).removesuffix(".json") for path in files}
    assert stems - {"disqualified-issues"} == {source.stem for source in SOURCES}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_source_is_free_for_all_and_says_what_it_is(source: Path) -> None:
    header = read_annotated(source.read_bytes().decode(), str(source)).header
    assert "CC0" in header.licence
    assert header.language in ("en-GB", "en-US")


async def test_bundled_cases_are_as_many_and_as_long_as_is_said() -> None:
    report = await check_cases([str(DATASET / "cases")], limits=LIMITS)
    assert report.findings == ()
    texts = [case for case in report.cases if not case.is_control]
    controls = [case for case in report.cases if case.is_control]
    assert len(texts) == 16
    assert len(controls) == 2
    assert all(2500 <= case.words <= 4000 for case in texts)
    assert all(case.words >= 1500 for case in controls)
    assert sum(case.words for case in texts) >= 48_000
    assert sum(case.issues for case in texts) >= 240
    assert len({case.genre for case in texts}) == 16


async def test_what_offline_checkers_say_of_the_clean_texts_is_resolved() -> None:
    try:
        report = await check_cases([str(DATASET / "cases")], checkers=offline_checkers())
    finally:
        await close_engines()
    assert [str(finding) for finding in report.findings] == []
