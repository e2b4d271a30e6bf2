"""``errata-bench results merge|export|import``: results from elsewhere, and for elsewhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errata_bench.cli.options import GroupArgument, ResultsDir
from errata_bench.errors import UserError

if TYPE_CHECKING:
    from errata_bench.results.exports.writing import Folder
    from errata_bench.store.group import Group

CONFLICTS = 1


class Format(StrEnum):
    """What a group can be exported as."""

    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"
    JSONL = "jsonl"
    M2 = "m2"
    UPSTREAM_JSON = "upstream-json"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add these commands to ``errata-bench results``."""
    app.command("merge")(merge)
    app.command("export")(export)
    app.command("import")(import_)


def merge(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The group that takes all in; made if not there.")],
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE", help="Groups by their ids, or their .sqlite files. Only read.")
    ],
    results_dir: ResultsDir = None,
) -> None:
    """Take the runs of other groups into one.

    The same run twice stays once. Exit 1 if runs differ in both.
    """
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.merge import merge_groups
    from errata_bench.store.open import group_path
    from errata_bench.views.maintenance import merge_lines

    settings = load_settings(results_dir=results_dir)
    _refuse_published(target)
    files = [
        Path(source).expanduser() if source.endswith(".sqlite") else group_path(settings.results_dir, source)
        for source in sources
    ]
    merged = merge_groups(group_path(settings.results_dir, target), files)
    for line in merge_lines(target, merged):
        typer.echo(line)
    if any(source.merged is not None and source.merged.conflicts for source in merged):
        raise typer.Exit(CONFLICTS)


def export(
    group: GroupArgument = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Where the files go. Default: ./GROUP-FORMAT.")
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="csv, parquet, json: a row a run and a row an issue. jsonl: all that was said and done. m2: for "
            "ERRANT. upstream-json: the existing project's results file. html: pages to read.",
        ),
    ] = Format.CSV,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
    results_dir: ResultsDir = None,
) -> None:
    """Write a group in a form that other programs read.

    docs/exports.md has columns and units.
    """
    from errata_bench.cli.viewing import opened
    from errata_bench.results.exports.writing import Folder

    with opened(group, results_dir) as stored:
        target = Folder(folder if folder is not None else Path(f"{stored.id}-{form}"), force)
        if form is Format.HTML:
            from errata_bench.views.web.export import export_site

            export_site(stored, target.path)
            target.written.append(target.path / "index.html")
        else:
            _export(form, stored, target)
    for file in target.written[:10]:
        typer.echo(file)
    if len(target.written) > 10:
        typer.echo(f"and {len(target.written) - 10:,} more")


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="The existing project's results files and reports (JSON), in any order."),
    ],
    group_id: Annotated[
        str, typer.Option("--group-id", "-g", metavar="GROUP", help="The group that takes it in; made if not there.")
    ],
    results_dir: ResultsDir = None,
) -> None:
    """Read in results that were made elsewhere.

    Figures of runs, and from reports verdicts on issues; what is read twice is there once. A file is a results file
    (with attempts), a report of one run, or a collection of reports (with runs). If one cannot be read, nothing is
    written.
    """
    import time

    from errata_bench import __version__
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.results.imports.files import read_files
    from errata_bench.results.imports.group import check_files, import_files
    from errata_bench.store.group import write_group
    from errata_bench.store.open import group_path
    from errata_bench.views.maintenance import import_line

    settings = load_settings(results_dir=results_dir)
    _refuse_published(group_id)
    path = group_path(settings.results_dir, group_id)
    read = read_files(files)
    check_files(read)
    with write_group(path) as stored:
        reports = import_files(stored, read, time.time(), __version__)
    for report in reports:
        typer.echo(import_line(path.stem, report))


def _export(form: Format, group: Group, folder: Folder) -> None:
    from errata_bench.results.exports.artifact import export_artifact
    from errata_bench.results.exports.m2_files import export_m2
    from errata_bench.results.exports.tables import export_csv, export_json, export_parquet
    from errata_bench.results.exports.trajectories import export_trajectories

    if form is Format.M2:
        for remark in export_m2(group, folder):
            typer.echo(remark, err=True)
        return
    {
        Format.CSV: export_csv,
        Format.PARQUET: export_parquet,
        Format.JSON: export_json,
        Format.JSONL: export_trajectories,
        Format.UPSTREAM_JSON: export_artifact,
    }[form](group, folder)


def _refuse_published(group_id: str) -> None:
    from errata_bench.results.published import PUBLISHED_IDS

    if group_id in PUBLISHED_IDS:
        raise UserError(
            f"{group_id} names results that were published elsewhere and ship with this program",
            mend="name another group",
        )
