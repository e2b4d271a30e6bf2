"""Fixtures that more than one package of tests uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.builders import shared

# Examples have no deadline: on a busy machine the time they take says nothing.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture
def upstream() -> Path:
    """The files of the upstream project, which are no part of the repository; a test is skipped without them."""
    return shared("upstream")
