"""The order of a conversation, as the strictest servers and chat templates want it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from errata_bench.serving.body import AssistantMessage, Message, Refused, SystemMessage, ToolMessage, UserMessage


def check_conversation(messages: Sequence[Message]) -> None:
    """Raise `Refused` unless the messages are in order.

    System messages come first, then a user's. After an assistant's message with calls stands exactly one tool message
    for each call, in their order (QUIRKS Q75, Q76); no user's message follows a tool's (Q77). No two calls have the
    same id (Q22). The last word is not the assistant's.
    """
    awaited: list[str] = []
    used: set[str] = set()
    before: Message | None = None
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        if awaited and not isinstance(message, ToolMessage):
            raise _missing_results(awaited, where)
        if isinstance(message, SystemMessage):
            if before is not None and not isinstance(before, SystemMessage):
                raise _disorder("a system message has to stand at the beginning", where)
        elif isinstance(message, ToolMessage):
            _take(message, awaited, where)
        elif isinstance(message, UserMessage):
            if isinstance(before, ToolMessage):
                raise _disorder("Unexpected role 'user' after role 'tool'", where)
        elif before is None or isinstance(before, SystemMessage):
            raise _disorder("the first message after the system's has to be the user's", where)
        elif isinstance(before, AssistantMessage):
            raise _disorder("Unexpected role 'assistant' after role 'assistant'", where)
        else:
            awaited = [call.id for call in message.tool_calls]
            if len({*used, *awaited}) < len(used) + len(awaited):
                raise _disorder("Duplicate value for 'tool_call_id': two calls have the same id", where)
            used.update(awaited)
        before = message
    if awaited:
        raise _missing_results(awaited, f"messages[{len(messages)}]")
    if not isinstance(before, (UserMessage, ToolMessage)):
        raise _disorder("the last message has to be the user's or a tool's", f"messages[{len(messages) - 1}]")


def _take(message: ToolMessage, awaited: list[str], where: str) -> None:
    if not awaited:
        raise _disorder("messages with role 'tool' must be a response to a preceding message with 'tool_calls'", where)
    if message.tool_call_id != awaited[0]:
        raise _disorder(f"this tool message has to answer the call {awaited[0]!r}, in the order of the calls", where)
    del awaited[0]


def _missing_results(awaited: Sequence[str], where: str) -> Refused:
    ids = ", ".join(awaited)
    return _disorder(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {ids}",
        where,
    )


def _disorder(problem: str, where: str) -> Refused:
    return Refused(f"Invalid parameter: {problem}.", parameter=where, code="invalid_messages")
