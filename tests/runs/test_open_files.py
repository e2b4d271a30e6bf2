"""The limit of open files is raised as far as the concurrency needs and the system allows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from errata_bench.runs.open_files import connections_allowed

resource = pytest.importorskip("resource")


class Limits:
    """The limits of a process, without touching those of the tests."""

    def __init__(self, soft: int, hard: int, *, refuses: bool = False) -> None:
        self.soft, self.hard, self.refuses = soft, hard, refuses

    def get(self, _: int) -> tuple[int, int]:
        return self.soft, self.hard

    def set(self, _: int, limits: tuple[int, int]) -> None:
        if self.refuses:
            raise ValueError("not allowed")
        self.soft, self.hard = limits


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Limits]:
    made = Limits(256, 4096)
    monkeypatch.setattr(resource, "getrlimit", made.get)
    monkeypatch.setattr(resource, "setrlimit", made.set)
    yield made


def test_what_suffices_is_left_alone(limits: Limits) -> None:
    assert connections_allowed(100) == 100
    assert limits.soft == 256


def test_the_soft_limit_is_raised_and_the_hard_one_left(limits: Limits) -> None:
    assert connections_allowed(1000) == 1000
    assert 1000 < limits.soft < 1200
    assert limits.hard == 4096


def test_beyond_the_hard_limit_fewer_are_allowed(limits: Limits) -> None:
    allowed = connections_allowed(10_000)
    assert (limits.soft, limits.hard) == (4096, 4096)
    assert 3900 < allowed < 4096


def test_no_limit_is_no_limit(limits: Limits) -> None:
    limits.soft = limits.hard = resource.RLIM_INFINITY
    assert connections_allowed(100_000) == 100_000


def test_a_system_that_refuses_is_not_argued_with(limits: Limits) -> None:
    limits.refuses = True
    assert 0 < connections_allowed(1000) < 256
