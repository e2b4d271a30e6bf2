"""``errata-bench view web``: groups in a browser, or as a folder of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errata_bench.cli.options import ResultsDir
from errata_bench.cli.viewing import opened, published_named


def register(app: typer.Typer) -> None:
    """Add this command to ``errata-bench view``."""
    app.command("web")(web)


def web(
    group: Annotated[
        str | None,
        typer.Argument(
            metavar="GROUP", help="The group, or published-v1; default: all groups of the folder, and published-v1."
        ),
    ] = None,
    results_dir: ResultsDir = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The address to listen at; others than this machine can read there what it shows."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: a free one.")] = 0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Write the same pages into a folder, and serve nothing."),
    ] = None,
) -> None:
    """Look at groups in a browser, down to the single edit.

    Ctrl-C ends it.
    """
    from errata_bench.endpoint.settings import load_settings
    from errata_bench.views.web.serve import Address, serve

    if export is not None:
        from errata_bench.views.web.export import export_published, export_site

        if (published := published_named(group, results_dir)) is not None:
            written = export_published(published, export)
        else:
            with opened(group, results_dir) as stored:
                written = export_site(stored, export)
        typer.echo(f"Wrote {export / 'index.html'} and {written.files - 1:,} more files, {written.size / 1e6:.1f} MB.")
        return
    if group is not None and published_named(group, results_dir) is None:
        with opened(group, results_dir):
            pass  # one that is not there is told at once

    def announce(url: str) -> None:
        typer.echo(f"Open {url} in a browser; Ctrl-C ends it.")
        if open_browser:
            import webbrowser

            webbrowser.open(url)

    serve(load_settings(results_dir=results_dir).results_dir, group, Address(host, port), announce)
