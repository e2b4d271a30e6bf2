"""What a check of an endpoint found, and what a served endpoint was asked, in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import orjson
from rich.console import Console
from rich.text import Text

from errata_bench.views.terminal import count, dollars, plain

_STYLES = {"ok": "green", "warn": "yellow", "FAIL": "bold red", "skipped": "dim"}
_STATUS_WIDTH = 8
_STEP_WIDTH = 15


class FindingShown(Protocol):
    """One finding of a check."""

    @property
    def step(self) -> str:
        """What was found out."""

    @property
    def status(self) -> str:
        """``ok``, ``warn``, ``FAIL`` or ``skipped``."""

    @property
    def text(self) -> str:
        """The finding in words."""

    @property
    def mend(self) -> str | None:
        """What to do about it."""

    @property
    def model(self) -> str | None:
        """The model that it is about, if it is about one."""


class ReportShown(Protocol):
    """All of a check."""

    @property
    def endpoint(self) -> str:
        """The address, as a person may see it."""

    @property
    def findings(self) -> Sequence[FindingShown]:
        """The findings, in order."""

    @property
    def works(self) -> bool:
        """Whether a run would work."""

    @property
    def requests(self) -> int:
        """The requests sent for chat completions."""

    @property
    def failed_requests(self) -> int:
        """Those of them that failed, retried ones included."""

    @property
    def cost_usd(self) -> float | None:
        """What they cost, or None."""


class CheckLines:
    """Writes a line for each finding as it is made, and a last one."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._model: str | None = None

    def show(self, finding: FindingShown) -> None:
        """Write one finding, and its mend on a line of its own; before a model's first, its name."""
        if finding.model is not None and finding.model != self._model:
            self._model = finding.model
            self._console.print(Text(plain(finding.model), style="bold"), soft_wrap=True)
        line = Text(f"{finding.status:<{_STATUS_WIDTH}}", style=_STYLES.get(finding.status, ""))
        line.append(f"{finding.step:<{_STEP_WIDTH}}{plain(finding.text)}", style="not bold not dim default")
        self._console.print(line, soft_wrap=True)
        if finding.mend is not None:
            self._console.print(Text(" " * (_STATUS_WIDTH + _STEP_WIDTH) + plain(finding.mend)), soft_wrap=True)

    def end(self, report: ReportShown) -> None:
        """Write whether a run would work, and what it took to know."""
        failed = f", {report.failed_requests} of them failed" if report.failed_requests else ""
        cost = "cost unknown" if report.cost_usd is None else dollars(report.cost_usd)
        verdict = "A run would work" if report.works else "A run would not work"
        self._console.print(f"{verdict}. ({count(report.requests, 'request')}{failed}; {cost})", soft_wrap=True)


def report_json(report: ReportShown) -> str:
    """The report as one JSON object."""
    content = {
        "endpoint": report.endpoint,
        "works": report.works,
        "requests": report.requests,
        "failedRequests": report.failed_requests,
        "costUsd": report.cost_usd,
        "findings": [
            {"model": f.model, "step": f.step, "status": f.status, "text": f.text, "mend": f.mend}
            for f in report.findings
        ],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def serving_lines(ledger: Mapping[str, Any]) -> Iterator[str]:
    """Lines for the end of serving: what was asked, by outcome."""
    yield (
        f"{count(ledger['requests'], 'request')} served: {ledger['prompt_tokens']:,} tokens in, "
        f"{ledger['completion_tokens']:,} out, {dollars(ledger['cost_usd'])}"
    )
    for outcome, sums in ledger["outcomes"].items():
        yield f"  {outcome:<20} {sums['requests']:,}"
