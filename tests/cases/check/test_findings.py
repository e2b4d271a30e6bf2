"""What the checker finds in cases, each kind by a case that has just that fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errata_bench.cases.build import build_case
from errata_bench.cases.check import Limits, Report, check_cases
from errata_bench.errors import UserError

HEADER = "title: T\ngenre: {}\nvoice: v\nlicence: l\nlanguage: en-GB\n---\n"
FILLER = " ".join(f"word{n}" for n in range(1, 121))

CaseJson = dict[str, Any]


def write(folder: Path, body: str, name: str = "doc", change: Callable[[CaseJson], None] | None = None) -> Path:
    """Build a case and, before it is written, change its JSON."""
    made = build_case(HEADER.format(f"kind of {name}") + body, name, name)
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in made.files.items():
        (folder / file).write_bytes(data)
    if change is not None:
        content = json.loads(made.files[made.json_name])
        change(content)
        (folder / made.json_name).write_text(json.dumps(content))
    return folder / made.json_name


async def report_on(*paths: Path, limits: Limits | None = None) -> Report:
    return await check_cases([str(path) for path in paths], limits=limits or Limits())


async def kinds(*paths: Path, limits: Limits | None = None) -> list[str]:
    return [finding.kind for finding in (await report_on(*paths, limits=limits)).findings]


def correction(find: str, replace: str, *accepted: str) -> Callable[[CaseJson], None]:
    def change(content: CaseJson) -> None:
        content["issues"][0]["expectedCorrection"] = {"find": find, "replace": replace}
        content["issues"][0]["acceptedCorrections"] = list(accepted)

    return change


async def test_sound_case_has_no_findings(tmp_path: Path) -> None:
    report = await report_on(write(tmp_path, f"The keeper ⟦were⇒was¦subject_verb_agreement⟧ asleep. {FILLER}"))
    assert report.is_clean
    (figures,) = report.cases
    assert (figures.id, figures.title, figures.genre) == ("doc", "T", "kind of doc")
    assert (figures.words, figures.issues, figures.is_control) == (124, 1, False)
    assert figures.per_1000_words == pytest.approx(1000 / 124)


async def test_what_cannot_be_loaded_is_found_and_the_rest_is_checked(tmp_path: Path) -> None:
    write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER}", "good")

    def spoil(content: CaseJson) -> None:
        content["issues"][0]["expectedCorrection"]["find"] = "not there"

    write(tmp_path, "A ⟦b⇒c¦misused_word⟧ d.", "bad", spoil)
    report = await report_on(tmp_path)
    (finding,) = report.findings
    assert (finding.kind, finding.case, finding.issue) == ("load", "bad", "issue-01")
    assert finding.field == "expectedCorrection.find"
    assert [case.id for case in report.cases] == ["good"]


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (correction("home", "home now"), "contained", "contains the other"),
        (correction("we went home", "we went"), "contained", "contains the other"),
        (correction("home", "went"), "unseen", "widen `find`"),
        (correction("home we", "home  we"), "invisible", "white space"),
        (correction("home", "house", "home too"), "accepted", "cannot see it"),
        (correction("home", "house", "house"), "accepted", "same as `replace`"),
        (correction("home", "house", "flat", "flat"), "accepted", "another accepted"),
        (correction("home", "house", ""), "accepted", "space too many"),
        (correction("home", "house", "flat "), "accepted", "space too many"),
    ],
)
async def test_correction_that_rule_v1_or_a_reader_cannot_see_is_found(
    tmp_path: Path, change: Callable[[CaseJson], None], kind: str, words: str
) -> None:
    file = write(tmp_path, f"Then we went ⟦home⇒house¦misused_word⟧ we said. {FILLER}", change=change)
    (finding,) = (await report_on(file)).findings
    assert (finding.kind, finding.case, finding.issue) == (kind, "doc", "issue-01")
    assert words in finding.message


async def test_category_that_the_taxonomy_lacks_is_found(tmp_path: Path) -> None:
    def change(content: CaseJson) -> None:
        content["issues"][0]["category"] = "ours.misprint"

    report = await report_on(write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER}", change=change))
    assert [finding.kind for finding in report.findings] == ["unknown_category"]
    assert report.categories["ours.misprint"] == 1


@pytest.mark.parametrize(
    "mark",
    [
        "⟦thoughtful⇒thinking¦omission⟧",
        "⟦a hat⇒that¦omission⟧",
        "⟦cot⇒beds¦omission⟧",
        "⟦form⇒from¦insertion⟧",
        "⟦cart⇒card¦transposition⟧",
        "⟦hand⇒hands¦duplication⟧",
        "⟦qat⇒cat¦fat_finger_typo⟧",
        "⟦London⇒Lundon¦capitalization_error⟧",
        "⟦well known⇒well-known¦spacing_error⟧",
        "⟦well known⇒well-know¦hyphenation_or_compounding_error⟧",
        "⟦its⇒it is¦apostrophe_error⟧",
        "⟦sat⇒sits¦missing_word⟧",
        "⟦sat⇒sat down¦extra_word⟧",
        "⟦home.⇒house.¦punctuation_error⟧",
        "⟦(sic⇒(sick)¦quotation_or_delimiter_error⟧",
        "⟦rain. He⇒rain, she¦sentence_boundary_error⟧",
        "⟦sat⇒sits¦misused_word¦operation: omission¦note: x⟧ but ⟦stood up⇒up he¦misused_word¦operation: duplication⟧",
        "⟦sat down⇒sat¦missing_word¦operation: omission⟧",
        "⟦sat⇒lay¦misused_word¦operation: transposition⟧",
        "⟦sat⇒sat up¦word_order_error¦operation: insertion⟧",
    ],
)
async def test_change_that_is_not_what_its_category_says_is_found(tmp_path: Path, mark: str) -> None:
    found = await kinds(write(tmp_path, f"One two three {mark} four five six. {FILLER}"))
    assert "contradiction" in found
    assert set(found) == {"contradiction"}


@pytest.mark.parametrize(
    "mark",
    [
        "⟦tradmark⇒trademark¦omission⟧",
        "⟦weighted⇒weighed¦insertion⟧",
        "⟦trail⇒trial¦transposition⟧",
        "⟦of the of the⇒of the¦duplication⟧",
        "⟦runwat⇒runway¦fat_finger_typo⟧",
        "⟦oplened⇒opened¦fat_finger_typo⟧",
        "⟦a board⇒aboard¦spacing_error⟧",
        "⟦non cultivation⇒non-cultivation¦hyphenation_or_compounding_error⟧",
        "⟦weeks⇒week’s¦apostrophe_error⟧",
        "⟦11.⇒11).¦quotation_or_delimiter_error⟧",
        "⟦rain. He⇒rain, he¦sentence_boundary_error⟧",
        "⟦had the man⇒the man had¦word_order_error⟧",
        "⟦All doors are not⇒Not all doors are¦negation_scope_error⟧",
    ],
)
async def test_change_that_is_what_its_category_says_is_let_pass(tmp_path: Path, mark: str) -> None:
    assert await kinds(write(tmp_path, f"One two three {mark} four five six. {FILLER}")) == []


async def test_classification_of_another_category_is_found(tmp_path: Path) -> None:
    def change(content: CaseJson) -> None:
        content["issues"][0]["classification"]["child"] = "idiom_error"

    report = await report_on(write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER}", change=change))
    assert [finding.kind for finding in report.findings] == ["contradiction", "contradiction"]
    assert "the category is lexical_choice_and_confusability.misused_word" in report.findings[0].message


async def test_issues_that_overlap_or_touch_are_found(tmp_path: Path) -> None:
    def change(content: CaseJson) -> None:
        content["issues"][1]["expectedCorrection"] = {"find": "bb c dd", "replace": "bb c d"}

    body = f"A ⟦bb⇒b¦insertion⟧ c ⟦dd⇒d¦insertion⟧ e. {FILLER} ⟦ff⇒f¦insertion⟧ ⟦gg⇒g¦insertion⟧ {FILLER}"
    found = (await report_on(write(tmp_path, body, change=change), limits=Limits(most_per_1000=None))).findings
    assert [(finding.kind, finding.issue) for finding in found if finding.kind in ("overlapping", "touching")] == [
        ("overlapping", "issue-02"),
        ("touching", "issue-04"),
    ]


def marks(count: int, between: int) -> str:
    gap = " ".join(["word"] * between)
    return f" {gap} ".join(f"⟦wrongg{n}⇒wrong{n}¦insertion⟧" for n in range(count))


async def test_too_many_issues_for_the_words_are_found(tmp_path: Path) -> None:
    body = "\n\n".join(f"{FILLER} ⟦wrongg{n}⇒wrong{n}¦insertion⟧ {FILLER}" for n in range(4))
    limits = Limits(most_per_1000=4, alike_share=2)
    (finding,) = (await report_on(write(tmp_path, body), limits=limits)).findings
    assert finding.kind == "density"
    assert "4.1 issues per 1,000 words" in finding.message


async def test_density_of_a_few_words_is_not_asked(tmp_path: Path) -> None:
    assert await kinds(write(tmp_path, "A ⟦b⇒c¦misused_word⟧ d.")) == []


async def test_too_few_issues_are_found_where_there_is_a_bound_but_not_in_controls(tmp_path: Path) -> None:
    sparse = write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER} {FILLER}", "sparse")
    control = write(tmp_path, "Nothing to mend.", "control")
    assert await kinds(sparse, control) == []
    assert await kinds(sparse, control, limits=Limits(least_per_1000=4.5)) == ["density"]


async def test_too_many_issues_in_a_paragraph_are_found(tmp_path: Path) -> None:
    body = f"{marks(3, 60)}\n\n{marks(4, 60)}\n\n{FILLER}"
    limits = Limits(most_per_1000=None, alike_share=2)
    (finding,) = (await report_on(write(tmp_path, body), limits=limits)).findings
    assert finding.kind == "clustering"
    assert "has 4 issues" in finding.message


async def test_issues_that_crowd_in_a_few_words_are_found_across_paragraphs(tmp_path: Path) -> None:
    limits = Limits(most_per_1000=None, alike_share=2)
    crowded = f"{FILLER}\n\n{marks(3, 10)}\n\n{marks(3, 10)}\n\n{FILLER}"
    (finding,) = (await report_on(write(tmp_path, crowded), limits=limits)).findings
    assert "6 issues lie within 100 words, from word 121" in finding.message
    loose = f"{FILLER}\n\n{marks(3, 30)}\n\n{FILLER}\n\n{marks(2, 30)}"
    assert await kinds(write(tmp_path, loose, "loose"), limits=limits) == []


async def test_issues_that_all_lie_in_one_third_are_found(tmp_path: Path) -> None:
    body = "\n\n".join([f"⟦wrongg{n}⇒wrong{n}¦insertion⟧ {FILLER}" for n in range(9)] + [FILLER] * 18)
    found = (await report_on(write(tmp_path, body), limits=Limits(alike_share=2))).findings
    assert [finding.message for finding in found] == ["9 of 9 issues lie in the first third of the text"]


async def test_paragraphs_that_are_much_alike_are_found_within_and_between_cases(tmp_path: Path) -> None:
    long = " ".join(f"token{n}" for n in range(40))
    write(tmp_path, f"{long} one\n\nOther words. {FILLER}\n\nand two {long}", "first")
    write(tmp_path, f"{long.upper()} three\n\ntoken1 token2", "second")
    found = (await report_on(tmp_path)).findings
    assert [(finding.kind, finding.case) for finding in found] == [("alike", "first")] + [("alike", "second")] * 2
    assert "paragraph 3 is much like paragraph 1 (" in found[0].message
    assert "of case first" in found[1].message


async def test_paragraph_that_is_all_in_a_longer_one_is_found(tmp_path: Path) -> None:
    long = [f"token{n}" for n in range(120)]
    assert await kinds(write(tmp_path, f"{' '.join(long)}\n\n{' '.join(long[40:65])}")) == ["alike"]


async def test_errors_planted_again_and_again_are_noted_but_are_no_finding(tmp_path: Path) -> None:
    for name in "abc":
        write(tmp_path, f"It went ⟦though⇒through¦real_word_spelling_error⟧ {name}. {name.join(FILLER)}", name)
    report = await report_on(tmp_path)
    assert report.is_clean
    (note,) = report.notes
    assert note.kind == "equal_errors"
    assert "a issue-01, b issue-01, c issue-01" in note.message


async def test_bounds_of_a_whole_set_are_checked_where_they_are_given(tmp_path: Path) -> None:
    file = write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER}")
    limits = Limits(least_of_each_category=1, largest_category_share=0.5)
    found = (await report_on(file, limits=limits)).findings
    assert len([finding for finding in found if "it should 1 times" in finding.message]) == 53
    assert [finding.message for finding in found if "makes 100.0%" in finding.message]


async def test_disqualified_issues_are_not_checked_and_are_counted_apart(tmp_path: Path) -> None:
    file = write(tmp_path, "Then we went ⟦home⇒house¦misused_word⟧.", change=correction("home", "home now"))
    listed = {"version": 1, "issues": [{"caseId": "doc", "issueId": "issue-01"}]}
    (tmp_path / "disqualified-issues.json").write_text(json.dumps(listed))
    report = await report_on(file)
    assert report.is_clean
    assert (report.cases[0].issues, report.cases[0].disqualified, report.cases[0].is_control) == (0, 1, True)


async def test_report_as_json_has_totals_and_every_category(tmp_path: Path) -> None:
    write(tmp_path, f"A ⟦b⇒c¦misused_word⟧ d. {FILLER}", "one")
    write(tmp_path, "Nothing to mend.", "two")
    content = json.loads(json.dumps((await report_on(tmp_path)).as_json()))
    assert content["totals"] == {"cases": 2, "controls": 1, "words": 126, "issues": 1, "genres": 2}
    assert len(content["categories"]) == 54
    assert content["findings"] == []


async def test_nothing_to_read_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        await report_on(tmp_path / "gone")
