"""Finds tool calls that were written into text, where no program may execute them (QUIRKS Q29 to Q35, policy L)."""

from __future__ import annotations

import re
from functools import lru_cache

_MARKUP = (
    r"<[\w:]*(?:tool_call|tool_use|function_call)>",
    r"<\|tool_call(?:_begin)?\|?>",
    r"<\uff5ctool\u2581call\u2581begin\uff5c>",
    r"<\|python_(?:tag|start)\|>",
    r"\[TOOL_CALLS?\]",
    r"<function=[\w.-]+",
    r"<call_record\s+tool=",
    r"<invoke\s+name=",
)

_THOUGHT = re.compile(r"\s*<(think|thinking|thought)>.*?(?:</\1>|\Z)\s*", re.DOTALL)


def without_thought(text: str) -> str:
    """Leave out a block of thought (``<think>…</think>``) that the text begins with."""
    match = _THOUGHT.match(text)
    return text[match.end() :] if match else text


def count_leaked_calls(text: str, tools: frozenset[str]) -> int:
    """Count the calls of ``tools`` that seem to be written into ``text``: 0, or a lower bound.

    The several marks of one call are counted once: the result is the count of the most frequent mark.
    """
    if not text:
        return 0
    return max(sum(1 for _ in pattern.finditer(text)) for pattern in _patterns(tools))


@lru_cache(maxsize=64)
def _patterns(tools: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    sources = list(_MARKUP)
    if tools:
        name = "(?:" + "|".join(re.escape(tool) for tool in sorted(tools)) + ")"
        sources += [
            rf"\bcall:{name}\s*\{{",
            rf"\bfunctions\.{name}\b",
            # A call as code at the beginning of a line: name(…), also in a list.
            rf"^[ \t`]{{0,8}}\[?{name}\(",
            rf"\"(?:name|tool|tool_name|function|recipient_name)\"\s{{0,20}}:\s{{0,20}}\"{name}\"",
            rf"^\s{{0,20}}\{{\s{{0,20}}\"{name}\"\s{{0,20}}:\s{{0,20}}\{{",
        ]
    return tuple(re.compile(source, re.MULTILINE | re.IGNORECASE) for source in sources)
