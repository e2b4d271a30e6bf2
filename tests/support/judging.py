"""Judges for tests: they read what they are asked, as a model would, and answer well or badly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from errata_bench.chat import ChatReply, ChatRequest, Usage
from errata_bench.scoring.judge.comparing import COMPARE
from errata_bench.scoring.judge.prompts import RECORD_VERDICTS
from tests.support.doubles import calling, tool_call

GOOD_REASON = "The error is gone and the sentence is right."
BAD_REASON = "The error is still there."


def asked(request: ChatRequest) -> list[str]:
    """The names of the errors that a request asks about; after a contradiction, those that it is about."""
    return names_in(request.messages)


def names_in(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The same, from the messages of a request."""
    for message in reversed(messages):
        found = re.search(r"Decide on these errors again, and on no others: ([^.]*)\.", str(message.get("content")))
        if found:
            return found[1].split(", ")
    found = re.search(r"^The errors to decide on: (.*)\.$", str(messages[1]["content"]), re.MULTILINE)
    assert found, "nothing is asked"
    return found[1].split(", ")


def verdict(name: str, valid: bool = True, **fields: Any) -> dict[str, Any]:
    """One entry of an answer, in itself consistent unless a field says otherwise."""
    return {
        "error": name,
        "reads_now": "…",
        "reason": GOOD_REASON if valid else BAD_REASON,
        "conclusion": "mended" if valid else "still_wrong",
        "valid": valid,
        **fields,
    }


def answer(*verdicts: Mapping[str, Any], **fields: Any) -> ChatReply:
    """A judge's reply of 300 + 30 tokens that cost 6 cents."""
    fields = {"usage": Usage(300, 30), "cost_usd": 0.06, "duration_seconds": 1.0, **fields}
    return calling(tool_call(RECORD_VERDICTS, {"verdicts": list(verdicts)}), **fields)


def accept_all(request: ChatRequest) -> ChatReply:
    """A judge that finds every fix valid."""
    return answer(*(verdict(name) for name in asked(request)))


def reject_all(request: ChatRequest) -> ChatReply:
    """A judge that finds no fix valid."""
    return answer(*(verdict(name, False) for name in asked(request)))


def comparison(error_in: str, *, same_meaning: bool = True, better: str = "neither", **fields: Any) -> ChatReply:
    """A judge's reply on two versions, of 200 + 20 tokens that cost 2 cents."""
    said = {"reason": "They differ.", "error_in": error_in, "same_meaning": same_meaning, "better": better}
    fields = {"usage": Usage(200, 20), "cost_usd": 0.02, "duration_seconds": 1.0, **fields}
    return calling(tool_call(COMPARE, said), **fields)


def versions(request: ChatRequest) -> tuple[str, str]:
    """The two versions of a passage that a request shows, in its order."""
    first, second = re.findall(
        r"\[\[begin version (\w+)\]\]\n(.*?)\n\[\[end version \1\]\]", str(request.messages[1]["content"]), re.DOTALL
    )
    return first[1], second[1]


def find_errors(wrong: Callable[[str], bool]) -> Callable[[ChatRequest], ChatReply]:
    """A judge that finds errors by this rule, in whatever order the versions come; meaning is always the same."""

    def compare(request: ChatRequest) -> ChatReply:
        first, second = (wrong(version) for version in versions(request))
        return comparison("both" if first and second else "1" if first else "2" if second else "neither")

    return compare
