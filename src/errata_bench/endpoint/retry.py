"""When to try again: backoff with jitter, and what servers say of it in all their units (QUIRKS Q58). Pure."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from errata_bench.errors import EndpointFault, Reach

FAR_AWAY_SECONDS = 900.0
"""A rate limit that lasts longer than this many seconds is no matter of waiting: a quota is used up."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:\d{1,12}(?:\.\d{1,9})?(?:ms|s|m|h|d))+")
_DURATION_PART = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_HINT = re.compile(
    r"(?:retry|try again|retrydelay)[\"':\s]{0,6}(?:in|after)?[\"':\s]{0,4}"
    r"((?:\d{1,9}(?:\.\d{1,12})?\s?(?:ms|milliseconds?|s\b|sec|seconds?|m\b|min|minutes?|h\b|hours?)\s?)+"
    r"|\d{1,3}m\d{1,2}(?:\.\d{1,9})?s)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after how long to try again.

    ``max_retries`` attempts follow the first. The n-th wait is ``base_seconds`` × 2^(n−1), at most ``cap_seconds``,
    of which a random half is left out; ``random`` gives numbers from 0 to 1.
    """

    max_retries: int = 6
    base_seconds: float = 1.0
    cap_seconds: float = 60.0
    random: Callable[[], float] = random.random

    def wait(self, fault: EndpointFault, failures: int) -> float | None:
        """Return the seconds to wait after the ``failures``-th failure (from 1), or None to give up.

        A wait that the server named is kept to, within the cap; a little is added, so that many do not come back at
        the same moment, and nobody in a hot loop.
        """
        if fault.reach is not Reach.RETRY or failures > self.max_retries:
            return None
        if fault.retry_after is None or not math.isfinite(fault.retry_after):
            return self.backoff(failures)
        return min(self.cap_seconds, max(0.0, fault.retry_after) + self.base_seconds * self.random())

    def backoff(self, failures: int) -> float:
        """Return the seconds to wait after the ``failures``-th failure (from 1) where nobody has named any."""
        longest = min(self.cap_seconds, self.base_seconds * 2.0 ** min(failures - 1, 60))
        return longest * (0.5 + 0.5 * self.random())


def read_retry_after(headers: Mapping[str, str], now: float, text: str = "") -> float | None:
    """Return the seconds that a server asks to wait (0 or more, not capped), or None where it says nothing usable.

    ``headers`` have lower-case names, ``now`` is the Unix time. Looked at in this order: ``Retry-After`` (ms,
    s, date), the error's ``text`` ("try again in 7.66s"), the reset headers of exhausted limits, then reset headers
    without a count of what remains; a limit with something left is no reason to wait.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000.0
    for candidate in (_moment(headers.get("retry-after", ""), now), read_hint(text)):
        if candidate is not None:
            return candidate
    return _reset(headers, now)


def read_hint(text: str) -> float | None:
    """Return the seconds named by a text such as ``Please try again in 1m30s``, or None."""
    match = _HINT.search(text)
    if match is None:
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)\s?(ms|milli|s|m|h)", match.group(1).lower())
    return sum(float(number) * _UNITS["ms" if unit == "milli" else unit] for number, unit in parts)


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    exhausted: list[float] = []
    others: list[float] = []
    for name, value in headers.items():
        if "ratelimit" not in name.replace("-", "") or "reset" not in name:
            continue
        seconds = _moment(value, now)
        if seconds is None:
            continue
        remaining = _number(headers.get(name.replace("reset-after", "remaining").replace("reset", "remaining"), ""))
        if remaining == 0:
            exhausted.append(seconds)
        elif remaining is None:
            others.append(seconds)
    # Of several exhausted limits the last to end counts; of limits without a count, the first.
    if exhausted:
        return max(exhausted)
    return min(others) if others else None


def _moment(value: str, now: float) -> float | None:
    """Read seconds, a duration, a Unix time in s or ms, or a date; junk and NaN give None."""
    value = value.strip()
    number = _number(value)
    if number is not None:
        if number >= 1e11:
            return max(0.0, number / 1000.0 - now)
        return max(0.0, number - now) if number >= 1e9 else number
    compact = value.replace(" ", "").lower()
    if _DURATION.fullmatch(compact):
        return sum(float(part) * _UNITS[unit] for part, unit in _DURATION_PART.findall(compact))
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return max(0.0, moment.timestamp() - now)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _number(value: str) -> float | None:
    if not re.fullmatch(r"\s*\d{1,18}(?:\.\d{1,18})?\s*", value, re.ASCII):
        return None
    return float(value)
