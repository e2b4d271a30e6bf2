"""What a baseline takes from a request: the paragraphs it may edit, and whether there is anything left to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errata_bench.chat import ChatRequest, Message
from errata_bench.document import Paragraph
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.tools import FIND_AND_REPLACE, PROOFREADING_COMPLETE, REPLACE_PARAGRAPH

_TOOLS = frozenset((FIND_AND_REPLACE, REPLACE_PARAGRAPH, PROOFREADING_COMPLETE))
_PARAGRAPH = re.compile(
    r"""^[^\S\n]*<p\s+id\s*=\s*(?P<quote>["'])(?P<id>[^"'<>]*)(?P=quote)\s*>"""
    r"""(?P<inner>[^<]*(?:<(?!/?p[\s>])[^<]*)*)</p\s*>[^\S\n]*$""",
    re.IGNORECASE | re.MULTILINE,
)


def refuse_foreign_request(request: ChatRequest) -> None:
    """Raise `EndpointFault` unless the request offers the three tools of a proofreader and no other."""
    names = {tool.name for tool in request.tools}
    if names != _TOOLS:
        raise EndpointFault(
            "not_a_chat_model",
            f"a baseline only proofreads; it cannot answer a request with {_listed(names)}",
            reach=Reach.VARIANT,
            mend="name a language model for anything but proofreading",
        )


def paragraphs_of(request: ChatRequest) -> tuple[Paragraph, ...]:
    """The paragraphs in the last user message, in order.

    A paragraph is an element ``<p id="…">…</p>`` that begins and ends with a line; everything else is words of the
    prompt. Where an id occurs twice, its last paragraph counts.
    """
    users = [message for message in request.messages if message.get("role") == "user"]
    if not users:
        return ()
    found = {match["id"]: match["inner"] for match in _PARAGRAPH.finditer(_text(users[-1]))}
    return tuple(Paragraph(paragraph_id, inner_html) for paragraph_id, inner_html in found.items())


def has_edited(request: ChatRequest) -> bool:
    """Whether the conversation already holds an editing call of the model."""
    return any(name in (FIND_AND_REPLACE, REPLACE_PARAGRAPH) for name in _called(request))


def calls_so_far(request: ChatRequest) -> int:
    """The number of tool calls in the conversation."""
    return sum(1 for _ in _called(request))


def _called(request: ChatRequest) -> Iterator[str]:
    for message in request.messages:
        if message.get("role") == "assistant":
            for call in message.get("tool_calls") or ():
                yield call["function"]["name"]


def _text(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if part.get("type") == "text")


def _listed(names: set[str]) -> str:
    return f"the tools {', '.join(sorted(names))}" if names else "no tools"
