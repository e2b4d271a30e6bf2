"""A small group whose figures can be worked out by hand.

Cases: ``letter`` (three errors: a typo, a transposition, one of a category that the taxonomy does not have), ``memo``
(two typos), ``blank`` (a control). Each paragraph is a chunk.

===================  ==========================================================================================
``org/alpha:low``    letter twice: the first run fixes 1 and 2, the second fixes 1 and makes 2 ``tge``, which the
                     judge rejects; memo: both fixed; blank: one edit
``org/beta:high``    letter: 1 becomes ``thee``, which nobody has judged, and in 3 ``sentence`` becomes ``phrase``;
                     memo: failed
``baseline/oracle``  letter and memo: everything fixed
===================  ==========================================================================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from errata_bench.cases.model import Case
from errata_bench.chat import Attempt, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.runs.scoring import score_stored_run
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.store.group import Group, read_group, write_group
from errata_bench.store.judgments import Judgment
from errata_bench.variants import Variant
from tests.support.builders import make_case
from tests.support.stored import key_of

ALPHA = Variant("org/alpha", "low")
BETA = Variant("org/beta", "high")
ORACLE = Variant("baseline/oracle", None)
TYPO = "orthography_and_word_form.fat_finger_typo"
TRANSPOSITION = "orthography_and_word_form.transposition"
HOUSE_STYLE = "house_style"
REASON = "\u201ctge\u201d is no word."


def categorised(case: Case, *categories: str) -> Case:
    """The case with these categories of its issues."""
    issues = [dataclasses.replace(issue, category=one) for issue, one in zip(case.issues, categories, strict=True)]
    return dataclasses.replace(case, issues=tuple(issues))


LETTER = categorised(make_case("letter", 3), "fat_finger_typo", TRANSPOSITION, HOUSE_STYLE)
MEMO = categorised(make_case("memo", 2), TYPO, TYPO)
BLANK = make_case("blank", 2, issues=False)


def put(case: Case, **words: str) -> dict[str, str]:
    """The paragraphs named, with another word in place of ``teh``."""
    found = {}
    for paragraph_id, word in words.items():
        paragraph = case.document.get(paragraph_id)
        assert paragraph is not None
        found[paragraph_id] = paragraph.inner_html.replace("teh", word)
    return found


def add_run(
    group: Group,
    case: Case,
    variant: Variant,
    finals: Mapping[str, str],
    *,
    sample: int = 1,
    rejected: Mapping[str, str] | None = None,
    accepted: Mapping[str, str] | None = None,
    said: str = "",
) -> int:
    """Keep a successful run that left these paragraphs like this.

    ``rejected`` and ``accepted`` are issues with a judge's reason.
    """
    group.add_case(case)
    run_id = group.begin_run(key_of(case, variant), sample, len(case.document), 1000.0, "1.0")
    for index, paragraph in enumerate(case.document):
        before = Document((paragraph,))
        inner_html = finals.get(paragraph.id, paragraph.inner_html)
        call = CallRecord("replace_paragraph", {"paragraphId": paragraph.id}, "{}", True, "Replaced.", 1)
        turn = Turn({"role": "assistant", "content": said}, (call,), Usage(100, 20, 5, 0), 0.5, 30.0, "tool_calls")
        group.add_attempt(run_id, index, "candidate", Attempt(1000.0, 30.0, "ok", 200, Usage(100, 20), 0.5))
        group.add_chunk(run_id, index, before, ChunkResult((Paragraph(paragraph.id, inner_html),), (turn,), True), 1.0)
    for valid, judged in ((False, rejected or {}), (True, accepted or {})):
        conclusion = Conclusion.MENDED if valid else Conclusion.STILL_WRONG
        for issue_id, reason in judged.items():
            key = f"{run_id} {issue_id}"
            judgment = Judgment("org/judge:low", "j1", valid, conclusion, reason, JudgingUse(10, 5, 0.01), 2.0)
            group.judgments.add({key: judgment})
            group.judgments.rest_on(run_id, {issue_id: key})
    chunks = [Document((paragraph,)) for paragraph in case.document]
    group.finish_run(run_id, *score_stored_run(group, run_id, case, chunks), 1060.0)
    return run_id


def fill(group: Group) -> None:
    """Put the runs above into a group."""
    fixed = {"para01": "the", "para02": "the"}
    add_run(group, LETTER, ALPHA, put(LETTER, **fixed))
    bad = put(LETTER, para01="the", para02="tge")
    add_run(group, LETTER, ALPHA, bad, sample=2, rejected={"issue-02": REASON})
    add_run(group, MEMO, ALPHA, put(MEMO, **fixed))
    add_run(group, BLANK, ALPHA, {"para01": "Here is teh sentence of blank, number one."})
    other = {"para03": "Here is teh phrase of letter, number 3."}
    add_run(group, LETTER, BETA, {**put(LETTER, para01="thee"), **other})
    group.add_case(MEMO)
    failed = group.begin_run(key_of(MEMO, BETA), 1, 2, 1000.0, "1.0")
    group.fail_run(failed, 0, EndpointFault("timeout", "no answer", reach=Reach.RUN), 1001.0)
    for case in (LETTER, MEMO):
        add_run(group, case, ORACLE, {p.id: p.inner_html for p in case.expected})


@contextmanager
def small_group(folder: Path) -> Iterator[Group]:
    """The group above, open for reading."""
    path = folder / "small.sqlite"
    with write_group(path) as group:
        fill(group)
    with read_group(path) as group:
        yield group
