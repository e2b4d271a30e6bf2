"""Documents from source texts (contract C2)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases import source as source_module
from errata_bench.cases.source import document_from_html, document_from_text, make_paragraph_id
from errata_bench.text import normalise

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def inner(text: str) -> list[str]:
    return [p.inner_html for p in document_from_text(text)]


def by_hand(index: int, salt: int, inner_html: str) -> str:
    number = int(hashlib.sha1(f"paragraph:{index}:{salt}:{inner_html}".encode()).hexdigest()[:16], 16)
    return "".join(ALPHABET[number // 62**place % 62] for place in (5, 4, 3, 2, 1, 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("\n\n  One.\n \t \n\n\nTwo.\n\n", ["One.", "Two."]),
        ("One\n  goes on  \n\tand on.", ["One goes on and on."]),
        ("One.\r\n\r\nTwo\r\ngoes on.", ["One.", "Two goes on."]),
        ("One.\r\rTwo\rgoes on.", ["One.", "Two goes on."]),
        ("two  spaces stay", ["two  spaces stay"]),
        ("One.\n\u00a0\u3000\nTwo.", ["One.", "Two."]),
        ("“It’s…”", ['"It\'s..."']),
        ("cafe\u0301", ["caf\u00e9"]),
        ("R&D: 1 < 2 > 0", ["R&amp;D: 1 &lt; 2 &gt; 0"]),
        ("&amp; <b>", ["&amp;amp; &lt;b&gt;"]),
        ("\"quoted\" 'so'", ["\"quoted\" 'so'"]),
        ("", []),
        (" \n\n \n", []),
    ],
)
def test_paragraphs_of_a_text(text: str, expected: list[str]) -> None:
    assert inner(text) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One.</p>\n<p>Two.</p>", ["One.", "Two."]),
        ('<h1>Title</h1><p class="x"\nid="y"> One <em>so</em>. </p> stray <P>Two.</P >', ["One <em>so</em>.", "Two."]),
        ("<pre>no</pre><param><p>yes</p>", ["yes"]),
        ("<p>R&amp;D &lt; &nbsp;“x”…</p>", ['R&amp;D &lt; &nbsp;"x"...']),
        ("<p>two\nlines</p>", ["two\nlines"]),
        ("<p></p><p> </p><p>x</p>", ["", "", "x"]),
        ("no paragraph", []),
    ],
)
def test_paragraphs_of_html(html: str, expected: list[str]) -> None:
    assert [p.inner_html for p in document_from_html(html)] == expected


def test_id_is_six_base_62_digits_of_a_sha_1_over_place_and_content() -> None:
    doc = document_from_text("Tom & Jerry “run”.\n\nSecond.")
    assert [p.id for p in doc] == [
        by_hand(0, 0, 'Tom &amp; Jerry "run".'),
        by_hand(1, 0, "Second."),
    ]


def test_known_ids_do_not_change() -> None:
    # Reckoned once outside the program; stored results name paragraphs by these.
    assert make_paragraph_id(0, 0, "Hello.") == by_hand(0, 0, "Hello.") == "2lUSAU"
    assert make_paragraph_id(7, 2, "") == by_hand(7, 2, "") == "EjiJGd"


def test_equal_paragraphs_have_different_ids() -> None:
    doc = document_from_text("Same.\n\nSame.\n\nSame.")
    assert len({p.id for p in doc}) == 3


def test_salt_is_raised_while_the_id_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    # No two paragraphs with the same six digits can be had in a short text, so the ids are made to collide.
    asked: list[tuple[int, int]] = []

    def few_ids(index: int, salt: int, inner_html: str) -> str:
        asked.append((index, salt))
        return f"id{salt}"

    monkeypatch.setattr(source_module, "make_paragraph_id", few_ids)
    doc = document_from_text("One.\n\nTwo.\n\nThree.")
    assert [p.id for p in doc] == ["id0", "id1", "id2"]
    assert asked == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]


@given(st.text())
def test_any_text_gives_normalised_paragraphs_without_tags_and_with_ids_of_their_own(text: str) -> None:
    doc = document_from_text(text)
    assert len({p.id for p in doc}) == len(doc)
    for paragraph in doc:
        assert paragraph.inner_html
        assert paragraph.inner_html == normalise(paragraph.inner_html)
        assert not set("<>") & set(paragraph.inner_html)
        assert len(paragraph.id) == 6
        assert set(paragraph.id) <= set(ALPHABET)


@pytest.mark.parametrize("name", ["jury-instructions", "the-call-of-the-wild-chapter-3"])
def test_upstream_text_gives_the_ids_that_its_issues_name(upstream: Path, name: str) -> None:
    folder = upstream / "datasets/v1/generated"
    content = json.loads((folder / f"{name}.json").read_text("utf-8"))
    doc = document_from_text((folder / content["sourcePath"]).read_text("utf-8"))
    named = {issue["paragraphId"] for issue in content["issues"]}
    assert named
    assert named <= {p.id for p in doc}
