"""The served models: the baselines, with the sense to go on where a conversation stands.

A baseline answers the first request of a chunk with all it has. Here a reply may have been spoilt on its way, so in a
later turn a served model looks at what its calls have done, and calls what is still to be done. What it makes of a text
thus does not hang on the faults it met, as long as there are turns enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from errata_bench.baselines import BASELINE_NAMES, baseline_model, unavailable_reason
from errata_bench.baselines.reading import paragraphs_of
from errata_bench.cases.answers import expected_paragraphs
from errata_bench.cases.model import Case
from errata_bench.chat import ChatModel, ChatRequest, Message, ToolCall
from errata_bench.document import Document
from errata_bench.proofreading.tools import execute
from errata_bench.serving.replies import Said, SaidCall, calling

PREFIX = "served/"

NO_TOOLS = "I only proofread, and only with tools; none may be called here."


class Proofreader:
    """One served model."""

    def __init__(self, name: str, baseline: ChatModel) -> None:
        self.name = name
        self._baseline = baseline

    async def answer(self, request: ChatRequest, *, parallel: bool = True) -> Said:
        """Answer a request; without ``parallel``, with one call at most.

        Where no tool may be called the answer is a remark. Raises `EndpointFault` for a request with other tools than
        a proofreader's, and when the checker fails.
        """
        if not request.tools or request.tool_choice == "none":
            return Said(NO_TOOLS)
        opening = _opening(request.messages)
        later = request.messages[len(opening) :]
        calls = (await self._baseline.complete(ChatRequest(opening, request.tools))).tool_calls
        if later:
            document = Document(paragraphs_of(ChatRequest(opening)))
            calls = await self._remaining(_after(calls, document), _after(_carried_out(later), document), request)
        said = sum(len(message.get("tool_calls", ())) for message in request.messages)
        wanted = calls if parallel else calls[:1]
        return calling(
            [
                SaidCall(f"call_{said + n}", call.name, orjson.dumps(call.arguments).decode())
                for n, call in enumerate(wanted, start=1)
            ]
        )

    async def _remaining(self, target: Document, current: Document, request: ChatRequest) -> tuple[ToolCall, ...]:
        """The calls that lead from the document as it stands to the one that was meant."""
        expected = {(now.id, now.inner_html): then.inner_html for now, then in zip(current, target, strict=True)}
        asked = ChatRequest(({"role": "user", "content": current.html},), request.tools)
        return (await baseline_model("baseline/oracle", expected=expected).complete(asked)).tool_calls


def proofreaders(cases: Sequence[Case]) -> Mapping[str, Proofreader]:
    """The served models by name: a baseline each, as far as installed; the oracle knows the answers to ``cases``."""
    expected = expected_paragraphs(cases)
    return {
        (served := served_name(name)): Proofreader(served, baseline_model(name, expected=expected))
        for name in BASELINE_NAMES
        if unavailable_reason(name) is None
    }


def missing_proofreaders() -> Mapping[str, str]:
    """The served models that cannot be had here, and why."""
    reasons = {served_name(name): unavailable_reason(name) for name in BASELINE_NAMES}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def served_name(baseline: str) -> str:
    """``served/harper`` for ``baseline/harper``."""
    return PREFIX + baseline.partition("/")[2]


def _opening(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages up to the last of the user's that holds paragraphs; all of them where none does."""
    for end in range(len(messages), 0, -1):
        if messages[end - 1]["role"] == "user" and paragraphs_of(ChatRequest((messages[end - 1],))):
            return tuple(messages[:end])
    return tuple(messages)


def _after(calls: Sequence[ToolCall], document: Document) -> Document:
    for call in calls:
        document = execute(call, document).document
    return document


def _carried_out(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls of a conversation whose results do not say that they were refused."""
    refused = {message["tool_call_id"] for message in messages if message["role"] == "tool" and _says_no(message)}
    return [
        ToolCall(
            call["id"],
            call["function"]["name"],
            orjson.loads(call["function"]["arguments"]),
            call["function"]["arguments"],
        )
        for message in messages
        for call in message.get("tool_calls", ())
        if call["id"] not in refused
    ]


def _says_no(message: Message) -> bool:
    try:
        result = orjson.loads(message["content"])
    except orjson.JSONDecodeError:
        return False
    return isinstance(result, dict) and result.get("ok") is False
