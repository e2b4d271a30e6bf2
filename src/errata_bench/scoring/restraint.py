"""What a run changed besides the errors it was to mend (SCORING section 3).

Terms follow ERRANT (Bryant et al. 2017, "Automatic Annotation and Evaluation of Error Types for Grammatical Error
Correction") and CLEME2.0 (hit, wrong, under- and over-correction).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, fields
from operator import attrgetter

from errata_bench.cases.model import Case
from errata_bench.scoring.aligned.drift import measure_drift
from errata_bench.scoring.aligned.markup import Hunk
from errata_bench.scoring.aligned.run import AlignedIssue, AlignedParagraph, AlignedRun
from errata_bench.scoring.aligned.verdicts import AlignedVerdict

CLEAN_PARAGRAPH_WORDS = 5
"""Words from which on a paragraph without issues counts among the clean ones."""


@dataclass(frozen=True, slots=True)
class Restraint:
    """Counts of one run, of one of its paragraphs, or summed over the runs of a case.

    ``hits`` (TP) are issues fixed, or altered in a way that a judge accepted. ``wrong`` (FPne) are edits at an error
    that do not mend it: altered and rejected, altered and judged by nobody, or deleted. ``unneeded`` (FPun) are hunks
    elsewhere. ``unjudged`` are the altered issues that no judge has seen; where they are edits they are in ``wrong``
    as well. ``clean_paragraphs`` have no issue and at least five words.
    """

    words: int = 0
    issues: int = 0
    hits: int = 0
    wrong: int = 0
    unneeded: int = 0
    unjudged: int = 0
    real_flaws_fixed: int = 0
    changed_words: int = 0
    clean_paragraphs: int = 0
    untouched_clean_paragraphs: int = 0
    drifted_numbers: int = 0
    drifted_negations: int = 0
    drifted_modals: int = 0
    drifted_names: int = 0

    @property
    def edits(self) -> int:
        """Edits that count: hits, wrong ones and unneeded ones."""
        return self.hits + self.wrong + self.unneeded

    @property
    def unneeded_per_1000_words(self) -> float | None:
        """Unneeded edits in 1,000 words of the corrupted text: the headline of restraint, 0 or more; less is better."""
        return _per_1000(self.unneeded, self.words)

    @property
    def changed_words_per_1000(self) -> float | None:
        """Words left out, put in or replaced away from the errors, in 1,000 words."""
        return _per_1000(self.changed_words, self.words)

    @property
    def drift(self) -> int:
        """Numbers, negations, modal verbs and capitalised names that are others than before."""
        return self.drifted_numbers + self.drifted_negations + self.drifted_modals + self.drifted_names

    @property
    def drift_per_1000_words(self) -> float | None:
        """Drift in 1,000 words."""
        return _per_1000(self.drift, self.words)

    @property
    def density(self) -> float | None:
        """Planted errors in 1,000 words: precision depends on it."""
        return _per_1000(self.issues, self.words)

    @property
    def precision(self) -> float | None:
        """Hits of all edits, 0 to 1.

        Without edits it is 1 where there was nothing to mend, and None where there was: who does nothing has shown no
        precision.
        """
        if self.edits:
            return self.hits / self.edits
        return None if self.issues else 1.0

    @property
    def recall(self) -> float:
        """Hits of all issues, 0 to 1; 1 where there are none."""
        return self.hits / self.issues if self.issues else 1.0

    @property
    def f05(self) -> float:
        """F0.5, 0 to 1: 1.25 P R / (0.25 P + R), which is 1.25 TP / (TP + FP + 0.25 N).

        1 where there was nothing to mend and nothing was done; 0 without a hit otherwise.
        """
        whole = self.edits + 0.25 * self.issues
        return 1.25 * self.hits / whole if whole else 1.0

    @property
    def untouched_share(self) -> float | None:
        """Clean paragraphs that stayed as they were, of all clean ones, 0 to 1."""
        return self.untouched_clean_paragraphs / self.clean_paragraphs if self.clean_paragraphs else None


_counts_of = attrgetter(*(one.name for one in fields(Restraint)))


def measure_restraint(
    case: Case,
    run: AlignedRun,
    opinions: Mapping[str, bool] | None = None,
    real_flaws: Set[Hunk] = frozenset(),
) -> Restraint:
    """The counts of a run.

    ``opinions`` says of altered issues, by id, whether a judge accepted them. ``real_flaws`` are hunks known to correct
    flaws that nobody planted: they count neither as edits nor as changed words nor as drift, only as themselves.
    """
    return total(measure_paragraphs(case, run, opinions, real_flaws).values())


def measure_paragraphs(
    case: Case,
    run: AlignedRun,
    opinions: Mapping[str, bool] | None = None,
    real_flaws: Set[Hunk] = frozenset(),
) -> dict[str, Restraint]:
    """The counts of each paragraph of a run, by paragraph id: the units that intervals resample."""
    words = {paragraph.id: paragraph.words for paragraph in case.document}
    return {
        paragraph.id: _measure(paragraph, run, words[paragraph.id], opinions or {}, real_flaws)
        for paragraph in run.paragraphs
    }


def total(parts: Iterable[Restraint]) -> Restraint:
    """The sum of counts: of a run's paragraphs, or of the runs of a case."""
    return Restraint(*map(sum, zip(*map(_counts_of, parts), strict=True)))


def _measure(
    paragraph: AlignedParagraph,
    run: AlignedRun,
    words: int,
    opinions: Mapping[str, bool],
    real_flaws: Set[Hunk],
) -> Restraint:
    if not paragraph.issue_ids and not paragraph.hunks:  # as most are
        counts = int(words >= CLEAN_PARAGRAPH_WORDS)
        untouched = counts if not paragraph.changed else 0
        return Restraint(words=words, clean_paragraphs=counts, untouched_clean_paragraphs=untouched)
    issues = [run.issues[issue_id] for issue_id in paragraph.issue_ids]
    scored = [issue for issue in issues if issue.scored]
    clean = not issues and words >= CLEAN_PARAGRAPH_WORDS
    accepted = {
        issue.issue_id for issue in issues if issue.verdict is AlignedVerdict.ALTERED and opinions.get(issue.issue_id)
    }
    # An accepted repair may lie beside the core ("the dogs runs" -> "the dog runs"), or spread beyond it: such a
    # hunk is the hit itself, not an edit elsewhere. A rejected one gets no such benefit.
    counted = [hunk for hunk in paragraph.hunks if hunk not in real_flaws and _counts(hunk, run)]
    drift = measure_drift(paragraph, real_flaws) if counted else None
    return Restraint(
        words=words,
        issues=len(scored),
        hits=sum(_is_hit(issue, accepted) for issue in scored),
        wrong=sum(_is_wrong(issue, accepted) for issue in scored),
        unneeded=sum(accepted.isdisjoint(hunk.beside) for hunk in counted),
        unjudged=sum(issue.verdict is AlignedVerdict.ALTERED and issue.issue_id not in opinions for issue in scored),
        real_flaws_fixed=sum(hunk in real_flaws for hunk in paragraph.hunks),
        changed_words=sum(hunk.words for hunk in counted),
        clean_paragraphs=int(clean),
        untouched_clean_paragraphs=int(clean and not paragraph.changed),
        drifted_numbers=drift.numbers if drift else 0,
        drifted_negations=drift.negations if drift else 0,
        drifted_modals=drift.modals if drift else 0,
        drifted_names=drift.names if drift else 0,
    )


def _is_hit(issue: AlignedIssue, accepted: Set[str]) -> bool:
    return issue.verdict is AlignedVerdict.FIXED or issue.issue_id in accepted


def _is_wrong(issue: AlignedIssue, accepted: Set[str]) -> bool:
    # Where only its neighbours were changed, the hunk is the edit; it is not counted twice.
    tried = issue.verdict in (AlignedVerdict.ALTERED, AlignedVerdict.DELETED)
    return tried and issue.edited and issue.issue_id not in accepted


def _counts(hunk: Hunk, run: AlignedRun) -> bool:
    """Other capitals at a disqualified error are as little anyone's business as the error itself."""
    return hunk.at_issue is None or run.issues[hunk.at_issue].scored


def _per_1000(count: int, words: int) -> float | None:
    return 1_000 * count / words if words else None
