from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.source import document_from_text
from errata_bench.errors import UserError
from errata_bench.generation.source import make_source, read_source

TEXTS = st.text(st.sampled_from("ab .,'\"’“…\n\u00a0\u2028é\u0301<&"), max_size=60)


@given(TEXTS)
def test_text_is_split_and_normalised_as_a_case_is(text: str) -> None:
    paragraphs = make_source(text, "text").paragraphs
    expected = [p.inner_html for p in document_from_text(text)]
    escaped = [p.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for p in paragraphs]
    assert escaped == expected


@given(TEXTS)
def test_every_character_of_the_author_can_be_had_by_its_place(text: str) -> None:
    for paragraph in make_source(text, "text").paragraphs:
        end = len(paragraph.text)
        assert paragraph.raw_slice(0, end) == paragraph.raw
        for cut in range(end + 1):
            if paragraph.whole(cut, cut) == (cut, cut):
                assert paragraph.raw_slice(0, cut) + paragraph.raw_slice(cut, end) == paragraph.raw


def test_typography_is_kept_beside_what_models_read() -> None:
    (paragraph,) = make_source("“Wait…” said the miller’s wife.", "text").paragraphs
    assert paragraph.text == '"Wait..." said the miller\'s wife.'
    at = paragraph.text.index("miller")
    assert paragraph.raw_slice(at, at + 8) == "miller’s"
    assert paragraph.whole(6, 8) == (5, 8)  # an ellipsis is one character of the author's


def test_html_gives_inner_html_and_knows_its_markup() -> None:
    (paragraph,) = make_source("<h1>No</h1><p>The <em>old</em> &amp; new</p>", "html").paragraphs
    assert paragraph.text == "The <em>old</em> &amp; new"
    assert paragraph.touches_markup(4, 6)
    assert not paragraph.touches_markup(8, 11)
    assert paragraph.touches_markup(17, 18)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("text.md", b"x", ".txt"),
        ("text.txt", b"\xff\xfe", "UTF-8"),
        ("text.txt", b" \n\n ", "no text"),
        ("text.html", b"<div>x</div>", "no <p>"),
        ("text.txt", "title: x\n---\nThe ⟦a⇒b¦omission⟧ c.".encode(), "annotated"),
    ],
)
def test_what_is_no_clean_text_is_refused_by_name(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=said) as caught:
        read_source(path)
    assert name in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_source(tmp_path / "gone.txt")
