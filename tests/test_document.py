"""The two edits of contract C5, and what a document keeps."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from errata_bench.document import Document, EditRefused, Paragraph
from errata_bench.text import normalise


def document(*inner: str) -> Document:
    return Document(tuple(Paragraph(f"para{n}", html) for n, html in enumerate(inner, 1)))


def refusal(inner: str, find: str, replace: str = "x") -> str:
    with pytest.raises(EditRefused) as caught:
        document(inner).find_and_replace("para1", find, replace)
    return str(caught.value)


# What a model sees


def test_html_is_one_paragraph_a_line() -> None:
    assert document("One.", "Two &amp; three.").html == '<p id="para1">One.</p>\n<p id="para2">Two &amp; three.</p>'


def test_look_up_selection_and_words() -> None:
    doc = document("One two.", "", "Three.")
    assert doc.get("para3") == Paragraph("para3", "Three.")
    assert doc.get("nowhere") is None
    assert "para2" in doc and "nowhere" not in doc
    assert doc.words == 2 + 1 + 1
    assert [p.id for p in doc.select(["para3", "para1"])] == ["para3", "para1"]
    with pytest.raises(KeyError):
        doc.select(["nowhere"])


# find_and_replace


def test_every_occurrence_in_that_paragraph_alone_is_replaced_and_counted() -> None:
    edit = document("teh cat, teh dog", "teh end").find_and_replace("para1", "teh", "the")
    assert edit.document == document("the cat, the dog", "teh end")
    assert edit.replacements == 2
    assert edit.changed


@pytest.mark.parametrize("replace", [r"\1", r"\g<0>", "$&", "$1", "\\\\n", "{0}", "%s", "a\\"])
def test_replacement_is_literal(replace: str) -> None:
    assert document("a b c").find_and_replace("para1", "b", replace).document == document(f"a {replace} c")


@pytest.mark.parametrize("find", [".", "a.c", "[b]", "(", "*", "b+", "^", "$"])
def test_find_is_literal(find: str) -> None:
    assert "does not occur" in refusal("abc", find)
    assert document(f"x{find}y").find_and_replace("para1", find, "-").document == document("x-y")


def test_occurrences_are_taken_from_the_left_without_overlap() -> None:
    edit = document("aaa").find_and_replace("para1", "aa", "b")
    assert (edit.document, edit.replacements) == (document("ba"), 1)


def test_both_texts_are_normalised() -> None:
    edit = document('He said "it\'s... late".').find_and_replace("para1", "“it’s… late”", "“it’s\u00a0early”")
    assert edit.document == document('He said "it\'s early".')


def test_decomposed_letters_are_found_and_written_composed() -> None:
    edit = document("a caf\u00e9 cafe").find_and_replace("para1", "cafe\u0301", "re\u0301sume\u0301")
    assert edit.document == document("a r\u00e9sum\u00e9 cafe")


def test_combining_mark_joins_the_letter_before_it() -> None:
    edit = document("cafe!").find_and_replace("para1", "!", "\u0301")
    assert edit.document == document("caf\u00e9")


def test_part_of_a_character_cannot_be_found() -> None:
    assert "does not occur" in refusal("caf\u00e9", "cafe")


@pytest.mark.parametrize("char", ["😀", "𝔘", "\u200d", "\ufeff", "\u202e", "\x00", "한", "👩\u200d🚀"])
def test_odd_characters_are_replaced_like_others(char: str) -> None:
    edit = document(f"a{char}b{char}").find_and_replace("para1", char, "-")
    assert (edit.document, edit.replacements) == (document("a-b-"), 2)


def test_match_may_reach_over_tags_and_entities() -> None:
    edit = document("R&amp;D <em>is</em> fun").find_and_replace("para1", "R&amp;D <em>is</em>", "R&amp;D <em>was</em>")
    assert edit.document == document("R&amp;D <em>was</em> fun")


@pytest.mark.parametrize(("find", "replace"), [("cat", "cat"), ("it's", "it’s"), ("...", "…")])
def test_edit_without_effect_is_made_with_no_replacement(find: str, replace: str) -> None:
    before = document("it's the cat ...")
    edit = before.find_and_replace("para1", find, replace)
    assert (edit.document, edit.replacements, edit.changed) == (before, 0, False)


def test_paragraph_can_be_emptied() -> None:
    assert document("gone", "kept").find_and_replace("para1", "gone", "").document == document("", "kept")


def test_empty_find_is_refused() -> None:
    assert "`find` is empty" in refusal("abc", "")


def test_unknown_paragraph_is_refused_with_those_there_are() -> None:
    with pytest.raises(EditRefused) as caught:
        document("a", "b").find_and_replace("other", "a", "b")
    assert "'other'" in str(caught.value)
    assert "para1, para2" in str(caught.value)


def test_list_of_paragraphs_in_a_refusal_stays_short() -> None:
    with pytest.raises(EditRefused) as caught:
        document(*["x"] * 100).find_and_replace("other", "x", "y")
    assert "and 60 more" in str(caught.value)


@pytest.mark.parametrize(
    ("inner", "find", "hint"),
    [
        ("Smith &amp; Sons", "Smith & Sons", "write & as &amp;"),
        ("1 &lt; 2", "1 < 2", "&lt;"),
        ('a "word" b', "&quot;word&quot;", "entities are written as plain characters"),
        ("a b", "a&nbsp;b", "entities are written as plain characters"),
        ('a "word" b', '\\"word\\"', "without the backslashes"),
        ("The cat", "the Cat", "case-sensitive"),
        ("a word.", "a word. ", "without the white space at its ends"),
        ("two  spaces", "two spaces", "other white space"),
    ],
)
def test_refusal_says_how_the_text_differs(inner: str, find: str, hint: str) -> None:
    message = refusal(inner, find)
    assert hint in message
    assert message.endswith(f"copied exactly from the paragraph as it stands now: {inner}")


def test_refusal_names_the_first_code_point_that_differs() -> None:
    message = refusal("the well\u2013known author", "the well-known author")
    assert "U+2013" in message and "U+002D" in message
    assert "'the well'" in message


def test_refusal_says_where_the_paragraph_ends() -> None:
    assert "the end of the paragraph, not ' '" in refusal("a whole sentence.", "a whole sentence. And")


def test_text_that_is_not_there_gets_no_false_hint() -> None:
    assert refusal("abc", "xyz") == (
        "`find` does not occur in paragraph 'para1'. "
        "It has to be copied exactly from the paragraph as it stands now: abc"
    )


@pytest.mark.parametrize(
    "tag", ["</p><p>", '<p id="x">', "<div>", "</P>", "<h2 class='x'>", "<li>", "<hr/>", "<section\n>"]
)
def test_edit_cannot_bring_in_a_block(tag: str) -> None:
    assert "cannot be split or merged" in refusal("one two", " ", tag)


@pytest.mark.parametrize("tag", ["<em>", "<br>", "<param>", "<progress>", "<small>", "&lt;p&gt;", "a < p > b"])
def test_inline_tags_may_come_in(tag: str) -> None:
    assert document("one two").find_and_replace("para1", " ", tag).document == document(f"one{tag}two")


def test_block_that_was_there_does_not_stop_other_edits() -> None:
    edit = document("teh <pre>x</pre>").find_and_replace("para1", "teh", "the")
    assert edit.document == document("the <pre>x</pre>")


# replace_paragraph


@pytest.mark.parametrize(
    "html",
    [
        '<p id="para1">The new.</p>',
        "<p id='para1'>The new.</p>",
        '\n <P  ID = "para1" >The new.</P >\n',
        '<p id="para1">  The new.\u00a0</p>',
    ],
)
def test_paragraph_is_replaced(html: str) -> None:
    edit = document("The old.", "Kept.").replace_paragraph("para1", html)
    assert edit.document == document("The new.", "Kept.")
    assert edit.replacements == 1


def test_new_paragraph_is_normalised() -> None:
    edit = document("x").replace_paragraph("para1", '<p id="para1">It’s “cafe\u0301”…</p>')
    assert edit.document == document('It\'s "caf\u00e9"...')


def test_same_paragraph_is_no_change() -> None:
    edit = document("It's.").replace_paragraph("para1", '<p id="para1">It’s.</p>')
    assert (edit.document, edit.changed) == (document("It's."), False)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "The new.",
        "<p>The new.</p>",
        '<p id="para1">The new.',
        'Here it is: <p id="para1">The new.</p>',
        '```html\n<p id="para1">The new.</p>\n```',
        '<div><p id="para1">The new.</p></div>',
        '<div id="para1">The new.</div>',
    ],
)
def test_anything_but_one_paragraph_is_refused_with_its_form(html: str) -> None:
    with pytest.raises(EditRefused) as caught:
        document("The old.").replace_paragraph("para1", html)
    assert 'exactly one element <p id="para1">…</p>' in str(caught.value)


@pytest.mark.parametrize(
    "html",
    [
        '<p id="para1">One.</p><p id="para2">Two.</p>',
        '<p id="para1">One.</p>\n<p>Two.</p>',
        '<p id="para1">One.<p>Two.</p></p>',
        '<p id="para1"><h1>One.</h1></p>',
    ],
)
def test_several_blocks_are_refused(html: str) -> None:
    with pytest.raises(EditRefused) as caught:
        document("The old.", "x").replace_paragraph("para1", html)
    assert "cannot be split or merged" in str(caught.value)


def test_another_id_is_refused_and_both_are_named() -> None:
    with pytest.raises(EditRefused) as caught:
        document("a", "b").replace_paragraph("para1", '<p id="para2">b</p>')
    assert "'para2'" in str(caught.value) and "'para1'" in str(caught.value)


def test_unknown_paragraph_cannot_be_replaced() -> None:
    with pytest.raises(EditRefused, match="no paragraph 'other'"):
        document("a").replace_paragraph("other", '<p id="other">b</p>')


# Properties

inner_text = st.text(st.sampled_from("ab é'\"…’&<>pé\u0301"), max_size=20).map(normalise)
documents = st.lists(inner_text, min_size=1, max_size=4).map(lambda inner: document(*inner))
needles = st.text(st.sampled_from("ab é'’…p"), max_size=4)


@given(documents, needles, needles, st.data())
def test_made_edit_touches_its_paragraph_alone_and_removes_what_it_found(
    doc: Document, find: str, replace: str, data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from([p.id for p in doc]))
    before = doc.get(target)
    assert before is not None
    try:
        edit = doc.find_and_replace(target, find, replace)
    except EditRefused:
        assert not normalise(find) or normalise(find) not in before.inner_html
        return
    after = edit.document.get(target)
    assert after is not None
    assert [p.id for p in edit.document] == [p.id for p in doc]
    assert [p for p in edit.document if p.id != target] == [p for p in doc if p.id != target]
    assert edit.changed == (after != before)
    wanted = re.sub(re.escape(normalise(find)), lambda _: normalise(replace), before.inner_html)
    assert after.inner_html == normalise(wanted)


@given(st.text(st.sampled_from("ab "), min_size=1), st.text(st.sampled_from("ab "), min_size=1))
def test_find_is_gone_where_the_replacement_cannot_make_it_anew(inner: str, find: str) -> None:
    assume(find in inner)
    edit = document(inner).find_and_replace("para1", find, "-")
    assert find not in edit.document.paragraphs[0].inner_html
    assert edit.replacements == inner.count(find)


@given(documents, st.text(), st.text(), st.text())
def test_no_text_does_anything_but_edit_or_be_refused(doc: Document, target: str, find: str, replace: str) -> None:
    copy = Document(tuple(Paragraph(p.id, p.inner_html) for p in doc))
    for paragraph_id in (target, "para1"):
        with suppress(EditRefused):
            doc.find_and_replace(paragraph_id, find, replace)
        with suppress(EditRefused):
            doc.replace_paragraph(paragraph_id, replace)
    assert doc == copy
