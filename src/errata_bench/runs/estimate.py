"""What a plan will take, before its first request: requests, tokens and cost, from the texts themselves. Pure.

Two figures for everything: what is expected, and the most that can be billed without retries. The assumptions behind
the first are constants of this module, and `ASSUMPTIONS` says them in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import orjson

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document
from errata_bench.endpoint.catalogue import Price
from errata_bench.proofreading.prompts import SYSTEM, user_prompt
from errata_bench.proofreading.tools import TOOLS
from errata_bench.runs.options import RunOptions
from errata_bench.runs.plan import Plan, PlannedRun
from errata_bench.scoring.judge import prompts as judge_prompts
from errata_bench.scoring.judge.conversation import BASE_TOKENS, TOKENS_A_QUESTION
from errata_bench.variants import Variant

CHARACTERS_A_TOKEN = 4
TURNS_A_CHUNK = 2
CALL_TOKENS = 40
"""What a tool call takes beside its texts: its name, the id of the paragraph, JSON, and the answer to it."""
REASONING_TOKENS: Mapping[str | None, int] = {
    None: 0,
    "none": 0,
    "minimal": 200,
    "low": 1_000,
    "medium": 3_000,
    "high": 6_000,
    "xhigh": 12_000,
}
"""Reasoning in each reply, by effort; never more than the token limit of a reply."""
JUDGED_SHARE = 0.2
"""The share of a case's issues that are mended otherwise than expected, each of them one request to the judge."""
JUDGE_ANSWER_TOKENS = 200

ASSUMPTIONS = (
    f"a token is {CHARACTERS_A_TOKEN} characters of prompts, tool schemas and text as they are sent",
    f"a chunk takes {TURNS_A_CHUNK} turns (--max-turns if that is fewer), each with all that was said before",
    f"every planted error is corrected by one call of its own: its texts and {CALL_TOKENS} tokens",
    "each reply holds reasoning of "
    + ", ".join(f"{tokens:,} ({effort})" for effort, tokens in REASONING_TOKENS.items() if effort is not None)
    + " tokens",
    f"a judge is asked about {JUDGED_SHARE:.0%} of the errors, one request each",
    "at most: every turn is taken, a judge is asked about every error, every answer is as long as its limit allows; "
    "retries, and verdicts that have to be asked for again, come on top",
)


@dataclass(frozen=True, slots=True)
class Work:
    """An amount of work: requests, tokens in and out, and their cost in USD; None where nobody knows the price."""

    requests: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Work) -> Work:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Work(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )

    def priced(self, price: Price | None) -> Work:
        """The same work with its cost at that price; no work costs nothing at any price."""
        cost = None if self.requests else 0.0
        if price is not None:
            cost = (
                self.requests * price.request
                + self.prompt_tokens * price.prompt
                + self.completion_tokens * price.completion
            )
        return Work(self.requests, self.prompt_tokens, self.completion_tokens, cost)


@dataclass(frozen=True, slots=True)
class Line:
    """The work of one variant, or of the judge: what is expected, and the most that it can be."""

    variant: Variant
    runs: int
    expected: Work
    most: Work
    is_judge: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan will take, by variant and, last, the judge."""

    lines: tuple[Line, ...]

    @property
    def cost_usd(self) -> float:
        """The expected cost of all whose price is known."""
        return math.fsum(line.expected.cost_usd or 0.0 for line in self.lines)

    @property
    def most_usd(self) -> float:
        """The most that can be billed for all whose price is known, without retries."""
        return math.fsum(line.most.cost_usd or 0.0 for line in self.lines)

    @property
    def unpriced(self) -> tuple[Variant, ...]:
        """The variants whose price nobody knows."""
        return tuple(line.variant for line in self.lines if line.expected.cost_usd is None)

    @property
    def requests(self) -> float:
        """The expected requests that go over the network."""
        return sum(line.expected.requests for line in self.lines)


def estimate_plan(plan: Plan, options: RunOptions, price_of: Callable[[str], Price | None]) -> Estimate:
    """Estimate what the runs to do of a plan will take, and the judge of ``options`` with them."""
    lines: dict[Variant, Line] = {}
    for run in plan.todo:
        line = lines.get(run.variant) or Line(run.variant, 0, Work(), Work())
        expected, most = Work(), Work()
        if not run.variant.is_baseline:
            expected, most = (work.priced(price_of(run.variant.model)) for work in _run_work(run, options))
        lines[run.variant] = Line(run.variant, line.runs + 1, line.expected + expected, line.most + most)
    found = list(lines.values())
    if options.judge is not None:
        found.append(_judge_line(plan.todo, options.judge, price_of(options.judge.model)))
    return Estimate(tuple(found))


def tokens_of(characters: int) -> int:
    """The tokens that so many characters are taken for."""
    return math.ceil(characters / CHARACTERS_A_TOKEN)


def _run_work(run: PlannedRun, options: RunOptions) -> tuple[Work, Work]:
    expected = most = Work()
    for chunk in run.chunks[run.chunks_done :]:
        of_chunk = _chunk_work(run.case, chunk, run.variant.effort, options)
        expected, most = expected + of_chunk[0], most + of_chunk[1]
    return expected, most


def _chunk_work(case: Case, chunk: Document, effort: str | None, options: RunOptions) -> tuple[Work, Work]:
    limit = options.max_completion_tokens
    first = _overhead() + tokens_of(len(user_prompt(case.instruction, chunk)))
    ids = {paragraph.id for paragraph in chunk}
    calls = sum(_call_tokens(issue) for issue in case.issues if issue.paragraph_id in ids)
    turns = min(TURNS_A_CHUNK, options.max_turns)
    reasoning = REASONING_TOKENS.get(effort, 0)
    # All corrections come in the first reply; what it said is part of every later prompt, its reasoning mostly not.
    said = min(calls + CALL_TOKENS, limit)
    replies = min(said + reasoning, limit) + (turns - 1) * min(CALL_TOKENS + reasoning, limit)
    expected = Work(turns, turns * first + (turns - 1) * said, replies)
    rounds = options.max_turns
    most = Work(rounds, rounds * first + limit * rounds * (rounds - 1) // 2, rounds * limit)
    return expected, most


def _judge_line(runs: Iterable[PlannedRun], judge: Variant, price: Price | None) -> Line:
    expected, most = Work(), Work()
    count = 0
    for run in runs:
        issues = run.case.scored_issues
        if not issues:
            continue
        count += 1
        paragraphs = {paragraph.id: tokens_of(len(paragraph.inner_html)) for paragraph in run.case.document}
        # The paragraph as it was and as it is, with the judge's own prompt.
        prompts = sum(_judge_overhead() + 2 * paragraphs.get(issue.paragraph_id, 0) + CALL_TOKENS for issue in issues)
        asked = len(issues) * JUDGED_SHARE
        answer = JUDGE_ANSWER_TOKENS + min(REASONING_TOKENS.get(judge.effort, 0), BASE_TOKENS)
        expected = expected + Work(asked, prompts * JUDGED_SHARE, asked * answer).priced(price)
        longest = len(issues) * (BASE_TOKENS + TOKENS_A_QUESTION)
        most = most + Work(len(issues), prompts, longest).priced(price)
    return Line(judge, count, expected, most, is_judge=True)


def _call_tokens(issue: Issue) -> int:
    return tokens_of(len(issue.find) + len(issue.replace)) + CALL_TOKENS


@cache
def _overhead() -> int:
    """The tokens of a request beside its text: system prompt and tool schemas."""
    tools = [[tool.name, tool.description, tool.parameters] for tool in TOOLS]
    return tokens_of(len(SYSTEM) + len(orjson.dumps(tools).decode()))


@cache
def _judge_overhead() -> int:
    tool = judge_prompts.TOOL
    schema = orjson.dumps([tool.name, tool.description, tool.parameters]).decode()
    return tokens_of(len(judge_prompts.SYSTEM) + len(judge_prompts.USER) + len(schema))
