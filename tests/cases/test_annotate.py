"""From cases back to annotated sources."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from errata_bench.cases.annotate import annotate_case, annotate_file
from errata_bench.cases.annotated import read_annotated
from errata_bench.cases.build import build_case
from errata_bench.cases.files import Faults
from errata_bench.cases.load import LoadedCase, make_case, read_cases
from errata_bench.cases.model import Case, Issue
from errata_bench.cases.schema import CaseShape
from errata_bench.cases.source import document_from_html, document_from_text
from errata_bench.errors import DatasetError, UserError

UPSTREAM = Path(__file__).parents[3] / "shared" / "upstream" / "datasets" / "v1" / "generated"
WORDS = [
    "a",
    "an",
    "the",
    "the",
    "cat",
    "cats",
    "co-op",
    "it's",
    "its",
    "R&D",
    "1<2",
    "⟦x⟧",
    "a⇒b",
    "é",
    "—",
    "to",
    ".",
]


def case_of(source: str, issues: list[dict[str, Any]], *, as_html: bool = False) -> Case | None:
    document = (document_from_html if as_html else document_from_text)(source)
    content = {"id": "c", "instruction": "Do it.", "sourcePath": "c.txt", "issues": issues}
    return make_case(Path("c.json"), CaseShape.model_validate(content), document, {}, Faults())


def issue(
    number: int, find: str, replace: str, *also: str, paragraph: str | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "id": f"i{number}",
        "category": "grammar_and_syntax.extra_word",
        "paragraphId": paragraph,
        "expectedCorrection": {"find": find, "replace": replace},
        "acceptedCorrections": list(also),
        **more,
    }


def mended(case: Case, issue: Issue, text: str) -> str:
    """The paragraph with that issue alone mended, by that text."""
    paragraph = case.document.get(issue.paragraph_id)
    assert paragraph is not None
    return paragraph.inner_html[: issue.start] + text + paragraph.inner_html[issue.end :]


def assert_same(case: Case, again: Case) -> None:
    assert again.document == case.document
    assert again.expected == case.expected
    assert again.instruction == case.instruction
    there = {issue.id: issue for issue in again.issues}
    assert set(there) == {issue.id for issue in case.issues}
    for one in case.issues:
        other = there[one.id]
        assert (other.category, other.paragraph_id) == (one.category, one.paragraph_id)
        assert mended(again, other, other.replace) == mended(case, one, one.replace)
        ways = {mended(case, one, text) for text in one.accepted} - {mended(case, one, one.replace)}
        assert {mended(again, other, text) for text in other.accepted} == ways - {mended(case, one, one.find)}
        if one.classification is not None:
            assert other.classification == one.classification


def there_and_back(case: Case) -> Case:
    return build_case(annotate_case(case), case.id, "x.txt").case


@st.composite
def cases(draw: st.DrawFn) -> Case:
    as_html = draw(st.booleans())
    encode: Callable[[str], str] = (lambda text: text) if as_html else (lambda text: html.escape(text, quote=False))
    paragraphs: list[str] = []
    wanted: list[tuple[int, str, str, list[str]]] = []
    for nth in range(draw(st.integers(1, 3))):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
        paragraphs.append(" ".join(words))
        at = 0
        while at < len(words) and draw(st.booleans()):
            start = draw(st.integers(at, len(words) - 1))
            end = draw(st.integers(start + 1, min(len(words), start + 5)))
            right = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
            context = " ".join(words[start : end - 1])
            find = " ".join(words[start:end])
            # Often with the same beginning, as real corrections have.
            replace = f"{context} {draw(right)}".strip() if draw(st.booleans()) else draw(right)
            wanted.append(
                (nth, encode(find), encode(replace), [encode(text) for text in draw(st.lists(right, max_size=3))])
            )
            at = end
    source = "\n".join(f"<p>{text}</p>" for text in paragraphs) if as_html else "\n\n".join(paragraphs)
    document = (document_from_html if as_html else document_from_text)(source)
    ids = [paragraph.id for paragraph in document]
    issues = [issue(n, find, replace, *also, paragraph=ids[nth]) for n, (nth, find, replace, also) in enumerate(wanted)]
    case = case_of(source, issues, as_html=as_html)
    assume(case is not None)
    assert case is not None
    return case


@given(cases())
@settings(deadline=None)
def test_building_what_was_annotated_gives_the_same_case(case: Case) -> None:
    try:
        source = annotate_case(case)
    except DatasetError:  # accepted corrections that reach into other issues
        assume(False)
        return
    blank = any(not paragraph.inner_html.strip() for paragraph in (*case.document, *case.expected))
    ends = any(p.inner_html != p.inner_html.strip() for p in case.expected)
    try:
        again = build_case(source, case.id, "x.txt").case
    except DatasetError:
        assert blank or ends
        return
    assert_same(case, again)


@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the upstream cases are not here")
def test_upstream_cases_come_back_the_same() -> None:
    loaded = read_cases([str(UPSTREAM)])
    assert len(loaded.cases) >= 2
    for entry in loaded.cases:
        assert_same(entry.case, there_and_back(entry.case))


def test_mark_takes_in_whole_words_and_only_what_differs() -> None:
    case = case_of("The cat sat on mat again, and so on.", [issue(1, "sat on mat again", "sat on the mat again")])
    assert case is not None
    assert "sat on ⟦mat⇒the mat¦extra_word¦id: i1⟧ again" in annotate_case(case)


def test_entities_that_begin_alike_are_kept_whole() -> None:
    source = "if a &lt; b then"
    case = case_of(html.unescape(source), [issue(1, "a &lt; b", "a &gt; b", "a &amp; b")])
    assert case is not None
    annotated = annotate_case(case)
    assert "a ⟦<⇒>¦extra_word¦also: &¦id: i1⟧ b" in annotated
    assert_same(case, there_and_back(case))


def test_correction_that_plain_text_cannot_hold_is_annotated_as_html() -> None:
    case = case_of("say teh word", [issue(1, "teh", "<em>the</em>")])
    assert case is not None
    assert "format: html" in annotate_case(case)
    assert_same(case, there_and_back(case))


def test_case_of_html_without_tags_becomes_plain_text() -> None:
    case = case_of("<p>say teh word</p><p>R&amp;D</p>", [issue(1, "teh", "the")], as_html=True)
    assert case is not None
    assert "format" not in annotate_case(case)
    assert_same(case, there_and_back(case))


def test_empty_paragraph_and_line_break_of_html_come_back() -> None:
    case = case_of("<p>one\ntwo <b>teh</b></p><p></p>", [issue(1, "teh", "the")], as_html=True)
    assert case is not None
    assert_same(case, there_and_back(case))


def test_categories_unknown_to_the_taxonomy_are_declared() -> None:
    case = case_of("say teh word", [issue(1, "teh", "the", category="ours: misprint")])
    assert case is not None
    assert "own-category: ours: misprint\n" in annotate_case(case)
    assert_same(case, there_and_back(case))


def test_what_differs_from_the_derived_classification_is_stated() -> None:
    said = {
        "label": "orthography_and_word_form.omission",
        "parent": "orthography_and_word_form",
        "child": "omission",
        "severity": "major",
        "editScope": "phrase",
        "operationType": "substitution",
        "createsValidWord": False,
        "dimension": "lexical",
    }
    case = case_of("a tradmark", [issue(1, "tradmark", "trademark", category=said["label"], classification=said)])
    assert case is not None
    fields = "major¦scope: phrase¦operation: substitution¦dimension: lexical¦valid-word: no"
    assert fields in annotate_case(case)
    assert_same(case, there_and_back(case))


def test_accepted_corrections_that_reach_into_another_issue_are_told() -> None:
    issues = [issue(1, "a bb c dd", "a x c dd", "z z"), issue(2, "dd e", "d e")]
    case = case_of("a bb c dd e", issues)
    assert case is not None
    with pytest.raises(DatasetError) as caught:
        annotate_case(case, file="c.json")
    (fault,) = caught.value.faults
    assert (fault.file, fault.case, fault.issue) == ("c.json", "c", "i2")


def test_what_a_case_file_says_of_the_text_goes_into_the_header() -> None:
    case = case_of("text", [])
    assert case is not None
    about = {"title": "A\n title", "genre": 3, "language": "en-US"}
    header = read_annotated(annotate_case(case, about), "x").header
    assert (header.title, header.genre, header.language) == ("A title", "unknown", "en-US")


def test_file_is_written_and_built_again(tmp_path: Path) -> None:
    header = "title: T\ngenre: g\nvoice: v\nlicence: l\nlanguage: en-GB\n---\n"
    made = build_case(header + "A ⟦b⇒c¦omission¦note: why⟧ d, b.\n", "doc", "doc.txt")
    for name, data in made.files.items():
        (tmp_path / name).write_bytes(data)
    text = annotate_file(tmp_path / "doc.json", tmp_path / "back.txt")
    assert (tmp_path / "back.txt").read_text(encoding="utf-8") == text
    assert text.startswith(header + "A ⟦b⇒c¦omission¦note: why⟧ d, b.")


def test_file_of_several_cases_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    cases = [{"id": name, "instruction": "x", "sourcePath": "a.txt", "issues": []} for name in "ab"]
    (tmp_path / "two.json").write_bytes(orjson.dumps(cases))
    with pytest.raises(UserError, match="2 cases"):
        annotate_file(tmp_path / "two.json")
    loaded: tuple[LoadedCase, ...] = read_cases([str(tmp_path / "two.json")]).cases
    assert len(loaded) == 2
