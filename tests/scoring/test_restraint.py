from __future__ import annotations

import pytest

from errata_bench.cases.model import Case
from errata_bench.document import Document
from errata_bench.scoring.aligned.run import align_document
from errata_bench.scoring.aligned.verdicts import AlignedVerdict
from errata_bench.scoring.restraint import Restraint, measure_paragraphs, measure_restraint, total
from tests.scoring.aligned.sketches import aligned, document, sketch

TEXTS = {
    "Each morning the clerk form the north office opens two heavy doors.": [("form", "from")],
    "Nobody in town should recieve more then 300 letters in a week.": [("recieve", "receive"), ("then", "than")],
    "Mr Pell will not walk home before noon on any day.": [],
    "A short one.": [],
}
CASE = sketch(TEXTS)
WORDS = CASE.document.words


def measured(*final: str, case: Case = CASE, **opinions: bool) -> Restraint:
    named = {name.removeprefix("issue_"): opinion for name, opinion in opinions.items()}
    return measure_restraint(case, aligned(case, *final), named)


def with_final(**changed: str) -> tuple[str, ...]:
    """The final texts: as they were, but for those given as ``p0=…``."""
    return tuple(changed.get(paragraph.id, paragraph.inner_html) for paragraph in CASE.document)


class TestDoubles:
    def test_the_oracle_is_perfect(self) -> None:
        oracle = measure_restraint(CASE, align_document(CASE, CASE.expected))
        assert (oracle.hits, oracle.wrong, oracle.unneeded, oracle.changed_words, oracle.drift) == (3, 0, 0, 0, 0)
        assert (oracle.precision, oracle.recall, oracle.f05) == (1.0, 1.0, 1.0)
        assert oracle.unneeded_per_1000_words == 0.0
        assert oracle.untouched_share == 1.0

    def test_who_rewrites_everything_else_is_terrible_at_the_same_quality(self) -> None:
        kept = {"from", "receive", "than"}
        final = Document(
            tuple(
                type(paragraph)(
                    paragraph.id,
                    " ".join(word if word in kept else f"neu{word}" for word in paragraph.inner_html.split()),
                )
                for paragraph in CASE.expected
            )
        )
        run = align_document(CASE, final)
        assert run.count(AlignedVerdict.FIXED) == len(CASE.issues)
        double = measure_restraint(CASE, run)
        assert double.recall == 1.0
        assert double.changed_words == WORDS - 3
        assert double.untouched_share == 0.0
        assert double.precision is not None and double.precision < 0.4
        assert double.f05 < 0.5
        assert double.unneeded_per_1000_words is not None and double.unneeded_per_1000_words > 100

    def test_who_does_nothing_has_no_precision_and_no_unneeded_edit(self) -> None:
        nothing = measure_restraint(CASE, align_document(CASE, CASE.document))
        assert nothing.precision is None
        assert (nothing.recall, nothing.f05, nothing.unneeded_per_1000_words) == (0.0, 0.0, 0.0)

    def test_who_deletes_everything_is_wrong_at_errors_and_elsewhere(self) -> None:
        gone = measure_restraint(CASE, align_document(CASE, Document(())))
        assert (gone.hits, gone.wrong, gone.precision, gone.f05) == (0, 3, 0.0, 0.0)
        assert gone.changed_words == WORDS - 3


class TestControls:
    CONTROL = sketch("Nothing is wrong with this text.")

    def test_no_edits_and_no_issues_are_perfect(self) -> None:
        control = measured("Nothing is wrong with this text.", case=self.CONTROL)
        assert (control.precision, control.recall, control.f05) == (1.0, 1.0, 1.0)

    def test_an_edit_without_issues_has_precision_zero(self) -> None:
        control = measured("Nothing is bad with this text.", case=self.CONTROL)
        assert (control.precision, control.recall, control.f05) == (0.0, 1.0, 0.0)
        assert control.unneeded_per_1000_words == pytest.approx(1_000 / 6)


class TestEditsAtErrors:
    def test_precision_and_f05_follow_from_the_counts(self) -> None:
        # one fixed, one replaced by something wrong, one left; and one word elsewhere
        final = with_final(
            p0="Each morning the clerk from the north office opens two heavy doors.",
            p1="Nobody in town should revise more then 300 letters in a week.",
            p2="Mr Pell will not walk home before lunch on any day.",
        )
        counts = measured(*final)
        assert (counts.hits, counts.wrong, counts.unneeded, counts.unjudged) == (1, 1, 1, 1)
        assert counts.precision == pytest.approx(1 / 3)
        assert counts.recall == pytest.approx(1 / 3)
        assert counts.f05 == pytest.approx(1.25 * (1 / 3) * (1 / 3) / (0.25 / 3 + 1 / 3))

    def test_an_altered_issue_is_a_hit_once_a_judge_accepts_it(self) -> None:
        final = with_final(p1="Nobody in town should get more then 300 letters in a week.")
        assert (measured(*final).hits, measured(*final).wrong, measured(*final).unjudged) == (0, 1, 1)
        accepted = measured(*final, issue_1=True)
        assert (accepted.hits, accepted.wrong, accepted.unjudged) == (1, 0, 0)
        rejected = measured(*final, issue_1=False)
        assert (rejected.hits, rejected.wrong, rejected.unjudged) == (0, 1, 0)

    def test_a_judges_word_on_an_untouched_issue_makes_no_hit(self) -> None:
        assert measured(*with_final(), issue_1=True).hits == 0

    def test_a_repair_beside_the_core_is_a_hit_and_no_unneeded_edit_once_accepted(self) -> None:
        case = sketch("The dogs runs far away.", ("dogs runs", "dogs run"))
        accepted = measured("The dog runs far away.", case=case, issue_0=True)
        assert (accepted.hits, accepted.wrong, accepted.unneeded) == (1, 0, 0)
        assert accepted.changed_words == 1

    def test_the_same_edit_rejected_is_one_unneeded_edit_not_two(self) -> None:
        case = sketch("The dogs runs far away.", ("dogs runs", "dogs run"))
        rejected = measured("The dog runs far away.", case=case, issue_0=False)
        assert (rejected.hits, rejected.wrong, rejected.unneeded) == (0, 0, 1)

    def test_other_capitals_at_a_fix_are_one_unneeded_edit(self) -> None:
        counts = measured("You will RECEIVE it.", case=sketch("You will recieve it.", ("recieve", "receive")))
        assert (counts.hits, counts.unneeded, counts.changed_words) == (1, 1, 1)

    def test_a_disqualified_issue_counts_neither_mended_nor_spoilt(self) -> None:
        case = sketch("You will recieve it.", ("recieve", "receive"), disqualified=("0",))
        for final in ("You will receive it.", "You will RECEIVE it.", "You will reject it.", "You will recieve it."):
            counts = measured(final, case=case)
            assert (counts.issues, counts.edits, counts.f05) == (0, 0, 1.0)


class TestRealFlaws:
    def test_the_correction_of_a_real_flaw_is_no_unneeded_edit(self) -> None:
        final = with_final(p2="Mr Pell can walk home before noon on any day.")
        run = aligned(CASE, *final)
        counts = measure_restraint(CASE, run, real_flaws=frozenset(run.hunks))
        assert (counts.unneeded, counts.changed_words, counts.drift, counts.real_flaws_fixed) == (0, 0, 0, 1)
        assert measure_restraint(CASE, run).unneeded == 1


class TestCleanParagraphs:
    def test_only_paragraphs_without_issues_and_with_five_words_count(self) -> None:
        assert measured(*with_final(p3="A long one.")).clean_paragraphs == 1
        assert measured(*with_final(p3="A long one.")).untouched_share == 1.0

    def test_a_changed_one_is_not_untouched(self) -> None:
        assert measured(*with_final(p2="Mr Pell will not walk home before noon on any day!")).untouched_share == 0.0

    def test_white_space_and_quotes_are_folded(self) -> None:
        case = sketch("Pell's  dog walks home before noon.")
        assert measured("Pell’s dog walks home\u00a0before noon.", case=case).untouched_share == 1.0

    def test_without_any_the_share_is_unknown(self) -> None:
        assert measured("Short.", case=sketch("Short.")).untouched_share is None


class TestDrift:
    @pytest.mark.parametrize(
        ("before", "after", "drift"),
        [
            ("It cost 300 pounds.", "It cost 3,000 pounds.", (1, 0, 0, 0)),
            ("It cost 3000 pounds.", "It cost 3,000 pounds.", (0, 0, 0, 0)),
            ("It cost 12 pounds.", "It cost twelve pounds.", (0, 0, 0, 0)),
            ("It cost seven pounds.", "It cost eight pounds.", (1, 0, 0, 0)),
            ("He did not go.", "He did go.", (0, 1, 0, 0)),
            ("He did not go.", "He didn't go.", (0, 0, 0, 0)),
            ("He cannot go.", "He can not go.", (0, 0, 0, 0)),
            ("He can't go.", "He can go.", (0, 1, 0, 0)),
            ("He may go.", "He must go.", (0, 0, 1, 0)),
            ("He will go.", "He'll go.", (0, 0, 0, 0)),
            ("He won't go.", "He will not go.", (0, 0, 0, 0)),
            ("We met Pell there.", "We met Pall there.", (0, 0, 0, 1)),
            ("We met Pell there.", "We met pell there.", (0, 0, 0, 1)),
            ("We saw it. Then rain fell.", "We saw it. Later rain fell.", (0, 0, 0, 0)),
            ("We saw it, and then rain fell.", "And then we saw it, rain fell.", (0, 0, 0, 0)),
            ("We met Pell there today.", "Today we met Pell there.", (0, 0, 0, 0)),
            ("When I saw her.", "When we saw her.", (0, 0, 0, 0)),
        ],
    )
    def test_it_counts_changed_words_of_each_class(self, before: str, after: str, drift: tuple[int, ...]) -> None:
        counts = measured(after, case=sketch(before))
        found = (counts.drifted_numbers, counts.drifted_negations, counts.drifted_modals, counts.drifted_names)
        assert found == drift

    def test_a_change_at_an_error_is_none(self) -> None:
        case = sketch("It was 300 not 30.", ("300", "30"), ("not 30", "not 300"))
        assert measured("It was 30 not 3.", case=case).drift == 0


class TestSums:
    def test_the_paragraphs_add_up_to_the_run(self) -> None:
        run = aligned(CASE, *with_final(p1="Somebody in town should receive more letters.", p2="Gone."))
        parts = measure_paragraphs(CASE, run)
        assert list(parts) == ["p0", "p1", "p2", "p3"]
        assert total(parts.values()) == measure_restraint(CASE, run)

    def test_runs_of_a_case_are_summed_before_rates_are_taken(self) -> None:
        both = total([measured(*with_final()), measure_restraint(CASE, align_document(CASE, CASE.expected))])
        assert (both.precision, both.recall) == (1.0, 0.5)
        assert both.density == pytest.approx(1_000 * 3 / WORDS)

    def test_words_are_those_of_the_corrupted_text(self) -> None:
        assert measured(*with_final(p2="Gone.")).words == WORDS

    def test_the_sum_of_nothing_has_no_rates(self) -> None:
        assert total([]).unneeded_per_1000_words is None


def test_a_paragraph_that_is_gone_counts_as_emptied() -> None:
    run = align_document(CASE, document("Each morning the clerk from the north office opens two heavy doors."))
    assert run.verdicts == {"0": AlignedVerdict.FIXED, "1": AlignedVerdict.DELETED, "2": AlignedVerdict.DELETED}
