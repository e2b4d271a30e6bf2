from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from errata_bench.results.detail.marking import Piece, PieceKind
from errata_bench.scoring.rule_v1 import Verdict
from errata_bench.views.marked import VERDICT_STYLES, VERDICT_WORDS, change, marked_text


def issue(before: str, after: str, verdict: Verdict) -> Piece:
    return Piece(PieceKind.ISSUE, before, after, "issue-01", verdict.value)


def equal(text: str) -> Piece:
    return Piece(PieceKind.EQUAL, text, text)


def test_edits_and_verdicts_are_told_without_colours() -> None:
    pieces = [
        equal("We "),
        issue("seen", "saw", Verdict.FIXED),
        equal(" "),
        Piece(PieceKind.EDIT, "a", "one", kind_of_edit="substitution"),
        equal(" "),
        issue("hors", "hors", Verdict.NOT_ADDRESSED),
    ]
    assert marked_text(pieces).plain == "We [-seen-]{+saw+}(issue-01: fixed) [-a-]{+one+} hors(issue-01: missed)"


def test_a_place_where_something_is_missing_is_seen() -> None:
    pieces = [equal("ready "), issue("", "", Verdict.NOT_ADDRESSED), equal("go")]
    assert marked_text(pieces).plain == "ready ^(issue-01: missed) go"


def test_issues_need_not_be_named() -> None:
    assert marked_text([issue("a", "b", Verdict.BAD_FIX)], name_issues=False).plain == "[-a-]{+b+}"


def test_insertions_and_deletions_have_one_mark() -> None:
    assert change("", "new").plain == "{+new+}"
    assert change("old", "").plain == "[-old-]"


def test_every_verdict_has_a_word_and_a_colour_of_its_own() -> None:
    assert set(VERDICT_WORDS) == set(VERDICT_STYLES) == {verdict.value for verdict in Verdict}
    assert len(set(VERDICT_WORDS.values())) == len(set(VERDICT_STYLES.values())) == len(Verdict)


@given(st.text(), st.text())
def test_a_terminal_obeys_nothing_in_a_text(before: str, after: str) -> None:
    pieces = [issue(before, after, Verdict.BAD_FIX), equal(after), Piece(PieceKind.EDIT, before, after)]
    plain = marked_text(pieces).plain
    assert not [char for char in plain if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
