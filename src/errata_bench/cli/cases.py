"""``errata-bench cases``: the documents, to list, check, build, annotate, review and disqualify."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errata_bench.cli.options import App, Json, ResultsDir

if TYPE_CHECKING:
    from errata_bench.cases.check import ParagraphChecker

FINDINGS = 1

app = App()


@app.command("list")
def list_cases(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Case files or folders. Default: the bundled cases.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List cases: their genre, size and issues."""
    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.check import case_figures
    from errata_bench.cases.load import read_cases
    from errata_bench.errors import DatasetError
    from errata_bench.views.cases import figures_json, print_figures

    loaded = read_cases(paths or [str(bundled_dataset())])
    if loaded.faults:
        raise DatasetError(loaded.faults)
    figures = [case_figures(case) for case in loaded.cases]
    if as_json:
        typer.echo(figures_json(figures))
    else:
        print_figures(figures)


@app.command("check")
def check(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Case files or folders. Default: the bundled cases.")
    ] = None,
    as_json: Json = False,
    no_checkers: Annotated[
        bool, typer.Option("--no-checkers", help="Do not let the offline checkers read the clean texts.")
    ] = False,
    record: Annotated[
        bool,
        typer.Option(
            "--record", help="Write new complaints of the offline checkers beside the cases, to be given a reason."
        ),
    ] = False,
) -> None:
    """Check whether cases are good to benchmark on.

    Exit 1 with findings, 0 without.
    """
    import asyncio

    from errata_bench.baselines import close_engines
    from errata_bench.bundled import bundled_dataset
    from errata_bench.cases.check import check_cases
    from errata_bench.views.cases import print_report, report_json

    async def run() -> bool:
        try:
            checkers = None if no_checkers else offline_checkers()
            report = await check_cases(paths or [str(bundled_dataset())], checkers=checkers, record=record)
        finally:
            await close_engines()
        if as_json:
            typer.echo(report_json(report))
        else:
            print_report(report)
        return report.is_clean

    if not asyncio.run(run()):
        raise typer.Exit(FINDINGS)


@app.command("build")
def build(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Annotated sources or folders of them. Default: datasets/v1/annotated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the cases. Default: the folder `cases` beside `annotated`, or beside the file.",
        ),
    ] = None,
) -> None:
    """Build cases from annotated sources.

    Of each: case JSON, corrupted text and clean text.
    """
    from errata_bench.cases.build import build_files
    from errata_bench.views.terminal import count

    for folder, built in build_files(paths or [Path("datasets/v1/annotated")], out):
        words, issues = count(built.case.document.words, "word"), count(len(built.case.issues), "issue")
        typer.echo(f"{folder / built.json_name}: {words}, {issues}")


@app.command("annotate")
def annotate(
    case: Annotated[
        Path, typer.Argument(metavar="CASE", help="A case file that holds one case; its source has to be beside it.")
    ],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write. Default: standard output.")] = None,
) -> None:
    """Write a case as an annotated source."""
    from errata_bench.cases.annotate import annotate_file

    text = annotate_file(case, out)
    if out is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"{out} written")


@app.command("disqualify")
def disqualify(
    case: Annotated[Path, typer.Argument(metavar="CASE", help="A case file that holds one case.")],
    issues: Annotated[list[str] | None, typer.Argument(metavar="ISSUE", help="Ids of issues.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why they are no fair ones.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Let them count again.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List what is disqualified, with reasons.")] = False,
    refresh: Annotated[
        list[str] | None,
        typer.Option("--refresh", metavar="GROUP", help="Bring a group's results up to date at once; may be repeated."),
    ] = None,
    results_dir: ResultsDir = None,
) -> None:
    """Take issues out of scoring, or let them count again.

    The case itself is not touched.
    """
    from errata_bench.cases.disqualify import disqualifications, requalify
    from errata_bench.cases.disqualify import disqualify as take_out
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.errors import UserError
    from errata_bench.store.open import group_path

    if show:
        if issues or reason or undo or refresh:
            raise UserError("--list goes with nothing else", mend="give a case file alone")
        entries = disqualifications(case)
        for entry in entries:
            typer.echo(f"{entry.issue_id}: {entry.reason or 'no reason given'}")
        if not entries:
            typer.echo(f"{case}: no issue is disqualified")
        return
    if undo and reason:
        raise UserError("--undo needs no reason", mend="leave one of them out")
    folder = load_settings(results_dir=results_dir).results_dir
    paths = [group_path(folder, group) for group in refresh or ()]
    if missing := [path for path in paths if not path.exists()]:
        raise UserError(f"{missing[0]}: there is no such group", mend="`errata-bench results list` shows the groups")
    done = requalify(case, issues or ()) if undo else take_out(case, issues or (), reason or "")
    if done.changed:
        again = "counts again" if len(done.changed) == 1 else "count again"
        typer.echo(f"{done.path}: {', '.join(done.changed)} {again if undo else 'disqualified'}")
    else:
        typer.echo(f"{done.path}: nothing had to be changed")
    for path in paths:
        typer.echo(_refreshed(path, case))
    if not paths:
        typer.echo("Bring stored results up to date, without any model: errata-bench results refresh GROUP")


def _refreshed(path: Path, case: Path) -> str:
    from errata_bench.cases.load import load_cases
    from errata_bench.results.refresh import Prices, refresh_group
    from errata_bench.runs.scoring import score_stored_run
    from errata_bench.store.group import write_group
    from errata_bench.views.terminal import count

    with write_group(path) as group:
        report = refresh_group(group, score_stored_run, load_cases([str(case)]), Prices())
    runs = sum(change.runs for change in report.cases)
    return f"{path}: {count(runs, 'run')} brought up to date" if runs else f"{path}: no run there had to be changed"


@app.command("review")
def review(
    case: Annotated[Path, typer.Argument(metavar="CASE", help="A case file that holds one case.")],
    start: Annotated[int, typer.Option("--from", metavar="N", min=1, help="Number of the issue to begin with.")] = 1,
) -> None:
    """Go through a case's issues in context.

    Keep each, reword it, accept other fixes, or disqualify it; each decision is saved at once.
    """
    from errata_bench.cases.review import Review
    from errata_bench.errors import UserError
    from errata_bench.views.case_review import CHOICES, print_issue
    from errata_bench.views.terminal import make_console

    reviewing = Review(case)
    console = make_console()
    number = start
    if not reviewing.issues:
        raise UserError(f"{case}: the case has no issues", mend="a control needs no review")
    while 1 <= number <= len(reviewing.issues):
        shown = reviewing.issues[number - 1]
        print_issue(console, shown)
        try:
            choice = typer.prompt(CHOICES, default="k").strip().lower()[:1]
            match choice:
                case "k":
                    number += 1
                case "r":
                    reviewing.reword(shown.issue.id, typer.prompt("Description"))
                case "a":
                    reviewing.accept(shown.issue.id, typer.prompt("Text that may stand in the place of the wrong one"))
                case "d":
                    reviewing.disqualify(shown.issue.id, typer.prompt("Reason"))
                    number += 1
                case "u":
                    reviewing.requalify(shown.issue.id)
                case "b":
                    number = max(1, number - 1)
                case "q":
                    return
                case _:
                    typer.echo(f"There is no choice {choice!r}.")
        except UserError as error:
            typer.echo(f"Not done: {error.message}")
        except typer.Abort:
            if sys.stdin.isatty():
                raise
            raise UserError(
                f"{case}: there is no answer to issue {number} of {len(reviewing.issues)}, and no terminal to ask on",
                mend=f"run it on a terminal; all decisions so far are saved, and --from {number} goes on",
            ) from None


@app.command("taxonomy")
def taxonomy(as_json: Json = False) -> None:
    """Show the categories of errors."""
    from errata_bench.views.cases import print_taxonomy, taxonomy_json

    if as_json:
        typer.echo(taxonomy_json())
    else:
        print_taxonomy()


def offline_checkers() -> dict[str, ParagraphChecker]:
    """The offline checkers that can be used here, by name."""
    from errata_bench.baselines import unavailable_reason
    from errata_bench.baselines.engines import Engine, engine_host
    from errata_bench.baselines.plain_text import HtmlEdit

    def checker(engine: Engine) -> ParagraphChecker:
        async def check_paragraphs(inner_htmls: Sequence[str]) -> Sequence[Sequence[HtmlEdit]]:
            return (await engine_host(engine).check(inner_htmls)).edits

        return check_paragraphs

    return {engine.value: checker(engine) for engine in Engine if unavailable_reason(f"baseline/{engine}") is None}
