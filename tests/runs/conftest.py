from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_bench.store.group import Group, write_group


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "group.sqlite"


@pytest.fixture
def group(path: Path) -> Iterator[Group]:
    with write_group(path) as opened:
        yield opened
