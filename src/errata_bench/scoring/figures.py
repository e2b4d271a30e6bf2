"""The figures of one run: counts as measured, and the rates that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from errata_bench.proofreading.loop import ChunkResult
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.scoring.restraint import Restraint, total
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.scoring.run_score import RunScore

_NO_JUDGING = JudgingUse()

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Counts of one successful run; None where something was not reported, never zero.

    ``duration_seconds`` is candidate time: the successful requests alone, without waits and retries. Costs are in
    US dollars, those of the successful requests. Rates are None where they would divide by nothing.
    ``fixed_alternative`` of the fixed issues rest on a judge's verdict. Judge tokens and costs are what it takes to
    judge this run's fixes, whichever run paid for it: a fix that was judged for another run counts all the same.
    ``aligned_fixed`` issues are fixed by the aligned verdict, or altered in a way that a judge accepted; it and
    ``restraint`` are None for a case that cannot be aligned.
    """

    issues: int
    fixed: int
    bad_fixes: int
    unjudged: int
    missed: int
    words: int
    changed_paragraphs: int
    unexpected_paragraphs: int
    exact_match: bool
    benchmark_calls: int
    benchmark_chars: int
    off_target_calls: int
    off_target_chars: int
    benchmark_rewrite_chars: float
    chunks: int
    completed_chunks: int
    turns: float
    duration_seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_prompt_tokens: int | None
    candidate_cost_usd: float | None
    judge_cost_usd: float | None = 0.0
    oddities: Mapping[str, int] = field(default_factory=dict)
    fixed_alternative: int = 0
    judge_prompt_tokens: int | None = 0
    judge_completion_tokens: int | None = 0
    aligned_fixed: int | None = None
    restraint: Restraint | None = None

    @property
    def quality(self) -> float | None:
        """Fixed issues of all, 0 to 1; None for a control."""
        return _ratio(self.fixed, self.issues)

    @property
    def aligned_quality(self) -> float | None:
        """Fixed issues of all by the aligned verdict, 0 to 1; None for a control."""
        return None if self.aligned_fixed is None else _ratio(self.aligned_fixed, self.issues)

    @property
    def bad_fix_rate(self) -> float | None:
        """Issues changed but not fixed, of all, 0 to 1."""
        return _ratio(self.bad_fixes, self.issues)

    @property
    def missed_rate(self) -> float | None:
        """Issues left as they were, of all, 0 to 1."""
        return _ratio(self.missed, self.issues)

    @property
    def unjudged_rate(self) -> float | None:
        """Issues changed and judged by nobody, of all, 0 to 1."""
        return _ratio(self.unjudged, self.issues)

    @property
    def cost_usd(self) -> float | None:
        """Cost of candidate and judge; None when either is unknown."""
        if self.candidate_cost_usd is None or self.judge_cost_usd is None:
            return None
        return self.candidate_cost_usd + self.judge_cost_usd

    @property
    def issues_per_usd(self) -> float | None:
        """Fixed issues a US dollar; None where nothing was spent or nobody knows."""
        return None if self.cost_usd is None or self.is_control else _ratio(self.fixed, self.cost_usd)

    @property
    def issues_per_minute(self) -> float | None:
        """Fixed issues a minute of candidate time."""
        return None if self.is_control else _ratio(self.fixed, self.duration_seconds / 60)

    @property
    def tool_chars_per_issue(self) -> float | None:
        """Argument characters of benchmark work for each fixed issue."""
        return _ratio(self.benchmark_chars, self.fixed)

    @property
    def tool_calls_per_issue(self) -> float | None:
        """Calls of benchmark work for each fixed issue."""
        return _ratio(self.benchmark_calls, self.fixed)

    @property
    def off_target_share(self) -> float:
        """Argument characters of off-target work of all, 0 to 1; 0 without any edit."""
        return _ratio(self.off_target_chars, self.benchmark_chars + self.off_target_chars) or 0.0

    @property
    def rewrite_share(self) -> float:
        """Characters of paragraph replacements of the benchmark characters, 0 to 1; 0 without any."""
        return _ratio(self.benchmark_rewrite_chars, self.benchmark_chars) or 0.0

    @property
    def turns_per_chunk(self) -> float | None:
        """Requests made for each chunk."""
        return _ratio(self.turns, self.chunks)

    @property
    def is_control(self) -> bool:
        """Whether the case has no issue that counts."""
        return self.issues == 0


def measure_run(
    score: RunScore, chunks: Sequence[ChunkResult], words: int, judging: JudgingUse = _NO_JUDGING
) -> RunFigures:
    """Put the figures of a run together from its verdicts and its turns, and what its judging took."""
    turns = [turn for chunk in chunks for turn in chunk.turns]
    usages = [turn.usage for turn in turns]
    restraint = None if score.restraint is None else total(score.restraint.values())
    oddities: Counter[str] = Counter()
    for turn in turns:
        oddities.update(turn.oddities)
    use = score.tool_use
    return RunFigures(
        issues=score.total,
        fixed=score.fixed,
        bad_fixes=score.bad_fixes,
        unjudged=score.unjudged,
        missed=score.missed,
        words=words,
        changed_paragraphs=len(score.changed),
        unexpected_paragraphs=len(score.unexpected),
        exact_match=score.exact_match,
        benchmark_calls=use.benchmark_calls,
        benchmark_chars=use.benchmark_chars,
        off_target_calls=use.off_target_calls,
        off_target_chars=use.off_target_chars,
        benchmark_rewrite_chars=use.benchmark_rewrite_chars,
        chunks=len(chunks),
        completed_chunks=sum(chunk.completed for chunk in chunks),
        turns=len(turns),
        duration_seconds=sum(turn.duration_seconds for turn in turns),
        prompt_tokens=_total([usage.prompt_tokens for usage in usages]),
        completion_tokens=_total([usage.completion_tokens for usage in usages]),
        reasoning_tokens=_total([usage.reasoning_tokens for usage in usages]),
        cached_prompt_tokens=_total([usage.cached_prompt_tokens for usage in usages]),
        candidate_cost_usd=_total([turn.cost_usd for turn in turns]),
        judge_cost_usd=judging.cost_usd,
        oddities=dict(oddities),
        fixed_alternative=score.count(Verdict.FIXED_ALTERNATIVE),
        judge_prompt_tokens=judging.prompt_tokens,
        judge_completion_tokens=judging.completion_tokens,
        aligned_fixed=None if restraint is None else restraint.hits,
        restraint=restraint,
    )


def _total(numbers: Sequence[Number | None]) -> Number | None:
    known = [number for number in numbers if number is not None]
    return cast("Number", sum(known)) if len(known) == len(numbers) else None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
