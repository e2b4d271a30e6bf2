from __future__ import annotations

import pytest

from errata_bench.chat import ignore_attempt
from errata_bench.generation.proposals import Fate
from errata_bench.generation.reviewer import Confidence, Review, judge_fix, review
from tests.generation.sketches import placed, proposal, reviewed, source, user_text
from tests.support.doubles import ScriptedModel, calling, saying, tool_call

CHANGE = placed(proposal("subject_verb_agreement", "lamp was asleep", "was", "were"))


async def test_a_reviewer_sees_window_change_and_definition() -> None:
    model = ScriptedModel([reviewed(also_right=["had been", "was", "⟪lay⟫", "had been", " "])])
    said = await review(model, CHANGE, source().paragraphs, ignore_attempt)
    assert said == Review(True, Confidence.HIGH, "As it is.", ("had been", "lay"))
    prompt = user_text(model.requests[0])
    assert "The verb does not agree" in prompt
    assert "lamp were asleep" in prompt and "lamp was asleep" in prompt
    assert "⟪were⟫ stands where ⟪was⟫ belongs" in prompt
    assert model.requests[0].temperature == 0.0


async def test_no_answer_is_no_review() -> None:
    model = ScriptedModel([saying("good"), reviewed(confidence="very"), saying("good")])
    assert await review(model, CHANGE, source().paragraphs, ignore_attempt) is None


@pytest.mark.parametrize(
    ("accepted", "confidence", "least", "fate"),
    [
        (True, "high", "high", None),
        (True, "medium", "medium", None),
        (True, "low", "medium", Fate.UNSURE),
        (True, "medium", "high", Fate.UNSURE),
        (True, "low", "low", None),
        (False, "low", "low", Fate.REJECTED),
        (False, "high", "low", Fate.REJECTED),
    ],
)
def test_acceptance_needs_the_confidence_that_is_asked_for(
    accepted: bool, confidence: str, least: str, fate: Fate | None
) -> None:
    refusal = Review(accepted, Confidence(confidence), "why").refusal(Confidence(least))
    assert (None if refusal is None else refusal.fate) == fate
    assert refusal is None or "why" in refusal.reason


async def test_other_mendings_are_judged_beside_the_clean_text() -> None:
    def answer(valid: bool) -> ScriptedModel:
        return ScriptedModel([calling(tool_call("judge_fix", {"reason": "r", "valid": valid}))])

    paragraph = source().paragraphs[0]
    for valid in (True, False):
        model = answer(valid)
        assert await judge_fix(model, CHANGE, paragraph, "The keeper lay asleep.", ignore_attempt) is valid
        assert "The keeper lay asleep." in user_text(model.requests[0])
    assert await judge_fix(ScriptedModel([saying("x")] * 3), CHANGE, paragraph, "x", ignore_attempt) is None
