"""``errata-bench cases``: the documents, to list, check, build and annotate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from errata_bench.cases.check import ParagraphChecker

FINDINGS = 1

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

_JSON = typer.Option("--json", help="Write JSON.")


@app.command("list")
def list_cases(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Case files or folders. Default: the bundled cases.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
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
        list[str] | None, typer.Argument(help="Case files or folders. Default: the bundled cases.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
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
    """Check whether cases are good to benchmark on; exit 1 with findings, 0 without."""
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
        typer.Argument(help="Annotated sources or folders of them. Default: datasets/v1/annotated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the cases. Default: the folder `cases` beside `annotated`, or beside the file."),
    ] = None,
) -> None:
    """Build cases from annotated sources: case JSON, corrupted text and clean text."""
    from errata_bench.cases.build import build_files

    for folder, built in build_files(paths or [Path("datasets/v1/annotated")], out):
        typer.echo(f"{folder / built.json_name}: {built.case.document.words} words, {len(built.case.issues)} issues")


@app.command("annotate")
def annotate(
    case: Annotated[Path, typer.Argument(help="A case file that holds one case; its source has to be beside it.")],
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output.")] = None,
) -> None:
    """Write a case as an annotated source."""
    from errata_bench.cases.annotate import annotate_file

    text = annotate_file(case, out)
    if out is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"{out} written")


@app.command("taxonomy")
def taxonomy(as_json: Annotated[bool, _JSON] = False) -> None:
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
