"""What an audit of judging found, and what filling gaps came to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from errata_bench.results.audit import Agreement, Audit, Standing
from errata_bench.runs.rejudging import GapReport
from errata_bench.views.figures import FigureTable, print_figures
from errata_bench.views.terminal import count, number, percent, plain

_SHOWN_REASON = 300


def print_audit(console: Console, audit: Audit) -> None:
    """Print how far the figures rest on the judge, then how far two judges agree."""
    _print_reliance(console, audit)
    for agreement in audit.agreements:
        console.print()
        for line in agreement_lines(agreement):
            console.print(Text(line), soft_wrap=True)


def _print_reliance(console: Console, audit: Audit) -> None:
    standings = audit.reliance.standings
    if not standings:
        console.print(Text(f"The group {audit.group_id} holds no successful run with issues."))
        return
    rows = [(f"{s.rank:>2} {plain(str(s.variant))}", _cells(s)) for s in standings]
    heads = ["qual-\nity", "by the\njudge", "unjud-\nged", "strict", "rank", "len-\nient", "rank"]
    print_figures(console, FigureTable(heads, " # model", rows))
    lines = [
        "By the judge: share of the quality that rests on its word alone. "
        f"{_distinct(audit.distinct_fixes)} judged; {count(audit.unjudged, 'fix', 'fixes')} of runs unjudged.",
        "Strict: no fix that differs from the expected one is right. Lenient: all of them are.",
        f"The ranking as judged against strict: tau {number(audit.reliance.strict_tau)}; against lenient: tau "
        f"{number(audit.reliance.lenient_tau)} (1: the same order). The largest move is "
        f"{count(audit.reliance.largest_move, 'rank')}.",
    ]
    for line in lines:
        console.print(Text(line, style="dim"), soft_wrap=True)


def _cells(standing: Standing) -> list[str]:
    return [
        number(standing.quality),
        percent(standing.judged_share),
        percent(standing.unjudged),
        number(standing.strict),
        _moved(standing.rank, standing.strict_rank),
        number(standing.lenient),
        _moved(standing.rank, standing.lenient_rank),
    ]


def _moved(rank: int, other: int) -> str:
    return f"{other}" if rank == other else f"{other} ({rank - other:+d})"


def agreement_lines(agreement: Agreement) -> Iterator[str]:
    """Two judges in words, every disagreement included."""
    yield f"{plain(agreement.first)} and {plain(agreement.second)} on {_distinct(agreement.compared)}:"
    if agreement.compared:
        yield (
            f"  agreement {percent(agreement.raw)}, Cohen's kappa {number(agreement.kappa)}; both valid "
            f"{agreement.both_valid}, both not {agreement.both_invalid}, only the first {agreement.only_first_valid}, "
            f"only the second {agreement.only_second_valid}"
        )
    if agreement.unanswered:
        yield f"  {count(agreement.unanswered, 'fix', 'fixes')} without a verdict of the second"
    for one in agreement.disagreements:
        issue = one.fix.paragraph.questions[0].issue
        where = f"{plain(one.fix.case_id)}, {plain(issue.id)} ({count(one.fix.runs, 'run')})"
        yield f"  {where}: {plain(issue.find)} → {plain(issue.replace)}"
        yield f"    left as: {_short(one.fix.paragraph.final)}"
        yield f"    {_verdict(one.fix.valid)} by the first: {_short(one.fix.reason)}"
        yield f"    {_verdict(one.second_valid)} by the second: {_short(one.second_reason)}"


def _distinct(fixes: int) -> str:
    return count(fixes, "distinct fix", "distinct fixes")


def _verdict(valid: bool) -> str:
    return "valid" if valid else "not valid"


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _SHOWN_REASON else line[:_SHOWN_REASON] + "…"


def audit_json(audit: Audit) -> str:
    """The audit as JSON; what does not exist is null."""
    content: dict[str, Any] = {
        "group": audit.group_id,
        "distinct_fixes": audit.distinct_fixes,
        "unjudged": audit.unjudged,
        "kendall_tau_strict": audit.reliance.strict_tau,
        "kendall_tau_lenient": audit.reliance.lenient_tau,
        "largest_move": audit.reliance.largest_move,
        "variants": [
            {
                "model": str(s.variant),
                "judge": s.settings.judge or None,
                "quality": s.quality,
                "strict": s.strict,
                "lenient": s.lenient,
                "rank": s.rank,
                "strict_rank": s.strict_rank,
                "lenient_rank": s.lenient_rank,
                "judged_share": s.judged_share,
                "unjudged_rate": s.unjudged,
            }
            for s in audit.reliance.standings
        ],
        "agreements": [_agreement_content(agreement) for agreement in audit.agreements],
    }
    return json.dumps(content, indent=2)


def _agreement_content(agreement: Agreement) -> dict[str, Any]:
    return {
        "first": agreement.first,
        "second": agreement.second,
        "compared": agreement.compared,
        "agreement": agreement.raw,
        "kappa": agreement.kappa,
        "both_valid": agreement.both_valid,
        "both_invalid": agreement.both_invalid,
        "only_first_valid": agreement.only_first_valid,
        "only_second_valid": agreement.only_second_valid,
        "unanswered": agreement.unanswered,
        "disagreements": [
            {
                "case": one.fix.case_id,
                "issue": one.fix.issue_id,
                "runs": one.fix.runs,
                "find": one.fix.paragraph.questions[0].issue.find,
                "replace": one.fix.paragraph.questions[0].issue.replace,
                "original": one.fix.paragraph.original,
                "final": one.fix.paragraph.final,
                "first_valid": one.fix.valid,
                "first_reason": one.fix.reason,
                "second_valid": one.second_valid,
                "second_reason": one.second_reason,
            }
            for one in agreement.disagreements
        ],
    }


def gap_lines(group_id: str, report: GapReport) -> Iterator[str]:
    """What filling the gaps of a group came to."""
    judged = report.before - report.after
    if report.runs:
        yield (
            f"{count(judged, 'fix', 'fixes')} of {count(report.runs, 'run')} judged, {report.after} still unjudged; "
            "the runs are scored anew."
        )
    else:
        yield f"Nothing to judge in the group {group_id}."
    if report.filed:
        are = "is" if report.filed == 1 else "are"
        yield f"{count(report.filed, 'run')} without a judge until now {are} filed under it."
    for judge, runs in (+report.left_alone).items():
        whose = f"filed under the judge {plain(judge)}" if judge else "without a judge"
        it = "it is" if runs == 1 else "they are"
        yield f"{count(runs, 'run')} {whose} left as {it}; name the judge with --judge-model."
    if report.without_texts:
        yield f"{count(report.without_texts, 'run')} without stored texts cannot be judged."
    if report.refused is not None:
        yield f"Stopped by --max-cost: {plain(str(report.refused))}"
    for variant, fault in report.faults.items():
        yield f"The judge {plain(str(variant))} was not asked any more: {plain(str(fault))}"
        if fault.mend is not None:
            yield f"  {plain(fault.mend)}"
