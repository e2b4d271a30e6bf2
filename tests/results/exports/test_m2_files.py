from __future__ import annotations

from errata_bench.results.exports.m2_files import export_m2
from errata_bench.results.exports.writing import Folder, safe_name
from errata_bench.store.group import Group
from tests.support.builders import make_case
from tests.support.models import fix_everything
from tests.support.upkeep import run


def test_a_folder_a_case_has_a_reference_and_each_runs_edits(group: Group, folder: Folder) -> None:
    remarks = export_m2(group, folder)
    assert sorted(str(path.relative_to(folder.path)) for path in folder.written) == [
        "letter/org-alpha-low-s1-run1.m2",
        "letter/org-beta-high-s1-run3.m2",
        "letter/reference.m2",
        "memo/org-alpha-low-s1-run2.m2",
        "memo/reference.m2",
    ]
    assert remarks == ["1 imported runs have no documents and are left out"]
    reference, right, other = (
        (folder.path / "letter" / name).read_text()
        for name in ("reference.m2", "org-alpha-low-s1-run1.m2", "org-beta-high-s1-run3.m2")
    )
    assert reference == right
    assert "A 2 3|||R:SPELLING|||the|||REQUIRED|||-NONE-|||0" in reference
    assert "|||some|||" in other
    assert [line for line in other.splitlines() if line.startswith("S ")] == [
        line for line in reference.splitlines() if line.startswith("S ")
    ]


async def test_names_from_files_and_servers_become_no_paths(group: Group, folder: Folder) -> None:
    await run(group, fix_everything, cases=[make_case("../../etc/passwd")])
    export_m2(group, folder)
    assert all(folder.path in path.resolve().parents for path in folder.written)
    assert (folder.path / "etc-passwd" / "reference.m2").exists()
    assert [safe_name(name) for name in ("..", "", "a" * 200, ".hidden", "Ünï/x")] == [
        "unnamed",
        "unnamed",
        "a" * 80,
        "hidden",
        "n-x",
    ]


async def test_two_versions_of_a_case_have_folders_of_their_own(group: Group, folder: Folder) -> None:
    await run(group, fix_everything, cases=[make_case("letter", 2)])
    export_m2(group, folder)
    folders = sorted(path.name for path in folder.path.iterdir())
    assert len(folders) == 3 and sum(name.startswith("letter-") for name in folders) == 2
