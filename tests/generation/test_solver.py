from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from errata_bench.cases.header import Header
from errata_bench.chat import ChatReply, ChatRequest, ignore_attempt
from errata_bench.generation.journal import open_journal
from errata_bench.generation.output import Place, build_output
from errata_bench.generation.solver import Solved, SolverModels, SolverReport, solve
from errata_bench.generation.windows import split_into_windows
from tests.generation.sketches import placed, proposal, source, user_text
from tests.support.doubles import ScriptedModel, calling, complete, find_and_replace, tool_call
from tests.support.models import paragraph_ids

CHANGES = (
    placed(proposal("subject_verb_agreement", "lamp was asleep", "was", "were")),
    placed(proposal("misused_word", "last entry, which", "entry,", "entrance,")),
)
Answer = Callable[[ChatRequest], ChatReply]


def judging(valid: bool) -> Answer:
    return lambda _: calling(tool_call("judge_fix", {"reason": "r", "valid": valid}))


async def reports(
    folder: Path, solver: Answer, valid: bool = True
) -> tuple[tuple[SolverReport, ...], ScriptedModel, ScriptedModel]:
    made = source()
    built, _, by_id = build_output(made, CHANGES, Header("T", "g", "v", "l", "en"), Place(folder, "x"))
    solving, judge = ScriptedModel(solver), ScriptedModel(judging(valid))
    with open_journal(folder / "j.ndjson", {}) as journal:
        models = SolverModels(lambda key: journal.model(solving, key), lambda key: journal.model(judge, key))
        windows = split_into_windows(made, 45)
        found = await solve(built.case, by_id, made, windows, models, journal, ignore_attempt)
    return found, solving, judge


def mending(request: ChatRequest, **fixes: str) -> ChatReply:
    """A solver that replaces words wherever it sees them."""
    prompt = user_text(request)
    calls = [
        find_and_replace(paragraph, wrong, right)
        for paragraph, line in zip(paragraph_ids(request), prompt.split("<p ")[1:], strict=True)
        for wrong, right in fixes.items()
        if wrong in line
    ]
    return calling(*calls, complete())


async def test_what_is_mended_as_expected_is_found_in_the_first_try(tmp_path: Path) -> None:
    found, solving, judge = await reports(tmp_path, lambda request: mending(request, were="was", entrance="entry"))
    assert [(report.solved, report.tries) for report in found] == [(Solved.FOUND, 1)] * 2
    assert len(solving.requests) == 2 and judge.requests == []
    assert all("were" not in str(request.messages[0]) for request in solving.requests)  # no hint of what is planted


async def test_what_is_never_mended_is_reported_after_three_tries(tmp_path: Path) -> None:
    found, solving, _ = await reports(tmp_path, lambda request: mending(request, were="was"))
    assert [(report.solved, report.tries) for report in found] == [(Solved.FOUND, 1), (Solved.NOT_FOUND, 3)]
    assert len(solving.requests) == 1 + 3


async def test_another_valid_mending_is_reported_with_the_paragraph(tmp_path: Path) -> None:
    found, _, judge = await reports(tmp_path, lambda request: mending(request, were="lay", entrance="entry"))
    assert found[0].solved is Solved.OTHER_FIX
    assert "lamp lay asleep" in (found[0].paragraph or "")
    assert "lamp lay asleep" in user_text(judge.requests[0])


async def test_another_mending_that_is_not_valid_counts_as_none(tmp_path: Path) -> None:
    found, _, judge = await reports(
        tmp_path, lambda request: mending(request, were="lay", entrance="entry"), valid=False
    )
    assert found[0].solved is Solved.NOT_FOUND
    assert len(judge.requests) == 3


async def test_the_solver_is_not_asked_again_what_it_has_answered(tmp_path: Path) -> None:
    first, _, _ = await reports(tmp_path, lambda request: mending(request, were="lay"))
    second, solving, judge = await reports(tmp_path, lambda _: calling(complete()))
    assert second == first
    assert (solving.requests, judge.requests) == ([], [])
