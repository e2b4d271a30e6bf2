"""When to try again (QUIRKS Q58, Q61)."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.endpoint.retry import RetryPolicy, read_retry_after
from errata_bench.errors import EndpointFault, Reach

NOW = 1_750_000_000.0


def transient(retry_after: float | None = None) -> EndpointFault:
    return EndpointFault("rate_limited", "x", reach=Reach.RETRY, retry_after=retry_after)


def test_waits_double_up_to_the_cap_and_end_after_the_last_retry() -> None:
    policy = RetryPolicy(max_retries=8, random=lambda: 1.0)
    waits = [policy.wait(transient(), failures) for failures in range(1, 10)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, None]


def test_jitter_takes_up_to_a_half_away() -> None:
    assert RetryPolicy(random=lambda: 0.0).wait(transient(), 3) == 2.0


def test_a_named_wait_is_kept_to_within_the_cap() -> None:
    policy = RetryPolicy(random=lambda: 0.0)
    assert policy.wait(transient(17.0), 1) == 17.0
    assert policy.wait(transient(400.0), 1) == 60.0


def test_a_named_wait_of_nothing_is_no_hot_loop() -> None:
    waits = [RetryPolicy(random=lambda: 0.5).wait(transient(0.0), failures) for failures in range(1, 4)]
    assert all(wait is not None and wait > 0 for wait in waits)
    assert RetryPolicy(max_retries=3).wait(transient(0.0), 4) is None


@pytest.mark.parametrize("reach", [Reach.RUN, Reach.VARIANT, Reach.ALL])
def test_other_faults_are_not_tried_again(reach: Reach) -> None:
    assert RetryPolicy().wait(EndpointFault("x", "x", reach=reach, retry_after=1.0), 1) is None


@given(st.integers(1, 10_000), st.none() | st.floats(), st.floats(0, 1))
def test_no_wait_is_negative_or_beyond_the_cap(failures: int, named: float | None, chance: float) -> None:
    wait = RetryPolicy(max_retries=10_000, random=lambda: chance).wait(transient(named), failures)
    assert wait is not None
    assert 0 <= wait <= 60


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": " 2.5 "}, 2.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"retry-after": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"retry-after": "2025-06-15T15:07:20Z"}, 40.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-ratelimit-reset": "12"}, 12.0),
        ({"x-ratelimit-reset": str(int(NOW) + 45)}, 45.0),
        ({"x-ratelimit-reset": str((int(NOW) + 45) * 1000)}, 45.0),
        ({"x-ratelimit-reset-requests": "1m30s"}, 90.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "7.66s"}, 7.66),
        ({"x-ratelimit-reset-requests": "1d2h"}, 93_600.0),
        ({"ratelimit-reset": "8"}, 8.0),
        ({"anthropic-ratelimit-requests-reset": "2025-06-15T15:07:20Z"}, 40.0),
    ],
)
def test_all_units_of_a_named_wait_are_read(headers: dict[str, str], seconds: float) -> None:
    assert read_retry_after(headers, NOW) == pytest.approx(seconds)


@pytest.mark.parametrize("junk", ["", "soon", "NaN", "-5", "inf", "1e400", "٣", "12 parsecs", "1m junk", "9" * 40, "—"])
def test_junk_is_no_wait(junk: str) -> None:
    assert read_retry_after({"retry-after": junk, "x-ratelimit-reset": junk}, NOW) is None


def test_the_exhausted_limit_counts_not_the_others() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "900",
        "x-ratelimit-reset-requests": "8h",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "20s",
    }
    assert read_retry_after(headers, NOW) == 20.0
    assert read_retry_after({**headers, "x-ratelimit-remaining-requests": "0"}, NOW) == 28_800.0
    assert read_retry_after({"x-ratelimit-remaining": "5", "x-ratelimit-reset": "8h"}, NOW) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 7.66s. Visit…", 7.66),
        ("Please try again in 1m30s.", 90.0),
        ("try again in 20ms", 0.02),
        ("Please retry after 3 minutes", 180.0),
        ('{"retryDelay": "37s"}', 37.0),
        ("retry in 5 monkeys", None),
        ("please retry", None),
    ],
)
def test_waits_within_texts_are_read(text: str, seconds: float | None) -> None:
    assert read_retry_after({}, NOW, text) == seconds


@given(st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset", "retry-after-ms"]), st.text()), st.text())
def test_no_header_and_no_text_makes_it_raise(headers: dict[str, str], text: str) -> None:
    seconds = read_retry_after(headers, NOW, text)
    assert seconds is None or seconds >= 0
