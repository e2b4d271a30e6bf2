from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from errata_bench.document import Document, Paragraph
from errata_bench.errors import UserError
from errata_bench.results.detail.marking import Marker, PieceKind, sentence_of
from errata_bench.results.detail.run import RunDetail, run_detail, run_list
from errata_bench.results.detail.selection import Selection
from errata_bench.store.group import Group, read_group, write_group
from tests.support.builders import make_case
from tests.support.evidence import ALPHA, LETTER, REASON, add_run
from tests.support.stored import add_chunk, begin
from tests.support.upkeep import change


def of(group: Group, model: str, case: str, sample: int = 1) -> RunDetail:
    (record,) = [one for one in run_list(group, Selection((model,), cases=(case,))) if one.sample == sample]
    return run_detail(group, record.id)


def test_a_run_tells_what_became_of_each_issue(group: Group) -> None:
    detail = of(group, "alpha", "letter", 2)
    assert [(one.issue.id, one.verdict, one.finding, one.aligned, one.after) for one in detail.issues] == [
        ("issue-01", "fixed", "exact", "fixed", "the"),
        ("issue-02", "bad_fix", "candidate", "altered", "tge"),
        ("issue-03", "not_addressed", "not_addressed", "untouched", "teh"),
    ]
    judged = [one.judgment.reason for one in detail.issues if one.judgment]
    assert judged == [REASON]


def test_pieces_joined_are_the_text_before_and_after(group: Group) -> None:
    detail = of(group, "beta", "letter")
    for paragraph, original in zip(detail.paragraphs, LETTER.document, strict=True):
        assert paragraph.before == original.inner_html
    assert detail.paragraphs[2].after == "Here is teh phrase of letter, number 3."


def test_edits_away_from_the_issues_are_told_from_those_at_them(group: Group) -> None:
    first, second, third = of(group, "beta", "letter").paragraphs
    assert [(p.kind, p.before, p.after, p.verdict) for p in first.pieces if p.kind is not PieceKind.EQUAL] == [
        (PieceKind.ISSUE, "teh", "thee", "unjudged")
    ]
    assert [(one.edits, one.changed) for one in (first, second, third)] == [(0, True), (0, False), (1, True)]
    (edit,) = [piece for piece in third.pieces if piece.kind is PieceKind.EDIT]
    assert (edit.before, edit.after, edit.kind_of_edit) == ("sentence", "phrase", "substitution")


def test_restraint_counts_the_edits_of_a_control(group: Group) -> None:
    restraint = of(group, "alpha", "blank").restraint
    assert restraint is not None
    assert (restraint.unneeded, restraint.issues, restraint.untouched_clean_paragraphs) == (1, 0, 1)


def test_restraint_is_that_of_the_ranking(group: Group) -> None:
    change(group.path, "UPDATE figures SET content = json_set(content, '$.restraint.real_flaws_fixed', 7)")
    with read_group(group.path) as changed:
        details = [run_detail(changed, record.id) for record in changed.runs() if record.figures is not None]
    assert [detail.restraint and detail.restraint.real_flaws_fixed for detail in details] == [7] * len(details)
    assert len(details) > 3


def test_chunks_turns_and_requests_are_there(group: Group) -> None:
    detail = of(group, "alpha", "letter")
    assert [chunk.paragraph_ids for chunk in detail.chunks] == [("para01",), ("para02",), ("para03",)]
    assert all(chunk.done and chunk.completed and len(chunk.turns) == 1 for chunk in detail.chunks)
    assert detail.chunks[0].turns[0].calls[0].name == "replace_paragraph"
    assert detail.spent_usd == 1.5
    assert detail.unpriced_attempts == 0
    assert [one.usage.prompt_tokens for one in detail.attempts] == [100, 100, 100]


def test_a_failed_run_shows_its_fault_and_an_unchanged_text(group: Group) -> None:
    detail = of(group, "beta", "memo")
    assert [(fault.kind, fault.message) for fault in detail.failures] == [("timeout", "no answer")]
    assert [chunk.done for chunk in detail.chunks] == [False, False]
    assert {one.verdict for one in detail.issues} == {None}
    assert not any(paragraph.changed for paragraph in detail.paragraphs)
    assert detail.restraint is None


def test_a_run_at_work_shows_how_far_it_is(tmp_path: Path) -> None:
    case = make_case("letter", 2)
    with write_group(tmp_path / "g.sqlite") as group:
        run_id = begin(group, case)
        add_chunk(group, run_id, case, 0)
    with read_group(tmp_path / "g.sqlite") as group:
        detail = run_detail(group, run_id)
    assert [chunk.done for chunk in detail.chunks] == [True, False]
    assert [paragraph.changed for paragraph in detail.paragraphs] == [True, False]
    assert detail.oddities == {"odd": 1}
    assert (detail.spent_usd, detail.unpriced_attempts) == (0.25, 1)


def test_runs_are_listed_by_variant_case_and_sample(group: Group) -> None:
    listed = [(str(one.key.variant), one.case_id, one.sample) for one in run_list(group, Selection(models=("org/",)))]
    assert listed == [
        ("org/alpha:low", "blank", 1),
        ("org/alpha:low", "letter", 1),
        ("org/alpha:low", "letter", 2),
        ("org/alpha:low", "memo", 1),
        ("org/beta:high", "letter", 1),
        ("org/beta:high", "memo", 1),
    ]


def test_a_run_that_is_not_there_is_a_mistake(group: Group) -> None:
    with pytest.raises(UserError, match="no run 99") as caught:
        run_detail(group, 99)
    assert "they are 1 to" in str(caught.value.mend)


def test_a_case_that_cannot_be_aligned_still_shows_its_edits(tmp_path: Path) -> None:
    # Both issues change the same word, so nobody can say which of them an edit there is about.
    case = make_case("letter", 1)
    twice = dataclasses.replace(case, issues=(*case.issues, dataclasses.replace(case.issues[0], id="issue-02")))
    with write_group(tmp_path / "g.sqlite") as group:
        run_id = add_run(group, twice, ALPHA, {"para01": "Here is the sentence of letter, number 1."})
    with read_group(tmp_path / "g.sqlite") as group:
        detail = run_detail(group, run_id)
    (paragraph,) = detail.paragraphs
    assert not paragraph.located
    assert [(p.before, p.after) for p in paragraph.pieces if p.kind is PieceKind.EDIT] == [("teh", "the")]
    assert detail.restraint is None
    assert [one.verdict for one in detail.issues] == ["fixed", "fixed"]


def test_a_sentence_is_cut_out_of_a_long_paragraph() -> None:
    text = "First one. Then " + "many words " * 30 + "until teh end comes. And more."
    case = make_case("letter", 1)
    document = Document((Paragraph("para01", text),))
    issue = dataclasses.replace(case.issues[0], start=text.index("teh"))
    case = dataclasses.replace(case, document=document, expected=document, issues=(issue,))
    sentence = sentence_of(case, issue)
    assert sentence.right == " end comes."
    assert sentence.left.startswith("… ")
    assert sentence.left.endswith("words until ")
    assert len(sentence.left) < 100


def test_markup_is_shown_as_plain_text() -> None:
    case = make_case("letter", 1)
    document = Document((Paragraph("para01", "A &lt;b&gt; is <em>teh</em> tag."),))
    expected = Document((Paragraph("para01", "A &lt;b&gt; is <em>the</em> tag."),))
    issue = dataclasses.replace(case.issues[0], start=document.paragraphs[0].inner_html.index("teh"))
    case = dataclasses.replace(case, document=document, expected=expected, issues=(issue,))
    marked = Marker(case).mark("para01", "A &lt;b&gt; is <em>the</em> tag.", {"issue-01": "fixed"})
    assert marked.after == "A <b> is the tag."
    assert [piece.verdict for piece in marked.pieces if piece.kind is PieceKind.ISSUE] == ["fixed"]


def test_the_sentence_around_an_issue_is_its_own() -> None:
    case = make_case("letter", 1)
    wrong, right = "One teh here. Two tow here. Three.", "One the here. Two two here. Three."
    document, expected = Document((Paragraph("para01", wrong),)), Document((Paragraph("para01", right),))
    first = dataclasses.replace(case.issues[0], start=wrong.index("teh"))
    second = dataclasses.replace(first, id="issue-02", find="tow", replace="two", start=wrong.index("tow"))
    case = dataclasses.replace(case, document=document, expected=expected, issues=(first, second))
    marked = Marker(case).mark("para01", "One the here. Two too here. Three.")
    around = {one: "".join(piece.after for piece in marked.around(one)) for one in ("issue-01", "issue-02")}
    assert around == {"issue-01": "One the here.", "issue-02": "Two too here."}
