"""What a proofreading model is told. With the tool schemas these texts make the prompt version (contract C8)."""

from __future__ import annotations

import hashlib

import orjson

from errata_bench.document import Document
from errata_bench.proofreading.tools import PROOFREADING_COMPLETE, TOOLS

SYSTEM = """\
You are a copy editor who gives a finished text its last reading before it is printed.

You get a part of a document as HTML paragraphs, one a line, each with an id. Find what is wrong and correct it with \
your tools. Your edits are the only thing that reaches the author; nothing that you write beside them is read.

Correct what is certainly an error. Read each sentence twice, once for its form and once for its sense, and read it \
together with what stands before and after it.

Leave everything else exactly as it is. What is merely a matter of taste, house style or variety of English is not \
yours to change. Dialect, period language, names, quotations, technical terms, figures and deliberate oddities stay. \
Do not rewrite, smooth, shorten or modernise. A correction changes as few words as it can.

Use find_and_replace for each correction. Give several calls in one reply rather than one at a time. When you have \
corrected all that you found, or if nothing is wrong, call proofreading_complete; you may do so in the same reply as \
your last corrections."""

USER = """\
{instruction}

The text:

{html}"""

NUDGE = """\
No tool was called, so nothing has been changed. Make your corrections with the tools, or call \
proofreading_complete if nothing is to be corrected."""


def user_prompt(instruction: str, chunk: Document) -> str:
    """The first message to the model: the case's instruction and the chunk as it stands."""
    return USER.format(instruction=instruction.strip(), html=chunk.html)


def _version() -> str:
    tools = [[tool.name, tool.description, tool.parameters] for tool in TOOLS]
    content = orjson.dumps([SYSTEM, USER, NUDGE, PROOFREADING_COMPLETE, tools], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(content).hexdigest()[:12]


PROMPT_VERSION = _version()
"""Twelve hex digits of a SHA-256 over the prompt texts and tool schemas."""
