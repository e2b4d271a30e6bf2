from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_bench.store.group import Group
from tests.support.evidence import small_group


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with small_group(tmp_path) as opened:
        yield opened
