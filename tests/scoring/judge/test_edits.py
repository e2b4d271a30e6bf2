from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.judge.edits import EditClass, EditPair, align_edits, gold_pairs

TEXT = "The old man walked slowly to teh harbour, where the boats lay in the grey light of the morning."


def case_of(text: str = TEXT, *issues: tuple[str, str]) -> Case:
    issues = issues or (("teh", "the"),)
    right = text
    planted = []
    for n, (find, replace) in enumerate(issues, 1):
        planted.append(Issue(f"issue-{n}", "typo", "p", find, replace, text.index(find)))
        right = right.replace(find, replace)
    return Case("c", "", Document((Paragraph("p", text),)), Document((Paragraph("p", right),)), tuple(planted))


def pairs(case: Case, final: str) -> list[EditPair]:
    return [edit.pair for edit in align_edits(case, Document((Paragraph("p", final),)))]


def whole(pair: EditPair, *, after: bool) -> str:
    return pair.left + (pair.after if after else pair.before) + pair.right


def test_a_run_that_fixes_what_was_planted_has_no_edits_to_judge() -> None:
    case = case_of()
    assert pairs(case, case.expected.paragraphs[0].inner_html) == []
    assert pairs(case, TEXT) == []


def test_a_pair_differs_in_its_edit_alone() -> None:
    (pair,) = pairs(case_of(), TEXT.replace("teh", "the").replace("slowly", "quietly"))
    assert (pair.before, pair.after) == ("slowly", "quietly")
    # At issues everything is as the run left it, in both versions.
    assert whole(pair, after=False) == TEXT.replace("teh", "the")
    assert whole(pair, after=True) == TEXT.replace("teh", "the").replace("slowly", "quietly")


def test_edits_far_from_each_other_are_judged_each_with_the_others_undone() -> None:
    one, other = pairs(case_of(), TEXT.replace("old", "aged").replace("morning", "dawn"))
    assert (one.before, one.after) == ("old", "aged")
    assert "morning" in one.right
    assert (other.before, other.after) == ("morning", "dawn")
    assert "old" in other.left


def test_edits_that_may_depend_on_each_other_are_judged_together() -> None:
    text = "The dogs of my neighbour run in teh yard all day."
    (pair,) = pairs(case_of(text), text.replace("dogs", "dog").replace("run", "runs"))
    assert pair.before == "dogs of my neighbour run"
    assert pair.after == "dog of my neighbour runs"


def test_no_edit_reaches_across_an_issue() -> None:
    found = pairs(case_of(), TEXT.replace("to teh harbour", "towards teh port"))
    assert [(pair.before, pair.after) for pair in found] == [("to", "towards"), ("harbour", "port")]


def test_every_hunk_is_in_exactly_one_edit() -> None:
    final = "An old man walked to the port, where boats lay in the grey light of dawn, waiting."
    case = case_of()
    edits = align_edits(case, Document((Paragraph("p", final),)))
    from errata_bench.scoring.aligned.run import align_document

    hunks = align_document(case, Document((Paragraph("p", final),))).hunks
    assert sorted(hunk.start for edit in edits for hunk in edit.hunks) == sorted(hunk.start for hunk in hunks)


def test_long_contexts_are_cut_at_words() -> None:
    text = "word " * 300 + "teh old end. " + "more " * 300
    (pair,) = pairs(case_of(text.strip()), text.replace("old", "aged").strip())
    assert pair.left.startswith("…word ")
    assert pair.right.endswith(" more…")
    assert max(len(pair.left), len(pair.right)) <= 402


texts = st.text(max_size=20)


@given(texts, texts, texts, texts)
def test_the_coin_falls_alike_for_the_same_pair(left: str, before: str, after: str, right: str) -> None:
    pair = EditPair(left, before, after, right)
    assert pair.swapped_first is EditPair(left, before, after, right).swapped_first
    assert pair.reversed().reversed() == pair


def test_the_coin_falls_either_way_about_equally_often() -> None:
    fallen = sum(EditPair("", str(n), "x", "").swapped_first for n in range(1000))
    assert 400 < fallen < 600


def test_what_is_shown_judge_and_prompt_make_the_key() -> None:
    pair = EditPair("a", "b", "c", "d")
    others = [dataclasses.replace(pair, **{name: "x"}) for name in ("left", "before", "after", "right")]
    keys = {pair.key("j", "v"), pair.key("k", "v"), pair.key("j", "w"), *(other.key("j", "v") for other in others)}
    assert len(keys) == 7


def test_planted_errors_are_gold_half_of_them_reversed() -> None:
    case = case_of(TEXT, ("teh", "the"), ("old", "olde"), ("boats lay", "boats lie"), ("grey", "gray"))
    gold = gold_pairs(case, 10)
    assert len(gold) == 4
    corrected = {pair.pair.before: pair.pair.after for pair in gold if pair.expected is EditClass.REAL_FLAW_FIXED}
    planted = {pair.pair.after: pair.pair.before for pair in gold if pair.expected is EditClass.HARMFUL}
    assert len(corrected) == len(planted) == 2
    assert corrected | planted == {"teh": "the", "old": "olde", "boats lay": "boats lie", "grey": "gray"}
    right = case.expected.paragraphs[0].inner_html
    for pair in gold:
        # All other errors are corrected around it.
        assert whole(pair.pair, after=pair.expected is EditClass.REAL_FLAW_FIXED) == right


def test_gold_is_chosen_by_content_and_limited() -> None:
    case = case_of(TEXT, ("teh", "the"), ("old", "olde"), ("grey", "gray"))
    shuffled = dataclasses.replace(case, issues=case.issues[::-1])
    assert gold_pairs(case, 2) == gold_pairs(shuffled, 2)
    assert len(gold_pairs(case, 2)) == 2


@pytest.mark.parametrize("disqualified", [True, False])
def test_a_disqualified_error_is_no_gold(disqualified: bool) -> None:
    case = case_of()
    case = dataclasses.replace(case, issues=(dataclasses.replace(case.issues[0], disqualified=disqualified),))
    assert len(gold_pairs(case, 5)) == (0 if disqualified else 1)
