"""Fixtures that more than one package of tests uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.builders import shared


@pytest.fixture
def upstream() -> Path:
    """The files of the upstream project, which are no part of the repository; a test is skipped without them."""
    return shared("upstream")
