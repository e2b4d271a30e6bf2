"""Files that are there whole or not at all, and names that are safe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from errata_bench.errors import UserError

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80


@dataclass(slots=True)
class Folder:
    """Where an export goes. What is there is not overwritten unless ``force``; ``written`` are the files so far."""

    path: Path
    force: bool = False
    written: list[Path] = field(default_factory=list)

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """A file to write; it appears under its name when all is written. Raises `UserError`."""
        target = self.path / name
        if target.exists() and not self.force:
            raise UserError(f"{target} is there already", mend="name another folder, or overwrite with --force")
        part = target.with_name(f"{target.name}.part")
        made = not self.path.exists()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as stream:
                yield stream
            part.replace(target)
        except OSError as error:
            raise UserError(f"{target} cannot be written: {error.strerror or error}") from error
        finally:
            part.unlink(missing_ok=True)
            if made and not target.exists():
                _remove_empty(target.parent, self.path)
        self.written.append(target)


def _remove_empty(folder: Path, last: Path) -> None:
    """Take back folders that were made in vain."""
    with suppress(OSError):
        while folder != last.parent:
            folder.rmdir()
            folder = folder.parent


def safe_name(text: str) -> str:
    """A file name made of untrusted text: letters, digits, dots, dashes and underscores, no dot at its beginning."""
    return _UNSAFE.sub("-", text).strip("-.")[:_LONGEST] or "unnamed"
