"""The page about endpoints says of every kind of fault and every adaptation what it means."""

from __future__ import annotations

import re
from pathlib import Path

import errata_bench.endpoint
from errata_bench.endpoint.adapt import Adaptation, Refusal
from errata_bench.endpoint.outage import OUTAGE_KINDS
from errata_bench.endpoint.transport import NOT_SENT_KINDS

SOURCES = Path(errata_bench.endpoint.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "endpoints.md"

_MADE = re.compile(r'(?:_Verdict|EndpointFault|_retryable)\(\s*"([a-z_]+)"')
_OF_STATUS = re.compile(r'^    \d{3}: "([a-z_]+)",$', re.MULTILINE)
_OF_CONNECTION = re.compile(r'return "([a-z_]+)", Reach')
_BY_DEFAULT = re.compile(r'_RETRYABLE_KINDS\.get\(status, "([a-z_]+)"\)')


def kinds() -> set[str]:
    """Every kind that the endpoint's modules make, read from their sources."""
    found: set[str] = set(OUTAGE_KINDS) | NOT_SENT_KINDS | {str(refusal) for refusal in Refusal}
    for name in ("faults", "replies", "transport", "catalogue"):
        source = (SOURCES / f"{name}.py").read_text("utf-8")
        for pattern in (_MADE, _OF_STATUS, _OF_CONNECTION, _BY_DEFAULT):
            found |= set(pattern.findall(source))
    return found


def explained() -> set[str]:
    """The words in the first column of the page's tables."""
    cells = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    return {word for cell in cells for word in re.findall(r"`([a-z_]+)`", cell)}


def test_every_kind_of_fault_is_explained() -> None:
    found = kinds()
    assert len(found) > 35
    assert found - explained() == set()


def test_every_adaptation_is_explained() -> None:
    assert {str(adaptation) for adaptation in Adaptation} - explained() == set()
