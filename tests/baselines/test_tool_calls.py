from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from errata_bench.baselines.plain_text import HtmlEdit
from errata_bench.baselines.tool_calls import EditCall, write_calls
from errata_bench.document import Document, Paragraph
from errata_bench.proofreading.tools import FIND_AND_REPLACE, REPLACE_PARAGRAPH
from errata_bench.text import normalise


def executed(inner: str, calls: tuple[EditCall, ...]) -> str:
    document = Document((Paragraph("id", inner),))
    for call in calls:
        if call.name == FIND_AND_REPLACE:
            edit = document.find_and_replace("id", call.arguments["find"], call.arguments["replace"])
            assert edit.replacements == 1
        else:
            edit = document.replace_paragraph("id", call.arguments["newParagraphHtml"])
        document = edit.document
    return document.paragraphs[0].inner_html


def finds(inner: str, *edits: HtmlEdit) -> list[str]:
    return [call.arguments["find"] for call in write_calls("id", inner, edits)]


def test_a_word_that_occurs_once_needs_no_context() -> None:
    assert write_calls("id", "It was teh end.", [HtmlEdit(8, 10, "he")]) == (
        EditCall(FIND_AND_REPLACE, {"paragraphId": "id", "find": "teh", "replace": "the"}),
    )


def test_a_word_that_occurs_twice_gets_the_shortest_context_that_tells_it_apart() -> None:
    inner = "The house of the man and the other house on a hill, as said."
    assert finds(inner, HtmlEdit(inner.rindex("house"), inner.rindex("house") + 5, "home")) == ["house on"]


def test_context_is_unique_in_the_paragraph_as_earlier_calls_left_it() -> None:
    inner = "They form a form, and nothing but a long and winding sentence follows here."
    edits = (HtmlEdit(5, 9, "from"), HtmlEdit(12, 16, "farm"))
    calls = write_calls("id", inner, edits)
    assert [call.arguments["find"] for call in calls] == ["form a", "form"]
    assert executed(inner, calls).startswith("They from a farm,")


def test_overlapping_occurrences_are_seen() -> None:
    inner = "aaa " + "b" * 60
    assert executed(inner, write_calls("id", inner, [HtmlEdit(1, 3, "c")])) == "ac " + "b" * 60


def test_an_insertion_takes_the_word_beside_it() -> None:
    inner = "She lived the house by the river for all her life."
    assert finds(inner, HtmlEdit(9, 9, " in")) == ["lived"]


def test_text_that_repeats_too_long_is_replaced_as_a_whole() -> None:
    inner = "ha " * 60 + "ho"
    (call,) = write_calls("id", inner, [HtmlEdit(90, 92, "hi")])
    assert call.name == REPLACE_PARAGRAPH
    assert executed(inner, (call,)) == inner[:90] + "hi" + inner[92:]


def test_a_context_longer_than_the_paragraph_is_not_written_twice() -> None:
    inner = "ab cd ab cd ab cd ab"
    (call,) = write_calls("a", inner, [HtmlEdit(9, 11, "xy")])
    assert call.name == REPLACE_PARAGRAPH or len(call.arguments["find"]) * 2 <= len(inner) + 20


def test_edits_that_change_nothing_are_not_written() -> None:
    assert write_calls("id", "as it was", [HtmlEdit(0, 2, "as")]) == ()


PIECES = st.lists(
    st.sampled_from(["the", "form", "a", "é", "😀", " ", " ", "-", "&amp;", "<em>", "</em>", "the the", ".", "x"]),
    max_size=40,
)


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[HtmlEdit]]:
    inner = normalise("".join(draw(PIECES))).strip()
    cuts = sorted(draw(st.sets(st.integers(0, len(inner)), max_size=8)))
    edits = [
        HtmlEdit(start, end, draw(st.sampled_from(["", "the", "from", " ", "é", "&lt;", "a form"])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    return inner, edits


@given(edited_texts())
@example(("the the the", [HtmlEdit(3, 7, "")]))
@example(("a", [HtmlEdit(0, 1, "")]))
def test_executing_the_calls_makes_the_edits_and_nothing_else(case: tuple[str, list[HtmlEdit]]) -> None:
    inner, edits = case
    expected = inner
    for edit in reversed(edits):
        expected = expected[: edit.start] + edit.replacement + expected[edit.end :]
    after = executed(inner, write_calls("id", inner, edits))
    # Only a text that had to be replaced as a whole has its ends stripped.
    assert after in (expected, expected.strip())
    if expected.strip() == expected:
        assert after == expected


@given(st.text(max_size=60), st.data())
def test_any_text_ends_as_corrected_up_to_normalisation(text: str, data: st.DataObject) -> None:
    inner = normalise(text).replace("<", "").strip()
    start = data.draw(st.integers(0, len(inner)))
    end = data.draw(st.integers(start, len(inner)))
    replacement = data.draw(st.text(max_size=6)).replace("<", "")
    expected = normalise(inner[:start] + replacement + inner[end:])
    after = executed(inner, write_calls("id", inner, [HtmlEdit(start, end, replacement)]))
    assert normalise(after).strip() == expected.strip()
