from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_bench.cases.model import Case
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError
from errata_bench.results.m2 import Hypotheses, M2Paragraph, format_m2, reference_m2, run_m2
from errata_bench.scoring.aligned.run import AlignedRun, align_document
from errata_bench.scoring.restraint import measure_restraint
from tests.scoring.aligned.sketches import aligned, sketch
from tests.support.golden import golden_names, golden_run

CASE = sketch(
    {
        "You will recieve it.": [("recieve", "receive")],
        "We was asked sign it , it's the the book.": [
            ("was", "were"),
            ("asked sign", "asked to sign"),
            ("the the", "the"),
        ],
        "Nothing is wrong here.": [],
    }
)

REFERENCE = """\
S You will recieve it .
A 2 3|||R:GRAMMAR|||receive|||REQUIRED|||-NONE-|||0

S We was asked sign it , it's the the book .
A 1 2|||R:GRAMMAR|||were|||REQUIRED|||-NONE-|||0
A 3 3|||M:GRAMMAR|||to|||REQUIRED|||-NONE-|||0
A 8 9|||U:GRAMMAR||||||REQUIRED|||-NONE-|||0

S Nothing is wrong here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""

RUN = """\
S You will recieve it .
A 2 3|||R:GRAMMAR|||get|||REQUIRED|||-NONE-|||0
A 5 5|||M:OTHER|||Soon .|||REQUIRED|||-NONE-|||0

S We was asked sign it , it's the the book .
A 1 2|||R:GRAMMAR|||were|||REQUIRED|||-NONE-|||0
A 8 9|||U:GRAMMAR||||||REQUIRED|||-NONE-|||0

S Nothing is wrong here .
A 1 3|||R:OTHER|||was right|||REQUIRED|||-NONE-|||0

"""


def test_planted_errors_are_written_as_their_cores() -> None:
    assert format_m2(reference_m2(CASE)) == REFERENCE


def test_a_run_is_written_as_its_edits_with_the_same_tokens() -> None:
    run = aligned(CASE, "You will get it. Soon.", "We were asked sign it , it's the book.", "Nothing was right here.")
    assert format_m2(run_m2(CASE, run)) == RUN


def test_the_oracle_is_written_as_the_reference() -> None:
    assert run_m2(CASE, align_document(CASE, CASE.expected)) == reference_m2(CASE)


def test_who_does_nothing_has_no_edit() -> None:
    blocks = run_m2(CASE, align_document(CASE, CASE.document))
    assert [[edit.type for edit in block.edits] for block in blocks] == [["noop"]] * 3


def test_accepted_corrections_are_further_annotators() -> None:
    case = sketch("The data shows a rise is.", ("data shows", "data show", "data reveal"), ("rise is", "rise was"))
    (block,) = reference_m2(case)
    assert [(edit.annotator, edit.start, edit.correction) for edit in block.edits] == [
        (0, 2, "show"),
        (0, 5, "was"),
        (1, 2, "reveal"),
        (1, 5, "was"),
    ]


def test_what_changes_white_space_alone_is_left_out() -> None:
    case = sketch("The end.  Then rain.", ("end.  Then", "end. Then"))
    assert [edit.type for edit in reference_m2(case)[0].edits] == ["noop"]
    assert [edit.type for edit in run_m2(case, aligned(case, "The end. Then rain."))[0].edits] == ["noop"]


def test_disqualified_errors_are_left_out_on_both_sides() -> None:
    case = sketch("You will recieve it.", ("recieve", "receive"), disqualified=("0",))
    assert [edit.type for edit in reference_m2(case)[0].edits] == ["noop"]
    assert [edit.type for edit in run_m2(case, aligned(case, "You will receive it."))[0].edits] == ["noop"]


def test_entities_and_tags_are_not_in_the_tokens() -> None:
    case = sketch("<em>R</em> &amp; D was.", ("was", "were"))
    assert str(reference_m2(case)[0]).splitlines()[0] == "S R & D was ."


WORDS = st.lists(st.sampled_from("You will it. it's get the recieve receive re-do “so” 3,5".split()), max_size=12)  # noqa: SIM905


@settings(deadline=None)
@given(WORDS)
def test_applying_a_runs_edits_to_its_tokens_gives_the_final_text(words: list[str]) -> None:
    case = sketch("You will recieve the the post.", ("recieve", "receive"), ("the the", "the"))
    run = aligned(case, " ".join(words))
    (block,) = run_m2(case, run)
    (paragraph,) = run.paragraphs
    assert applied(block) == tokens_of(paragraph.after)


def applied(block: M2Paragraph) -> list[str]:
    tokens = list(block.tokens)
    for edit in reversed(block.edits):
        if edit.type != "noop":
            tokens[edit.start : edit.end] = edit.correction.split()
    return tokens


def tokens_of(text: str) -> list[str]:
    case = sketch(text)
    return list(reference_m2(case)[0].tokens)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["p0", "p1", "p2", "p3"]), WORDS.map(" ".join)), max_size=3))
def test_files_of_many_runs_are_those_of_each_run_aligned_wholly(runs: list[dict[str, str]]) -> None:
    case = sketch(
        {
            "You will recieve the the post.": [("recieve", "receive"), ("the the", "the")],
            "it's re-do": [("it's", "its", "it is")],
            "Nothing is wrong here.": [],
            "get it the post": [("get it", "get"), ("the post", "a post")],
        },
        disqualified=("1", "3"),
    )
    hypotheses = Hypotheses(case)
    for changed in [*runs, *runs]:
        final = case.document
        for paragraph_id, inner_html in changed.items():
            final = final.with_inner_html(paragraph_id, inner_html)
        assert hypotheses.text(changed) == format_m2(run_m2(case, align_document(case, final)))


def test_a_case_that_cannot_be_aligned_has_no_files() -> None:
    case = sketch("We was here.", ("was", "were"), ("was here", "were here"))
    with pytest.raises(DatasetError, match="same words"):
        Hypotheses(case)


@pytest.mark.skipif(shutil.which("errant_compare") is None, reason="errant is not installed")
class TestErrantAgrees:
    """The field's own scorer counts the same hits, wrong and missing edits, where no judge has a say."""

    def test_on_a_small_case(self, tmp_path: Path) -> None:
        run = aligned(
            CASE, "You will get it. Soon.", "We were asked sign it , it's the book.", "Nothing was right here."
        )
        assert errant_counts(CASE, run, tmp_path) == (2, 3, 2) == own_counts(CASE, run)

    @pytest.mark.parametrize(("name", "n"), golden_names())
    def test_on_the_recorded_runs(self, name: str, n: int, tmp_path: Path) -> None:
        golden = golden_run(name, n)
        finals = golden.final_paragraphs
        run = align_document(
            golden.case,
            Document(tuple(Paragraph(p.id, inner(finals.get(p.id, p.html))) for p in golden.case.document)),
        )
        assert errant_counts(golden.case, run, tmp_path) == own_counts(golden.case, run)


def inner(html: str) -> str:
    return re.sub(r"^<p[^>]*>|</p>$", "", html)


def own_counts(case: Case, run: AlignedRun) -> tuple[int, int, int]:
    counts = measure_restraint(case, run)
    return counts.hits, counts.wrong + counts.unneeded, counts.issues - counts.hits


def errant_counts(case: Case, run: AlignedRun, folder: Path) -> tuple[int, int, int]:
    reference, hypothesis = folder / "reference.m2", folder / "hypothesis.m2"
    reference.write_text(format_m2(reference_m2(case)), encoding="utf-8")
    hypothesis.write_text(format_m2(run_m2(case, run)), encoding="utf-8")
    shown = _errant(["-hyp", str(hypothesis), "-ref", str(reference)]).splitlines()
    counts = next(after for line, after in pairwise(shown) if line.startswith("TP"))
    hits, wrong, missing = (int(count) for count in counts.split()[:3])
    return hits, wrong, missing


def _errant(arguments: Sequence[str]) -> str:
    return subprocess.run(["errant_compare", *arguments], capture_output=True, text=True, check=True).stdout
