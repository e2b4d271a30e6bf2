from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_bench.store.group import Group, write_group


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with write_group(tmp_path / "group.sqlite") as opened:
        yield opened
