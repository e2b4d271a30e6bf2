"""What a judge said of the edits that runs made away from all issues: by class, with the judge's own errors beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from errata_bench.cases.model import Case
from errata_bench.errors import DatasetError
from errata_bench.results.judging import stored_document
from errata_bench.scoring.aligned.markup import Hunk
from errata_bench.scoring.judge.comparing import COMPARING_PROMPT_VERSION
from errata_bench.scoring.judge.edits import EditClass, GoldPair, RunEdit, align_edits, gold_pairs
from errata_bench.store.group import Group
from errata_bench.store.judgments import EditJudgment
from errata_bench.store.records import RunStatus
from errata_bench.variants import Variant

GOLD_PAIRS = 40
"""Planted errors that a judge is tried on, over all cases of a group."""


@dataclass(frozen=True, slots=True)
class StoredEdit:
    """One edit of one stored run."""

    run_id: int
    variant: Variant
    case_id: str
    edit: RunEdit

    def key(self, judge: str) -> str:
        """Under which a judge's answer is kept."""
        return self.edit.pair.key(judge, COMPARING_PROMPT_VERSION)


@dataclass(frozen=True, slots=True)
class GroupEdits:
    """All edits of a group's successful runs away from issues, gold pairs from its cases, and what was left out.

    ``left_out`` names cases that cannot be aligned, ``without_texts`` counts runs of which no texts are stored.
    """

    edits: tuple[StoredEdit, ...]
    gold: tuple[GoldPair, ...]
    left_out: tuple[str, ...] = ()
    without_texts: int = 0


def group_edits(group: Group, *, baselines: bool) -> GroupEdits:
    """Align every successful run of a group and read its edits; those of baselines only where they are wanted."""
    cases: dict[str, Case | None] = {}
    edits: list[StoredEdit] = []
    left_out: dict[str, None] = {}
    without_texts = 0
    for record in group.runs():
        if record.status is not RunStatus.SUCCEEDED or (record.key.variant.is_baseline and not baselines):
            continue
        fingerprint = record.key.fingerprint
        if fingerprint not in cases:
            cases[fingerprint] = group.case(fingerprint)
        case = cases[fingerprint]
        if case is None or record.chunks_done < record.chunk_count:
            without_texts += 1
            continue
        try:
            found = align_edits(case, stored_document(group, record.id, case))
        except DatasetError:
            left_out[case.id] = None
            continue
        edits += [StoredEdit(record.id, record.key.variant, case.id, edit) for edit in found]
    scored = [case for case in cases.values() if case is not None and not case.is_control]
    each = math.ceil(GOLD_PAIRS / len(scored)) if scored else 0
    gold = tuple(pair for case in scored for pair in gold_pairs(case, each))
    return GroupEdits(tuple(edits), gold, tuple(left_out), without_texts)


@dataclass(frozen=True, slots=True)
class RealFlaw:
    """A flaw of a text that nobody planted and at least one run mended: for the dataset's maintainers."""

    case_id: str
    paragraph_id: str
    before: str
    after: str
    reason: str
    runs: int


@dataclass(frozen=True, slots=True)
class EditReport:
    """Edits away from issues by variant and class, and how far the judge is to be trusted in this.

    ``unjudged`` counts edits without a class, by variant. ``compared`` distinct pairs have one, of which the judge
    contradicted itself on ``disagreed`` when the order was swapped. ``gold_right`` of ``gold_judged`` planted pairs got
    the class that they have.
    """

    judge: str
    classes: Mapping[Variant, Mapping[EditClass, int]]
    unjudged: Mapping[Variant, int]
    compared: int
    disagreed: int
    gold_judged: int
    gold_right: int
    real_flaws: tuple[RealFlaw, ...]

    @property
    def disagreement_rate(self) -> float | None:
        """Share of the distinct pairs on which the judge contradicted itself, 0 to 1."""
        return self.disagreed / self.compared if self.compared else None

    @property
    def gold_accuracy(self) -> float | None:
        """Share of the planted pairs that the judge classed right, 0 to 1."""
        return self.gold_right / self.gold_judged if self.gold_judged else None


def edit_report(group: Group, found: GroupEdits, judge: str) -> EditReport:
    """Put together what a judge has said of a group's edits so far; nobody is asked."""
    known = group.judgments.edits({edit.key(judge) for edit in found.edits})
    classes: dict[Variant, Counter[EditClass]] = {}
    unjudged: Counter[Variant] = Counter()
    flaws: dict[tuple[str, str, str], list[StoredEdit]] = {}
    for edit in found.edits:
        judgment = known.get(edit.key(judge))
        counted = classes.setdefault(edit.variant, Counter())
        if judgment is None:
            unjudged[edit.variant] += 1
            continue
        counted[judgment.edit_class] += 1
        if judgment.edit_class is EditClass.REAL_FLAW_FIXED:
            flaws.setdefault((edit.case_id, edit.edit.paragraph_id, edit.key(judge)), []).append(edit)
    gold = group.judgments.edits({pair.pair.key(judge, COMPARING_PROMPT_VERSION) for pair in found.gold})
    judged_gold = [
        (pair, gold[key]) for pair in found.gold if (key := pair.pair.key(judge, COMPARING_PROMPT_VERSION)) in gold
    ]
    return EditReport(
        judge=judge,
        classes=classes,
        unjudged=unjudged,
        compared=len(known),
        disagreed=sum(not judgment.agreed for judgment in known.values()),
        gold_judged=len(judged_gold),
        gold_right=sum(pair.expected is judgment.edit_class for pair, judgment in judged_gold),
        real_flaws=tuple(_flaw(edits, known[key]) for (_, _, key), edits in flaws.items()),
    )


def real_flaw_hunks(edits: Iterable[StoredEdit], judged: Mapping[str, EditJudgment], judge: str) -> frozenset[Hunk]:
    """The hunks among these edits that mend real flaws: what `measure_restraint` takes as such, run by run."""
    return frozenset(
        hunk
        for edit in edits
        if (judgment := judged.get(edit.key(judge))) is not None and judgment.edit_class is EditClass.REAL_FLAW_FIXED
        for hunk in edit.edit.hunks
    )


def _flaw(edits: Sequence[StoredEdit], judgment: EditJudgment) -> RealFlaw:
    first = edits[0]
    pair = first.edit.pair
    return RealFlaw(
        case_id=first.case_id,
        paragraph_id=first.edit.paragraph_id,
        before=pair.before,
        after=pair.after,
        reason=judgment.reason,
        runs=len({edit.run_id for edit in edits}),
    )
