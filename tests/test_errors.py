"""The tree of errors and how they read."""

from __future__ import annotations

import pytest

from errata_bench.errors import (
    DatasetError,
    DatasetFault,
    EndpointFault,
    ErrataBenchError,
    InternalError,
    Reach,
    SettingsError,
    StoreError,
    UserError,
)


@pytest.mark.parametrize("kind", [SettingsError, DatasetError, StoreError])
def test_what_a_user_can_mend_is_a_user_error(kind: type[Exception]) -> None:
    assert issubclass(kind, UserError)


@pytest.mark.parametrize("kind", [EndpointFault, InternalError])
def test_what_a_user_cannot_mend_is_no_user_error(kind: type[Exception]) -> None:
    assert issubclass(kind, ErrataBenchError)
    assert not issubclass(kind, UserError)


def test_user_error_carries_what_to_do() -> None:
    error = UserError("no key", mend="put it into .env")
    assert str(error) == error.message == "no key"
    assert error.mend == "put it into .env"


def test_dataset_error_tells_every_fault_with_its_place() -> None:
    faults = [
        DatasetFault("a.json", "is missing", case="letter", issue="issue-01", field="category"),
        DatasetFault("b.json", "this is not JSON"),
    ]
    error = DatasetError(faults)
    assert error.faults == tuple(faults)
    assert error.message == (
        "2 faults in the dataset:\n"
        "  a.json, case letter, issue issue-01, category: is missing\n"
        "  b.json: this is not JSON"
    )


def test_one_dataset_fault_is_no_plural() -> None:
    assert DatasetError([DatasetFault("b.json", "x")]).message.startswith("1 fault in the dataset:")


def test_endpoint_fault_reads_with_its_status() -> None:
    fault = EndpointFault("rate_limited", "slow down", reach=Reach.RETRY, status=429, retry_after=2.0)
    assert str(fault) == "rate_limited (HTTP 429): slow down"
    assert str(EndpointFault("timeout", "no answer", reach=Reach.RETRY)) == "timeout: no answer"
