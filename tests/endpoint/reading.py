"""Reads made-up answers, for the tests of replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errata_bench.chat import ChatReply
from errata_bench.endpoint.replies import Expected, read_reply
from errata_bench.errors import EndpointFault

TOOLS = frozenset({"find_and_replace", "replace_paragraph", "proofreading_complete"})
EXPECTED = Expected(tools=TOOLS, token_limit=8192)
EDIT = {"paragraphId": "abcdef", "find": "a", "replace": "b"}


def read(body: Any, expected: Expected = EXPECTED) -> ChatReply:
    return read_reply(200, {}, body if isinstance(body, bytes) else json.dumps(body).encode(), expected)


def fault(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> EndpointFault:
    with pytest.raises(EndpointFault) as caught:
        read_reply(status, headers or {}, body if isinstance(body, bytes) else json.dumps(body).encode(), EXPECTED)
    return caught.value
