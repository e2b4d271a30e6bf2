"""Groups for the web viewer: a small one in which scripts are planted wherever text comes from outside."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from errata_bench.cases.model import Case, Classification, Issue
from errata_bench.chat import Attempt, Usage
from errata_bench.document import Document, Paragraph
from errata_bench.errors import EndpointFault, Reach
from errata_bench.proofreading.loop import CallRecord, ChunkResult, Turn
from errata_bench.runs.scoring import score_stored_run
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.store.group import Group, write_group
from errata_bench.store.judgments import Judgment
from errata_bench.store.records import RunKey
from errata_bench.variants import Variant
from tests.support.builders import make_case, make_settings

SCRIPT = "<script>window.planted=1</script>"
IMAGE = '"><img src=x onerror="window.planted=1">'
BREAKOUT = "</script><script>window.planted=1</script>"
TEMPLATE = "{{7*7}}${7*7}\u2028"
HOSTILE = f"{SCRIPT}{IMAGE}{BREAKOUT}{TEMPLATE}"

ALPHA = Variant("alpha/one", "low")
ALPHA_HIGH = Variant("alpha/one", "high")
BETA = Variant("beta/two", "high")
EVIL = Variant(f"evil/{SCRIPT}", "low")
FAILING = Variant("gamma/fails", "low")
UNFINISHED = Variant("delta/slow", "low")


@dataclass(frozen=True, slots=True)
class Doing:
    """What a model does with each paragraph of a case, by number from 1.

    ``fixed`` get the right text, ``altered`` another one; ``stray`` are edited elsewhere.
    """

    fixed: tuple[int, ...] = ()
    altered: tuple[int, ...] = ()
    stray: tuple[int, ...] = ()


def plain_case(case_id: str = "letter", paragraphs: int = 6, **fields: object) -> Case:
    """A case whose errors are of two kinds, with a last paragraph in which nothing is planted."""
    case = make_case(case_id, paragraphs)
    labels = ("orthography_and_word_form.omission", "grammar_and_syntax.missing_word")
    issues = tuple(
        dataclasses.replace(issue, category=labels[n % 2], classification=classification(labels[n % 2]))
        for n, issue in enumerate(case.issues)
    )
    last = Paragraph("paraXX", f"Nothing at all is wrong with the last one of {case_id}.")
    return dataclasses.replace(
        case,
        document=Document((*case.document, last)),
        expected=Document((*case.expected, last)),
        issues=issues,
        **fields,  # type: ignore[arg-type]
    )


def hostile_case() -> Case:
    """A case that plants scripts: in its name, its instruction, its text (as text and as tags), and its issues."""
    text = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    document = Document(
        (
            Paragraph("evil01", f"Here is teh first {text} of them."),
            Paragraph(
                "evil02", 'A paragraph with <b onclick="window.planted=1">tags</b> <script>window.planted=1</script>.'
            ),
        )
    )
    expected = Document(
        (Paragraph("evil01", document.paragraphs[0].inner_html.replace("teh", "the")), document.paragraphs[1])
    )
    issue = Issue(
        f"issue{SCRIPT}", f"kind.{SCRIPT}", "evil01", "teh", "the", 8, description=HOSTILE, accepted=("th&lt;b&gt;",)
    )
    return Case(f"case{IMAGE}", HOSTILE, document, expected, (issue,), source_name=HOSTILE)


def classification(label: str) -> Classification:
    """A classification of a label."""
    parent, _, child = label.partition(".")
    return Classification(label, parent, child, "minor", "token", "substitution", False, "orthographic")


def add_run(
    group: Group, case: Case, variant: Variant, doing: Doing, sample: int = 1, note: str = "", judged: str = ""
) -> int:
    """A finished run, all of the document in one chunk; with ``judged`` a judge refuses what it altered, so saying."""
    settings = make_settings(max_words=0)
    group.add_case(case)
    run_id = group.begin_run(RunKey(settings, variant, case.fingerprint), sample, 1, 1_750_000_000.0, "1.0")
    result = _worked(case, doing, note)
    group.add_attempt(
        run_id, 0, "candidate", Attempt(1_750_000_001.0, 1.0, "rate_limited", 429, message=note or "slow")
    )
    group.add_attempt(run_id, 0, "candidate", Attempt(1_750_000_002.0, 2.0, "ok", 200, Usage(100, 20), 0.01))
    group.add_chunk(run_id, 0, case.document, result, 1_750_000_003.0)
    if judged:
        altered = [case.issues[n - 1].id for n in doing.altered]
        keys = {issue_id: f"{run_id} {issue_id}" for issue_id in altered}
        opinion = Judgment(
            "judge/x", "p", False, Conclusion.NEW_ERROR, judged, JudgingUse(1, 1, 0.001), 1_750_000_004.0
        )
        group.judgments.add(dict.fromkeys(keys.values(), opinion))
        group.judgments.rest_on(run_id, keys)
    score, figures = score_stored_run(group, run_id, case, [case.document])
    group.finish_run(run_id, score, figures, 1_750_000_005.0 + sample)
    return run_id


def _worked(case: Case, doing: Doing, note: str) -> ChunkResult:
    document = case.document
    calls = []
    for number, paragraph in enumerate(case.document, 1):
        for where, find, replace in (
            (doing.fixed, "teh", "the"),
            (doing.altered, "teh", "thee"),
            (doing.stray, "Here", "There"),
        ):
            if number in where:
                now = document.get(paragraph.id)
                assert now is not None
                document = document.with_inner_html(paragraph.id, now.inner_html.replace(find, replace))
                given = {"paragraphId": paragraph.id, "find": find, "replace": replace}
                calls.append(CallRecord("find_and_replace", given, "{}", True, "Replaced 1 time.", 1))
    calls.append(CallRecord(note or "fly", {}, f'{{"x": "{note}"', False, f"There is no tool {note}.", 0))
    calls.append(CallRecord("proofreading_complete", {"note": note}, "{}", True, "This part is complete.", 0))
    message = {"role": "assistant", "content": note or "I am done."}
    turn = Turn(message, tuple(calls), Usage(100, 20, 5, 0), 0.01, 2.0, note or "tool_calls", {"odd": 1})
    return ChunkResult(document.paragraphs, (turn,), completed=True)


def fail(group: Group, case: Case, variant: Variant, message: str = "The server gave up.") -> int:
    """A run that could not go on."""
    group.add_case(case)
    run_id = group.begin_run(
        RunKey(make_settings(max_words=0), variant, case.fingerprint), 1, 1, 1_750_000_000.0, "1.0"
    )
    fault = EndpointFault("server_error", message, reach=Reach.RUN, status=502)
    group.fail_run(run_id, 0, fault, 1_750_000_009.0)
    return run_id


def fill(path: Path) -> None:
    """The sample group: good and bad models, a failed and an unfinished run, a control, and hostile text everywhere."""
    letter, memo, evil = plain_case("letter"), plain_case("memo", 4), hostile_case()
    control = make_case("control", 2, issues=False)
    with write_group(path) as group:
        for sample in (1, 2):
            add_run(
                group,
                letter,
                ALPHA,
                Doing(fixed=(1, 2, 3, 4), altered=(5,), stray=(6,)),
                sample,
                judged="It reads odd.",
            )
            add_run(group, letter, BETA, Doing(fixed=(5, 6) if sample == 1 else (5,)), sample)
        add_run(group, memo, ALPHA, Doing(fixed=(1, 2, 3)))
        add_run(group, memo, BETA, Doing(fixed=(4,), stray=(1, 7)))
        add_run(group, letter, ALPHA_HIGH, Doing(fixed=(1,)))
        add_run(group, evil, EVIL, Doing(altered=(1,), stray=(1,)), note=HOSTILE, judged=HOSTILE)
        add_run(group, evil, ALPHA, Doing(fixed=(1,)))
        add_run(group, control, ALPHA, Doing(stray=(1,)))
        fail(group, letter, FAILING, HOSTILE)
        group.begin_run(
            RunKey(make_settings(max_words=0), UNFINISHED, letter.fingerprint), 1, 1, 1_750_000_000.0, "1.0"
        )
