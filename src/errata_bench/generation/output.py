"""The files of a made case: annotated source, corrupted text, clean text, case JSON."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from errata_bench.cases.build import BuiltCase, build_case
from errata_bench.cases.header import Header
from errata_bench.errors import UserError
from errata_bench.generation.markup import write_source
from errata_bench.generation.proposals import Change
from errata_bench.generation.source import SourceText

JOURNAL_SUFFIX = ".proposals.ndjson"
"""Not ``.jsonl``, which in a folder of cases would be read as cases."""
DEFAULT_ENDING = "-case"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case is written: all its files lie in one folder and begin with its id."""

    folder: Path
    case_id: str

    @property
    def annotated(self) -> Path:
        """The annotated source; building it gives the case again."""
        return self.folder / f"{self.case_id}.txt"

    @property
    def case(self) -> Path:
        """The case JSON."""
        return self.folder / f"{self.case_id}.json"

    @property
    def journal(self) -> Path:
        """The log of proposals, which is also the checkpoint."""
        return self.folder / f"{self.case_id}{JOURNAL_SUFFIX}"


def choose_place(source: Path, folder: Path | None, case_id: str | None) -> Place:
    """Where the case of a source goes: by default beside it, named after it.

    Raises `UserError` for an id that can name no file, and for one whose files would be the source itself.
    """
    chosen = (
        case_id if case_id is not None else re.sub(r"[^A-Za-z0-9._-]+", "-", source.stem).strip("-._") + DEFAULT_ENDING
    )
    if not _ID.fullmatch(chosen):
        raise UserError(
            f"{chosen!r} cannot be the id of a case",
            mend="give one of letters, digits, dots, hyphens and underscores with --case-id",
        )
    place = Place(folder if folder is not None else source.parent, chosen)
    names = {place.annotated, *(place.folder / f"{chosen}-{kind}{source.suffix}" for kind in ("corrupted", "clean"))}
    if any(_same(name, source) for name in names):
        raise UserError(
            f"a case with the id {chosen} would be written over its source {source}",
            mend="choose another --case-id or --output-dir",
        )
    return place


def build_output(
    source: SourceText, changes: Sequence[Change], header: Header, place: Place
) -> tuple[BuiltCase, dict[str, bytes], dict[str, Change]]:
    """Build the case with these changes: it, its files by name (the annotated source too), and changes by issue id."""
    text = write_source(source, changes, header)
    built = build_case(text, place.case_id, place.annotated.name)
    # Issues are numbered in the order of the document.
    in_order = sorted(changes, key=lambda change: (change.paragraph, change.start, change.end))
    by_id = dict(zip((issue.id for issue in built.case.issues), in_order, strict=True))
    return built, {place.annotated.name: text.encode(), **built.files}, by_id


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each file, in hex."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}


def refuse_to_overwrite(place: Place, written: Collection[tuple[str, str]]) -> None:
    """Raise `UserError` where a case lies that is not as it was ``written`` (name and SHA-256): somebody's work."""
    for path in (place.annotated, place.case):
        if not path.exists():
            continue
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
        if (path.name, digest) not in written:
            known = any(name == path.name for name, _ in written)
            said = "has been changed since it was made" if known else "is there already"
            raise UserError(
                f"{path}: {said}, and is not written over",
                mend="choose another name with --case-id, or --overwrite it; a corrected annotated source is built "
                f"with `errata-bench cases build {place.annotated} --out {place.folder}`",
            )


def write_files(place: Place, files: Mapping[str, bytes]) -> None:
    """Write the files, each whole or not at all. Raises `UserError` where that cannot be done."""
    for name, data in files.items():
        path = place.folder / name
        part = path.with_name(f".{name}.{os.getpid()}.part")
        try:
            place.folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve()
    except OSError:
        return False
