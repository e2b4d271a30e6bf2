"""``errata-bench results``: work on stored results without running any candidate again."""

from __future__ import annotations

from typing import Annotated

import typer

from errata_bench.cli.options import App, Concurrency, GroupArgument, Json, MaxCost, RequestTimeout, ResultsDir

INCOMPLETE = 1

app = App()


JudgeModel = Annotated[
    str | None,
    typer.Option(
        "--judge-model",
        metavar="VARIANT",
        help="Judge the runs of this judge, and those that have none. Default: each run's own judge, and for runs that "
        "have none the one of the settings.",
    ),
]


@app.command("judge")
def judge(
    group: GroupArgument = None,
    judge_model: JudgeModel = None,
    judge_edits: Annotated[
        bool,
        typer.Option(
            "--judge-edits",
            help="Then have the edits away from all issues sorted: real flaw fixed, harmless, preferential, harmful.",
        ),
    ] = False,
    results_dir: ResultsDir = None,
    concurrency: Concurrency = 30,
    request_timeout: RequestTimeout = 600.0,
    max_cost: MaxCost = None,
) -> None:
    """Have the unjudged fixes of a group judged.

    Its runs are scored anew with what the judge says. Exit 1 if anything is still unjudged.
    """
    import asyncio

    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.edits import edit_report, group_edits
    from errata_bench.results.rescore import rescore_group
    from errata_bench.runs.edit_judging import ask_about_edits
    from errata_bench.runs.judge_choice import edit_judge, named_judge
    from errata_bench.runs.options import RunOptions
    from errata_bench.runs.rejudging import JudgePlace, judge_group
    from errata_bench.runs.scoring import score_stored_run
    from errata_bench.store.group import read_group, write_group
    from errata_bench.store.open import group_path
    from errata_bench.views.audit import gap_lines
    from errata_bench.views.edits import edit_lines

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group or settings.default_results_id)
    named = None if judge_model is None else named_judge(judge_model, settings)
    for_edits = edit_judge(named, settings) if judge_edits else None
    with read_group(path):
        pass  # one that is not there is not made
    options = RunOptions(concurrency=concurrency, request_timeout=request_timeout, max_cost=max_cost)
    place = JudgePlace(settings, options, _remark)
    incomplete = False
    with write_group(path) as stored:
        report = asyncio.run(judge_group(stored, named, place))
        for line in gap_lines(path.stem, report):
            typer.echo(line)
        incomplete = bool(report.after or report.left_alone.total())
        if for_edits is not None:
            found = group_edits(stored, baselines=named is not None)
            pairs = [edit.edit.pair for edit in found.edits] + [gold.pair for gold in found.gold]
            fault = asyncio.run(ask_about_edits(stored, for_edits, pairs, place))
            # What turns out to mend a real flaw does not count against a run any more.
            rescore_group(stored, score_stored_run)
            edits = edit_report(stored, found, str(for_edits))
            for line in edit_lines(found, edits, fault):
                typer.echo(line)
            incomplete = incomplete or any(edits.unjudged.values())
    if incomplete:
        raise typer.Exit(INCOMPLETE)


@app.command("audit")
def audit(
    group: GroupArgument = None,
    second_judge: Annotated[
        str | None,
        typer.Option(
            "--second-judge",
            metavar="VARIANT",
            help="Ask this model about every fix that was judged, and compare. Answers are kept, and paid for once.",
        ),
    ] = None,
    results_dir: ResultsDir = None,
    concurrency: Concurrency = 30,
    request_timeout: RequestTimeout = 600.0,
    max_cost: MaxCost = None,
    as_json: Json = False,
) -> None:
    """Show how far figures rest on the judge.

    Its share of each quality, the ranking without it, and a second opinion where one is asked for.
    """
    import asyncio

    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.audit import audit_of, second_opinion_needs
    from errata_bench.runs.judge_choice import named_judge
    from errata_bench.runs.options import RunOptions
    from errata_bench.runs.rejudging import JudgePlace, ask_second_judge
    from errata_bench.store.group import read_group, write_group
    from errata_bench.store.open import group_path
    from errata_bench.views.audit import audit_json, print_audit
    from errata_bench.views.terminal import make_console

    settings = load_settings(results_dir=results_dir)
    path = group_path(settings.results_dir, group or settings.default_results_id)
    second = None if second_judge is None else named_judge(second_judge, settings)
    with read_group(path) as stored:
        needs = () if second is None else second_opinion_needs(stored, str(second))
    fault = None
    if second is not None and needs:
        options = RunOptions(concurrency=concurrency, request_timeout=request_timeout, max_cost=max_cost)
        place = JudgePlace(settings, options, _remark)
        with write_group(path) as stored:
            fault = asyncio.run(ask_second_judge(stored, second, needs, place))
    with read_group(path) as stored:
        found = audit_of(stored, None if second is None else str(second))
    if as_json:
        typer.echo(audit_json(found))
    else:
        print_audit(make_console(), found)
    if fault is not None:
        typer.echo(f"The second judge was not asked any more: {fault}", err=True)
    if any(agreement.unanswered for agreement in found.agreements):
        raise typer.Exit(INCOMPLETE)


def _remark(text: str) -> None:
    typer.echo(text, err=True)
