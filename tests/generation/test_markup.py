from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from errata_bench.cases.annotated import read_annotated
from errata_bench.cases.build import build_case
from errata_bench.cases.header import Header
from errata_bench.generation.draft import Checked, Draft
from errata_bench.generation.markup import write_source
from errata_bench.generation.placing import place
from errata_bench.generation.proposals import Change, Proposal
from errata_bench.generation.source import make_source
from errata_bench.generation.windows import Spread
from errata_bench.taxonomy import find_category
from tests.generation.sketches import placed, proposal, source

HEADER = Header("T", "g", "v", "l", "en")


def test_typography_of_the_author_stays_on_both_sides() -> None:
    text = "“Wait…” said the miller’s wife, who hadn’t seen him."
    made = source(text)
    apostrophe = placed(proposal("apostrophe_error", "miller's wife", "miller's", "millers'"), text)
    added = placed(proposal("apostrophe_error", "hadn't seen", "seen", "see'n"), text)
    written = write_source(made, [added, apostrophe], HEADER)
    assert "“Wait…” said the ⟦millers’⇒miller’s¦apostrophe_error⟧ wife" in written
    assert "⟦see’n⇒seen¦apostrophe_error⟧" in written


def test_what_is_stated_is_only_what_would_not_be_derived() -> None:
    base = {"category": "subject_verb_agreement", "passage": "lamp was asleep", "original": "was", "corrupted": "were"}
    usual = placed(Proposal(**base, severity="major", valid_word="yes", description="No\nagreement ⇒ here."))  # type: ignore[arg-type]
    assert write_source(source(), [usual], HEADER).count("major") == 0
    minor = placed(Proposal(**base, severity="minor", valid_word="unknown"))  # type: ignore[arg-type]
    written = write_source(source(), [minor], HEADER)
    assert "⟦were⇒was¦subject_verb_agreement¦minor¦valid-word: unknown⟧" in written
    (mark,) = read_annotated(write_source(source(), [usual], HEADER), "x").paragraphs[0].marks
    assert mark.note == "No agreement ⇒ here."


def test_a_text_that_looks_like_markup_is_read_as_it_is() -> None:
    text = "---\n\nThe signs ⟦ and ⇒ are ours, and ¦ too, you know.\n\n----- ⟧"
    written = write_source(source(text), [], HEADER)
    paragraphs = read_annotated(written, "x").paragraphs
    assert [paragraph.clean for paragraph in paragraphs] == [p.raw for p in make_source(text, "text").paragraphs]


@given(st.data())
def test_mending_every_error_of_the_built_case_gives_the_text_of_the_author(data: Any) -> None:
    words = st.sampled_from(["the", "boat", "‘lamp’,", "quay…", "her’s", "a&b", "said", "“no”", "⟦x", "é", "went."])
    text = "\n\n".join(" ".join(data.draw(st.lists(words, min_size=4, max_size=12))) for _ in range(2))
    made = source(text)
    draft = Draft(made, Spread(9, (9,), tuple(9 for _ in made.paragraphs), 99))
    category = find_category("awkward_phrasing")
    assert category is not None
    for _ in range(4):
        paragraph = data.draw(st.sampled_from(made.paragraphs))
        start = data.draw(st.integers(0, len(paragraph.text) - 1))
        end = data.draw(st.integers(start + 1, len(paragraph.text)))
        corrupted = data.draw(st.text(st.sampled_from("ab' ’⇒"), max_size=6))
        change = place(
            Proposal(
                "awkward_phrasing", paragraph.text, paragraph.text[start:end], corrupted, paragraph=paragraph.index
            ),
            made.paragraphs,
            [category],
        )
        if isinstance(change, Change) and isinstance(draft.check(change), Checked):
            draft.add(change)
    built = build_case(write_source(made, draft.changes, HEADER), "x", "x")
    assert len(built.case.issues) == len(draft.changes)
    clean = built.files["x-clean.txt"].decode()
    assert make_source(clean, "text").paragraphs == made.paragraphs
