from __future__ import annotations

import io
import json
from collections import Counter

import pytest
from rich.console import Console

from errata_bench.endpoint.spending import SpendRefused
from errata_bench.errors import EndpointFault, Reach
from errata_bench.results.audit import Agreement, Audit, Disagreement, Reliance, Standing
from errata_bench.results.edits import EditReport, GroupEdits, RealFlaw
from errata_bench.results.judging import JudgedFix
from errata_bench.runs.rejudging import GapReport
from errata_bench.scoring.judge.edits import EditClass
from errata_bench.scoring.judge.questions import ParagraphQuestions, Question
from errata_bench.variants import Variant
from errata_bench.views.audit import agreement_lines, audit_json, gap_lines, print_audit
from errata_bench.views.edits import edit_lines
from tests.support.builders import make_case, make_settings

HOSTILE = "\x1b[31mred\n[bold]x[/bold]\u202e"
VARIANT = Variant("org/model", "low")


def standing(**fields: object) -> Standing:
    given = {
        "variant": VARIANT,
        "settings": make_settings(judge="org/j:low"),
        "quality": 0.6,
        "lenient": 0.9,
        "strict": 0.375,
        "rank": 1,
        "lenient_rank": 1,
        "strict_rank": 3,
        "unjudged": 0.125,
        **fields,
    }
    return Standing(**given)  # type: ignore[arg-type]


def agreement(text: str = "Here is some sentence.") -> Agreement:
    question = Question(make_case().issues[0], "Here is teh sentence.", text)
    fix = JudgedFix("org/j:low", "letter", ParagraphQuestions("p", "x", text, (question,)), True, text, 2)
    return Agreement("org/j:low", "org/k:low", 20, 15, 5, 10, 2, (Disagreement(fix, False, text),))


def printed(audit: Audit, width: int = 100) -> str:
    out = io.StringIO()
    print_audit(Console(file=out, width=width, highlight=False, markup=False), audit)
    return out.getvalue()


def test_an_audit_shows_what_rests_on_the_judge_and_how_far_ranks_move() -> None:
    shown = printed(Audit("g", Reliance((standing(), standing(rank=2, strict_rank=2, lenient_rank=2))), (), 7, 4))
    first = next(line for line in shown.splitlines() if "org/model:low" in line)
    assert first.split()[-8:] == ["0.600", "37.5%", "12.5%", "0.375", "3", "(-2)", "0.900", "1"]
    assert "7 distinct fixes judged; 4 fixes of runs unjudged." in shown
    assert "The largest move is 2 ranks." in shown


def test_a_group_without_runs_says_so() -> None:
    assert "holds no successful run" in printed(Audit("g", Reliance(()), (), 0, 0))


def test_an_agreement_lists_every_disagreement_with_both_reasons() -> None:
    lines = list(agreement_lines(agreement()))
    assert lines[0] == "org/j:low and org/k:low on 50 distinct fixes:"
    assert "agreement 70.0%, Cohen's kappa 0.400" in lines[1]
    assert "2 fixes without a verdict of the second" in lines[2]
    assert lines[3:] == [
        "  letter, issue-01 (2 runs): teh → the",
        "    left as: Here is some sentence.",
        "    valid by the first: Here is some sentence.",
        "    not valid by the second: Here is some sentence.",
    ]


def test_no_text_of_documents_or_judges_reaches_the_terminal_as_it_is() -> None:
    shown = printed(Audit("g", Reliance((standing(),)), (agreement(HOSTILE),), 1, 0))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[bold]x[/bold]" in shown


def test_json_holds_all_of_it_and_null_for_what_does_not_exist() -> None:
    content = json.loads(audit_json(Audit("g", Reliance((standing(quality=0.0),)), (agreement(HOSTILE),), 1, 0)))
    assert content["variants"][0]["judged_share"] is None
    assert content["kendall_tau_strict"] is None
    assert content["agreements"][0]["kappa"] == pytest.approx(0.4)
    assert content["agreements"][0]["disagreements"][0]["second_reason"] == HOSTILE


def test_filled_gaps_are_told_with_what_is_left() -> None:
    fault = EndpointFault("unknown_model", f"No {HOSTILE}", reach=Reach.VARIANT, mend="Check it.")
    report = GapReport(
        runs=2,
        before=6,
        after=1,
        filed=1,
        without_texts=1,
        left_alone=Counter({"org/k:low": 2, "": 1, "org/l:low": 0}),
        faults={VARIANT: fault},
        refused=SpendRefused(1.0, 0.5),
    )
    lines = list(gap_lines("g", report))
    assert lines[0] == "5 fixes of 2 runs judged, 1 still unjudged; the runs are scored anew."
    assert "1 run without a judge until now is filed under it." in lines
    assert "2 runs filed under the judge org/k:low left as they are; name the judge with --judge-model." in lines
    assert "1 run without a judge left as it is; name the judge with --judge-model." in lines
    assert not any("org/l" in line for line in lines)
    assert "1 run without stored texts cannot be judged." in lines
    assert any(line.startswith("Stopped by --max-cost") for line in lines)
    assert lines[-1] == "  Check it."
    assert "\x1b" not in "".join(lines)
    assert list(gap_lines("g", GapReport())) == ["Nothing to judge in the group g."]


def test_edits_are_told_by_class_with_how_far_to_trust_the_judge() -> None:
    report = EditReport(
        judge="org/j:low",
        classes={VARIANT: {EditClass.REAL_FLAW_FIXED: 2, EditClass.HARMFUL: 1}},
        unjudged={VARIANT: 3},
        compared=8,
        disagreed=2,
        gold_judged=40,
        gold_right=38,
        real_flaws=(RealFlaw("letter", "p", "", HOSTILE, HOSTILE, 2),),
    )
    lines = list(edit_lines(GroupEdits((), (), ("odd",), 1), report))
    assert "  org/model:low: real flaws fixed 2, harmless 0, preferential 0, harmful 1, unjudged 3" in lines
    assert any("25.0% of 8 distinct edits" in line and "38 of 40 planted errors" in line for line in lines)
    assert "The case odd cannot be aligned; its edits are left out." in lines
    assert any("(nothing) → " in line for line in lines)
    assert "\x1b" not in "".join(lines)
