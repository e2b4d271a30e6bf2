"""What making a case will take, before the first request. Pure.

Two figures, as for runs: what is expected, and the most that can be billed without retries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from errata_bench.endpoint.catalogue import Price
from errata_bench.generation import asking, corruptor, reviewer, solver
from errata_bench.generation.options import GenerateOptions
from errata_bench.generation.windows import Window
from errata_bench.proofreading.loop import LoopSettings
from errata_bench.runs.estimate import REASONING_TOKENS, TURNS_A_CHUNK, Estimate, Line, Work, tokens_of
from errata_bench.variants import Variant

ATTEMPTS_AN_ISSUE = 2
"""Proposals for each error that is accepted in the end."""
REVIEWS_AN_ISSUE = 1.5
ANSWER_TOKENS = 250

ASSUMPTIONS = (
    f"{ATTEMPTS_AN_ISSUE} proposals and {REVIEWS_AN_ISSUE:g} reviews for each error that is planted",
    f"an answer has {ANSWER_TOKENS} tokens, and reasoning as for runs by effort",
    f"a solver takes {TURNS_A_CHUNK} turns for each window, and one try",
    "at most: every attempt is used, every question is put three times, every answer is as long as its limit allows; "
    "retries come on top",
)


@dataclass(frozen=True, slots=True)
class _Question:
    """One kind of question: how often it is asked, expected and at most, and the tokens of its prompt."""

    variant: Variant
    expected: float
    most: float
    prompt: int


def estimate_generation(
    options: GenerateOptions, windows: Sequence[Window], missing: int, price_of: Callable[[str], Price | None]
) -> Estimate:
    """Estimate what planting ``missing`` more errors will take, and the solver after it."""
    roles = options.roles
    if roles.corruptor is None:
        return Estimate(())
    text = tokens_of(sum(len(p.text) for window in windows for p in window.paragraphs) // max(1, len(windows)))
    most = float(options.attempts_per_issue * missing)
    planting = tokens_of(sum(map(len, corruptor.PROMPTS))) + text + 60 * max(1, options.categories.offered)
    reviewing = tokens_of(sum(map(len, reviewer.PROMPTS))) + 2 * text
    questions = [_Question(roles.corruptor, ATTEMPTS_AN_ISSUE * missing, most, planting)]
    questions.extend(
        _Question(variant, REVIEWS_AN_ISSUE * missing, most, reviewing)
        for variant in (roles.reviewer, roles.second_reviewer)
        if variant is not None
    )
    lines = [_line(question, price_of) for question in questions]
    if roles.solver is not None:
        turns = LoopSettings().max_turns_per_chunk * solver.TRIES
        asked = _Question(roles.solver, TURNS_A_CHUNK * len(windows), turns * len(windows), 900 + text)
        lines.append(_line(asked, price_of))
    return Estimate(tuple(lines))


def _line(question: _Question, price_of: Callable[[str], Price | None]) -> Line:
    price = price_of(question.variant.model)
    answer = ANSWER_TOKENS + min(REASONING_TOKENS.get(question.variant.effort, 0), asking.COMPLETION_TOKENS)
    expected = Work(question.expected, question.expected * question.prompt, question.expected * answer)
    times = question.most * asking.TRIES
    longest = asking.COMPLETION_TOKENS * 2 ** (asking.TRIES - 1)
    most = Work(times, times * (question.prompt + asking.TRIES * ANSWER_TOKENS), times * longest)
    return Line(question.variant, 0, expected.priced(price), most.priced(price))
