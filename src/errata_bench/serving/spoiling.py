"""How a reply goes wrong on its way, and yet is a valid response. Pure."""

from __future__ import annotations

import orjson

from errata_bench.serving.faults import FaultKind
from errata_bench.serving.replies import CHARACTERS_A_TOKEN, Said, SaidCall

TALK = "I have read the text and corrected all that was wrong."


def spoil(said: Said, kind: FaultKind) -> Said:
    """The reply as the fault leaves it; kinds that do not touch the reply leave it as it is."""
    match kind:
        case FaultKind.TRUNCATED:
            return cut(said, max(1, said.tokens // 2))
        case FaultKind.MALFORMED_ARGUMENTS if said.calls:
            # Without the call behind it, which would end the work: what was broken can be called again.
            *others, broken = said.calls if len(said.calls) == 1 else said.calls[:-1]
            return Said(
                said.content, (*others, SaidCall(broken.id, broken.name, broken.arguments[:-1])), said.finish_reason
            )
        case FaultKind.LEAKED_CALL if said.calls:
            return Said("\n".join(_leaked(call) for call in said.calls))
        case FaultKind.NO_TOOLS if said.calls:
            return Said(TALK)
    return said


def cut(said: Said, limit: int) -> Said:
    """What of a reply fits into so many tokens, the rest cut off in the middle of a call."""
    if said.tokens <= limit:
        return said
    left = limit * CHARACTERS_A_TOKEN
    content = said.content[:left] if said.content is not None else None
    left -= len(content or "")
    calls: list[SaidCall] = []
    for call in said.calls:
        left -= len(call.name)
        if left <= 0:
            break
        calls.append(SaidCall(call.id, call.name, call.arguments[:left]))
        left -= len(call.arguments)
        if left <= 0:
            break
    return Said(content, tuple(calls), "length", limit)


def _leaked(call: SaidCall) -> str:
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        arguments = call.arguments
    return f"<tool_call>{orjson.dumps({'name': call.name, 'arguments': arguments}).decode()}</tool_call>"
