"""How far a group's figures rest on its judge: two judges compared, and the ranking without trust in either."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from errata_bench.results.aggregate import ranked, summarise_runs
from errata_bench.results.judging import JudgedFix, candidate_fixes, questions_of
from errata_bench.scoring.figures import RunFigures
from errata_bench.scoring.judge.questions import ParagraphQuestions
from errata_bench.store.group import Group
from errata_bench.store.records import RunRecord, RunSettings
from errata_bench.variants import Variant


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A fix that two judges see differently, with what each gave as its reason."""

    fix: JudgedFix
    second_valid: bool
    second_reason: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges on the same distinct fixes. ``unanswered`` are fixes that the second gave no verdict on."""

    first: str
    second: str
    both_valid: int
    both_invalid: int
    only_first_valid: int
    only_second_valid: int
    unanswered: int
    disagreements: tuple[Disagreement, ...]

    @property
    def compared(self) -> int:
        """Fixes that both have judged."""
        return self.both_valid + self.both_invalid + self.only_first_valid + self.only_second_valid

    @property
    def raw(self) -> float | None:
        """Share of the compared fixes on which they agree, 0 to 1; None where nothing was compared."""
        return (self.both_valid + self.both_invalid) / self.compared if self.compared else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (Cohen 1960): agreement beyond what the two rates of acceptance make by chance, −1 to 1.

        None where nothing was compared, or where both judges always say the same one thing: chance agreement is then
        complete, and kappa does not exist.
        """
        n = self.compared
        if not n or self.raw is None:
            return None
        first = (self.both_valid + self.only_first_valid) / n
        second = (self.both_valid + self.only_second_valid) / n
        chance = first * second + (1 - first) * (1 - second)
        return None if chance == 1 else (self.raw - chance) / (1 - chance)


def second_answers(group: Group, fixes: Iterable[JudgedFix], second: str) -> dict[str, tuple[bool, str]]:
    """What a second judge has said of these fixes: verdict and reason by `JudgedFix.key`."""
    kept = group.judgments.of([fix.key(second) for fix in fixes])
    return {key: (judgment.valid, judgment.reason) for key, judgment in kept.items()}


def agreements(
    fixes: Iterable[JudgedFix], second: str, answers: Mapping[str, tuple[bool, str]]
) -> tuple[Agreement, ...]:
    """Compare each judge of a group with a second one.

    ``answers`` are the second judge's verdicts and reasons by `JudgedFix.key`. Fixes count once each, however many runs
    made them.
    """
    by_judge: dict[str, list[JudgedFix]] = {}
    for fix in fixes:
        if fix.judge != second:
            by_judge.setdefault(fix.judge, []).append(fix)
    return tuple(_agreement(judge, second, judged, answers) for judge, judged in by_judge.items())


def _agreement(
    first: str, second: str, fixes: Sequence[JudgedFix], answers: Mapping[str, tuple[bool, str]]
) -> Agreement:
    pairs = [(fix, answers[fix.key(second)]) for fix in fixes if fix.key(second) in answers]

    def count(one: bool, other: bool) -> int:
        return sum(fix.valid is one and valid is other for fix, (valid, _) in pairs)

    return Agreement(
        first=first,
        second=second,
        both_valid=count(True, True),
        both_invalid=count(False, False),
        only_first_valid=count(True, False),
        only_second_valid=count(False, True),
        unanswered=len(fixes) - len(pairs),
        disagreements=tuple(
            Disagreement(fix, valid, reason) for fix, (valid, reason) in pairs if fix.valid is not valid
        ),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """A variant's quality and rank as judged, with all candidate fixes right (lenient), and with none (strict).

    Qualities lie between 0 and 1; ranks count from 1. ``unjudged`` is the share of issues that no judge has seen.
    """

    variant: Variant
    settings: RunSettings
    quality: float
    lenient: float
    strict: float
    rank: int
    lenient_rank: int
    strict_rank: int
    unjudged: float

    @property
    def judged_share(self) -> float | None:
        """Share of the quality that rests on the judge's word, 0 to 1; None where there is no quality."""
        return (self.quality - self.strict) / self.quality if self.quality else None


@dataclass(frozen=True, slots=True)
class Reliance:
    """How far a ranking rests on judging: the standings, best first as judged."""

    standings: tuple[Standing, ...]

    @property
    def lenient_tau(self) -> float | None:
        """Kendall's tau-b between the ranking as judged and the lenient one, −1 to 1; 1: the same order."""
        return kendall_tau([s.quality for s in self.standings], [s.lenient for s in self.standings])

    @property
    def strict_tau(self) -> float | None:
        """Kendall's tau-b between the ranking as judged and the strict one."""
        return kendall_tau([s.quality for s in self.standings], [s.strict for s in self.standings])

    @property
    def largest_move(self) -> int:
        """The most ranks that a variant moves under either."""
        return max(
            (max(abs(s.rank - s.lenient_rank), abs(s.rank - s.strict_rank)) for s in self.standings),
            default=0,
        )


def strict_quality(run: RunFigures) -> float | None:
    """Quality of a run with no candidate fix right, 0 to 1; None for a control."""
    return None if run.is_control else (run.fixed - run.fixed_alternative) / run.issues


def lenient_quality(run: RunFigures) -> float | None:
    """Quality of a run with every candidate fix right, rejected and unjudged ones included."""
    return None if run.is_control else (run.fixed + run.bad_fixes) / run.issues


def reliance(records: Iterable[RunRecord]) -> Reliance:
    """How each variant of a group stands under the three ways of judging, by its successful runs.

    Runs that were made elsewhere and variants without a quality are left out.
    """
    records = [record for record in records if record.figures is not None]  # imported ones have no counts of fixes
    lenient = _qualities(records, lenient_quality)
    strict = _qualities(records, strict_quality)
    summaries = [
        summary for summary in ranked(summarise_runs(records)) if (summary.variant, summary.settings) in lenient
    ]
    keys = [(summary.variant, summary.settings) for summary in summaries]
    lenient_ranks = _ranks([lenient[key] for key in keys])
    strict_ranks = _ranks([strict[key] for key in keys])
    quality_ranks = _ranks([summary["quality"] or 0.0 for summary in summaries])
    return Reliance(
        tuple(
            Standing(
                variant=summary.variant,
                settings=summary.settings,
                quality=summary["quality"] or 0.0,
                lenient=lenient[keys[n]],
                strict=strict[keys[n]],
                rank=quality_ranks[n],
                lenient_rank=lenient_ranks[n],
                strict_rank=strict_ranks[n],
                unjudged=summary["unjudged_rate"] or 0.0,
            )
            for n, summary in enumerate(summaries)
        )
    )


def _qualities(
    records: Sequence[RunRecord], quality: Callable[[RunFigures], float | None]
) -> dict[tuple[Variant, RunSettings], float]:
    values: dict[tuple[Variant, RunSettings], dict[str, list[float]]] = {}
    for record in records:
        value = None if record.figures is None else quality(record.figures)
        if value is not None:
            by_case = values.setdefault((record.key.variant, record.key.settings), {})
            by_case.setdefault(record.key.fingerprint, []).append(value)
    return {key: fmean(fmean(runs) for runs in by_case.values()) for key, by_case in values.items()}


def _ranks(values: Sequence[float]) -> list[int]:
    """Ranks from 1, best first; what is equal shares the better rank."""
    return [1 + sum(_sign(other - value) > 0 for other in values) for value in values]


def kendall_tau(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Kendall's tau-b (Kendall 1945), which allows for ties; None where either has no two different values."""
    concordant = ties_one = ties_other = 0
    pairs = 0
    for n, m in combinations(range(len(one)), 2):
        a, b = _sign(one[n] - one[m]), _sign(other[n] - other[m])
        concordant += a * b
        ties_one += a == 0
        ties_other += b == 0
        pairs += 1
    below = ((pairs - ties_one) * (pairs - ties_other)) ** 0.5
    return concordant / below if below else None


def _sign(value: float) -> int:
    # Means of the same counts may differ in their last bits.
    return 0 if abs(value) < 1e-12 else 1 if value > 0 else -1


@dataclass(frozen=True, slots=True)
class Audit:
    """All that an audit of a group found. ``unjudged`` counts fixes of runs that no judge has seen."""

    group_id: str
    reliance: Reliance
    agreements: tuple[Agreement, ...]
    distinct_fixes: int
    unjudged: int


def second_opinion_needs(group: Group, second: str) -> tuple[ParagraphQuestions, ...]:
    """What has to be asked of a second judge: every judged fix of other judges that it has not answered yet."""
    fixes = [fix for fix in candidate_fixes(group).judged if fix.judge != second]
    answered = second_answers(group, fixes, second)
    return questions_of(fix for fix in fixes if fix.key(second) not in answered)


def audit_of(group: Group, second: str | None = None) -> Audit:
    """Audit a group from what is stored; with a second judge, by the answers that it has given."""
    fixes = candidate_fixes(group)
    found = () if second is None else agreements(fixes.judged, second, second_answers(group, fixes.judged, second))
    return Audit(group.id, reliance(group.runs()), found, len(fixes.judged), fixes.unjudged)
