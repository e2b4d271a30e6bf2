from __future__ import annotations

import pytest

from errata_bench.scoring.aligned.markup import HunkKind
from errata_bench.scoring.aligned.run import align_document
from errata_bench.scoring.aligned.verdicts import AlignedVerdict
from tests.scoring.aligned.sketches import aligned, changes, document, sketch, verdict

FIXED, ALTERED = AlignedVerdict.FIXED, AlignedVerdict.ALTERED
DELETED, UNTOUCHED = AlignedVerdict.DELETED, AlignedVerdict.UNTOUCHED


@pytest.mark.parametrize(
    ("text", "find", "replace", "final", "expected"),
    [
        # substitutions: the right word at the place, whatever happens around it
        ("See there house now.", "there", "their", "See their old house now.", FIXED),
        ("See there house now.", "there", "their", "Behold their mansion today.", FIXED),
        ("See there house now.", "there", "their", "See the house now.", ALTERED),
        ("See there house now.", "there", "their", "See house now.", DELETED),
        ("See there house now.", "there", "their", "See there home now.", ALTERED),
        ("See there house now.", "there", "their", "See there house then.", UNTOUCHED),
        # insertions and deletions: known by their neighbours
        ("We asked sign it.", "asked sign", "asked to sign", "We asked to sign it.", FIXED),
        ("We asked sign it.", "asked sign", "asked to sign", "We asked to initial it.", ALTERED),
        ("We asked sign it.", "asked sign", "asked to sign", "We asked also to sign it.", ALTERED),
        ("We asked sign it.", "asked sign", "asked to sign", "We asked to also sign it.", ALTERED),
        ("We asked sign it.", "asked sign", "asked to sign", "We.", DELETED),
        ("We asked sign it.", "asked sign", "asked to sign", "We did.", ALTERED),
        ("It is really good.", "really ", "", "It is good.", FIXED),
        ("It is really good.", "really", "", "It is good.", FIXED),
        ("It is really good.", "really ", "", "It was good.", ALTERED),
        ("Well it is so.", "Well ", "", "it is so.", FIXED),
        ("Well it is so.", "Well", "", "it is so.", FIXED),
        ("Well it is so.", "Well", "", " it is so.", FIXED),
        ("It is so indeed", "indeed", "", "It is so", FIXED),
        ("It is so indeed", "indeed", "", "It is", ALTERED),
        # punctuation
        ("He came, she left.", "came,", "came;", "He came; she left.", FIXED),
        ("He came, she left.", "came,", "came;", "He came. she left.", ALTERED),
        ("He came, she left.", "came,", "came;", "He came she left.", ALTERED),
        ("He came, she left.", "came,", "came;", "He came ; she left.", ALTERED),
        ("He came she left.", "came she", "came; she", "He came; she left.", FIXED),
        ("He came she left.", "came she", "came; she", "He arrived; she left.", ALTERED),
        # the beginning and the end of a paragraph are neighbours, too
        ("Went home", "home", "home.", "Went home.", FIXED),
        ("Went home", "home", "home.", "Went home. Slept.", ALTERED),
        # words that grow together, or fall apart
        ("An in to the night.", "in to", "into", "An into the night.", FIXED),
        ("A well known man.", "well known", "well-known", "A well-known man.", FIXED),
        ("A well-known man.", "-", " ", "A well known man.", FIXED),
        ("They dont know.", "nt", "n't", "They don't know.", FIXED),
        ("They don know.", "don", "don't", "They don't know.", FIXED),
        # capitals: the error itself, part of it, or nobody's business
        ("The end. then rain.", "then", "Then", "The end. then rain.", UNTOUCHED),
        ("It ended, then rain.", "ended, then", "ended. Then", "It ended. then rain.", ALTERED),
        ("You recieve it.", "recieve", "receive", "You Receive it.", FIXED),
        ("You recieve it.", "recieve", "receive", "You Recieve it.", ALTERED),
        # a span that is longer than its core
        ("He saw the the old man.", "the the old man", "the old man", "He saw.", DELETED),
        ("He saw the the old man.", "the the old man", "the old man", "He saw old man.", ALTERED),
        ("He saw the the old man.", "the the old man", "the old man", "He saw someone.", ALTERED),
    ],
)
def test_the_place_decides(text: str, find: str, replace: str, final: str, expected: AlignedVerdict) -> None:
    assert verdict(text, find, replace, final) is expected


def test_a_missing_paragraph_is_an_empty_one() -> None:
    case = sketch("He go home.", ("go", "goes"))
    assert align_document(case, document()).verdicts == {"0": DELETED}


def test_words_put_in_the_place_of_a_deleted_span_are_for_the_judge() -> None:
    text = "The result, irregardless of the cost that we had, was good."
    assert verdict(text, "irregardless of", "regardless of", "The result was good.") is DELETED
    assert verdict(text, "irregardless of", "regardless of", "The result, whatever we paid, was good.") is ALTERED


class TestAcceptedCorrections:
    TEXT = "The data shows a rise."

    @pytest.mark.parametrize("final", ["The data show a rise.", "The data reveal a rise.", "The findings show a rise."])
    def test_each_of_them_fixes(self, final: str) -> None:
        accepted = ("data reveal", "findings show")
        assert verdict(self.TEXT, "data shows", "data show", final, *accepted) is FIXED

    def test_the_one_that_was_made_is_named(self) -> None:
        case = sketch(self.TEXT, ("data shows", "data show", "data reveal"))
        assert aligned(case, "The data show a rise.").issues["0"].correction == 0
        assert aligned(case, "The data reveal a rise.").issues["0"].correction == 1
        assert aligned(case, self.TEXT).issues["0"].correction is None

    def test_an_empty_one_accepts_a_deletion(self) -> None:
        assert verdict("He is very unique now.", "very unique", "unique", "He is now.", "") is FIXED

    def test_one_that_is_the_wrong_text_tells_nothing(self) -> None:
        assert verdict("He go home.", "go", "goes", "He go home.", "go") is UNTOUCHED


class TestSeveralIssues:
    TEXT = "You will recieve definately good news."
    CASE = sketch(TEXT, ("recieve definately", "receive definately"), ("definately good", "definitely good"))

    def test_each_has_its_own_verdict(self) -> None:
        run = aligned(self.CASE, "You will receive definately good news.")
        assert run.verdicts == {"0": FIXED, "1": UNTOUCHED}
        assert run.hunks == ()

    def test_touching_ones_may_both_be_mended(self) -> None:
        case = sketch("He came she smiled.", ("came she", "came. she"), ("she smiled", "She smiled"))
        assert aligned(case, "He came. She smiled.").verdicts == {"0": FIXED, "1": FIXED}
        assert aligned(case, "He came. she smiled.").verdicts == {"0": FIXED, "1": UNTOUCHED}

    def test_a_disqualified_one_has_no_verdict_that_counts_and_is_no_hunk(self) -> None:
        case = sketch(self.TEXT, ("recieve", "receive"), ("definately", "definitely"), disqualified=("1",))
        run = aligned(case, "You will recieve definitely good news.")
        assert run.verdicts == {"0": UNTOUCHED}
        assert not run.issues["1"].scored
        assert run.hunks == ()


class TestFolding:
    def test_quotes_and_spaces_are_no_edits_where_no_issue_is_about_them(self) -> None:
        run = aligned(sketch('He said "it\'s  teh end" then.', ("teh", "the")), "He said “it’s the\u00a0end” then.")
        assert run.verdicts == {"0": FIXED}
        assert run.hunks == ()

    def test_quotes_that_an_issue_is_about_are_told_apart(self) -> None:
        case = sketch("It’s “mad\" and it's “bad”.", ('mad"', "mad”"))
        assert aligned(case, "It's “mad” and it’s “bad”.").verdicts == {"0": FIXED}
        assert changes(aligned(case, "It's “mad” and it’s “bad\".")) == [("”", '"')]

    def test_white_space_alone_is_no_edit_even_where_an_issue_is_about_it(self) -> None:
        case = sketch("One.  Two three four.", ("One.  Two", "One. Two"))
        run = aligned(case, "One. Two three  four.")
        assert run.verdicts == {"0": FIXED}
        assert run.hunks == ()

    def test_tags_are_dropped_and_entities_decoded(self) -> None:
        case = sketch("A <em>teh</em> B &amp; C.", ("teh", "the"))
        run = aligned(case, "A the B &#38; C.")
        assert run.verdicts == {"0": FIXED}
        assert run.hunks == ()

    def test_an_issue_inside_a_tagged_word_or_an_entity_is_found(self) -> None:
        assert verdict("R &amp; D.", "amp;", "lt;", "R &lt; D.") is FIXED
        assert verdict("t<b>eh</b> end.", "eh", "he", "the end.") is FIXED

    def test_a_less_than_sign_that_opens_no_tag_is_text(self) -> None:
        assert verdict("Where a &lt; b and c > d teh end.", "teh", "the", "Where a < b and c > d the end.") is FIXED

    def test_decomposed_letters_are_composed(self) -> None:
        assert verdict("The cafe\u0301 is shutt.", "shutt", "shut", "The café is shut.") is FIXED
        assert verdict("The cafe\u0301 is shut.", "e\u0301", "e", "The cafe is shut.") is FIXED


class TestHunks:
    def test_a_run_of_changes_is_one_hunk_across_white_space(self) -> None:
        run = aligned(sketch("One two three four five six."), "One 2 drei four five!")
        assert changes(run) == [("two three", "2 drei"), ("six.", "!")]
        assert [hunk.words for hunk in run.hunks] == [2, 1]

    @pytest.mark.parametrize(
        ("final", "kind"),
        [
            ("One very two three.", HunkKind.INSERTION),
            ("One three.", HunkKind.DELETION),
            ("One deux three.", HunkKind.SUBSTITUTION),
            ("One TWO three.", HunkKind.CASE),
        ],
    )
    def test_its_kind_says_what_it_does(self, final: str, kind: HunkKind) -> None:
        assert [hunk.kind for hunk in aligned(sketch("One two three."), final).hunks] == [kind]

    def test_its_offsets_point_into_the_text_before(self) -> None:
        run = aligned(sketch("One &amp; two three.", ("three", "3")), "One &amp; zwei 3.")
        (hunk,) = run.hunks
        assert run.paragraphs[0].before[hunk.start : hunk.end] == hunk.before == "two"

    def test_it_names_the_cores_that_it_touches(self) -> None:
        case = sketch("The dogs runs far away today.", ("runs", "run"))
        assert [hunk.beside for hunk in aligned(case, "The dog runs far away now.").hunks] == [("0",), ()]

    @pytest.mark.parametrize(
        ("final", "after"),
        [
            ("All went right; there was rain.", "; there"),
            ("All went right often there was rain.", "often there"),
            ("All went right there often was rain.", "there often"),
        ],
    )
    def test_what_is_put_in_at_the_edge_of_an_altered_core_is_part_of_it(self, final: str, after: str) -> None:
        run = aligned(sketch("All went right there was rain.", ("right there", "right. There")), final)
        assert run.issues["0"].verdict is ALTERED
        assert run.issues["0"].after.strip() == after
        assert run.hunks == ()

    def test_at_the_edge_of_a_mended_core_it_is_a_hunk(self) -> None:
        run = aligned(sketch("You will recieve it.", ("recieve", "receive")), "You will soon receive it.")
        assert run.verdicts == {"0": FIXED}
        assert changes(run) == [("", "soon")]

    def test_other_capitals_at_a_mended_error_are_one_edit_on_the_core(self) -> None:
        run = aligned(sketch("You will recieve it.", ("recieve", "receive")), "You will RECEIVE it.")
        (hunk,) = run.hunks
        assert (hunk.kind, hunk.at_issue, hunk.before, hunk.after) == (HunkKind.CASE, "0", "receive", "RECEIVE")

    def test_a_gap_where_something_is_missing_parts_no_run(self) -> None:
        run = aligned(sketch("We were asked sign the book.", ("asked sign", "asked to sign")), "")
        assert len(run.hunks) == 1


class TestLargeParagraphs:
    LONG = " ".join(f"word{n}" for n in range(4_000))

    def test_an_edit_far_away_leaves_the_rest_alone(self) -> None:
        case = sketch(f"Teh start. {self.LONG} teh end.", ("Teh", "The"), ("teh", "the"))
        run = aligned(case, f"The start. {self.LONG} the end.".replace("word2000", "other"))
        assert run.verdicts == {"0": FIXED, "1": FIXED}
        assert changes(run) == [("word2000", "other")]

    def test_one_that_is_rewritten_beyond_measure_goes_to_the_judge(self) -> None:
        case = sketch(f"{self.LONG} teh end.", ("teh", "the"))
        run = aligned(case, " ".join(f"andere{n}" for n in range(4_000)))
        assert run.verdicts == {"0": ALTERED}
        assert sum(hunk.words for hunk in run.hunks) >= 4_000
