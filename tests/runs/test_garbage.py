"""Garbage in cycles is looked for seldom during a run, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from errata_bench.runs.garbage import seldom_collected


def test_garbage_is_looked_for_seldom_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    frozen = gc.get_freeze_count()
    with pytest.raises(RuntimeError, match="stop"), seldom_collected():
        assert gc.isenabled()
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
        raise RuntimeError("stop")
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_contexts_that_overlap_leave_it_as_it_was_before_all_of_them() -> None:
    before = gc.get_threshold()
    one, other = seldom_collected(), seldom_collected()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold() != before  # the other one still lasts
    other.__exit__(None, None, None)
    assert gc.get_threshold() == before
