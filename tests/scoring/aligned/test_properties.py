"""What holds for every text, every set of issues and every edit."""

from __future__ import annotations

import dataclasses

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.errors import DatasetError
from errata_bench.scoring.aligned.cores import prepare_case
from errata_bench.scoring.aligned.cuts import cut
from errata_bench.scoring.aligned.lattice import align
from errata_bench.scoring.aligned.markup import SegmentKind
from errata_bench.scoring.aligned.plain_text import ALL_FOLDS, Fold, fold, plain_text
from errata_bench.scoring.aligned.run import AlignedRun, align_document
from errata_bench.scoring.aligned.steps import Operation
from errata_bench.scoring.aligned.tokens import tokenise
from errata_bench.scoring.aligned.verdicts import AlignedVerdict
from tests.scoring.aligned.sketches import document

# Few words, so that they repeat and alignments are ambiguous.
_WORDS = """the a had is then than dogs dog's well-known Then 3,5 there their of co co-op “so” (it) I."""
WORDS = st.sampled_from(_WORDS.split())
TEXTS = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
REPAIRS = st.lists(WORDS, max_size=2).map(" ".join)


@st.composite
def cases(draw: st.DrawFn, least: int = 0) -> Case:
    """One paragraph with issues at some of its words, each with other words around it in its ``find``."""
    words = draw(st.lists(WORDS, min_size=3, max_size=30))
    text = " ".join(words)
    places = draw(st.lists(st.integers(0, len(words) - 1), unique=True, min_size=least, max_size=4))
    starts = [len(" ".join(words[:n])) + (n > 0) for n in range(len(words))]
    issues, right = [], text
    for number, place in enumerate(sorted(places)):
        first = draw(st.integers(max(0, place - 2), place))
        last = draw(st.integers(place, min(len(words) - 1, place + 2)))
        put = draw(REPAIRS)
        find = " ".join(words[first : last + 1])
        replace = " ".join([*words[first:place], *([put] if put else []), *words[place + 1 : last + 1]])
        assume(find != replace)
        accepted = tuple(draw(st.lists(REPAIRS, max_size=1)))
        issues.append(Issue(str(number), "any", "p0", find, replace, starts[first], accepted=accepted))
    try:
        for issue in sorted(issues, key=lambda one: one.core, reverse=True):
            start, end, put = issue.core
            right = right[:start] + put + right[end:]
        case = Case("any", "", document(text), document(right), tuple(issues))
        prepare_case(case)
    except DatasetError:
        assume(False)  # cores overlap, or grow together: such a case is refused
    return case


def final_of(text: str) -> Document:
    return document(text)


@settings(deadline=None)
@given(cases())
def test_the_expected_document_is_fixed_everywhere_and_has_no_hunks(case: Case) -> None:
    run = align_document(case, case.expected)
    assert all(verdict is AlignedVerdict.FIXED for verdict in run.verdicts.values())
    assert run.hunks == ()


@settings(deadline=None)
@given(cases())
def test_the_untouched_document_is_untouched_everywhere_and_has_no_hunks(case: Case) -> None:
    run = align_document(case, case.document)
    assert all(verdict is AlignedVerdict.UNTOUCHED for verdict in run.verdicts.values())
    assert run.hunks == ()


@settings(deadline=None)
@given(cases())
def test_an_empty_document_mends_nothing(case: Case) -> None:
    right_without_words = {
        core.issue_id for paragraph in prepare_case(case) for core in paragraph.cores if not all(core.branches)
    }
    verdicts = align_document(case, final_of("")).verdicts
    assert all(
        verdict is AlignedVerdict.DELETED for issue, verdict in verdicts.items() if issue not in right_without_words
    )


@settings(deadline=None)
@given(cases(), TEXTS)
def test_the_order_of_issues_does_not_matter(case: Case, final: str) -> None:
    turned = dataclasses.replace(case, issues=case.issues[::-1])
    one, other = align_document(case, final_of(final)), align_document(turned, final_of(final))
    assert dict(one.verdicts) == dict(other.verdicts)
    assert one.hunks == other.hunks
    assert list(other.issues) == list(one.issues)[::-1]


@settings(deadline=None)
@given(cases(least=1), TEXTS)
def test_segments_are_the_whole_text_on_both_sides(case: Case, final: str) -> None:
    run = align_document(case, final_of(final))
    (paragraph,) = run.paragraphs
    assert "".join(segment.before for segment in paragraph.segments) == paragraph.before
    assert "".join(segment.after for segment in paragraph.segments) == paragraph.after
    assert paragraph.after == fold(plain_text(final), prepare_case(case)[0].folds)
    cores = [segment for segment in paragraph.segments if segment.kind is SegmentKind.CORE]
    assert sorted(str(segment.issue_id) for segment in cores) == sorted(run.issues)
    for segment in cores:
        issue = run.issues[str(segment.issue_id)]
        assert (segment.before, segment.after) == (issue.before, issue.after)
    for hunk in run.hunks:
        if hunk.at_issue is None:
            assert paragraph.before[hunk.start : hunk.end] == hunk.before
            assert hunk.before.split() != hunk.after.split()


@settings(deadline=None)
@given(cases(least=1), st.data())
def test_an_edit_away_from_the_span_never_changes_a_verdict(case: Case, data: st.DataObject) -> None:
    """Issues at the front of a text, edits in a part behind it that shares its words."""
    tail = data.draw(TEXTS)
    edited = data.draw(TEXTS)
    bridge = "We met at noon and went on."
    (wrong,), (right,) = case.document.paragraphs, case.expected.paragraphs
    longer = Case(
        "longer",
        "",
        document(f"{wrong.inner_html} {bridge} {tail}"),
        document(f"{right.inner_html} {bridge} {tail}"),
        case.issues,
    )
    try:
        prepare_case(longer)
    except DatasetError:
        assume(False)
    for start in (wrong, right):
        calm = align_document(longer, final_of(f"{start.inner_html} {bridge} {tail}"))
        stirred = align_document(longer, final_of(f"{start.inner_html} {bridge} {edited}"))
        assert calm.verdicts == stirred.verdicts


@settings(deadline=None)
@given(cases(least=1), st.data())
def test_each_subset_of_corrections_is_seen_as_it_is(case: Case, data: st.DataObject) -> None:
    """Where what is mended can be told at all: by distinct words around and in each core."""
    text = [f"word{n}" for n in range(16)]
    places = data.draw(st.lists(st.integers(0, 4), unique=True, min_size=1, max_size=4))
    issues = tuple(
        Issue(str(n), "any", "p0", text[3 * n + 1], f"right{n}", len(" ".join(text[: 3 * n + 1])) + 1) for n in places
    )
    wanted = [f"right{n // 3}" if n % 3 == 1 and n // 3 in places else word for n, word in enumerate(text)]
    case = Case("any", "", document(" ".join(text)), document(" ".join(wanted)), issues)
    mended = data.draw(st.sets(st.sampled_from(places)))
    stray = data.draw(st.booleans())
    final = [f"right{n // 3}" if n % 3 == 1 and n // 3 in mended else word for n, word in enumerate(text)]
    run = align_document(case, final_of(" ".join([*final, *(["indeed"] if stray else [])])))
    assert run.verdicts == {str(n): AlignedVerdict.FIXED if n in mended else AlignedVerdict.UNTOUCHED for n in places}
    assert len(run.hunks) == stray


@settings(deadline=None)
@given(cases(), TEXTS)
def test_cutting_loses_no_token_and_no_core(case: Case, final: str) -> None:
    (paragraph,) = prepare_case(case)
    tokens = paragraph.read(final)
    pieces = cut(paragraph.tokens, tokens, paragraph.cores)
    assert [n for piece in pieces for n in range(piece.start, piece.end)] == list(range(len(paragraph.tokens)))
    assert [n for piece in pieces for n in range(piece.final_start, piece.final_end)] == list(range(len(tokens)))
    for piece in pieces:
        if piece.equal:
            assert paragraph.tokens[piece.start : piece.end] == tokens[piece.final_start : piece.final_end]


@settings(deadline=None)
@given(cases(), TEXTS)
def test_a_path_tells_every_token_once_and_takes_one_branch_a_core(case: Case, final: str) -> None:
    (paragraph,) = prepare_case(case)
    tokens = paragraph.read(final)
    steps = align(paragraph.tokens, 0, len(paragraph.tokens), tokens, tuple(enumerate(paragraph.cores)))
    assert tuple(step.after for step in steps if step.after) == tokens
    taken = {step.core: step.branch for step in steps if step.operation is Operation.ENTER}
    expected: list[str] = []
    at = 0
    for n, core in enumerate(paragraph.cores):
        branch = core.branches[taken[n]] if taken[n] >= 0 else paragraph.tokens[core.start : core.end]
        expected += [*paragraph.tokens[at : core.start], *branch]
        at = core.end
    assert [step.before for step in steps if step.before] == [*expected, *paragraph.tokens[at:]]


@settings(deadline=None)
@given(st.text())
def test_tokens_joined_are_the_text(text: str) -> None:
    assert "".join(tokenise(text)) == text


@settings(deadline=None)
@given(st.text(), st.sets(st.sampled_from(Fold)))
def test_folding_twice_changes_nothing_more(text: str, folds: set[Fold]) -> None:
    once = fold(text, frozenset(folds))
    assert fold(once, frozenset(folds)) == once


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_final_text_can_be_aligned(before: str, after: str) -> None:
    case = Case("any", "", Document((Paragraph("p0", before),)), Document((Paragraph("p0", before),)), ())
    run: AlignedRun = align_document(case, final_of(after))
    same = fold(plain_text(before), ALL_FOLDS).split() == fold(plain_text(after), ALL_FOLDS).split()
    assert (run.hunks == ()) == same
