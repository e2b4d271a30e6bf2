from __future__ import annotations

from typing import Any

import pytest

from errata_bench.chat import ChatReply
from errata_bench.scoring.judge.prompts import RECORD_VERDICTS, Conclusion
from errata_bench.scoring.judge.reading import JudgeVerdict, contradiction, read_verdicts
from tests.support.doubles import calling, saying, tool_call, unreadable_call
from tests.support.judging import GOOD_REASON, answer, verdict

NAMES = ("E1", "E2")


def entry(**fields: Any) -> dict[str, Any]:
    return {**verdict("E1"), **fields}


def test_a_reply_that_names_exactly_what_was_asked_is_taken() -> None:
    reading = read_verdicts(answer(verdict("E2", False), verdict("E1")), NAMES)
    assert reading.problem is None
    assert reading.contradicted == ()
    assert list(reading.verdicts) == ["E1", "E2"]
    assert reading.verdicts["E1"] == JudgeVerdict(True, Conclusion.MENDED, GOOD_REASON)
    assert not reading.verdicts["E2"].valid


def test_verdicts_may_come_in_several_calls() -> None:
    calls = [tool_call(RECORD_VERDICTS, {"verdicts": [verdict(name)]}) for name in NAMES]
    assert set(read_verdicts(calling(*calls), NAMES).verdicts) == set(NAMES)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (answer(verdict("E1")), "no verdict on E2"),
        (answer(verdict("E1"), verdict("E2"), verdict("E3")), "Nobody asked about 'E3'"),
        (answer(verdict("E1"), verdict("E2"), verdict("E2")), "more than one verdict on E2"),
        (answer(verdict("E1"), verdict("E2"), verdict("E2", False)), "more than one verdict on E2"),
        (answer(verdict("issue-01"), verdict("issue-02")), "no verdict on E1, E2"),
        (answer(), "no verdict on E1, E2"),
        (saying("Both are valid."), "did not call record_verdicts"),
        (calling(tool_call("find_and_replace", {"verdicts": [verdict("E1"), verdict("E2")]})), "did not call"),
        (calling(unreadable_call(RECORD_VERDICTS, "{")), "no JSON object"),
        (calling(unreadable_call(RECORD_VERDICTS, "{", "Cut in the middle.")), "Cut in the middle."),
        (calling(tool_call(RECORD_VERDICTS, {"verdicts": "all valid"})), "verdicts: "),
        (calling(tool_call(RECORD_VERDICTS, {})), "verdicts: "),
        (answer(verdict("E1"), verdict("E2"), truncated=True), "cut off"),
    ],
)
def test_any_other_reply_is_not_taken_and_the_judge_is_told_why(reply: ChatReply, told: str) -> None:
    reading = read_verdicts(reply, NAMES)
    assert reading.verdicts == {}
    assert reading.problem is not None
    assert told in reading.problem
    assert reply.truncated or "E1, E2" in reading.problem


@pytest.mark.parametrize(
    "fields",
    [
        {"valid": None},
        {"valid": 1},
        {"valid": "yes"},
        {"valid": [True]},
        {"reason": ""},
        {"reason": "  "},
        {"reason": None},
        {"conclusion": "valid"},
        {"conclusion": ""},
        {"error": 1},
        {"error": None},
    ],
    ids=str,
)
def test_a_verdict_is_never_guessed(fields: dict[str, Any]) -> None:
    assert read_verdicts(answer(entry(**fields)), ["E1"]).problem is not None


@pytest.mark.parametrize("missing", ["error", "reason", "conclusion", "valid"])
def test_a_verdict_without_one_of_its_parts_is_none(missing: str) -> None:
    fields = {key: value for key, value in entry().items() if key != missing}
    assert read_verdicts(answer(fields), ["E1"]).problem is not None


@pytest.mark.parametrize(("spelt", "valid"), [("true", True), (" False ", False)])
def test_a_boolean_may_come_as_a_word(spelt: str, valid: bool) -> None:
    conclusion = "mended" if valid else "new_error"
    reading = read_verdicts(answer(entry(valid=spelt, conclusion=conclusion)), ["E1"])
    assert reading.verdicts["E1"].valid is valid


def test_the_tool_may_be_named_with_a_prefix_or_in_other_capitals() -> None:
    for name in ("functions.record_verdicts", "Record_Verdicts"):
        assert read_verdicts(calling(tool_call(name, {"verdicts": [entry()]})), ["E1"]).problem is None


@pytest.mark.parametrize(
    ("valid", "conclusion", "reason", "contradicts"),
    [
        (True, "mended", "The word is right now.", False),
        (False, "still_wrong", "The error is there.", False),
        (True, "still_wrong", "x", True),
        (True, "removed", "x", True),
        (False, "mended", "x", True),
        (True, "mended", "It says something else. So it is not valid.", True),
        (True, "mended", "It says something else; therefore, this edit is invalid.", True),
        (False, "new_error", "The word is fine. The fix is valid.", True),
        (False, "new_error", "It is thus an acceptable correction!", True),
        # What is said of words, or of anything but the fix as a whole, is no verdict.
        (True, "mended", "The old word was not valid. It is gone.", False),
        (True, "mended", "The wrong spelling is not a valid word.", False),
        (False, "meaning_changed", "It is a valid word, but it means something else.", False),
        (False, "meaning_changed", "The grammar is correct.", False),
        (False, "still_wrong", "It is valid English but the error is still there.", False),
        (True, "mended", "One might say that it is not valid. But it says the same.", False),
        (True, "mended", "So it is valid.", False),
        (False, "removed", "Hence the edit is not acceptable.", False),
    ],
)
def test_a_verdict_contradicts_itself_only_where_it_says_so_outright(
    valid: bool, conclusion: str, reason: str, contradicts: bool
) -> None:
    reading = read_verdicts(answer(verdict("E1", valid, conclusion=conclusion, reason=reason)), ["E1"])
    assert (reading.contradicted == ("E1",)) is contradicts


def test_a_contradiction_is_told_with_the_judges_own_words() -> None:
    reading = read_verdicts(answer(verdict("E1"), verdict("E2", conclusion="removed", reason="It is gone.")), NAMES)
    told = contradiction(reading)
    assert "E2: your reason says 'It is gone.', your conclusion is removed, your verdict is valid=true." in told
    assert "on no others: E2." in told
    assert "E1" not in told
