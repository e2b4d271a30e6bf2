"""How much editing a run did, and how much of it went into planted errors that it fixed (SCORING section 1)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from errata_bench.cases.model import Case, Issue
from errata_bench.chat import ToolCall
from errata_bench.document import Document
from errata_bench.proofreading.tools import FIND_AND_REPLACE, REPLACE_PARAGRAPH, execute
from errata_bench.scoring.changes import comparable
from errata_bench.scoring.rule_v1 import contains
from errata_bench.text import normalise

_EDIT_TOOLS = (FIND_AND_REPLACE, REPLACE_PARAGRAPH)


@dataclass(frozen=True, slots=True)
class EditCall:
    """A call of an edit tool as it was executed.

    ``arguments`` is empty where the call could not be read; ``raw_arguments`` is what was sent.
    """

    name: str
    arguments: Mapping[str, str]
    raw_arguments: str
    ok: bool


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Calls of edit tools and the length of their arguments, in UTF-16 units of compact JSON.

    *Benchmark* work helped to fix a planted error; everything else, failed and no-op edits included, is off target.
    """

    benchmark_calls: int = 0
    benchmark_chars: int = 0
    off_target_calls: int = 0
    off_target_chars: int = 0
    benchmark_rewrite_chars: int = 0

    @property
    def calls(self) -> int:
        """All calls of edit tools."""
        return self.benchmark_calls + self.off_target_calls

    @property
    def chars(self) -> int:
        """The length of all their arguments."""
        return self.benchmark_chars + self.off_target_chars

    @property
    def off_target_share(self) -> float:
        """Off-target characters of all characters, 0 to 1; 0 where there are none."""
        return self.off_target_chars / self.chars if self.chars else 0.0

    @property
    def rewrite_share(self) -> float:
        """Characters of whole-paragraph replacements of the benchmark characters, 0 to 1; 0 where there are none."""
        return self.benchmark_rewrite_chars / self.benchmark_chars if self.benchmark_chars else 0.0


def argument_chars(call: EditCall) -> int:
    """The length of a call's arguments as compact JSON, in UTF-16 units, as a browser would count it."""
    if call.arguments:
        text = json.dumps(dict(call.arguments), ensure_ascii=False, separators=(",", ":"))
    else:
        text = call.raw_arguments
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def measure_tool_use(case: Case, calls: Iterable[EditCall], fixed: Set[str]) -> ToolUse:
    """Replay a run's calls in order of execution and sort them into benchmark and off-target work.

    ``fixed`` are the ids of the issues that the run fixed in the end. A call is benchmark work when the wrong text
    of such an issue, not yet claimed by an earlier call, disappears with it; or when it replaces a paragraph that
    has such issues left, and changes it.
    """
    left: dict[str, list[Issue]] = defaultdict(list)
    for issue in case.scored_issues:
        if issue.id in fixed:
            left[issue.paragraph_id].append(issue)
    document = case.document
    counts = defaultdict[str, int](int)
    for call in calls:
        if call.name not in _EDIT_TOOLS:
            continue
        chars = argument_chars(call)
        before = document
        if call.ok:
            document = execute(ToolCall("", call.name, call.arguments, call.raw_arguments), document).document
        paragraph_id = call.arguments.get("paragraphId", "")
        if call.ok and _claim(left[paragraph_id], before, document, paragraph_id, call.name):
            counts["benchmark_calls"] += 1
            counts["benchmark_chars"] += chars
            if call.name == REPLACE_PARAGRAPH:
                counts["benchmark_rewrite_chars"] += chars
        else:
            counts["off_target_calls"] += 1
            counts["off_target_chars"] += chars
    return ToolUse(**counts)


def _claim(left: list[Issue], before: Document, after: Document, paragraph_id: str, name: str) -> bool:
    old, new = before.get(paragraph_id), after.get(paragraph_id)
    if not left or old is None or new is None or old.inner_html == new.inner_html:
        return False
    old_html, new_html = normalise(old.html), normalise(new.html)
    near = _around_change(old_html, new_html, max(len(issue.find) for issue in left))
    claimed = [
        issue
        for issue in left
        if issue.find in near and contains(old_html, issue.find) and not contains(new_html, issue.find)
    ]
    rewrites = name == REPLACE_PARAGRAPH and comparable(old_html) != comparable(new_html)
    for issue in claimed:
        left.remove(issue)
    return bool(claimed) or rewrites


def _around_change(before: str, after: str, reach: int) -> str:
    """The part of a text in which everything stands that an edit can have made disappear, up to ``reach`` long."""
    from rapidfuzz.distance import Postfix, Prefix  # imported late: nothing may need it at all

    start = Prefix.similarity(before, after)
    end = len(before) - min(Postfix.similarity(before, after), len(before) - start)
    return before[max(0, start - reach - 1) : end + reach + 1]
