"""Baselines are asked as the proofreading loop asks a model, and what they call is executed on the document."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Iterator, Mapping

import pytest

from errata_bench.baselines import baseline_model
from errata_bench.baselines.engines import close_hosts
from errata_bench.chat import ChatReply, ChatRequest
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.tools import FIND_AND_REPLACE, PROOFREADING_COMPLETE, REPLACE_PARAGRAPH, TOOLS

Proofread = Callable[..., Awaitable[list[str]]]


@pytest.fixture(scope="session", autouse=True)
def _close_workers() -> Iterator[None]:
    """Each checker is built once for all tests."""
    yield
    close_hosts()


def request_for(document: Document, *later: Mapping[str, object]) -> ChatRequest:
    user = f"Proofread this part of a document.\n\n{document.html}\n\nSay when you have done."
    return ChatRequest(
        ({"role": "system", "content": "You proofread."}, {"role": "user", "content": user}, *later), TOOLS
    )


def execute(document: Document, reply: ChatReply) -> Document:
    """Carry out the calls of a reply; a call that is refused or changes nothing fails the test."""
    assert reply.tool_calls[-1].name == PROOFREADING_COMPLETE
    for call in reply.tool_calls[:-1]:
        assert call.arguments is not None
        if call.name == FIND_AND_REPLACE:
            edit = document.find_and_replace(
                call.arguments["paragraphId"], call.arguments["find"], call.arguments["replace"]
            )
            assert edit.replacements == 1
        else:
            assert call.name == REPLACE_PARAGRAPH
            edit = document.replace_paragraph(call.arguments["paragraphId"], call.arguments["newParagraphHtml"])
        document = edit.document
    return document


@pytest.fixture(name="request_for")
def request_for_fixture() -> Callable[..., ChatRequest]:
    return request_for


@pytest.fixture(name="execute")
def execute_fixture() -> Callable[[Document, ChatReply], Document]:
    return execute


@pytest.fixture
def proofread() -> Proofread:
    """Let a baseline proofread paragraphs of plain text, together one document; gives their text afterwards."""

    async def ask(name: str, *paragraphs: str) -> list[str]:
        document = Document(
            tuple(Paragraph(f"par{n}", html.escape(text, quote=False)) for n, text in enumerate(paragraphs))
        )
        reply = await baseline_model(name).complete(request_for(document))
        return [html.unescape(paragraph.inner_html) for paragraph in execute(document, reply)]

    return ask
