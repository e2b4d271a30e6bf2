from __future__ import annotations

from pathlib import Path

import pytest

from errata_bench.cases.build import build_case
from errata_bench.cases.header import Header
from errata_bench.cases.load import load_cases
from errata_bench.errors import UserError
from errata_bench.generation.output import (
    Place,
    build_output,
    choose_place,
    digests,
    refuse_to_overwrite,
    write_files,
)
from tests.generation.sketches import placed, proposal, source

HEADER = Header("T", "g", "v", "l", "en")
LATER = placed(proposal("misused_word", "last entry, which", "entry,", "entrance,"))
EARLIER = placed(proposal("subject_verb_agreement", "lamp was asleep", "was", "were"))


def test_by_default_a_case_lies_beside_its_source_and_is_named_after_it() -> None:
    place = choose_place(Path("texts/My text, 2nd.txt"), None, None)
    assert (place.folder, place.case_id) == (Path("texts"), "My-text-2nd-case")
    assert place.journal.name == "My-text-2nd-case.proposals.ndjson"
    assert choose_place(Path("a.txt"), Path("out"), "b") == Place(Path("out"), "b")


@pytest.mark.parametrize("case_id", ["", "../x", "a/b", ".x", "x y", "é"])
def test_an_id_that_can_name_no_file_is_refused(case_id: str) -> None:
    with pytest.raises(UserError, match="id of a case"):
        choose_place(Path("a.txt"), None, case_id)


@pytest.mark.parametrize(("source_name", "case_id"), [("a.txt", "a"), ("a-clean.txt", "a"), ("a-corrupted.txt", "a")])
def test_a_case_is_never_written_over_its_source(tmp_path: Path, source_name: str, case_id: str) -> None:
    with pytest.raises(UserError, match="over its source"):
        choose_place(tmp_path / source_name, None, case_id)
    choose_place(tmp_path / source_name, tmp_path / "other", case_id)


def test_all_files_agree_and_the_annotated_source_builds_the_case_again(tmp_path: Path) -> None:
    place = Place(tmp_path / "new" / "folder", "x")
    built, files, by_id = build_output(source(), [LATER, EARLIER], HEADER, place)
    write_files(place, files)
    assert sorted(path.name for path in place.folder.iterdir()) == [
        "x-clean.txt",
        "x-corrupted.txt",
        "x.json",
        "x.txt",
    ]
    assert load_cases([str(place.case)]) == (built.case,)
    assert build_case(place.annotated.read_text(), "x", "x").files == {
        name: data for name, data in files.items() if name != "x.txt"
    }
    assert list(by_id.items()) == [("issue-01", EARLIER), ("issue-02", LATER)]


def test_what_was_written_here_may_be_written_over_and_nothing_else(tmp_path: Path) -> None:
    place = Place(tmp_path, "x")
    _, files, _ = build_output(source(), [EARLIER], HEADER, place)
    refuse_to_overwrite(place, frozenset())
    write_files(place, files)
    written = frozenset(digests(files).items())
    refuse_to_overwrite(place, written)
    with pytest.raises(UserError, match="is there already"):
        refuse_to_overwrite(place, frozenset())
    place.annotated.write_text("corrected")
    with pytest.raises(UserError, match="has been changed"):
        refuse_to_overwrite(place, written)


def test_a_folder_that_cannot_be_made_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot be written"):
        write_files(Place(tmp_path / "file", "x"), {"x.txt": b"x"})
