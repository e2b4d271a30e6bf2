from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from errata_bench.cases.model import Case, Issue
from errata_bench.document import Document, Paragraph
from errata_bench.scoring.rule_v1 import contains
from errata_bench.scoring.tool_use import EditCall, ToolUse, argument_chars, measure_tool_use
from errata_bench.text import normalise
from tests.support.builders import make_case

ALL = frozenset({"issue-01", "issue-02", "issue-03"})


def replace(paragraph_id: str, find: str, replacement: str, *, ok: bool = True) -> EditCall:
    arguments = {"paragraphId": paragraph_id, "find": find, "replace": replacement}
    return EditCall("find_and_replace", arguments, json.dumps(arguments), ok)


def rewrite(paragraph_id: str, inner_html: str) -> EditCall:
    arguments = {"paragraphId": paragraph_id, "newParagraphHtml": f'<p id="{paragraph_id}">{inner_html}</p>'}
    return EditCall("replace_paragraph", arguments, json.dumps(arguments), ok=True)


def two_in_one() -> Case:
    """Two errors in one paragraph."""
    wrong, right = "We recieve teh post.", "We receive the post."
    return Case(
        "two",
        "",
        Document((Paragraph("p", wrong),)),
        Document((Paragraph("p", right),)),
        (Issue("a", "c", "p", "recieve", "receive", 3), Issue("b", "c", "p", "teh", "the", 11)),
    )


@pytest.mark.parametrize(
    ("find", "extra"),
    [("abc", 0), ("é", -2), ("😀", -1), ('"', -1), ("\\", -1), ("\n", -1), ("\u2028", -2)],
    ids=ascii,
)
def test_arguments_are_counted_as_a_browser_counts_its_compact_json(find: str, extra: int) -> None:
    empty = len('{"paragraphId":"p","find":"","replace":"x"}')
    assert argument_chars(replace("p", find, "x")) == empty + 3 + extra


def test_of_arguments_that_could_not_be_read_what_was_sent_is_counted() -> None:
    assert argument_chars(EditCall("find_and_replace", {}, '{"find": "😀', False)) == 12


def test_a_call_that_removes_a_planted_error_is_benchmark_work() -> None:
    call = replace("para01", "teh", "the")
    use = measure_tool_use(make_case(), [call], ALL)
    assert use == ToolUse(benchmark_calls=1, benchmark_chars=argument_chars(call))


def test_an_error_that_is_not_fixed_in_the_end_is_off_target() -> None:
    call = replace("para01", "teh", "a")
    use = measure_tool_use(make_case(), [call], ALL - {"issue-01"})
    assert use == ToolUse(off_target_calls=1, off_target_chars=argument_chars(call))


@pytest.mark.parametrize(
    "call",
    [
        replace("para01", "teh", "the", ok=False),
        replace("para01", "teh", "teh"),
        replace("para01", "Here", "There"),
        EditCall("find_and_replace", {}, "{not json", ok=False),
        replace("nowhere", "teh", "the", ok=False),
    ],
    ids=["failed", "no-op", "elsewhere", "unreadable", "unknown paragraph"],
)
def test_failed_and_idle_edits_and_edits_elsewhere_are_off_target(call: EditCall) -> None:
    use = measure_tool_use(make_case(), [call], ALL)
    assert use == ToolUse(off_target_calls=1, off_target_chars=argument_chars(call))


def test_the_end_of_a_chunk_and_unknown_tools_are_no_edits() -> None:
    calls = [
        EditCall("proofreading_complete", {"note": "All done."}, '{"note": "All done."}', True),
        EditCall("delete_everything", {}, "{}", False),
    ]
    assert measure_tool_use(make_case(), calls, ALL) == ToolUse()


def test_an_error_is_claimed_once() -> None:
    back_and_forth = [
        replace("para01", "teh", "the"),
        replace("para01", "the", "teh"),
        replace("para01", "teh", "the"),
    ]
    use = measure_tool_use(make_case(), back_and_forth, ALL)
    assert (use.benchmark_calls, use.off_target_calls) == (1, 2)


def test_the_order_of_execution_decides_which_call_claims() -> None:
    first, second = replace("p", "recieve teh", "receive the"), replace("p", "the", "the")
    use = measure_tool_use(two_in_one(), [first, second], {"a", "b"})
    assert (use.benchmark_calls, use.benchmark_chars) == (1, argument_chars(first))
    assert use.off_target_calls == 1


def test_a_rewrite_is_benchmark_work_while_errors_of_its_paragraph_are_left() -> None:
    first = rewrite("p", "We recieve teh mail.")
    second = rewrite("p", "We receive the mail.")
    third = rewrite("p", "We receive the letters.")
    use = measure_tool_use(two_in_one(), [first, second, third], {"a", "b"})
    assert (use.benchmark_calls, use.off_target_calls) == (2, 1)
    assert use.benchmark_rewrite_chars == use.benchmark_chars == argument_chars(first) + argument_chars(second)
    assert use.off_target_chars == argument_chars(third)
    assert use.rewrite_share == 1.0


def test_a_rewrite_that_changes_white_space_alone_is_off_target() -> None:
    use = measure_tool_use(two_in_one(), [rewrite("p", "We  recieve teh post.")], {"a", "b"})
    assert (use.benchmark_calls, use.off_target_calls) == (0, 1)


def test_a_rewrite_of_a_paragraph_without_fixed_errors_is_off_target() -> None:
    use = measure_tool_use(two_in_one(), [rewrite("p", "Nothing.")], set())
    assert (use.benchmark_calls, use.off_target_calls) == (0, 1)


def test_a_disqualified_error_makes_no_benchmark_work() -> None:
    case = make_case()
    case = dataclasses.replace(case, issues=(dataclasses.replace(case.issues[0], disqualified=True),))
    assert measure_tool_use(case, [replace("para01", "teh", "the")], ALL).benchmark_calls == 0


TEXT = st.text(alphabet="ab 'é", min_size=1, max_size=12)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=4), TEXT)
def test_an_error_is_claimed_exactly_when_its_text_was_there_and_is_gone(
    before: str, finds: list[str], after: str
) -> None:
    issues = tuple(Issue(f"i{n}", "c", "p", normalise(find), "zz", 0) for n, find in enumerate(finds))
    document = Document((Paragraph("p", normalise(before).strip()),))
    case = Case("c", "", document, document, issues)
    left = Document((Paragraph("p", normalise(after).strip()),))
    gone = [
        contains(document.html, issue.find) and not contains(left.html, issue.find)
        for issue in issues
        if document.html != left.html
    ]
    assume(document.paragraphs[0].inner_html)
    call = replace("p", document.paragraphs[0].inner_html, left.paragraphs[0].inner_html)
    assert measure_tool_use(case, [call], {issue.id for issue in issues}).benchmark_calls == any(gone)


def test_shares_without_any_edit_are_zero() -> None:
    assert (ToolUse().off_target_share, ToolUse().rewrite_share) == (0.0, 0.0)


def test_shares_are_of_characters() -> None:
    use = ToolUse(
        benchmark_calls=1, benchmark_chars=30, off_target_calls=9, off_target_chars=10, benchmark_rewrite_chars=15
    )
    assert (use.calls, use.chars, use.off_target_share, use.rewrite_share) == (10, 40, 0.25, 0.5)
