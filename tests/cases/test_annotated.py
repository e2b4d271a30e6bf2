"""How an annotated source is read, and how mistakes in it are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.annotated import AnnotatedText, Mark, escape, read_annotated, unescape
from errata_bench.cases.header import INSTRUCTION, read_header, write_header
from errata_bench.errors import DatasetError

HEADER = "title: T\ngenre: g\nvoice: v\nlicence: l\nlanguage: en-GB\n---\n"
LINES_OF_HEADER = HEADER.count("\n")


def read(body: str, header: str = HEADER) -> AnnotatedText:
    return read_annotated(header + body, "x.txt")


def the_mark(body: str) -> Mark:
    (mark,) = read(body).paragraphs[0].marks
    return mark


def mistakes(body: str, header: str = HEADER) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        read(body, header)
    return [str(fault) for fault in caught.value.faults]


def test_mark_gives_both_texts() -> None:
    (paragraph,) = read("The keeper ⟦were⇒was¦subject_verb_agreement⟧ asleep.").paragraphs
    assert paragraph.corrupted == "The keeper were asleep."
    assert paragraph.clean == "The keeper was asleep."
    assert paragraph.marks[0].category == "grammar_and_syntax.subject_verb_agreement"


def test_sides_and_further_right_texts_are_literal() -> None:
    mark = the_mark("a⟦ b ⇒ c¦extra_word¦also:  d ¦also: ¦also:e⟧f")
    assert (mark.wrong, mark.right, mark.also) == (" b ", " c", (" d ", "", "e"))


def test_fields_may_come_in_any_order_with_space_round_them() -> None:
    mark = the_mark(
        "⟦a⇒b¦ grammar_and_syntax.extra_word ¦ note: two: colons ¦major¦ scope: phrase¦id: x-1"
        "¦operation: insertion¦valid-word: unknown¦dimension: stylistic¦also: c⟧"
    )
    assert (mark.category, mark.note, mark.id) == ("grammar_and_syntax.extra_word", "two: colons", "x-1")
    stated = mark.stated
    assert (stated.severity, stated.edit_scope, stated.operation_type) == ("major", "phrase", "insertion")
    assert (stated.valid_word, stated.dimension) == ("unknown", "stylistic")


def test_wrapped_lines_are_joined_by_a_space_and_blank_lines_part_paragraphs() -> None:
    text = read("One  \n   line ⟦a⇒b¦omission⟧\nmore.\n \t\n\nSecond.\r\n\r\nThird.")
    assert [paragraph.clean for paragraph in text.paragraphs] == ["One line b more.", "Second.", "Third."]


def test_rule_of_three_hyphens_in_the_text_is_text() -> None:
    assert [paragraph.clean for paragraph in read("a\n\n---\n\nb").paragraphs] == ["a", "---", "b"]


def test_escaped_characters_stand_for_themselves_in_text_and_marks() -> None:
    (paragraph,) = read("f⟦U+21D2⟧g ⟦U+27e6⟧x⟦U+27E7⟧ ⟦a⟦U+00A6⟧⇒a⟦U+21D2⟧¦omission¦note: ⟦U+27E6⟧⟧").paragraphs
    assert paragraph.corrupted == "f⇒g ⟦x⟧ a¦"
    assert paragraph.clean == "f⇒g ⟦x⟧ a⇒"
    assert paragraph.marks[0].note == "⟦"


@given(st.text())
def test_escaping_is_undone_by_reading(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not set("⟦⟧⇒¦\n") & set(escape(text).replace("⟦U+", "").replace("⟧", ""))


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ("Some ⟦open⇒mark", "7:6", "not closed on its line"),
        ("⟦a ⟦b⇒c¦omission⟧", "7:1", "column 4"),
        ("é𝄞 stray ⇒ sign", "7:10", "outside a mark"),
        ("a stray ⟧", "7:9", "outside a mark"),
        ("first\n  ¦ on the second line", "8:3", "outside a mark"),
        ("⟦a¦omission⟧", "7:1", "has no ⇒"),
        ("⟦a⇒b⇒c¦omission⟧", "7:1", "2 times ⇒"),
        ("⟦a⇒b⟧", "7:5", "no category"),
        ("⟦a⇒b¦⟧", "7:5", "no category"),
        ("⟦a⇒b¦omision⟧", "7:6", "'omision'"),
        ("⟦a⇒b¦omission¦als: c⟧", "7:15", "'als: c'"),
        ("⟦a⇒b¦omission¦scope: word⟧", "7:15", "'word'"),
        ("⟦a⇒b¦omission¦major¦minor⟧", "7:21", "twice"),
        ("⟦a⇒b¦omission¦note: x¦note: y⟧", "7:23", "twice"),
        ("⟦a⇒b¦omission¦note:⟧", "7:15", "empty"),
        ("⟦a⇒b¦omission¦note: x⇒y⟧", "7:1", "U+21D2"),
        ('⟦“a”⇒"a"¦omission⟧', "7:1", "same after normalisation"),
        ("⟦a⇒b¦omission¦also: b⟧", "7:1", "as right"),
        ("⟦a⇒b¦omission¦also: a⟧", "7:1", "as wrong"),
        ("⟦a⇒b¦omission¦also: c’s¦also: c's⟧", "7:1", "two `also:`"),
        ("x ⟦U+110000⟧", "7:3", "names no character"),
        ("x ⟦U+D800⟧", "7:3", "names no character"),
        ("", "6:1", "no paragraph"),
    ],
)
def test_mistake_is_told_with_line_and_column(body: str, place: str, words: str) -> None:
    (mistake,) = mistakes(body)
    assert mistake.startswith(f"x.txt:{place}: ")
    assert words in mistake


def test_mark_does_not_go_on_in_the_next_line() -> None:
    found = mistakes("Some ⟦open⇒\nmark¦omission⟧")
    assert [mistake.split(": ")[0] for mistake in found] == ["x.txt:7:6", "x.txt:8:5", "x.txt:8:14"]


def test_all_mistakes_are_told_at_once_and_in_order() -> None:
    header = "titel: T\ngenre: g\ngenre: h\nvoice:\nlicence l\nlanguage: en\nformat: pdf\n---\n"
    found = mistakes("a ⇒ b\n\n⟦c⇒d¦nothing⟧ ⟦e", header)
    places = [mistake.split(": ")[0].removeprefix("x.txt:") for mistake in found]
    assert places == ["1:1", "1:1", "1:1", "3:1", "4:7", "5:1", "7:1", "9:3", "11:6", "11:15"]
    assert any("no `title:`" in mistake for mistake in found)


def test_missing_end_of_header_is_told() -> None:
    assert mistakes("", "title: T\n\nOnce upon a time.") == ["x.txt:1:1: no line `---` ends the header"]


def test_category_of_ones_own_is_declared_in_the_header() -> None:
    header = HEADER.replace("---", "own-category: ours.misprint\n---")
    (paragraph,) = read("⟦a⇒b¦ours.misprint⟧", header).paragraphs
    assert paragraph.marks[0].category == "ours.misprint"


def test_header_value_goes_on_in_indented_lines() -> None:
    header, found = read_header(["title: A", "  long", "\ttitle", "genre: g", "voice: v", "licence: l", "language: e"])
    assert not found
    assert header.title == "A long title"
    assert header.instruction == INSTRUCTION


def test_written_header_is_read_as_it_was() -> None:
    lines = [*HEADER.splitlines()[:-1], "instruction: Mend it.", "format: html", "own-category: a", "own-category: b"]
    header, _ = read_header(lines)
    assert read_header(write_header(header).splitlines()) == (header, [])
    assert (header.instruction, header.format, header.own) == ("Mend it.", "html", ("a", "b"))


def test_usual_instruction_tells_neither_number_nor_kinds_of_errors() -> None:
    words = set(INSTRUCTION.casefold().replace(",", "").replace(".", "").split())
    telling = "spelling grammar punctuation style typo typos word words few many some several errors mistakes"
    assert not words & set(telling.split(" "))
    assert not any(character.isdigit() for character in INSTRUCTION)
