from __future__ import annotations

import io
import json

from rich.console import Console

from errata_bench.endpoint.findings import CheckReport, Finding, Status, Step
from errata_bench.views.endpoint_check import CheckLines, report_json, serving_lines
from errata_bench.views.terminal import make_console

FINDINGS = (
    Finding(Step.REACHABLE, Status.OK, "http://host/v1"),
    Finding(Step.KEY, Status.WARN, "so so"),
    Finding(Step.MODEL, Status.FAIL, "gone\x1b[31m", "name [b]another[/b]", "org/model:low"),
    Finding(Step.TOOLS, Status.SKIPPED, "not tried", None, "org/model:low"),
)
REPORT = CheckReport("http://host/v1", FINDINGS, 3, 1, 0.25)


def shown(console: Console) -> None:
    lines = CheckLines(console)
    for finding in FINDINGS:
        lines.show(finding)
    lines.end(REPORT)


def test_each_finding_is_a_line_in_words_with_its_mend_below() -> None:
    out = io.StringIO()
    shown(make_console(out))
    assert out.getvalue().splitlines() == [
        "ok      reachable      http://host/v1",
        "warn    key            so so",
        "org/model:low",
        "FAIL    model          gone�[31m",
        "                       name [b]another[/b]",
        "skipped tool calling   not tried",
        "A run would not work. (3 requests, 1 of them failed; $0.250)",
    ]


def test_colours_are_for_terminals_only() -> None:
    out = io.StringIO()
    shown(Console(file=out, force_terminal=True, color_system="standard", markup=False, highlight=False))
    assert "\x1b[32mok" in out.getvalue()
    assert "\x1b[1;31mFAIL" in out.getvalue()


def test_json_holds_every_finding_and_the_verdict() -> None:
    content = json.loads(report_json(REPORT))
    assert (content["works"], content["requests"], content["failedRequests"]) == (False, 3, 1)
    assert content["findings"][2] == {
        "model": "org/model:low",
        "step": "model",
        "status": "FAIL",
        "text": "gone\x1b[31m",
        "mend": "name [b]another[/b]",
    }


def test_an_unknown_cost_is_no_zero() -> None:
    out = io.StringIO()
    CheckLines(make_console(out)).end(CheckReport("u", FINDINGS[:1], 1, 0, None))
    assert out.getvalue() == "A run would work. (1 request; cost unknown)\n"


def test_what_was_served_is_summed_up_by_outcome() -> None:
    sums = {"requests": 2, "prompt_tokens": 1200, "completion_tokens": 30, "cost_usd": 0.5}
    assert list(serving_lines({**sums, "outcomes": {"ok": sums}})) == [
        "2 requests served: 1,200 tokens in, 30 out, $0.500",
        "  ok                   2",
    ]
